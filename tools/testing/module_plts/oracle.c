// SPDX-License-Identifier: GPL-2.0-only
/*
 * The specification of planning, for checking only: sets and loops, nothing is
 * sorted, nothing is done in place, and no code is shared with module-plts.c.
 */
#include <stdlib.h>

#include "harness.h"

/* Slots of 12 bytes in a page: the slack is one for each so many entries. */
#define SLOTS_PER_PAGE	341

static bool is_init(const char *name)
{
	return !strncmp(name, ".init", strlen(".init")) ||
	       (!kernel.module_unload && !strncmp(name, ".exit", strlen(".exit")));
}

/* Does the erratum reach an ADRP at @offset, however its section is aligned? */
static bool always_vulnerable(u64 offset)
{
	unsigned int bit;

	for (bit = 3; bit <= 11; bit++)
		if (!(offset >> bit & 1))
			return false;

	return true;
}

/* The least alignment that fixes the lowest clear bit of bits 11:3. */
static u64 safe_alignment(u64 offset)
{
	u64 bit = 8;

	while (offset & bit)
		bit *= 2;

	return 2 * bit;
}

static bool plan_section(const struct image *img, const Elf64_Shdr *sec,
			 const Elf64_Shdr *symtab, bool far_branches,
			 struct plan *plan)
{
	const Elf64_Sym *syms = (void *)(img->bytes + symtab->sh_offset);
	size_t num, numsyms = symtab->sh_size / sizeof(*syms);
	const Elf64_Rela *relas = image_relas(img, sec, &num);
	bool *has_entry = calloc(numsyms + 1, sizeof(*has_entry));
	unsigned long count = 0;
	size_t i;

	if (!has_entry)
		abort();

	for (i = 0; far_branches && i < num; i++) {
		u64 symbol = ELF64_R_SYM(relas[i].r_info);

		if (!rela_is_branch(&relas[i]))
			continue;
		if (symbol >= numsyms) {
			free(has_entry);
			return false;
		}
		if (syms[symbol].st_shndx == sec->sh_info)
			continue;
		if (relas[i].r_addend) {
			count++;
		} else if (!has_entry[symbol]) {
			has_entry[symbol] = true;
			count++;
		}
	}
	free(has_entry);

	for (i = 0; kernel.erratum_843419 && i < num; i++) {
		if (!rela_is_adrp(&relas[i]))
			continue;
		if (always_vulnerable(relas[i].r_offset)) {
			count++;
			plan->veneers++;
		} else if (plan->addralign[sec->sh_info] < safe_alignment(relas[i].r_offset)) {
			plan->addralign[sec->sh_info] = safe_alignment(relas[i].r_offset);
		}
	}

	if (kernel.erratum_843419)
		count += count / SLOTS_PER_PAGE + (count % SLOTS_PER_PAGE != 0);

	if (is_init(image_section_name(img, &img->sechdrs[sec->sh_info])))
		plan->init += count;
	else
		plan->core += count;

	return true;
}

/**
 * oracle_plan() - plan a module's PLT entries
 * @img: module, as the loader hands it to planning; not changed
 * @far_branches: branches may need PLT entries
 * @plan: result, to be given to plan_free()
 */
void oracle_plan(const struct image *img, bool far_branches, struct plan *plan)
{
	const Elf64_Shdr *symtab = image_symtab(img);
	unsigned int i, num = img->ehdr->e_shnum;
	bool plt = false, init_plt = false;

	*plan = (struct plan){ .addralign = calloc(num, sizeof(*plan->addralign)) };
	if (!plan->addralign)
		abort();

	for (i = 0; i < num; i++)
		plan->addralign[i] = img->sechdrs[i].sh_addralign;

	/* Section 0 is none, whatever it is named. */
	for (i = 1; i < num; i++) {
		plt |= !strcmp(image_section_name(img, &img->sechdrs[i]), ".plt");
		init_plt |= !strcmp(image_section_name(img, &img->sechdrs[i]), ".init.plt");
	}

	if (!plt || !init_plt || !symtab) {
		plan->err = -ENOEXEC;
		return;
	}

	for (i = 1; i < num; i++) {
		if (!image_exec_target(img, &img->sechdrs[i]))
			continue;
		if (!plan_section(img, &img->sechdrs[i], symtab, far_branches, plan)) {
			plan->err = -ENOEXEC;
			return;
		}
	}
}

void plan_free(struct plan *plan)
{
	free(plan->addralign);
	plan->addralign = NULL;
}
