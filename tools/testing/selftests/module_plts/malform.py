#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Spoil a good arm64 module in many ways, one a file, to see what the loader says.

Writes NAME.ko for each case to OUTDIR, and load.sh, which a guest runs there: it
loads each one, unloads what did load, prints the results in KTAP and fails if one
is not as expected:

    refused    insmod must fail
    loads      insmod must succeed
    as-base    whatever a kernel without the series does: compare the outputs

"sh load.sh base" skips the cases which make such a kernel read, or write, outside
the module. The variants have no init and exit function, so that nothing of a module
that may be relocated wrongly is ever run."""
import argparse
import pathlib
import struct
import sys


def layout(fields):
    """The offset and struct code of each field in "NAME:CODE ..."."""
    offset, places = 0, {}
    for name, code in (field.split(":") for field in fields.split()):
        places[name] = offset, code
        offset += struct.calcsize(code)
    return places


EHDR = layout("ident:16s type:H machine:H version:I entry:Q phoff:Q shoff:Q flags:I ehsize:H"
              " phentsize:H phnum:H shentsize:H shnum:H shstrndx:H")
SHDR = layout("name:I type:I flags:Q addr:Q offset:Q size:Q link:I info:I addralign:Q entsize:Q")
RELA = layout("offset:Q type:I sym:I addend:q")
SYM = layout("name:I info:B other:B shndx:H value:Q size:Q")
SHDR_SIZE, RELA_SIZE, SYM_SIZE = 64, 24, 24

SHT_PROGBITS, SHT_SYMTAB, SHT_RELA, SHT_NOBITS, SHT_REL = 1, 2, 4, 8, 9
SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR = 1, 2, 4
SHN_COMMON = 0xfff2
EM_AARCH64, EM_X86_64 = 183, 62
NONE, ABS64, ABS16, ADRP, JUMP26, CALL26 = 0, 257, 259, 275, 282, 283
BRANCHES = (CALL26, JUMP26)
BIG = 0x7fffff0
OWN_DATA = ".plts."  # what nothing but a test module's init function reads

# What is expected, and whether a kernel without the series must not be asked
REFUSED, LOADS, AS_BASE, CRASH = "refused", "loads", "as-base", " base-crashes"


class Module:
    """The bytes of a module, with names for what is in them."""

    def __init__(self, data):
        self.data = bytearray(data)
        if len(data) < 64 or data[:6] != b"\x7fELF\2\1" or self.ehdr("machine") != EM_AARCH64:
            sys.exit("malform.py: not an arm64 module")
        self.names = [self.section_name(sec) for sec in range(self.ehdr("shnum"))]
        self.symtab = self.find(lambda sec: self.shdr(sec, "type") == SHT_SYMTAB, "symbol table")
        self.num_syms = self.shdr(self.symtab, "size") // SYM_SIZE
        self.branch = self.find_rela(True, BRANCHES)
        self.adrp = self.find_rela(True, (ADRP,))
        self.abs64 = self.find_rela(False, (ABS64,))
        self.text = self.shdr(self.branch[0], "info")

    def field(self, base, fields, name, value=None):
        offset, code = fields[name]
        if value is None:
            return struct.unpack_from("<" + code, self.data, base + offset)[0]
        struct.pack_into("<" + code, self.data, base + offset, value)
        return value

    def ehdr(self, name, value=None):
        return self.field(0, EHDR, name, value)

    def shdr(self, sec, name, value=None):
        """A field of a section header; the section is an index or a name."""
        sec = self.names.index(sec) if isinstance(sec, str) else sec
        return self.field(self.ehdr("shoff") + sec * SHDR_SIZE, SHDR, name, value)

    def rela(self, place, name, value=None):
        sec, index = place
        return self.field(self.shdr(sec, "offset") + index * RELA_SIZE, RELA, name, value)

    def sym(self, index, name, value=None):
        return self.field(self.shdr(self.symtab, "offset") + index * SYM_SIZE, SYM, name, value)

    def section_name(self, sec):
        start = self.shdr(self.ehdr("shstrndx"), "offset") + self.shdr(sec, "name")
        return self.data[start:self.data.index(0, start)].decode()

    def find(self, wanted, what):
        for sec in range(1, len(self.names)):
            if wanted(sec):
                return sec
        sys.exit(f"malform.py: the module has no {what}")

    def relas(self, sec):
        return [(sec, i) for i in range(self.shdr(sec, "size") // RELA_SIZE)]

    def find_rela(self, code, types):
        """The first RELA of these types for code, or for a test module's own data."""
        for sec in range(1, len(self.names)):
            if self.shdr(sec, "type") != SHT_RELA:
                continue
            target = self.shdr(sec, "info")
            if not (self.shdr(target, "flags") & SHF_EXECINSTR if code else
                    self.names[target].startswith(OWN_DATA)):
                continue
            for place in self.relas(sec):
                if self.rela(place, "type") in types:
                    return place
        sys.exit(f"malform.py: the module has no {'code' if code else 'data'} RELA of type "
                 f"{' or '.join(map(str, types))}")

    def cut(self, size):
        del self.data[size:]

    def drop_init(self):
        """Unset init and exit in struct module."""
        for place in self.relas(self.names.index(".rela.gnu.linkonce.this_module")):
            self.rela(place, "type", NONE)

    def rename(self, sec):
        """A name without its first letter, which is still in the string table."""
        self.shdr(sec, "name", self.shdr(sec, "name") + 1)

    def repeat(self, sec):
        """A second header for section SEC, at the end of the table; the first gets no flags."""
        sec = self.names.index(sec) if isinstance(sec, str) else sec
        table = self.ehdr("shoff")
        headers = self.data[table:table + len(self.names) * SHDR_SIZE]
        self.data += bytes(-len(self.data) % 8)
        self.ehdr("shoff", len(self.data))
        self.data += headers + headers[sec * SHDR_SIZE:(sec + 1) * SHDR_SIZE]
        self.ehdr("shnum", len(self.names) + 1)
        self.shdr(sec, "flags", 0)

    def each_branch(self, name, value):
        for place in self.relas(self.branch[0]):
            if self.rela(place, "type") in BRANCHES:
                self.rela(place, name, value(place[1]))

    def overlap(self, plt):
        for name in ("offset", "size"):
            self.shdr(plt, name, self.shdr(self.text, name))

    def plt_is_rela(self):
        for name in ("type", "offset", "size", "info"):
            self.shdr(".plt", name, self.shdr(self.branch[0], name))


