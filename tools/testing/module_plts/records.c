// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modules made from records, so that the tables of unit.c and the bytes of
 * fuzz.c describe them in one way.
 *
 * The layout is the loader's minimum: section 0, .plt, .init.plt, a trampoline,
 * the symbol table; then for each RECORD_SECTION the section and its RELA section;
 * the string table is last. Code has no contents, so its sections are NOBITS. The
 * section headers end the file, so that an index beyond them is beyond the image.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "harness.h"

const char *const record_names[NR_RECORD_NAMES] = {
	".text", ".init.text", ".exit.text", ".data", ".text.hot", ".init.data",
	".plt", ".init.plt", ".text.ftrace_trampoline",
	".init.text.ftrace_trampoline", ".symtab", "", ".printk_index",
	".inix.plt", ".init.init.plt",
};

const unsigned int record_types[NR_RECORD_TYPES] = {
	R_AARCH64_CALL26, R_AARCH64_JUMP26, R_AARCH64_ADR_PREL_PG_HI21,
	R_AARCH64_ADR_PREL_PG_HI21_NC, R_AARCH64_ADD_ABS_LO12_NC,
	R_AARCH64_ABS64, R_AARCH64_CONDBR19, R_AARCH64_NONE,
};

static u32 names_size(unsigned int num)
{
	u32 size = 0;
	unsigned int i;

	for (i = 0; i < num; i++)
		size += strlen(record_names[i]) + 1;

	return size;
}

static u32 name_offset(unsigned int name)
{
	if (name >= NR_RECORD_NAMES)
		return U32_MAX;		/* beyond the string table */

	return names_size(name);
}

static Elf64_Shdr *add_section(struct image *img, const char *name, u32 type, u64 size)
{
	Elf64_Shdr *sec = &img->sechdrs[img->ehdr->e_shnum++];
	unsigned int i;

	for (i = 0; i < NR_RECORD_NAMES; i++)
		if (!strcmp(record_names[i], name))
			sec->sh_name = name_offset(i);

	sec->sh_type = type;
	sec->sh_size = size;
	sec->sh_addralign = 4;
	if (type != SHT_NOBITS) {
		sec->sh_offset = img->len;
		img->len += size;
	}
	return sec;
}

static size_t relas_of_section(const struct record *r, const struct record *end)
{
	size_t num = 0;

	for (; r < end && r->op != RECORD_SECTION; r++)
		if (r->op == RECORD_RELA)
			num += max(r->flags & RECORD_COUNT, 1);

	return num;
}

static Elf64_Rela *add_relas(Elf64_Rela *rela, const struct record *r, u32 numsyms)
{
	int k, count = max(r->flags & RECORD_COUNT, 1);

	for (k = 0; k < count; k++, rela++) {
		u32 symbol = r->index + (u32)k * r->step;

		if (!(r->flags & RECORD_WILD))
			symbol %= numsyms;
		rela->r_offset = r->offset + 4 * k;
		rela->r_info = ELF64_R_INFO((u64)symbol, record_types[r->kind]);
		rela->r_addend = r->value;
	}
	return rela;
}

static void change_header(Elf64_Shdr *sec, const struct record *r)
{
	switch (r->kind) {
	case HEADER_NAME:
		sec->sh_name = name_offset(r->value);
		break;
	case HEADER_TYPE:
		sec->sh_type = r->value;
		break;
	case HEADER_INFO:
		sec->sh_info = r->value;
		break;
	case HEADER_FLAGS:
		sec->sh_flags = r->value;
		break;
	case HEADER_SIZE:
		sec->sh_size = (u32)r->value;
		break;
	case HEADER_OFFSET:
		sec->sh_offset = (u32)r->value;
		break;
	}
}

/**
 * image_from_records() - make a module
 * @img: result
 * @records: what to make, fields in range but for what the loader checks
 * @num: how many
 * @numsyms: symbols in the symbol table, all undefined unless defined by a record
 *
 * Return: NULL, or why the loader refuses the module.
 */
