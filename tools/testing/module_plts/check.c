// SPDX-License-Identifier: GPL-2.0-only
/*
 * Everything that must hold for any module: planning against the oracle and the
 * base tree. emission.c does the other half.
 */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

struct checked checked;

void leave_out(const char *what, const char *why)
{
	const size_t room = sizeof(checked.left_out), used = strlen(checked.left_out);
	char text[200];

	snprintf(text, sizeof(text), "%s: %s", what, why);
	if (!strstr(checked.left_out, text))
		snprintf(checked.left_out + used, room - used, "%s%s", used ? "; " : "", text);
}

static int compare_relas(const void *a, const void *b)
{
	const Elf64_Rela *x = a, *y = b;

	if (x->r_info != y->r_info)
		return x->r_info < y->r_info ? -1 : 1;
	if (x->r_offset != y->r_offset)
		return x->r_offset < y->r_offset ? -1 : 1;
	return x->r_addend < y->r_addend ? -1 : x->r_addend > y->r_addend;
}

static Elf64_Rela *sorted_relas(const Elf64_Rela *relas, size_t num)
{
	Elf64_Rela *copy = malloc(num * sizeof(*copy) + 1);

	if (!copy)
		abort();
	memcpy(copy, relas, num * sizeof(*copy));
	qsort(copy, num, sizeof(*copy), compare_relas);
	return copy;
}

static bool same_multiset(const Elf64_Rela *a, const Elf64_Rela *b, size_t num)
{
	Elf64_Rela *x = sorted_relas(a, num), *y = sorted_relas(b, num);
	bool same = !memcmp(x, y, num * sizeof(*x));

	free(x);
	free(y);
	return same;
}

static bool ranges_meet(u64 a, u64 a_size, u64 b, u64 b_size)
{
	return a < b + b_size && b < a + a_size;
}

/*
 * A RELA section that shares bytes with the tables that describe the module
 * changes these while it is permuted. The loader does not survive that either.
 */
static bool overlaps_tables(const struct image *img, const Elf64_Shdr *sec)
{
	const Elf64_Ehdr *ehdr = img->ehdr;
	const Elf64_Shdr *str = &img->sechdrs[ehdr->e_shstrndx];

	return ranges_meet(sec->sh_offset, sec->sh_size, 0, sizeof(*ehdr)) ||
	       ranges_meet(sec->sh_offset, sec->sh_size, ehdr->e_shoff,
			   ehdr->e_shnum * sizeof(*sec)) ||
	       ranges_meet(sec->sh_offset, sec->sh_size, str->sh_offset, str->sh_size);
}

static bool any_rela_overlaps_tables(const struct image *img)
{
	unsigned int i;

	for (i = 1; i < img->ehdr->e_shnum; i++)
		if (img->sechdrs[i].sh_type == SHT_RELA && img->sechdrs[i].sh_size &&
		    overlaps_tables(img, &img->sechdrs[i]))
			return true;

	return false;
}

static int compare_offsets(const void *a, const void *b)
{
	const Elf64_Shdr *x = *(const Elf64_Shdr **)a, *y = *(const Elf64_Shdr **)b;

	return x->sh_offset < y->sh_offset ? -1 : x->sh_offset > y->sh_offset;
}

/* Are bytes of RELAs another section's too? The sections are taken by offset. */
static bool any_rela_overlaps_section(const struct image *img)
{
	const Elf64_Shdr **secs = calloc(img->ehdr->e_shnum, sizeof(*secs));
	u64 end = 0, rela_end = 0;
	bool overlap = false;
	unsigned int i, num = 0;

	if (!secs)
		abort();
	for (i = 1; i < img->ehdr->e_shnum; i++)
		if (img->sechdrs[i].sh_type != SHT_NULL && img->sechdrs[i].sh_size &&
		    img->sechdrs[i].sh_type != SHT_NOBITS)
			secs[num++] = &img->sechdrs[i];
	qsort(secs, num, sizeof(*secs), compare_offsets);

	for (i = 0; i < num && !overlap; i++) {
		bool rela = secs[i]->sh_type == SHT_RELA;

		overlap = secs[i]->sh_offset < (rela ? end : rela_end);
		end = max(end, secs[i]->sh_offset + secs[i]->sh_size);
		if (rela)
			rela_end = max(rela_end, secs[i]->sh_offset + secs[i]->sh_size);
	}
	free(secs);
	return overlap;
}

