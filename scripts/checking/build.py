# SPDX-License-Identifier: GPL-2.0-only
"""The part of scripts/check that configures, compiles and boots."""
import collections
import functools
import os
import pathlib
import re
import shutil

from checking.checks import Check, Failure, Skip, make, perform, version_of
from shared.boot import DEPENDS
from shared.common import BUILD, CROSS, HARNESS, LOGS, ROOT, SCRIPTS, SELFTEST, digest, fresh, made
from shared.kconfig import lost, options

CLANG = os.environ.get("CLANG", "clang-19")
COMPILERS = {"gcc": (f"{CROSS}gcc", []), "clang": (CLANG, [f"CC={CLANG}"])}
KUNITCONFIG = ROOT / "arch/arm64/kernel/tests/.kunitconfig"
SUITE = "ARM64_MODULE_PLTS_KUNIT_TEST"
# What is changed in defconfig, always and in unusual ways, and must then really be so
WANTED = {"series": {}, "load": {"FTRACE": "y", "FUNCTION_TRACER": "y"}}
VARIATIONS = {
    "series": {
        "no modules": {"MODULES": "n", SUITE: "n"},
        "no KASLR": {"RANDOMIZE_BASE": "n"},
        "no erratum 843419": {"ARM64_ERRATUM_843419": "n", "ARCH_MXC": "n"},  # which selects it
        "no unloading": {"MODULE_UNLOAD": "n"},
        "no dynamic ftrace": {"FUNCTION_TRACER": "n", "DYNAMIC_FTRACE": "n"},  # both or none
        "dynamic ftrace": {"FTRACE": "y", "FUNCTION_TRACER": "y", "DYNAMIC_FTRACE": "y"},
        "16K pages": {"ARM64_4K_PAGES": "n", "ARM64_16K_PAGES": "y"},
        "64K pages": {"ARM64_4K_PAGES": "n", "ARM64_64K_PAGES": "y"},
        "big endian": {"CPU_LITTLE_ENDIAN": "n", "CPU_BIG_ENDIAN": "y"},
    },
    "load": {
        "no modules": {"MODULES": "n"},
        "no function tracer": {"FUNCTION_TRACER": "n"},
        "big endian": {"CPU_LITTLE_ENDIAN": "n", "CPU_BIG_ENDIAN": "y"},
    },
}


def configure(series, out, command, wanted):
    """defconfig with the WANTED options, in an O= folder."""
    kconfig = series.git("ls-tree", "-r", "HEAD", "--", "arch/arm64")
    stamp = digest([line for line in kconfig.splitlines() if re.search("[cC]onfig", line)], wanted,
                   command, series.tree_of("plts-base"))
    config = out / ".config"
    if not fresh(config, stamp):
        out.mkdir(parents=True, exist_ok=True)
        perform(f"defconfig in {out.name}", [*command, "defconfig"], f"config-{out.name}", series)
        text = "".join(line for line in config.read_text().splitlines(keepends=True)
                       if not set(re.findall(r"\bCONFIG_(\w+)", line)) & set(wanted))
        config.write_text(text + "".join(f"CONFIG_{name}={value}\n"
                                         for name, value in wanted.items()))
        perform(f"configure {out.name}", [*command, "olddefconfig"], f"config-{out.name}", series)
        made(config, stamp)
    return lost(wanted, config.read_text())


def suite(series, ref):
    """The options of the KUnit suite, in the steps and on the bases that can have it."""
    if not series.git("ls-tree", ref, "--", "arch/arm64/kernel/tests/") or \
            "config EXECMEM\n" not in series.git("show", "plts-base:mm/Kconfig"):
        return {}
    return options(KUNITCONFIG.read_text())


