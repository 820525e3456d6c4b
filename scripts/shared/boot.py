# SPDX-License-Identifier: GPL-2.0-only
"""Boot a kernel with the selftest's modules where they are wanted: near to it, or far, since KASLR
has put them there or there is no room left near it."""
import csv
import functools
import pathlib
import re
import subprocess
import sys

from shared import fill
from shared.common import CROSS, SCRIPTS, SELFTEST, build_kernels, fail, output, run, script
from shared.modules import Modules

# What is measured of the kernel
DRIVERS = ["btrfs", "xfs", "cfg80211", "mac80211", "cifs"]
# Placement: more of the command line. Without KASLR modules are near.
PLACEMENTS = {"near": "nokaslr", "far": ""}
# Far without KASLR, for others have filled the region
FULL = "full"
REACH = 128 << 20
# What is compared
KERNELS = ["base", "series"]
# What a boot depends on, but for its kernel and what that runs
DEPENDS = [SCRIPTS / name for name in ("shared/boot.py", "shared/fill.py", "guest/filler.c",
                                       "guest/init", "qemu")]

# Look where a module is, and end if that is not where it is wanted.
LOOK = """\
cd /m
insmod test_modules/test_plts_lib.ko || exit 1
module=$(sed -n 's/^test_plts_lib .* 0x//p' /proc/modules | cut -d ' ' -f 1)
kernel=$(sed -n 's/ . _stext$//p' /proc/kallsyms)
rmmod test_plts_lib
distance=$((0x$module - 0x$kernel))
placement=near
[ $distance -ge -{reach} ] && [ $distance -le {reach} ] || placement=far
echo "modules are $placement: $distance bytes"
[ $placement = {wanted} ] || exit 0
"""


@functools.cache
def profiles():
    """The names of the selftest's generated modules, which are measured too."""
    return output(sys.executable, SELFTEST / "gen_profile.py", "--list").split()


def kernels(base, variants):
    """Build VARIANTS of BASE with what is measured on them: the kernel's folder, the version,
    and the folder of the selftest with the generated modules. Drivers see installed()."""
    kernel = build_kernels(base, variants)
    tests = pathlib.Path(script("selftest", base, kernel, "--profiles", "all"))
    return kernel, kernel.name.rsplit("-", 1)[0], tests


def installed(base, variants):
    """The modules of kernels() of BASE, installed as a distribution would."""
    kernel = build_kernels(base, variants, "--modules")
    root = kernel / "modules-installed"
    run("install modules", ["make", "-C", kernel, "ARCH=arm64", f"CROSS_COMPILE={CROSS}",
                            f"INSTALL_MOD_PATH={root}", "modules_install"], "modules_install")
    return Modules(next(root.glob("lib/modules/*")))


def boot(kernel, variant, name, commands, tests, files=(), placement="near", options=()):
    """Run COMMANDS in the guest's /m, which is TESTS, the selftest's folder, on
    KERNEL/Image.VARIANT. FILES are more of them, as GUEST=HOST, and OPTIONS are of
    scripts/qemu. Returns the console and the exit status."""
    wanted, prepare = placement, ""
    if placement == FULL:
        wanted, prepare = "far", fill.COMMANDS
        files = [*files, f"/fill={fill.fillers(kernel)}"]
        options = [*options, "--memory", fill.MEMORY]
    commands = prepare + LOOK.format(reach=REACH, wanted=wanted) + commands
    words = [word for file in (f"/m={tests}", *files) for word in ("--file", file)]
    # Where KASLR puts modules depends on the seed and on the kernel: look, and try the next.
    for seed in range(1, 17):
        done = subprocess.run([str(word) for word in (
            SCRIPTS / "qemu", kernel / f"Image.{variant}", "--log", name, "--seed", seed,
            "--append", PLACEMENTS.get(placement, "nokaslr"), *options, *words, commands)],
            stdout=subprocess.PIPE, text=True, check=False)
        where = re.search(r"^modules are (\w+)", done.stdout, re.M)
        if done.returncode not in (0, 4) or where and where.group(1) == wanted:
            return done.stdout, done.returncode
    return fail(f"{name}: no seed of KASLR places modules {wanted}")


def measure(*args, **kwargs):
    """As boot(), for what loadtime prints: {(module, phase): [instructions of each round]}."""
    text, status = boot(*args, **kwargs)
    if status:
        sys.stdout.write(text)
        fail(f"{args[2]}: exit status {status}, see build/log/{args[2]}")
    rounds = {}
    for module, phase, value in re.findall(r"^(\w+),(\w+),(\d+)$", text, re.M):
        rounds.setdefault((module.replace("plts_", "", 1), phase), []).append(int(value))
    return rounds


def read_csv(path):
    """What write_csv() has written: {(kernel, placement): {(module, phase): instructions}}."""
    figures = {}
    with open(path, encoding="ascii") as file:
        for row in csv.DictReader(file):
            of = figures.setdefault((row["kernel"], row["placement"]), {})
            of[row["module"], row["phase"]] = round(float(row["minsn"]) * 1e6)
    return figures


def write_csv(path, version, figures):
    """Write FIGURES, (kernel, placement, module, phase, instructions)."""
    with open(path, "w", encoding="ascii") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["base", "kernel", "placement", "module", "phase", "minsn"])
        for *what, spent in figures:
            rows.writerow([version, *what, f"{spent / 1e6:.3f}"])
