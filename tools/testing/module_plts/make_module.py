# SPDX-License-Identifier: GPL-2.0-only
"""Small arm64 modules for tests: as a linker makes them, or with something wrong."""
import struct

EHDR = "<16sHHIQQQIHHHHHH"
SHDR = "<IIQQQQIIQQ"
RELA = "<QIIq"
SYM = "<IBBHQQ"
PROGBITS, SYMTAB, STRTAB, RELAS, NOBITS = 1, 2, 3, 4, 8
ALLOC, EXEC = 2, 4
CALL26 = 283


def build(sections, ident=b"\x7fELF\2\1\1", machine=183, kind=1, count=None, names=None):
    """An ELF file of SECTIONS, (name, type, flags, contents or size, info), behind section 0.
    The name string table is added. COUNT and NAMES stand for e_shnum and e_shstrndx."""
    strings = b"\0"
    data, headers = bytes(64), [bytes(64)]
    for name, what, flags, contents, info in [*sections, (".shstrtab", STRTAB, 0, None, 0)]:
        offset = len(data)
        if contents is None:
            contents = strings + name.encode() + b"\0"
        size = contents if isinstance(contents, int) else len(contents)
        data += b"" if isinstance(contents, int) else contents
        headers.append(struct.pack(SHDR, len(strings), what, flags, 0, offset, size, 0, info, 8,
                                   24 if what in (RELAS, SYMTAB) else 0))
        strings += name.encode() + b"\0"
        data += bytes(-len(data) % 8)
    ehdr = struct.pack(EHDR, ident, kind, machine, 1, 0, 0, len(data), 0, 64, 0, 0, 64,
                       len(headers) if count is None else count,
                       len(headers) - 1 if names is None else names)
    if ident[5:6] == b"\2":
        ehdr = struct.pack(EHDR.replace("<", ">"), *struct.unpack(EHDR, ehdr))
    return ehdr + data[64:] + b"".join(headers)


def sections_of(name="probe", symbols=(1, 2, 1), plts=(".plt", ".init.plt"), cut=0, step=4):
    """Sections of a module called NAME with a branch to each of SYMBOLS, STEP bytes apart; the
    last CUT bytes of its RELAs are missing."""
    relas = b"".join(struct.pack(RELA, step * i, CALL26, symbol, 0)
                     for i, symbol in enumerate(symbols))
    return [(".text", PROGBITS, ALLOC | EXEC, bytes(4 * len(symbols)), 0),
            (".rela.text", RELAS, 0, relas[:len(relas) - cut], 1),
            (".symtab", SYMTAB, 0, bytes(24) + 3 * struct.pack(SYM, 0, 16, 0, 0, 0, 0), 1),
            (".modinfo", PROGBITS, ALLOC, b"license=GPL\0name=" + name.encode() +
             b"\0vermagic=6.12.0 SMP aarch64\0", 0),
            *((plt, NOBITS, ALLOC | EXEC, 1, 0) for plt in plts)]


def module(**how):
    return build(sections_of(**how))