def compile_at(series, ref, compiler, variation=None):
    """Compile what the series changes of a kernel; what the compiler and sparse complain about."""
    tool, more = COMPILERS[compiler]
    checker = compiler == "gcc" and not variation
    for needed in [tool, "sparse"] if checker else [tool]:
        if not version_of(needed):
            raise Skip(f"no {needed} here")
    out = series.out / (f"configs-{compiler}" if variation else compiler)
    command = make(series, out, *more)
    wanted = {**suite(series, ref), **WANTED[series.variant],
              **VARIATIONS[series.variant].get(variation, {})}
    targets = [str(pathlib.PurePath(name).with_suffix(".o"))
               for name in series.kernel_files(".c", ref)
               if SUITE in wanted or "/tests/" not in name]
    modules = series.variant != "series" or wanted.get("MODULES") != "n"
    with series.at(ref):
        missing = configure(series, out, command, wanted)
        if "CONFIG_CPU_BIG_ENDIAN=y" in missing:
            raise Skip("CPU_BIG_ENDIAN=y does not take: this base has no big endian kernels")
        if missing:
            raise Failure(f"options that do not take: {', '.join(missing)}")
        for target in targets:
            (out / target).unlink(missing_ok=True)
        label = f"{compiler} {variation or ref}"
        # sparse sees the same with either compiler
        command += ["W=1"] + (["C=1"] if checker else [])
        # the vDSO, among others, which is not what is checked
        perform(f"{label}, prepare", [*command, "prepare"], f"prepare-{out.name}", series)
        lines = perform(label, [*command, *(targets if modules else ["arch/arm64/kernel/"])],
                        f"build-{label.replace(' ', '-')}", series)
    built = [target for target in targets if (out / target).exists()]
    if modules and built != targets:
        raise Failure(f"not built: {', '.join(sorted(set(targets) - set(built)))}")
    if not modules and built:
        raise Failure(f"built without CONFIG_MODULES: {', '.join(built)}")
    return [line.replace(f"{series.tree}/", "") for line in lines
            if re.search(r"\b(warning|error): ", line)]


@functools.cache
def base_warnings(series, compiler):
    return collections.Counter(map(unplaced, compile_at(series, "plts-base", compiler)))


def new_warnings(series, compiler, ref):
    """Fail if the compiler complains about a step more than about the base."""
    known = base_warnings(series, compiler)
    seen = collections.Counter()
    for line in compile_at(series, ref, compiler):
        seen[unplaced(line)] += 1
        if seen[unplaced(line)] > known[unplaced(line)]:
            raise Failure(line)


def unplaced(line):
    """A warning without its line, which the series moves."""
    return re.sub(r":\d+(:\d+)?:", ":", line)


def varied(series, compiler, variation):
    """Fail if anything is said about our files in an unusual configuration."""
    ours = series.kernel_files((".c", ".h"))
    for line in compile_at(series, series.head, compiler, variation):
        if any(name in line for name in ours):
            raise Failure(line)


def merged(series):
    """Fail if merge_config.sh cannot give a kernel what the selftest asks for."""
    out = series.out / "merged"
    out.mkdir(parents=True, exist_ok=True)
    fragment = SELFTEST / "config"
    with series.at(series.head):
        perform("merge_config.sh", ["scripts/kconfig/merge_config.sh", "-O", out,
                                    "arch/arm64/configs/defconfig", fragment], "merge", series,
                env={"ARCH": "arm64", "CROSS_COMPILE": CROSS})
    missing = lost(options(fragment.read_text()), (out / ".config").read_text())
    if missing:
        raise Failure(f"options that do not take: {', '.join(missing)}")


def selftest(series):
    """Fail if "make install" of the selftest fails or warns."""
    kernel = BUILD / "kernel" / f"{series.version}-bench"
    if not (kernel / "Image.series").exists():
        raise Skip(f"no kernel in {kernel.relative_to(ROOT)}: run 'scripts/kernel {series.base}'")
    # Built from nothing: make does not repeat a warning about what it has built before
    with series.at(series.head):
        series.git("clean", "-qfdx", "--", SELFTEST.relative_to(ROOT))
        (kernel / "selftest.stamp").unlink(missing_ok=True)
    log = LOGS / f"selftest-{kernel.name}"
    log.unlink(missing_ok=True)
    perform("selftest", [SCRIPTS / "selftest", series.base, kernel], "selftest", series, cwd=ROOT)
    if not log.exists():
        raise Failure(f"{log} is not there: what has the build said?")
    for line in log.read_text().splitlines():
        if re.search("warning|WARNING", line):
            raise Failure(line)


