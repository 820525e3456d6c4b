# SPDX-License-Identifier: GPL-2.0-only
"""The ELF file of an arm64 module, for malform.py to read and to spoil."""
import struct


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

SHT_NULL, SHT_PROGBITS, SHT_SYMTAB, SHT_RELA, SHT_NOBITS, SHT_REL = 0, 1, 2, 4, 8, 9
SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR = 1, 2, 4
SHN_COMMON = 0xfff2
EM_AARCH64, EM_X86_64 = 183, 62
NONE, ABS64, ABS16, ADRP, JUMP26, CALL26 = 0, 257, 259, 275, 282, 283
BRANCHES = (CALL26, JUMP26)
OWN_DATA = ".plts."  # what nothing but a test module's init function reads


class Module:
    """The bytes of a module, with names for what is in them."""

    def __init__(self, data):
        self.data = bytearray(data)
        if len(data) < 64 or data[:6] != b"\x7fELF\2\1" or self.ehdr("machine") != EM_AARCH64:
            raise ValueError("not an arm64 module")
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
        raise ValueError(f"no {what}")

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
        raise ValueError(f"no {'code' if code else 'data'} RELA of type "
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
