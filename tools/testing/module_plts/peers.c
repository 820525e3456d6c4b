// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ways to plan: ours, base's, what two other architectures do, written here from a
 * description of it, and two that do not sort.
 */
#include <stdlib.h>

#include <linux/sort.h>

#include "harness.h"

const char * const way_names[NR_WAYS] = {
	[OURS] = "ours",
	[BASE] = "base",
	[COPY_AND_SORT] = "copy candidates and sort",
	[SORT_ALL] = "sort all",
	[TABLE] = "table indexed by symbol",
	[MARK] = "mark in st_size",
};

static int compare_u64(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

static int by_symbol(const void *a, const void *b)
{
	const Elf64_Rela *x = a, *y = b;
	int order = compare_u64(ELF64_R_SYM(x->r_info), ELF64_R_SYM(y->r_info));

	return order ? order : compare_u64(x->r_addend, y->r_addend);
}

static int by_info(const void *a, const void *b)
{
	const Elf64_Rela *x = a, *y = b;
	int order = compare_u64(x->r_info, y->r_info);

	return order ? order : compare_u64(x->r_addend, y->r_addend);
}

static bool needs_entry(const Elf64_Rela *rela, const Elf64_Sym *syms, u32 section)
{
	return rela_is_branch(rela) && syms[ELF64_R_SYM(rela->r_info)].st_shndx != section;
}

/* riscv: copy the candidates to a buffer, sort that, count what differs. */
static unsigned int count_copied(const Elf64_Rela *relas, size_t num, const Elf64_Sym *syms,
				 u32 section)
{
	Elf64_Rela *copy = malloc(num * sizeof(*copy) + 1);
	unsigned int count = 0;
	size_t i, copied = 0;

	if (!copy)
		abort();
	for (i = 0; i < num; i++)
		if (needs_entry(&relas[i], syms, section))
			copy[copied++] = relas[i];
	sort(copy, copied, sizeof(*copy), by_symbol, NULL);
	for (i = 0; i < copied; i++)
		count += !i || by_symbol(&copy[i - 1], &copy[i]);
	free(copy);
	return count;
}

/* loongarch: sort every RELA of the section, count the candidates that differ. */
static unsigned int count_sorted(Elf64_Rela *relas, size_t num, const Elf64_Sym *syms,
				 u32 section)
{
	unsigned int count = 0;
	size_t i;

	sort(relas, num, sizeof(*relas), by_info, NULL);
	for (i = 0; i < num; i++)
		count += needs_entry(&relas[i], syms, section) &&
			 (!i || by_info(&relas[i - 1], &relas[i]));
	return count;
}

/*
 * No order at all: the first branch to a symbol takes an entry, of .plt or of .init.plt,
 * and @marks has a bit for each. Emission would need the entry's number there.
 */
static unsigned int count_unseen(const Elf64_Rela *relas, size_t num, const Elf64_Sym *syms,
				 u32 section, u64 *marks, size_t stride, u64 bit)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < num; i++) {
		u64 *mark = (void *)marks + ELF64_R_SYM(relas[i].r_info) * stride;

		if (!needs_entry(&relas[i], syms, section))
			continue;
		if (relas[i].r_addend) {
			count++;
		} else if (!(*mark & bit)) {
			*mark |= bit;
			count++;
		}
	}
	return count;
}

static unsigned int plan_unsorted(const struct image *img, Elf64_Sym *syms, u64 *marks,
				  size_t stride)
{
	unsigned int i, count = 0;
	size_t num;

	for (i = 1; i < img->ehdr->e_shnum; i++) {
		Elf64_Rela *relas = image_relas(img, &img->sechdrs[i], &num);
		Elf64_Shdr *target = image_exec_target(img, &img->sechdrs[i]);
		bool init;

		if (!target)
			continue;
		init = module_init_layout_section(image_section_name(img, target));
		count += count_unseen(relas, num, syms, img->sechdrs[i].sh_info, marks, stride,
				      init ? 1 : 2);
	}
	return count;
}

static unsigned int plan_by_table(const struct image *img, Elf64_Sym *syms, size_t numsyms)
{
	u64 *table = calloc(numsyms + 1, sizeof(*table));
	unsigned int count;

	if (!table)
		abort();
	count = plan_unsorted(img, syms, table, sizeof(*table));
	free(table);
	return count;
}

static unsigned int plan_by_marks(const struct image *img, Elf64_Sym *syms, size_t numsyms)
{
	size_t i;

	for (i = 0; i < numsyms; i++)
		syms[i].st_size = 0;
	return plan_unsorted(img, syms, &syms->st_size, sizeof(*syms));
}

/* Its own symbol, as scripts/peers has callgrind count what is called from here. */
noinline unsigned int plan_way(enum way way, struct image *img)
{
	const Elf64_Shdr *symtab = image_symtab(img);
	Elf64_Sym *syms = (void *)(img->bytes + symtab->sh_offset);
	struct module mod = {};
	unsigned int i, count = 0;
	size_t num;

	if (way == OURS || way == BASE) {
		(way == OURS ? ours : base)[KASLR]->plan(img->ehdr, img->sechdrs,
							 img->secstrings, &mod);
		return mod.arch.core.plt_max_entries + mod.arch.init.plt_max_entries;
	}
	if (way == TABLE)
		return plan_by_table(img, syms, symtab->sh_size / sizeof(*syms));
	if (way == MARK)
		return plan_by_marks(img, syms, symtab->sh_size / sizeof(*syms));
	for (i = 1; i < img->ehdr->e_shnum; i++) {
		Elf64_Rela *relas = image_relas(img, &img->sechdrs[i], &num);

		if (!image_exec_target(img, &img->sechdrs[i]))
			continue;
		if (way == COPY_AND_SORT)
			count += count_copied(relas, num, syms, img->sechdrs[i].sh_info);
		else
			count += count_sorted(relas, num, syms, img->sechdrs[i].sh_info);
	}
	return count;
}