def harness(series):
    """Fail if the host harness does not build in the tree, or warns."""
    out = series.out / "host"
    shutil.rmtree(out, ignore_errors=True)
    with series.at(series.head):
        for line in perform("host harness", ["make", "-C", HARNESS.relative_to(ROOT),
                                             f"OUTPUT={out}", "all"], "host", series):
            if "warning:" in line:
                raise Failure(line)


def parsed(series, logs):
    """Fail if kunit.py does not find in the selftest's logs what they report."""
    if not logs:
        raise Skip(f"no selftest has run: see 'scripts/boot-selftest {series.base}'")
    with series.at(series.head):
        for log in logs:
            found = perform(f"kunit.py parse {log.name}",
                            ["tools/testing/kunit/kunit.py", "parse", log], "parse", series)
            points = re.findall(r"^ok \d+(?!.*# SKIP)", log.read_text(), re.M)
            if not points or not re.search(rf"passed: {len(points)}\b", found[-1]):
                raise Failure(f"{log.name}: {len(points)} passed, kunit.py says: {found[-1]}")


def has_selftest(series, step):
    return bool(series.git("ls-tree", f"plts-{series.at_step(step)}", "--",
                           SELFTEST.relative_to(ROOT)))


def boot(series, step):
    """Fail if the kernel of a step does not boot or does not pass the selftest."""
    # Steps before the selftest run it too, but may not refuse malformed modules yet.
    args = [] if has_selftest(series, step) else ["--args", ""]
    perform(f"boot {step}", [SCRIPTS / "boot-selftest", series.base, "--variant",
                             series.at_step(step), "--cpu", "cortex-a53", "--placement", "far",
                             *args], f"boot-{step}", series, cwd=ROOT)


def checks(series):
    """The checks of one series, but for booting."""
    for name, (tool, _) in COMPILERS.items():
        about = [version_of(tool), version_of("sparse"), series.tree_of("plts-base")]
        for step in series.steps:
            yield Check(f"{name} builds step {step}",
                        [name, *about, series.code_of(f"plts-{series.at_step(step)}")],
                        functools.partial(new_warnings, series, name,
                                          f"plts-{series.at_step(step)}"))
    about = [version_of(COMPILERS["gcc"][0]), series.code_of(series.head)]
    for variation in VARIATIONS[series.variant]:
        yield Check(f"gcc builds with {variation}", [variation, *about],
                    functools.partial(varied, series, "gcc", variation))
    if series.variant != "series":
        return  # the selftest and the harness are module-plts'
    yield Check("selftest config merges", ["merge", SELFTEST / "config", *about],
                functools.partial(merged, series))
    yield Check("selftest builds", ["selftest", SELFTEST, SCRIPTS / "selftest", *about],
                functools.partial(selftest, series))
    yield Check("host harness builds", ["host", HARNESS, *about],
                functools.partial(harness, series))
    logs = sorted(LOGS.glob(f"boot-{series.version}-bench-series-*"))
    yield Check("selftest results parse", ["parse", *logs, *about],
                functools.partial(parsed, series, logs))


def boots(series):
    """The checks that boot each step."""
    used = [*DEPENDS, *[SCRIPTS / name for name in ("boot-selftest", "configs", "kernel",
                                                    "selftest")]]
    for step in series.steps:
        yield Check(f"step {step} boots",
                    ["boot", series.code_of(f"plts-{series.at_step(step)}"),
                     has_selftest(series, step), SELFTEST, *used],
                    functools.partial(boot, series, step))
