# SPDX-License-Identifier: GPL-2.0-only
"""Modules that leave no room for others within a branch's reach of the kernel."""
import shutil
import struct

from shared.common import CROSS, SCRIPTS, digest, fresh, made, run

SOURCE = SCRIPTS / "guest/filler.c"
# The name of the module that is compiled; those made of it have another number
NAME = "filler_00"
# Behind the kernel first. In front of it there are less than 128 MB: what is left of them is less
# than each size in turn. Then the smallest, for what others have left as they were loaded.
SIZES = [135 << 20, *(1 << bits for bits in range(26, 12, -1)), *[1] * 24]
MEMORY = "2G"
COMMANDS = "for module in /fill/*.ko; do insmod $module || exit 1; done\n"
# Offset and type of some fields of Elf64_Ehdr and Elf64_Shdr
SHOFF, SHNUM, SH_TYPE, SH_SIZE = (0x28, "<Q"), (0x3c, "<H"), (4, "<I"), (32, "<Q")
SHDR_SIZE, NOBITS = 64, 8


def sized(data, number, size):
    """The filler as module NUMBER with SIZE bytes of .bss, its largest section without contents."""
    data = bytearray(data.replace(NAME.encode(), f"{NAME[:-2]}{number:02}".encode()))

    def field(base, place):
        return struct.unpack_from(place[1], data, base + place[0])[0]

    headers = [field(0, SHOFF) + SHDR_SIZE * index for index in range(field(0, SHNUM))]
    bss = max((at for at in headers if field(at, SH_TYPE) == NOBITS),
              key=lambda at: field(at, SH_SIZE))
    struct.pack_into(SH_SIZE[1], data, bss + SH_SIZE[0], size)
    return data


def fillers(kernel):
    """A folder of fillers for the kernel built in the O= folder KERNEL, in the order of loading."""
    out = kernel / "fill"
    stamp = digest(SOURCE, SCRIPTS / "shared/fill.py", kernel / ".config",
                   kernel / "Module.symvers")
    if not fresh(out, stamp):
        shutil.rmtree(out, ignore_errors=True)
        (out / "build").mkdir(parents=True)
        shutil.copy(SOURCE, out / "build" / f"{NAME}.c")
        (out / "build/Kbuild").write_text(f"obj-m := {NAME}.o\n")
        run(f"fillers for {kernel.name}",
            ["make", "-C", kernel, f"M={out / 'build'}", "ARCH=arm64",
             f"CROSS_COMPILE={CROSS}", "modules"], f"fill-{kernel.name}")
        data = (out / "build" / f"{NAME}.ko").read_bytes()
        shutil.rmtree(out / "build")
        for number, size in enumerate(SIZES):
            (out / f"{number:02}.ko").write_bytes(sized(data, number, size))
        made(out, stamp)
    return out
