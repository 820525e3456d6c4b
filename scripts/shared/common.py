# SPDX-License-Identifier: GPL-2.0-only
"""What the scripts share: where things are, how a long step is run, when it is run again."""
import argparse
import contextlib
import fcntl
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
LOGS = BUILD / "log"
SCRIPTS = ROOT / "scripts"
HARNESS = ROOT / "tools/testing/module_plts"
HARNESS_LOAD = ROOT / "tools/testing/module_load"
SELFTESTS = {name: ROOT / "tools/testing/selftests" / name
             for name in ("module_plts", "module_load")}
SELFTEST = SELFTESTS["module_plts"]
CROSS = os.environ.get("CROSS_COMPILE", "aarch64-linux-gnu-")
# Kernels of Debian: the suites that may have a package of it
SUITES = {"6.1": ["bookworm", "bookworm-security"], "6.12": ["trixie", "trixie-security"],
          "mainline": ["sid", "experimental"]}
BASES = ", ".join(SUITES) + " or the path of a kernel tree"
# The series in series/, each under the name that a kernel with it has; one with both is "all"
SERIES = {"series": "module-plts", "load": "module-load"}
VARIANTS = ["base", *SERIES, "all"]
# The author, where git knows of none
NAME, ADDRESS = "module-plts", "module-plts@example.org"


def fail(message):
    """Leave with one line that says what is wrong and where."""
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {message}")


def say(message):
    print(message, file=sys.stderr, flush=True)


