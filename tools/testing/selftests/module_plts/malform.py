#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Spoil a good arm64 module in many ways, one a file, to see what the loader says.

Writes NAME.ko for each case to OUTDIR, and load.sh, which a guest runs there with what
GOOD.ko depends on loaded: it loads each one, unloads what did load, prints the results
and what the kernel logs as KTAP, and fails if one is not as expected:

    refused    insmod must fail
    loads      insmod must succeed
    as-base    whatever a kernel without the series does: compare the outputs

"sh load.sh base" skips the cases which make such a kernel read behind the end of a
table: it oopses, or goes on with what is there by chance. What oopses in the loader of
other kernels too is loaded by "sh load.sh all" alone. The variants have no init and
exit function, so that nothing of a module that may be relocated wrongly is ever run."""
import argparse
import pathlib
import struct
import sys

from module_elf import (
    ABS16, BRANCHES, EM_X86_64, JUMP26, RELA_SIZE, SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE,
    SHN_COMMON, SHT_NOBITS, SHT_NULL, SHT_PROGBITS, SHT_REL, SHT_SYMTAB, SYM_SIZE, Module)

BIG = 0x7fffff0

# What is expected, and whether a kernel without the series, or without more, must not be asked
REFUSED, LOADS, AS_BASE, CRASH = "refused", "loads", "as-base", " base-crashes"
LOADER_CRASH = " loader-crashes"


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
        ("null-section-name-beyond", LOADS + LOADER_CRASH, shdr(0, "name", BIG)),
        ("empty-section-name-beyond", LOADS + LOADER_CRASH, lambda m: (
            m.shdr(".comment", "type", SHT_NULL), m.shdr(".comment", "name", BIG))),
        ("comment-name-beyond", REFUSED + LOADER_CRASH, shdr(".comment", "name", BIG)),
        ("bss-name-beyond", REFUSED + LOADER_CRASH, shdr(".bss", "name", BIG)),
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
        ("branches-all-to-symbol-0", AS_BASE, lambda m: m.each_branch("sym", lambda _: 0)),
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


LOAD = r"""#!/bin/sh
# Load each malformed module and judge how that went: see malform.py.
cd "${{0%/*}}" || exit 1
status=0 n=0
dmesg -c >/dev/null
echo "1..{count}"
while read -r name expected crash; do
	n=$((n + 1))
	case $crash:$1 in
	base-crashes:base | loader-crashes:base | loader-crashes:series | loader-crashes:)
		echo "ok $n $name # SKIP"
		continue
		;;
	esac
	if why=$(insmod "$name.ko" 2>&1); then
		result=loads
		rmmod {module} || result=stays
		why=
	else
		result=refused
		why=", ${{why##*: }}"
	fi
	dmesg -c | sed 's/^\[[^]]*\]/#/'
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
        good = Module(data)
    except OSError as error:
        sys.exit(f"malform.py: {args.good}: {error.strerror}")
    except (ValueError, struct.error) as error:
        sys.exit(f"malform.py: {args.good}: broken: {error}")

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
