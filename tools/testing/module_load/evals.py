#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Read from modules what trace_event_update_all() is given when they are loaded, and hold
ours against base's on it.

Prints what differs, then totals. A file that is not an arm64 module is reported, counted
as skipped, and does not make the run fail.

exit status: 0 all modules passed, 1 a check failed or there is no module, 2 bad usage
"""
import argparse
import bisect
import gzip
import lzma
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

SELFTEST = pathlib.Path(__file__).resolve().parent.parent / "selftests/module_plts"
sys.path.insert(0, str(SELFTEST))
import module_elf  # noqa: E402  pylint: disable=wrong-import-position

SUFFIXES = (".ko", ".ko.xz", ".ko.zst", ".ko.gz")
COUNTS = ("events", "formats", "types of fields", "enums and sizeofs", "replacements",
          "formats without a right result", "formats and types that base makes other of",
          "of these, because of the beginning of a name")
EVAL_MAPS, EVENTS = "_ftrace_eval_map", "_ftrace_events"
SECTIONS = {EVAL_MAPS, EVENTS}
FORMAT, FIELDS = b"print_fmt_", b"trace_event_fields_"
ET_REL, RELATIVE = 1, 1027
# Where the fields of structs are; all are pointers but VALUE and FILTER
CALL_CLASS, MAP_STRING, MAP_VALUE, FIELD_NAME, FIELD_FILTER = 16, 8, 16, 8, 28
# The rest of a struct is told by the symbols that it points to: none is larger
STRUCT_MAX = 256


class Unreadable(Exception):
    """A module that this script should be able to read."""


class Traced(module_elf.Module):
    """A module, and what its sections for trace events point to. A place is (section, offset)."""

    def __init__(self, data):  # pylint: disable=super-init-not-called
        self.data = data
        if len(data) < 64 or data[:6] != b"\x7fELF\2\1" or \
                self.ehdr("machine") != module_elf.EM_AARCH64:
            raise ValueError("not an arm64 module")
        self.names = [self.section_name(sec) for sec in range(self.ehdr("shnum"))]
        if self.ehdr("type") == ET_REL and SECTIONS.isdisjoint(self.names):
            return
        self.symtab = self.find(lambda sec: self.shdr(sec, "type") == module_elf.SHT_SYMTAB,
                                "symbol table")
        self.symbols = list(struct.iter_unpack("<IBBHQQ", self.content(self.symtab)))
        self.strtab = self.content(self.shdr(self.symtab, "link"))
        self.relas_of = {self.shdr(sec, "info"): sec for sec in range(len(self.names))
                         if self.shdr(sec, "type") == module_elf.SHT_RELA}
        self.pointers_of = {}
        self.named = {}
        for name, _, _, sec, value, _ in self.symbols:
            for prefix in (FORMAT, FIELDS):
                if self.strtab.startswith(prefix, name):
                    self.named[sec, value - self.address(sec)] = prefix

    def address(self, sec):
        """What symbols of a section have added to them; a module's have nothing."""
        return 0

    def content(self, sec):
        start = self.shdr(sec, "offset")
        return bytes(self.data[start:start + self.shdr(sec, "size")])

    def pointers(self, sec):
        """{offset: place} of what is relocated in a section."""
        if sec not in self.pointers_of:
            found = {}
            if sec in self.relas_of:
                for offset, kind, sym, addend in \
                        struct.iter_unpack("<QIIq", self.content(self.relas_of[sec])):
                    if kind == module_elf.ABS64:
                        found[offset] = self.symbols[sym][3], self.symbols[sym][4] + addend
            self.pointers_of[sec] = found
        return self.pointers_of[sec]

    def follow(self, place, offset=0):
        """Where the pointer at OFFSET behind PLACE points to; None if it is none."""
        return self.pointers(place[0]).get(place[1] + offset)

    def listed(self, name):
        """What a section of pointers points to."""
        if name not in self.names:
            return []
        pointers = self.pointers(self.names.index(name))
        return [pointers[offset] for offset in sorted(pointers)]

    def to_symbol(self, place, prefix):
        """Where the first pointer at PLACE to a symbol with this prefix points to."""
        for offset in range(0, STRUCT_MAX, 8):
            target = self.follow(place, offset)
            if target in self.named and self.named[target] == prefix:
                return target
        return None

    def format(self, place):
        """An event's print format; None if it has none yet."""
        found = self.to_symbol(place, FORMAT)
        if not found:
            raise Unreadable("an event without a print format")
        return found

    def text(self, place):
        if self.shdr(place[0], "type") == module_elf.SHT_NOBITS:
            return b""
        start = self.shdr(place[0], "offset") + place[1]
        return bytes(self.data[start:self.data.index(0, start)])

    def number(self, place, offset, code):
        start = self.shdr(place[0], "offset") + place[1] + offset
        return struct.unpack_from("<" + code, self.data, start)[0]

    def fields(self, place):
        """[(type, filter)] of an array of struct trace_event_fields."""
        found = []
        # The struct has grown by a number and what that is aligned to
        size = 32 if place and self.follow(place, 32) else 40
        while place and self.follow(place) and self.follow(place, FIELD_NAME):
            found.append((self.text(self.follow(place)), self.number(place, FIELD_FILTER, "i")))
            place = place[0], place[1] + size
        return found


