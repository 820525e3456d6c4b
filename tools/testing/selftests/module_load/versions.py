#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Spoil the symbol versions of a good arm64 module in many ways, one a file.

Reads test_load_imports.ko and test_load_exports.ko of FOLDER and writes to OUTDIR
NAME.ko for each case, exports without versions, a second module which exports the
same, and cases, a table of what is expected of any kernel with CONFIG_MODVERSIONS
and CONFIG_MODULE_FORCE_LOAD, one case a line: its name, which exports it is loaded
on, the flags of finit_module(), the answer, and what the kernel says of versions
and symbols, of which there may be several messages, with semicolons between."""
import argparse
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "module_plts"))
# pylint: disable=wrong-import-position
from module_elf import SHT_NOBITS, Module

ENTRY = struct.Struct("<Q56s")
TABLE = "__versions"
LAYOUT, FIRST, MIDDLE, LONG = (
    b"module_layout", b"load_export_a", b"load_export_c",
    b"load_export_whose_name_takes_all_that_an_entry_can_hold")
IGNORE_MODVERSIONS = 1
GOOD, NO_CRCS = "exports", "exports-without-versions"


class Versions(Module):
    """A module whose table of versions is a list of [crc, name]."""

    def find_rela(self, code, types):
        """No RELA is of interest here, and none needs to be there."""
        return 1, 0

    def place(self):
        return self.shdr(TABLE, "offset"), self.shdr(TABLE, "size")

    def read(self):
        offset, size = self.place()
        return [list(entry) for entry in ENTRY.iter_unpack(self.data[offset:offset + size])]

    def write(self, entries):
        """The table again, behind the rest of the file, for it may have grown."""
        self.data += bytes(-len(self.data) % 8)
        self.shdr(TABLE, "offset", len(self.data))
        self.shdr(TABLE, "size", len(entries) * ENTRY.size)
        self.data += b"".join(ENTRY.pack(*entry) for entry in entries)


def entry_of(entries, name):
    return next(entry for entry in entries if entry[1].rstrip(b"\0") == name)


def edit(change):
    """A case that changes the list of entries; what CHANGE gives, if anything, is the new one."""
    def spoil(module):
        entries = module.read()
        module.write(change(entries) or entries)
    return spoil


def put(name, field, value):
    def change(entries):
        entry_of(entries, name)[field] = value
    return edit(change)


def wrong(name):
    def change(entries):
        entry_of(entries, name)[0] ^= 1
    return edit(change)


def without(*names):
    return edit(lambda entries: [one for one in entries if one[1].rstrip(b"\0") not in names])


def doubled(name, crc_first, crc_last):
    """NAME in front of all entries and behind them, nowhere else; 0 is the right version."""
    def change(entries):
        crc = entry_of(entries, name)[0]
        rest = [one for one in entries if one[1].rstrip(b"\0") != name]
        return [[crc ^ crc_first, name], *rest, [crc ^ crc_last, name]]
    return edit(change)


def resized(change):
    return lambda module: module.shdr(TABLE, "size", change(module.place()[1]))


def cases(last):
    """Name, exports, flags, what to do, and which symbol is bad in which way, if one is."""
    missing, differs = "no symbol version for {}", "disagrees about version of symbol {}"
    every = [FIRST, MIDDLE, LONG]
    return [
        ("good", GOOD, 0, lambda module: None, None, None),
        ("reversed", GOOD, 0, edit(lambda entries: entries[::-1]), None, None),
        ("rotated", GOOD, 0, edit(lambda entries: entries[3:] + entries[:3]), None, None),
        ("much-more", GOOD, 0, edit(lambda entries: [
            [i, b"nobody_imports_%d" % i] for i in range(4000)] + entries), None, None),
        ("twice-all", GOOD, 0, edit(lambda entries: entries + entries), None, None),
        *[(f"wrong-{i}", GOOD, 0, wrong(name), name, differs) for i, name in enumerate(every)],
        *[(f"missing-{i}", GOOD, 0, without(name), name, missing)
          for i, name in enumerate(every)],
        ("wrong-in-upper-half", GOOD, 0, put(MIDDLE, 0, 1 << 32), MIDDLE, differs),
        ("doubled-both-right", GOOD, 0, doubled(MIDDLE, 0, 0), None, None),
        ("doubled-first-right", GOOD, 0, doubled(MIDDLE, 0, 1), None, None),
        ("doubled-last-right", GOOD, 0, doubled(MIDDLE, 1, 0), MIDDLE, differs),
        ("doubled-layout-first-right", GOOD, 0, doubled(LAYOUT, 0, 1), None, None),
        ("doubled-layout-last-right", GOOD, 0, doubled(LAYOUT, 1, 0), LAYOUT, differs),
        ("layout-wrong", GOOD, 0, wrong(LAYOUT), LAYOUT, differs),
        ("layout-missing", GOOD, 0, without(LAYOUT), LAYOUT, missing),
        ("prefix", GOOD, 0, put(MIDDLE, 1, MIDDLE[:-1]), MIDDLE, missing),
        ("longer", GOOD, 0, put(MIDDLE, 1, MIDDLE + b"c"), MIDDLE, missing),
        ("behind-nul", GOOD, 0, put(MIDDLE, 1, (MIDDLE + b"\0").ljust(56, b"x")), None, None),
        ("no-nul", GOOD, 0, put(MIDDLE, 1, MIDDLE.ljust(56, b"c")), MIDDLE, missing),
        ("long-no-nul", GOOD, 0, put(LONG, 1, LONG + b"c"), LONG, missing),
        ("all-no-nul", GOOD, 0, edit(lambda entries: [[0x6363636363636363, b"c" * 56]] * 3
                                     + entries), None, None),
        ("size-cut", GOOD, 0, resized(lambda size: size - 8), last, missing),
        ("size-more", GOOD, 0, resized(lambda size: size + 8), None, None),
        ("size-0", GOOD, 0, resized(lambda size: 0), LAYOUT, missing),
        ("size-of-part", GOOD, 0, resized(lambda size: 63), LAYOUT, missing),
        ("nobits", GOOD, 0, lambda module: module.shdr(TABLE, "type", SHT_NOBITS), None, None),
        ("no-table", GOOD, 0, lambda module: module.rename(TABLE), None, None),
        ("force-wrong", GOOD, IGNORE_MODVERSIONS, wrong(MIDDLE), None, None),
        ("force-missing", GOOD, IGNORE_MODVERSIONS, without(*every), None, None),
        ("no-crcs", NO_CRCS, 0, lambda module: None, None, None),
        ("no-crcs-missing", NO_CRCS, 0, without(*every), None, None),
        ("no-crcs-wrong", NO_CRCS, 0, wrong(FIRST), None, None),
        ("no-crcs-layout-wrong", NO_CRCS, 0, wrong(LAYOUT), LAYOUT, differs),
    ]


def expected(symbol, how):
    """The answer and the messages."""
    if not symbol:
        return "loads", ""
    name = symbol.decode()
    said = f"test_load_imports: {how.format(name)}"
    if symbol == LAYOUT:
        return "refused, Exec format error", said
    return ("refused, Invalid argument",
            f"{said}; test_load_imports: Unknown symbol {name} (err -22)")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("outdir", type=pathlib.Path, metavar="OUTDIR")
    args = parser.parse_args()
    try:
        imports = (args.folder / "test_load_imports.ko").read_bytes()
        exports = (args.folder / "test_load_exports.ko").read_bytes()
        if TABLE not in Versions(imports).names:
            sys.exit(f"versions.py: {args.folder}: modules without versions")
        last = Versions(imports).read()[-1][1].rstrip(b"\0")
        args.outdir.mkdir(parents=True, exist_ok=True)
        table = []
        for name, loaded_on, flags, spoil, symbol, how in cases(last):
            module = Versions(imports)
            spoil(module)
            (args.outdir / f"{name}.ko").write_bytes(module.data)
            table.append("|".join((name, loaded_on, str(flags), *expected(symbol, how))) + "\n")
        module = Versions(exports)
        for section in [name for name in module.names if name.startswith("__kcrctab")]:
            module.rename(section)
        (args.outdir / f"{NO_CRCS}.ko").write_bytes(module.data)
        (args.outdir / f"{GOOD}.ko").write_bytes(exports)
        (args.outdir / "exports-again.ko").write_bytes(
            exports.replace(b"test_load_exports", b"test_load_exportz"))
        (args.outdir / "cases").write_text("".join(table))
    except OSError as error:
        sys.exit(f"versions.py: {error.filename}: {error.strerror}")
    except (ValueError, struct.error) as error:
        sys.exit(f"versions.py: {args.folder}: broken: {error}")


if __name__ == "__main__":
    main()
