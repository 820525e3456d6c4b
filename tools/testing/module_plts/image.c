// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module's file in memory, with the guarantees that the module loader gives
 * before it has PLT entries planned: see elf_validity_check() in
 * kernel/module/main.c.
 */
#include <stdlib.h>

#include "harness.h"

static void set_pointers(struct image *img)
{
	unsigned int i;

	img->ehdr = (Elf64_Ehdr *)img->bytes;
	img->sechdrs = (Elf64_Shdr *)(img->bytes + img->ehdr->e_shoff);
	img->secstrings = (char *)img->bytes +
			  img->sechdrs[img->ehdr->e_shstrndx].sh_offset;

	for (i = 1; i < img->ehdr->e_shnum; i++)
		img->sechdrs[i].sh_addr = (u64)img->bytes + img->sechdrs[i].sh_offset;
}

static bool within(u64 offset, u64 size, u64 len)
{
	return offset <= len && size <= len - offset;
}

const char *image_open(struct image *img, const void *bytes, size_t len)
{
	const Elf64_Ehdr *ehdr = bytes;
	const Elf64_Shdr *sechdrs, *str;
	unsigned int i;

	if (!len)
		return "an empty file";
	if (len < SELFMAG || memcmp(ehdr->e_ident, ELFMAG, SELFMAG))
		return "not an ELF file";
	if (len < sizeof(*ehdr))
		return "ELF header cut off";
	if (ehdr->e_ident[EI_CLASS] != ELFCLASS64)
		return "not a 64-bit ELF file";
	if (ehdr->e_ident[EI_DATA] != ELFDATA2LSB)
		return be16toh(ehdr->e_machine) == EM_AARCH64 ?
			"for big-endian arm64: only little-endian is handled" :
			"big-endian, and not for arm64";
	if (ehdr->e_machine != EM_AARCH64)
		return failure("not for arm64: e_machine is %u", ehdr->e_machine);
	if (ehdr->e_type != ET_REL)
		return failure("not relocatable, so not a module: e_type is %u", ehdr->e_type);
	if (!ehdr->e_shnum && ehdr->e_shoff)
		return "more sections than e_shnum holds (extended numbering): not loaded";
	if (ehdr->e_shentsize != sizeof(*sechdrs) ||
	    !within(ehdr->e_shoff, (u64)ehdr->e_shnum * sizeof(*sechdrs), len))
		return "section headers beyond the end of the file";

	sechdrs = bytes + ehdr->e_shoff;
	if (!ehdr->e_shstrndx || ehdr->e_shstrndx >= ehdr->e_shnum)
		return "no section name string table";
	if (sechdrs[0].sh_type != SHT_NULL || sechdrs[0].sh_size || sechdrs[0].sh_addr)
		return "section 0 is not null";
	for (i = 1; i < ehdr->e_shnum; i++)
		if (sechdrs[i].sh_type != SHT_NULL && sechdrs[i].sh_type != SHT_NOBITS &&
		    !within(sechdrs[i].sh_offset, sechdrs[i].sh_size, len))
			return "section beyond the end of the file";

	str = &sechdrs[ehdr->e_shstrndx];
	if (str->sh_type != SHT_STRTAB || !str->sh_size ||
	    ((const char *)bytes)[str->sh_offset + str->sh_size - 1])
		return "section name string table is not one";
	for (i = 0; i < ehdr->e_shnum; i++)
		if (sechdrs[i].sh_type != SHT_NULL && sechdrs[i].sh_name >= str->sh_size)
			return "section name beyond the string table";

	img->len = len;
	img->bytes = malloc(len);
	if (!img->bytes)
		return "out of memory";
	memcpy(img->bytes, bytes, len);
	set_pointers(img);
	return NULL;
}

void image_copy(struct image *copy, const struct image *img)
{
	copy->len = img->len;
	copy->bytes = malloc(img->len);
	if (!copy->bytes)
		abort();
	memcpy(copy->bytes, img->bytes, img->len);
	set_pointers(copy);
}

void image_close(struct image *img)
{
	free(img->bytes);
	img->bytes = NULL;
}

const char *image_section_name(const struct image *img, const Elf64_Shdr *sec)
{
	if (sec->sh_name >= img->sechdrs[img->ehdr->e_shstrndx].sh_size)
		return "";

	return img->secstrings + sec->sh_name;
}

bool is_plt_name(const char *name)
{
	return !strcmp(name, ".plt") || !strcmp(name, ".init.plt");
}

bool is_trampoline_name(const char *name)
{
	return !strcmp(name, ".text.ftrace_trampoline") ||
	       !strcmp(name, ".init.text.ftrace_trampoline");
}

Elf64_Shdr *image_symtab(const struct image *img)
{
	unsigned int i;

	for (i = 1; i < img->ehdr->e_shnum; i++) {
		const char *name = image_section_name(img, &img->sechdrs[i]);

		if (img->sechdrs[i].sh_type == SHT_SYMTAB && !is_plt_name(name) &&
		    !is_trampoline_name(name))
			return &img->sechdrs[i];
	}

	return NULL;
}

Elf64_Rela *image_relas(const struct image *img, const Elf64_Shdr *sec, size_t *num)
{
	*num = sec->sh_size / sizeof(Elf64_Rela);
	return (Elf64_Rela *)(img->bytes + sec->sh_offset);
}

Elf64_Shdr *image_exec_target(const struct image *img, const Elf64_Shdr *sec)
{
	Elf64_Shdr *target = img->sechdrs + sec->sh_info;

	if (sec->sh_type != SHT_RELA || sec->sh_info >= img->ehdr->e_shnum ||
	    !(target->sh_flags & SHF_EXECINSTR))
		return NULL;

	return target;
}

bool rela_is_branch(const Elf64_Rela *rela)
{
	return ELF64_R_TYPE(rela->r_info) == R_AARCH64_CALL26 ||
	       ELF64_R_TYPE(rela->r_info) == R_AARCH64_JUMP26;
}

bool rela_is_adrp(const Elf64_Rela *rela)
{
	return ELF64_R_TYPE(rela->r_info) == R_AARCH64_ADR_PREL_PG_HI21 ||
	       ELF64_R_TYPE(rela->r_info) == R_AARCH64_ADR_PREL_PG_HI21_NC;
}