static int compare_u64(const void *a, const void *b)
{
	const u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/*
 * Does code have a place that two RELAs change? The one applied last counts, and
 * planning leaves them in another order than the file, with base and with ours.
 */
static bool any_place_has_two_relas(const struct image *img)
{
	bool two = false;
	unsigned int i;
	size_t k, num;

	for (i = 1; i < img->ehdr->e_shnum && !two; i++) {
		const Elf64_Rela *relas = image_relas(img, &img->sechdrs[i], &num);
		size_t places = 0;
		u64 *offsets;

		if (!image_exec_target(img, &img->sechdrs[i]))
			continue;
		offsets = malloc(num * sizeof(*offsets) + 1);
		if (!offsets)
			abort();
		for (k = 0; k < num; k++)
			if (ELF64_R_TYPE(relas[k].r_info) != R_AARCH64_NONE)
				offsets[places++] = relas[k].r_offset;
		qsort(offsets, places, sizeof(*offsets), compare_u64);
		for (k = 1; k < places && !two; k++)
			two = offsets[k] == offsets[k - 1];
		free(offsets);
	}
	return two;
}

/* Of sections with one name planning uses the last. */
static bool is_last_named(const struct image *img, unsigned int section, const char *name)
{
	unsigned int i;

	for (i = section + 1; i < img->ehdr->e_shnum; i++)
		if (!strcmp(name, image_section_name(img, &img->sechdrs[i])))
			return false;

	return true;
}

const char *unsafe_for_base(const struct image *img)
{
	const Elf64_Shdr *symtab = image_symtab(img);
	const u64 numsyms = symtab ? symtab->sh_size / sizeof(Elf64_Sym) : 0;
	unsigned int i, symtabs = 0;
	const char *name;
	size_t k, num;

	for (i = 0; i < img->ehdr->e_shnum; i++) {
		const Elf64_Shdr *sec = &img->sechdrs[i];
		const Elf64_Rela *relas = image_relas(img, sec, &num);

		if (sec->sh_name >= img->sechdrs[img->ehdr->e_shstrndx].sh_size)
			return failure("section %u has a name beyond the string table", i);
		symtabs += sec->sh_type == SHT_SYMTAB;
		name = image_section_name(img, sec);
		if ((is_plt_name(name) || is_trampoline_name(name)) &&
		    (i == 0 || !is_last_named(img, i, name)))
			return failure("section %u is another %s", i, name);
		if (sec->sh_type != SHT_RELA)
			continue;
		if (sec->sh_info >= img->ehdr->e_shnum)
			return failure("section %u has RELAs for a section beyond the last", i);
		for (k = 0; k < num && image_exec_target(img, sec); k++)
			if (ELF64_R_SYM(relas[k].r_info) >= numsyms ||
			    relas[k].r_offset > UINT32_MAX)
				return failure("section %u: RELA %zu is beyond its tables", i, k);
	}
	return symtabs > 1 ? "two symbol tables" : NULL;
}

/*
 * The arch part of struct module is as the file has it. No .plt must not mean that
 * a section the file chose is taken for it.
 */
static const struct mod_arch_specific stale_arch = {
	.core = { .plt_shndx = 1, .plt_num_entries = 77, .plt_max_entries = 77 },
	.init = { .plt_shndx = 1, .plt_num_entries = 77, .plt_max_entries = 77 },
};

static int run_plan(const struct module_plts *plts, struct image *img, struct module *mod)
{
	*mod = (struct module){ .name = "module_under_test", .state = MODULE_STATE_UNFORMED };
	if (plts == ours[KASLR] || plts == ours[BIG_REGION] || plts == ours[NO_KASLR] ||
	    plts == ours[NEAR_ONLY])
		mod->arch = stale_arch;
	kernel.warnings = 0;
	kernel.messages = 0;
	return plts->plan(img->ehdr, img->sechdrs, img->secstrings, mod);
}

const char *plan_image(const struct image *img, enum kconfig kconfig, struct image *planned,
		       struct module *mod)
{
	image_copy(planned, img);
	if (!run_plan(ours[kconfig], planned, mod))
		return NULL;

	return kernel.last_message + strlen(mod->name) + strlen(": ");
}

/* Section @i of the module is what loading goes on with: check its header. */
static const char *check_header(const struct image *before, const struct image *after,
				const struct module *mod, const struct plan *plan,
				unsigned int i)
{
	const char *name = image_section_name(before, &before->sechdrs[i]);
	Elf64_Shdr want = before->sechdrs[i];
	const Elf64_Shdr *got = &after->sechdrs[i];
	bool reserved = i && (is_plt_name(name) || is_trampoline_name(name)) &&
			is_last_named(before, i, name);
	bool core = reserved && !strcmp(name, ".plt");
	bool init = reserved && !strcmp(name, ".init.plt");

	want.sh_addr = got->sh_addr;
	want.sh_addralign = plan->addralign[i];
	if (reserved) {
		want.sh_type = SHT_NOBITS;
		want.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
		want.sh_addralign = core || init ? L1_CACHE_BYTES : __alignof__(struct plt_entry);
		want.sh_size = sizeof(struct plt_entry);
		if (core || init)
			want.sh_size *= 1 + (core ? plan->core : plan->init);
	}
	if ((core && mod->arch.core.plt_shndx != (int)i) ||
	    (init && mod->arch.init.plt_shndx != (int)i))
		return failure("plt_shndx is %d for core and %d for init",
			       mod->arch.core.plt_shndx, mod->arch.init.plt_shndx);
	if (want.sh_addralign != got->sh_addralign)
		return failure("section %u %s: sh_addralign %llu, expected %llu", i, name,
			       (unsigned long long)got->sh_addralign,
			       (unsigned long long)want.sh_addralign);
	if (memcmp(&want, got, sizeof(want)))
		return failure("section %u %s: header is not what it should be", i, name);

	return NULL;
}

/*
 * The zero-addend branches to other sections come first, those of one symbol next
 * to each other.
 */
static const char *check_slice(const struct image *img, const Elf64_Shdr *sec,
			       const Elf64_Shdr *symtab)
{
	const Elf64_Sym *syms = (void *)(img->bytes + symtab->sh_offset);
	size_t i, num, numsyms = symtab->sh_size / sizeof(*syms);
	const Elf64_Rela *relas = image_relas(img, sec, &num);
	bool *seen = calloc(numsyms + 1, 1);
	const char *err = NULL;
	bool behind = false;
	u64 symbol, last = -1;

	if (!seen)
		abort();
	for (i = 0; i < num && !err; i++) {
		symbol = ELF64_R_SYM(relas[i].r_info);
		if (!rela_is_branch(&relas[i]) || relas[i].r_addend ||
		    syms[symbol].st_shndx == sec->sh_info) {
			behind = true;
			continue;
		}
		if (behind)
			err = failure("RELA %zu: a branch that can share is not at the front", i);
		else if (symbol != last && seen[symbol])
			err = failure("RELA %zu: symbol %llu is not contiguous", i,
				      (unsigned long long)symbol);
		seen[symbol] = true;
		last = symbol;
	}
	free(seen);
	return err;
}

static const char *check_relas(const struct image *before, const struct image *after,
			       bool far_branches)
{
	const Elf64_Shdr *symtab = image_symtab(before);
	const char *err = NULL;
	struct image rest;
	unsigned int i;
	size_t num;

	/* With the headers and the RELAs put back, the image has to be as it was. */
	image_copy(&rest, after);
	memcpy(rest.sechdrs, before->sechdrs, before->ehdr->e_shnum * sizeof(*symtab));

	for (i = 1; i < before->ehdr->e_shnum && far_branches && !err; i++) {
		const Elf64_Shdr *sec = &before->sechdrs[i];
		const Elf64_Rela *x = image_relas(before, sec, &num);
		const Elf64_Rela *y = image_relas(after, sec, &num);

		if (!image_exec_target(before, sec))
			continue;
		memcpy(image_relas(&rest, sec, &num), x, num * sizeof(*x));
		if (!same_multiset(x, y, num))
			err = failure("section %u: not a permutation of its RELAs", i);
		else
			err = check_slice(after, sec, symtab);
	}
	if (!err && memcmp(rest.bytes, before->bytes, before->len))
		err = "something else in the image has changed";
	image_close(&rest);
	return err;
}

/* The same module without branches: what base and ours make of ADRPs is equal. */
static const char *check_adrps(const struct image *img, enum kconfig kconfig)
{
	struct image a, b;
	struct module mod_a, mod_b;
	const char *err = NULL;
	size_t k, num;
	unsigned int i;

	image_copy(&a, img);
	for (i = 1; i < a.ehdr->e_shnum; i++) {
		Elf64_Rela *relas = image_relas(&a, &a.sechdrs[i], &num);

		for (k = 0; k < num && image_exec_target(&a, &a.sechdrs[i]); k++)
			if (rela_is_branch(&relas[k]))
				relas[k].r_info = ELF64_R_INFO(0, R_AARCH64_NONE);
	}
	image_copy(&b, &a);

	if (run_plan(ours[kconfig], &a, &mod_a) || run_plan(base[kconfig], &b, &mod_b))
		err = "planning fails without branches";
	else if (memcmp(&mod_a.arch, &mod_b.arch, sizeof(mod_a.arch)))
		err = failure("ADRP veneers: core %d init %d, in base %d and %d",
			      mod_a.arch.core.plt_max_entries, mod_a.arch.init.plt_max_entries,
			      mod_b.arch.core.plt_max_entries, mod_b.arch.init.plt_max_entries);
	for (i = 0; i < a.ehdr->e_shnum && !err; i++)
		if (a.sechdrs[i].sh_addralign != b.sechdrs[i].sh_addralign)
			err = failure("section %u: sh_addralign differs from base's", i);

	image_close(&a);
	image_close(&b);
	return err;
}

static const char *check_against_base(const struct image *img, const struct image *planned,
				      const struct module *mod, int ret, enum kconfig kconfig)
{
	const char *err = NULL;
	struct module base_mod;
	struct image copy;
	unsigned int i;
	int base_ret;

	image_copy(&copy, img);
	base_ret = run_plan(base[kconfig], &copy, &base_mod);
	if (ret != base_ret)
		err = failure("returns %d, base %d", ret, base_ret);
	else if (!ret && (mod->arch.core.plt_max_entries > base_mod.arch.core.plt_max_entries ||
			  mod->arch.init.plt_max_entries > base_mod.arch.init.plt_max_entries))
		err = failure("more entries than base: core %d > %d or init %d > %d",
			      mod->arch.core.plt_max_entries, base_mod.arch.core.plt_max_entries,
			      mod->arch.init.plt_max_entries, base_mod.arch.init.plt_max_entries);
	for (i = 0; !ret && i < img->ehdr->e_shnum && !err; i++)
		if (planned->sechdrs[i].sh_addralign != copy.sechdrs[i].sh_addralign)
			err = failure("section %u: sh_addralign differs from base's", i);
	image_close(&copy);

	return err || ret ? err : check_adrps(img, kconfig);
}

static const char *check_plan(const struct image *before, struct image *after,
			      enum kconfig kconfig, unsigned int seed, unsigned int layouts)
{
	bool far_branches = ours[kconfig]->far_branches;
	const char *err = NULL, *unsafe;
	struct module mod;
	struct plan plan;
	unsigned int i;
	int ret;

	ret = run_plan(ours[kconfig], after, &mod);
	if (kernel.warnings)
		return failure("planning warns");
	if (kernel.messages != (ret ? 1 : 0))
		return failure("returns %d with %u messages", ret, kernel.messages);
	if (ret && ret != -ENOEXEC)
		return failure("returns %d", ret);
	if (any_rela_overlaps_section(before)) {
		/* No result to expect, but it must be safe. */
		leave_out("results", "RELAs overlap another section");
		return NULL;
	}

	oracle_plan(before, far_branches, &plan);
	if (plan.err != ret)
		err = failure("returns %d, expected %d", ret, plan.err);
	else if (!ret && (mod.arch.core.plt_max_entries != (int)plan.core ||
			  mod.arch.init.plt_max_entries != (int)plan.init))
		err = failure("planned core %d init %d, expected %lu and %lu",
			      mod.arch.core.plt_max_entries, mod.arch.init.plt_max_entries,
			      plan.core, plan.init);
	else if (!ret && (mod.arch.core.plt_num_entries || mod.arch.init.plt_num_entries))
		err = failure("plt_num_entries is not 0 before emission");
	for (i = 0; !err && !ret && i < before->ehdr->e_shnum; i++)
		err = check_header(before, after, &mod, &plan, i);
	plan_free(&plan);

	if (!err && !ret)
		err = check_relas(before, after, far_branches);
	if (!err && base[kconfig]) {
		unsafe = unsafe_for_base(before);
		if (unsafe)
			leave_out("base", unsafe);
		else
			err = check_against_base(before, after, &mod, ret, kconfig);
	}
	if (!err && !ret)
		err = check_emission(after, &mod, ours[kconfig], seed, layouts);

	return err;
}

const char *check_image(const struct image *img, unsigned int seed, unsigned int layouts)
{
	static const char * const kconfig_names[] = {
		[KASLR] = "KASLR", [BIG_REGION] = "2 GB region", [NO_KASLR] = "no KASLR",
		[NEAR_ONLY] = "no KASLR, and KASAN",
	};
	static char text[600];
	const char *err = NULL;
	struct image copy;
	int i;

	checked = (struct checked){};
	if (any_rela_overlaps_tables(img)) {
		leave_out("all", "RELAs overlap the tables that describe the module");
		return NULL;
	}
	if (any_place_has_two_relas(img))
		leave_out("which RELA counts", "two change one place");

	for (i = 0; i < 2 * (NEAR_ONLY + 1) && !err; i++) {
		kernel.erratum_843419 = i & 1;
		image_copy(&copy, img);
		/* Emission is the same code in all, so one gets all the layouts. */
		err = check_plan(img, &copy, i / 2, seed,
				 i / 2 == KASLR ? layouts : min(layouts, 16u));
		image_close(&copy);
		if (!err)
			continue;
		snprintf(text, sizeof(text), "%s, erratum %s: %s", kconfig_names[i / 2],
			 i & 1 ? "on" : "off", err);
		err = text;
	}
	kernel.erratum_843419 = false;
	return err;
}