def positive(text):
    """The type of an argument that is a number of something."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return int(text)


def start(command, env=None, **more):
    """Start a command, with ENV on top of the environment."""
    try:
        return subprocess.Popen([str(word) for word in command],
                                env={**os.environ, **(env or {})}, **more)
    except OSError as wrong:
        return fail(f"{wrong.filename}: {wrong.strerror}")


def run(label, command, log, cwd=None, env=None, timeout=None):
    """Run a long command with its output in build/log/LOG and progress on a terminal."""
    LOGS.mkdir(parents=True, exist_ok=True)
    path = LOGS / log
    began = time.monotonic()
    with open(path, "wb") as out:
        process = start(command, env, cwd=cwd, stdout=out, stderr=subprocess.STDOUT,
                        stdin=subprocess.DEVNULL)
        try:
            wait(process, label, path, began, timeout)
        except BaseException:
            process.kill()
            process.wait()
            raise
    if process.returncode:
        tail = path.read_text(errors="replace").splitlines()[-15:]
        fail(f"{label}: exit status {process.returncode}, see {path}\n" + "\n".join(tail))
    say(f"{label}: {time.monotonic() - began:.0f} s")
    return path


@contextlib.contextmanager
def told(what):
    """Say that WHAT begins, and how long it took here when there was most to do. Then how long."""
    record = BUILD / "times" / re.sub(r"\W+", "-", what)
    known = float(record.read_text()) if record.exists() else 0
    say(f"next: {what}" + (f"; took {known / 60:.1f} minutes here once" if known else ""))
    began = time.monotonic()
    yield
    spent = time.monotonic() - began
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text(f"{max(spent, known):.0f}\n")
    say(f"done: {what}: {spent / 60:.1f} minutes")


def wait(process, label, path, began, timeout):
    """Wait for a process, showing on a terminal the last line of what it has written."""
    while True:
        try:
            process.wait(timeout=1)
            break
        except subprocess.TimeoutExpired:
            spent = time.monotonic() - began
        if timeout and spent > timeout:
            process.kill()
            process.wait()
            fail(f"{label}: no end after {timeout} s, see {path}")
        if sys.stderr.isatty():
            lines = path.read_bytes()[-300:].decode(errors="replace").split("\n")
            last = lines[-2].strip() if len(lines) > 1 else ""
            print(f"\r\033[K{label}: {spent:.0f} s  {last[:60]}", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)


def output(*command, cwd=None, env=None):
    """The standard output of a short command, stripped."""
    with start(command, env, cwd=cwd, stdout=subprocess.PIPE, text=True) as process:
        text = process.communicate()[0].strip()
    if process.returncode:
        fail(f"{' '.join(map(str, command))}: exit status {process.returncode}")
    return text


def script(name, *args):
    """Call another script of this folder for what it prints. If it fails it has said why."""
    with start([SCRIPTS / name, *args], stdout=subprocess.PIPE, text=True) as process:
        text = process.communicate()[0].strip()
    if process.returncode < 0:
        fail(f"{name}: killed by signal {-process.returncode}")
    if process.returncode:
        sys.exit(process.returncode)
    return text


def digest(*parts):
    """One hash over strings, files and folders of files."""
    total = hashlib.sha256()
    for part in parts:
        if not isinstance(part, pathlib.Path):
            total.update(repr(part).encode())
            continue
        for file in sorted(part.rglob("*")) if part.is_dir() else [part]:
            if file.is_file() and "__pycache__" not in file.parts:
                total.update(os.fsencode(file.relative_to(part.parent)))
                total.update(file.read_bytes())
    return total.hexdigest()


def fresh(target, stamp):
    """Was TARGET made from what STAMP is the digest of? If not, it is about to be made: until
    made() says that it is, it is of nothing."""
    record = target.with_name(target.name + ".stamp")
    if target.exists() and record.exists() and record.read_text() == stamp:
        return True
    record.unlink(missing_ok=True)
    return False


def made(target, stamp):
    target.with_name(target.name + ".stamp").write_text(stamp)


def at_step(variant, number):
    """The kernel with the steps up to NUMBER of the series that VARIANT has."""
    return number if variant == "series" else f"{variant}-{number}"


def build_kernels(base, variants, *options):
    """Build VARIANTS of BASE, see scripts/kernel: their folder."""
    words = [word for variant in variants for word in ("--variant", variant)]
    return pathlib.Path(script("kernel", base, *options, *words))


def code_of(tree, *refs):
    """What kernels of REFS are built from, in the clone TREE: the base, and the files that REFS
    change of it, but for documents and tools."""
    changes = [output("git", "diff-tree", "-r", "plts-base", ref, "--", ".", ":!Documentation",
                      ":!tools", ":!MAINTAINERS", cwd=tree) for ref in refs]
    return digest(output("git", "rev-parse", "plts-base^{tree}", cwd=tree), *changes)


def measured(version, name):
    """The file with what was measured, "cover", "loads", "caches" or "steps", on just the base
    and the series that are now in build/tree/VERSION."""
    tree = BUILD / "tree" / version
    code = code_of(tree, "plts-series", "plts-load")
    if name == "steps":
        # Their titles are in the table
        code = digest(code_of(tree, *output("git", "tag", "--list", "plts-[0-9]*",
                                            cwd=tree).split()),
                      output("git", "log", "--format=%s", "plts-base..plts-series", cwd=tree))
    return BUILD / "results" / version / f"{name}-{code:.12}.txt"


def make_load(base, *targets):
    """(OUTPUT, command to make TARGETS of the harness of module-load in it, against BASE)."""
    tree = pathlib.Path(script("base", base).split(" ", 1)[1])
    version, clone = script("series", base, "--tree").split(" ", 1)
    out = BUILD / "host-load" / version
    out.mkdir(parents=True, exist_ok=True)
    files = []
    for what, path in (("EVENTS", "kernel/trace/trace_events.c"),
                       ("VERSION", "kernel/module/version.c"),
                       ("FTRACE", "kernel/trace/ftrace.c"),
                       ("ARM64_FTRACE", "arch/arm64/kernel/ftrace.c"),
                       ("INSN", "arch/arm64/include/asm/insn.h")):
        text = output("git", "show", f"plts-load:{path}", cwd=clone) + "\n"
        ours = out / path.replace("/", "-")
        if not ours.exists() or ours.read_text() != text:
            ours.write_text(text)
        files += [f"BASE_{what}={tree / path}", f"OURS_{what}={ours}"]
    return out, ["make", "-s", "-C", HARNESS_LOAD, f"OUTPUT={out}", *files, *targets]


@contextlib.contextmanager
def locked(folder):
    """Keep other scripts away from FOLDER meanwhile."""
    with open(folder.parent / (folder.name + ".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