class Kernel(Traced):
    """A vmlinux of a kernel that can be relocated: its pointers are all in one section."""

    def __init__(self, data):
        super().__init__(data)
        bounds = {}
        for name, _, _, sec, value, _ in self.symbols:
            for what in ("events", "eval_maps"):
                for end in ("start", "stop"):
                    if self.strtab.startswith(f"__{end}_ftrace_{what}\0".encode(), name):
                        bounds[end, what] = sec, value - self.address(sec)
        if len(bounds) != 4 or ".rela.dyn" not in self.names:
            raise ValueError("no events, or no relocations")
        starts = sorted((self.address(sec), sec) for sec in range(1, len(self.names))
                        if self.shdr(sec, "flags") & module_elf.SHF_ALLOC)
        self.bounds, self.starts = bounds, starts
        for offset, kind, _, addend in \
                struct.iter_unpack("<QIIq", self.content(self.names.index(".rela.dyn"))):
            if kind == RELATIVE:
                sec, offset = self.place(offset)
                self.pointers_of.setdefault(sec, {})[offset] = self.place(addend % 2**64)
        # Those that the kernel makes itself have no symbol, and may have no format before it runs
        self.format_at = min(offset for event in self.listed(EVENTS)
                             for offset in range(0, STRUCT_MAX, 8)
                             if self.named.get(self.follow(event, offset)) == FORMAT)

    def address(self, sec):
        return self.shdr(sec, "addr") if 0 < sec < len(self.names) else 0

    def place(self, address):
        start, sec = self.starts[bisect.bisect(self.starts, (address, 1 << 16)) - 1]
        return sec, address - start

    def listed(self, name):
        what = name.removeprefix("_ftrace_").replace("eval_map", "eval_maps")
        (sec, start), (_, stop) = self.bounds["start", what], self.bounds["stop", what]
        return [self.follow((sec, offset)) for offset in range(start, stop, 8)]

    def format(self, place):
        return self.follow(place, self.format_at)


def records(module):
    """What evals.c reads, but for the module's name."""
    systems = {}

    def system(place):
        return b"%d" % systems.setdefault(place, len(systems))

    for place in module.listed(EVAL_MAPS):
        yield b"V%s %d %s" % (system(module.follow(place)), module.number(place, MAP_VALUE, "q"),
                              module.text(module.follow(place, MAP_STRING)))
    classes = {}
    for place in module.listed(EVENTS):
        fmt = module.format(place)
        if fmt:
            formats = classes.setdefault(module.follow(place, CALL_CLASS), {})
            formats[fmt] = formats.get(fmt, 0) + 1
    for place, formats in classes.items():
        yield b"C" + system(module.follow(place))
        for kind, filtered in module.fields(module.to_symbol(place, FIELDS)):
            yield b"T%d %s" % (filtered, kind)
        for fmt, events in formats.items():
            yield b"F" + module.text(fmt)
            yield from [b"E"] * (events - 1)


def read(path):
    data = path.read_bytes()
    if path.suffix == ".xz":
        return lzma.decompress(data)
    if path.suffix == ".gz":
        return gzip.decompress(data)
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE,
                              check=True).stdout
    return data


def collect(paths, out):
    """Write the records of those that have events or enums. (modules, skipped)"""
    written = skipped = 0
    for path in paths:
        try:
            data = read(path)
            lines = list(records((Kernel if path.name == "vmlinux" else Traced)(data)))
        except Unreadable as wrong:
            print(f"{path}: {wrong}", file=sys.stderr)
            written += 1
            continue
        except (ValueError, OSError, EOFError, lzma.LZMAError, struct.error, IndexError,
                TypeError, subprocess.CalledProcessError) as wrong:
            # It has been cut off, or its numbers are too large
            outside = isinstance(wrong, (struct.error, IndexError, TypeError))
            print(f"{path}: skipped: {'points outside itself' if outside else wrong}",
                  file=sys.stderr)
            skipped += 1
            continue
        if lines:
            out.write(b"".join(line + b"\0" for line in [b"M" + path.name.encode(), *lines]))
            written += 1
    out.flush()
    return written, skipped


def check(program, lines):
    """Run the program; sum up what it says. (totals, passed, failed)"""
    totals, passed, failed = [0] * len(COUNTS), 0, 0
    done = subprocess.run([program], stdin=lines, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    for line in done.stdout.decode(errors="replace").splitlines():
        fields = line.split(",", len(COUNTS) + 1)
        if len(fields) == len(COUNTS) + 2 and fields[-1] == "ok":
            passed += 1
            counts = [int(field) for field in fields[1:-1]]
            totals = [total + count for total, count in zip(totals, counts)]
            continue
        failed += len(fields) == len(COUNTS) + 2
        print(line)
    if done.returncode not in (0, 1):
        print(f"{program} died with status {done.returncode}")
        failed += 1
    return totals, passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("directory", type=pathlib.Path,
                        help="directory with modules, at any depth, or a vmlinux")
    parser.add_argument("--check", metavar="PROGRAM",
                        help="the evals to run; else what it reads is written")
    parser.add_argument("--sample", type=int, metavar="N", help="only N of the modules")
    args = parser.parse_args()
    if args.check and not shutil.which(args.check):
        parser.error(f"argument --check: cannot run {args.check}")
    paths = sorted(path for path in args.directory.rglob("*")
                   if path.name.endswith(SUFFIXES) and path.is_file())
    if args.directory.name == "vmlinux":
        paths = [args.directory]
    if args.sample:
        paths = paths[::max(len(paths) // args.sample, 1)]
    if not paths:
        print(f"evals: {args.directory}: no modules found", file=sys.stderr)
        return 1
    if not args.check:
        collect(paths, sys.stdout.buffer)
        return 0
    with tempfile.TemporaryFile() as lines:
        written, skipped = collect(paths, lines)
        lines.seek(0)
        totals, passed, failed = check(args.check, lines) if written else ([], 0, 0)
    if passed + failed < written:
        print(f"{written - passed - failed} modules have not been checked")
    print(f"{len(paths):12,} modules\n{written:12,} of these with events or enums")
    for name, total in zip(COUNTS, totals):
        print(f"{total:12,} {name}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if passed == written and passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