def cases(good):
    """Name, what is expected, and what to do to a module.

    Not here, because the loader trusts it on every architecture, and memory would be
    corrupted with or without PLTs: r_offset outside its section, RELAs for the symbol
    table itself, st_shndx beyond the sections, sh_addralign or the sh_size of NOBITS so
    large that sums wrap, and the contents of struct module, .altinstructions and the
    like. Nor is what needs PLT entries where planning need not expect any, such as a
    CALL26 in data: far from the kernel it is refused, but with a WARNING."""
    rela, text, symtab = good.branch[0], good.text, good.symtab
    size, syms = len(good.data), good.num_syms
    last = [place for place in good.relas(rela) if good.rela(place, "type") in BRANCHES][-1]
    last_sym = good.rela(last, "sym")
    unknown = next(i for i in range(1, syms) if good.sym(i, "shndx") == 0)

    def ehdr(name, value):
        return lambda m: m.ehdr(name, value)

    def shdr(sec, name, value):
        return lambda m: m.shdr(sec, name, value)

    def index(place, value):
        return lambda m: m.rela(place, "sym", value)

    return (
        # truncated
        ("empty", REFUSED, lambda m: m.cut(0)),
        ("cut-in-elf-header", REFUSED, lambda m: m.cut(63)),
        ("cut-behind-elf-header", REFUSED, lambda m: m.cut(64)),
        ("cut-in-half", REFUSED, lambda m: m.cut(size // 2)),
        ("cut-section-table", REFUSED, lambda m: m.cut(m.ehdr("shoff") + 32)),
        ("cut-last-byte", REFUSED, lambda m: m.cut(size - 1)),
        # ELF header
        ("ehdr-magic", REFUSED, ehdr("ident", b"\x7fELG")),
        ("ehdr-executable", REFUSED, ehdr("type", 2)),
        ("ehdr-machine", REFUSED, ehdr("machine", EM_X86_64)),
        ("ehdr-shoff-beyond", REFUSED, ehdr("shoff", size)),
        ("ehdr-shoff-wraps", REFUSED, ehdr("shoff", 2**64 - 64)),
        ("ehdr-shoff-0", REFUSED, ehdr("shoff", 0)),
        ("ehdr-shentsize", REFUSED, ehdr("shentsize", 63)),
        ("ehdr-shnum-0", REFUSED, ehdr("shnum", 0)),
        ("ehdr-shnum-huge", REFUSED, ehdr("shnum", 0xffff)),
        ("ehdr-shstrndx-0", REFUSED, ehdr("shstrndx", 0)),
        ("ehdr-shstrndx-beyond", REFUSED, ehdr("shstrndx", len(good.names))),
        ("ehdr-shstrndx-text", REFUSED, ehdr("shstrndx", text)),
        # section headers
        ("null-section-size", REFUSED, shdr(0, "size", 24)),
        ("text-offset-beyond", REFUSED, shdr(text, "offset", size)),
        ("text-size-huge", REFUSED, shdr(text, "size", 1 << 40)),
        ("text-offset-wraps", REFUSED, shdr(text, "offset", 2**64 - 16)),
        ("text-name-beyond", REFUSED, shdr(text, "name", BIG)),
        ("plt-name-beyond", REFUSED, shdr(".plt", "name", BIG)),
        ("rela-name-beyond", REFUSED, shdr(rela, "name", BIG)),
        ("text-writable", AS_BASE, shdr(text, "flags", SHF_WRITE | SHF_ALLOC | SHF_EXECINSTR)),
        ("this-module-size", REFUSED, shdr(".gnu.linkonce.this_module", "size", 64)),
        ("this-module-nobits", REFUSED, shdr(".gnu.linkonce.this_module", "type", SHT_NOBITS)),
        # symbol table
        ("symtab-missing", REFUSED, shdr(symtab, "type", SHT_PROGBITS)),
        ("symtab-twice", REFUSED, lambda m: m.repeat(symtab)),
        ("symtab-empty", REFUSED + CRASH, shdr(symtab, "size", 0)),
        ("symtab-null-symbol-alone", REFUSED + CRASH, shdr(symtab, "size", SYM_SIZE)),
        ("symtab-size-huge", REFUSED, shdr(symtab, "size", 1 << 62)),
        ("symtab-entsize-0", AS_BASE, shdr(symtab, "entsize", 0)),
        ("symtab-link-0", REFUSED, shdr(symtab, "link", 0)),
        ("symtab-link-beyond", REFUSED, shdr(symtab, "link", BIG)),
        ("symtab-link-text", REFUSED, shdr(symtab, "link", text)),
        ("symbol-common", REFUSED, lambda m: m.sym(m.rela(m.branch, "sym"), "shndx", SHN_COMMON)),
        ("symbol-unknown", REFUSED, lambda m: m.sym(unknown, "name", m.sym(unknown, "name") + 1)),
        # RELA sections
        ("rela-info-beyond", LOADS + CRASH, shdr(rela, "info", len(good.names))),
        ("rela-info-huge", LOADS + CRASH, shdr(rela, "info", BIG)),
        ("rela-info-minus-1", LOADS + CRASH, shdr(rela, "info", 2**32 - 1)),
        ("rela-info-0", AS_BASE, shdr(rela, "info", 0)),
        ("rela-info-itself", AS_BASE, shdr(rela, "info", rela)),
        ("data-rela-info-huge", LOADS + CRASH, shdr(good.abs64[0], "info", BIG)),
        ("rela-link-huge", AS_BASE, shdr(rela, "link", BIG)),
        ("rela-entsize-0", AS_BASE, shdr(rela, "entsize", 0)),
        ("rela-entsize-1", AS_BASE, shdr(rela, "entsize", 1)),
        ("rela-entsize-huge", AS_BASE, shdr(rela, "entsize", 2**64 - 1)),
        ("rela-size-not-a-multiple", AS_BASE,
         lambda m: m.shdr(rela, "size", m.shdr(rela, "size") - 8)),
        ("rela-size-of-part", AS_BASE, shdr(rela, "size", RELA_SIZE - 1)),
        ("rela-size-0", AS_BASE, shdr(rela, "size", 0)),
        ("rela-size-huge", REFUSED, shdr(rela, "size", 2**64 - RELA_SIZE)),
        ("rela-offset-beyond", REFUSED, shdr(rela, "offset", size - 8)),
        ("rela-twice", AS_BASE, lambda m: m.repeat(rela)),
        ("rela-is-rel", REFUSED, shdr(rela, "type", SHT_REL)),
        # RELAs
        ("branch-symbol-behind-last", REFUSED + CRASH, index(good.branch, syms)),
        ("branch-symbol-huge", REFUSED + CRASH, index(good.branch, BIG)),
        ("branch-symbol-minus-1", REFUSED + CRASH, index(good.branch, 2**32 - 1)),
        ("last-branch-symbol-huge", REFUSED + CRASH, index(last, BIG)),
        ("jump-symbol-huge", REFUSED + CRASH, lambda m: (
            m.rela(m.branch, "type", JUMP26), m.rela(m.branch, "sym", BIG))),
        ("branch-symbol-0", AS_BASE, index(good.branch, 0)),
        ("adrp-symbol-behind-last", REFUSED + CRASH, index(good.adrp, syms)),
        ("adrp-symbol-huge", REFUSED + CRASH, index(good.adrp, BIG)),
        ("data-symbol-behind-last", REFUSED + CRASH, index(good.abs64, syms)),
        ("data-symbol-huge", REFUSED + CRASH, index(good.abs64, BIG)),
        ("data-overflow", REFUSED, lambda m: m.rela(m.abs64, "type", ABS16)),
        ("type-unknown", REFUSED, lambda m: m.rela(m.branch, "type", 0xffff)),
        ("branches-all-to-one", LOADS, lambda m: m.each_branch("sym", lambda _: last_sym)),
        ("branches-each-an-addend", LOADS, lambda m: m.each_branch("addend", lambda i: 4 * i)),
        ("branches-all-in-one-place", LOADS, lambda m: m.each_branch("offset", lambda _: 0)),
        # PLT sections
        ("plt-missing", REFUSED, lambda m: m.rename(".plt")),
        ("init-plt-missing", REFUSED, lambda m: m.rename(".init.plt")),
        ("plt-twice", AS_BASE, lambda m: m.repeat(".plt")),
        ("init-plt-twice", AS_BASE, lambda m: m.repeat(".init.plt")),
        ("plt-overlaps-text", AS_BASE, lambda m: m.overlap(".plt")),
        ("plt-overlaps-init-plt", AS_BASE,
         lambda m: m.shdr(".plt", "offset", m.shdr(".init.plt", "offset"))),
        ("plt-is-rela", AS_BASE, lambda m: m.plt_is_rela()),
        ("plt-size-huge", REFUSED, shdr(".plt", "size", 1 << 62)),
        ("plt-nobits-size-huge", AS_BASE, lambda m: (
            m.shdr(".plt", "type", SHT_NOBITS), m.shdr(".plt", "size", 1 << 62))),
        ("plt-flags-0", AS_BASE, shdr(".plt", "flags", 0)),
        ("plt-align-huge", AS_BASE, shdr(".plt", "addralign", 1 << 63)),
        ("plt-is-symtab", REFUSED, shdr(".plt", "type", SHT_SYMTAB)),
        ("trampoline-missing", AS_BASE, lambda m: m.rename(".text.ftrace_trampoline")),
    )


LOAD = """#!/bin/sh
# Load each malformed module and judge how that went: see malform.py.
cd "${{0%/*}}" || exit 1
status=0 n=0
echo "1..{count}"
while read -r name expected crash; do
	n=$((n + 1))
	if [ "$1" = base ] && [ "$crash" ]; then
		echo "ok $n $name # SKIP"
		continue
	fi
	if why=$(insmod "$name.ko" 2>&1); then
		result=loads
		rmmod {module} || result=stays
		why=
	else
		result=refused
		why=", ${{why##*: }}"
	fi
	case $expected in
	as-base | "$result")
		echo "ok $n $name: $result$why"
		;;
	*)
		echo "not ok $n $name: $result$why, expected: $expected"
		status=1
		;;
	esac
done <<END
{table}
END
exit $status
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("good", type=pathlib.Path, metavar="GOOD.ko",
                        help="test_plts_sections.ko or another module of test_modules/")
    parser.add_argument("outdir", type=pathlib.Path, nargs="?", metavar="OUTDIR",
                        help="without it the cases are listed")
    args = parser.parse_args()
    try:
        data = args.good.read_bytes()
    except OSError as error:
        sys.exit(f"malform.py: {args.good}: {error.strerror}")

    good = Module(data)
    table = []
    for name, expected, spoil in cases(good):
        table.append(f"{name} {expected}")
        if args.outdir:
            args.outdir.mkdir(parents=True, exist_ok=True)
            module = Module(data)
            module.drop_init()
            spoil(module)
            (args.outdir / f"{name}.ko").write_bytes(module.data)
    if not args.outdir:
        print("\n".join(table))
        return
    (args.outdir / "load.sh").write_text(LOAD.format(
        count=len(table), module=args.good.stem.replace("-", "_"), table="\n".join(table)))


if __name__ == "__main__":
    main()