const char *image_from_records(struct image *img, const struct record *records,
			       size_t num, u32 numsyms)
{
	const struct record *r, *end = records + num;
	size_t i, headers, sections = RECORD_FIRST_SECTION + 1, relas = 0;
	struct image raw = { .len = sizeof(Elf64_Ehdr) };
	char *names;
	Elf64_Shdr *sec = NULL, *symtab;
	Elf64_Rela *rela = NULL;
	const char *err;
	Elf64_Sym *syms;

	for (r = records; r < end; r++) {
		sections += r->op == RECORD_SECTION ? 2 : 0;
		relas += r->op == RECORD_RELA ? max(r->flags & RECORD_COUNT, 1) : 0;
	}

	headers = ALIGN(raw.len + numsyms * sizeof(*syms) + relas * sizeof(*rela) +
			names_size(NR_RECORD_NAMES), 8);
	raw.bytes = calloc(1, headers + sections * sizeof(*sec));
	if (!raw.bytes)
		abort();

	raw.ehdr = (Elf64_Ehdr *)raw.bytes;
	raw.sechdrs = (Elf64_Shdr *)(raw.bytes + headers);
	memcpy(raw.ehdr->e_ident, ELFMAG, SELFMAG);
	raw.ehdr->e_ident[EI_CLASS] = ELFCLASS64;
	raw.ehdr->e_ident[EI_DATA] = ELFDATA2LSB;
	raw.ehdr->e_machine = EM_AARCH64;
	raw.ehdr->e_type = ET_REL;
	raw.ehdr->e_shentsize = sizeof(Elf64_Shdr);
	raw.ehdr->e_shoff = headers;

	add_section(&raw, "", SHT_NULL, 0)->sh_addralign = 0;
	add_section(&raw, ".plt", SHT_NOBITS, 1);
	add_section(&raw, ".init.plt", SHT_NOBITS, 1);
	add_section(&raw, ".text.ftrace_trampoline", SHT_NOBITS, 1);
	symtab = add_section(&raw, ".symtab", SHT_SYMTAB, numsyms * sizeof(Elf64_Sym));
	syms = (Elf64_Sym *)(raw.bytes + symtab->sh_offset);

	for (r = records; r < end; r++) {
		if (r->op == RECORD_SECTION) {
			sec = add_section(&raw, record_names[r->kind], SHT_NOBITS, r->offset);
			sec->sh_flags = SHF_ALLOC | (r->flags & SHF_EXECINSTR);
			sec->sh_addralign = 1UL << (r->flags >> 8 & 0xf);
			sec = add_section(&raw, "", SHT_RELA,
					  relas_of_section(r + 1, end) * sizeof(*rela));
			sec->sh_info = raw.ehdr->e_shnum - 2;
			rela = (Elf64_Rela *)(raw.bytes + sec->sh_offset);
		} else if (r->op == RECORD_RELA && rela) {
			rela = add_relas(rela, r, numsyms);
		} else if (r->op == RECORD_SYMBOL && r->index < numsyms) {
			syms[r->index].st_shndx = r->value;
			syms[r->index].st_value = r->offset;
		}
	}

	raw.ehdr->e_shstrndx = raw.ehdr->e_shnum;
	sec = add_section(&raw, "", SHT_STRTAB, names_size(NR_RECORD_NAMES));
	names = (char *)raw.bytes + sec->sh_offset;
	for (i = 0; i < NR_RECORD_NAMES; i++)
		memcpy(names + name_offset(i), record_names[i], strlen(record_names[i]));

	for (r = records; r < end; r++)
		if (r->op == RECORD_HEADER && r->index < raw.ehdr->e_shnum)
			change_header(&raw.sechdrs[r->index], r);

	err = image_open(img, raw.bytes, headers + sections * sizeof(*sec));
	free(raw.bytes);
	return err;
}

/* Sections of the module that plan_branches() makes. */
enum { NUL, TEXT, RELA, SYMTAB, SHSTRTAB, PLT, INIT_PLT, NR_SECTIONS };

/**
 * plan_branches() - plan a module of one code section, with a symbol for every index
 * @relas: its RELAs
 * @num: how many
 *
 * All symbols are undefined, and as none is written to they take no memory.
 *
 * Return: the entries planned, or -ENOMEM if there is no address space.
 */
int plan_branches(Elf64_Rela *relas, u32 num)
{
	static const char names[] = "\0.plt\0.init.plt";
	const u64 symsize = sizeof(Elf64_Sym) << 32;
	static void *syms;
	Elf64_Ehdr ehdr = { .e_shnum = NR_SECTIONS, .e_shstrndx = SHSTRTAB };
	Elf64_Shdr sechdrs[NR_SECTIONS] = {
		[TEXT] = { .sh_flags = SHF_EXECINSTR },
		[RELA] = { .sh_type = SHT_RELA, .sh_info = TEXT, .sh_size = num * sizeof(*relas),
			   .sh_offset = (u64)relas - (u64)&ehdr },
		[SYMTAB] = { .sh_type = SHT_SYMTAB, .sh_size = symsize },
		[SHSTRTAB] = { .sh_size = sizeof(names) },
		[PLT] = { .sh_name = 1 },
		[INIT_PLT] = { .sh_name = 6 },
	};
	struct module mod = { .name = "branches" };

	if (!syms)
		syms = mmap(NULL, symsize, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			    -1, 0);
	if (syms == MAP_FAILED)
		return -ENOMEM;
	sechdrs[SYMTAB].sh_addr = (u64)syms;
	if (ours[KASLR]->plan(&ehdr, sechdrs, (char *)names, &mod))
		abort();
	return mod.arch.core.plt_max_entries;
}
