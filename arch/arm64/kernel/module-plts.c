// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright (C) 2014-2017 Linaro Ltd. <ard.biesheuvel@linaro.org>
 *
 * PLT entries for arm64 modules: planned before a module's memory is laid
 * out, emitted while its relocations are applied.
 *
 * B and BL reach 128 MB either way (R_AARCH64_JUMP26 and R_AARCH64_CALL26 in
 * "ELF for the Arm 64-bit Architecture"). Where a target may be further away,
 * the branch goes to a PLT entry, a veneer that AAPCS64 allows to clobber x16.
 * ADRPs that Cortex-A53 erratum 843419 makes unsafe get veneers in the same
 * sections. See Documentation/arch/arm64/module-plts.rst.
 *
 * PLT entries and the interface of this file are Ard Biesheuvel's; to move the
 * branches to the front, so that only those are sorted, was Saravana Kannan's
 * idea.
 */

#include <kunit/visibility.h>

#include <linux/elf.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleloader.h>
#include <linux/prefetch.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include <asm/insn.h>
#include <asm/memory.h>

/* Slices up to this length are cheaper to sort by insertion. */
#define INSERTION_SORT_MAX	32
/* Longer ones, of more than 768 KB, are taken not to fit into a cache. */
#define CACHED_SORT_MAX		32768
#define DIVIDE_BUCKETS		256

static struct plt_entry __get_adrp_add_pair(u64 dst, u64 pc,
					    enum aarch64_insn_register reg)
{
	u32 page = aarch64_insn_gen_adr(pc, dst, reg,
					AARCH64_INSN_ADR_TYPE_ADRP);
	u32 low = aarch64_insn_gen_add_sub_imm(reg, reg, dst & (SZ_4K - 1),
					       AARCH64_INSN_VARIANT_64BIT,
					       AARCH64_INSN_ADSB_ADD);
	struct plt_entry entry = {
		.adrp	= cpu_to_le32(page),
		.add	= cpu_to_le32(low),
	};

	return entry;
}

/**
 * get_plt_entry() - encode a PLT entry
 * @dst: address that the entry branches to
 * @pc: address that the entry will be executed at, within 4 GB of @dst
 *
 * module_finalize() calls it too, so it is there, and not to be inlined.
 *
 * Context: any; nothing is stored at @pc.
 * Return: the entry's three instructions.
 */
noinline struct plt_entry get_plt_entry(u64 dst, void *pc)
{
	u32 br = aarch64_insn_gen_branch_reg(AARCH64_INSN_REG_16,
					     AARCH64_INSN_BRANCH_NOLINK);
	struct plt_entry entry;

	entry = __get_adrp_add_pair(dst, (u64)pc, AARCH64_INSN_REG_16);
	entry.br = cpu_to_le32(br);

	return entry;
}
EXPORT_SYMBOL_IF_KUNIT(get_plt_entry);

/*
 * Is @plt what get_plt_entry() makes for @dst there? Compare encodings: decoding
 * would not do for a @dst out of reach, such as the 0 of an undefined weak
 * symbol, whose ADRP may be a trap. Equal encodings do the same, whatever it is.
 */
static bool plt_entry_leads_to(const struct plt_entry *plt, u64 dst)
{
	u32 low = le32_to_cpu(plt->add) >> 10;
	u32 page;

	/*
	 * Cheapest first: a mismatch nearly always shows in the low bits. The
	 * veneer of an ADRP ends with a B.
	 */
	if ((low ^ dst) & (SZ_4K - 1) ||
	    !aarch64_insn_is_br(le32_to_cpu(plt->br)))
		return false;

	page = aarch64_insn_gen_adr((u64)plt, dst, AARCH64_INSN_REG_16,
				    AARCH64_INSN_ADR_TYPE_ADRP);
	return plt->adrp == cpu_to_le32(page);
}

/* Out of line: both kinds of entries need it, and only once each. */
static noinline struct mod_plt_sec *plt_section_for(struct module *mod,
						    void *loc)
{
	return within_module_init((unsigned long)loc, mod) ? &mod->arch.init :
							     &mod->arch.core;
}

static struct plt_entry *plt_entries(const struct mod_plt_sec *pltsec,
				     const Elf_Shdr *sechdrs)
{
	return (struct plt_entry *)sechdrs[pltsec->plt_shndx].sh_addr;
}

/*
 * Take the next slot whose ADRP would be safe from erratum 843419; planning
 * added slack for the slots passed over. NULL if no planned slot is left,
 * which is known before anything is stored. Out of line, as plt_section_for().
 */
static noinline struct plt_entry *take_plt_slot(struct mod_plt_sec *pltsec,
						const Elf_Shdr *sechdrs)
{
	struct plt_entry *plts = plt_entries(pltsec, sechdrs);
	int slot = pltsec->plt_num_entries;

	if (is_forbidden_offset_for_adrp(&plts[slot].adrp))
		slot++;
	if (WARN_ON(slot >= pltsec->plt_max_entries))
		return NULL;

	pltsec->plt_num_entries = slot + 1;
	return &plts[slot];
}

/**
 * module_emit_plt_entry() - find or make the PLT entry for a branch
 * @mod: module being relocated
 * @sechdrs: its section headers, sh_addr final
 * @loc: the branch instruction
 * @rela: the branch's relocation, CALL26 or JUMP26
 * @sym: the symbol that @rela refers to, resolved
 *
 * Planning left the branches that may share an entry next to each other, so
 * only the entry emitted last can be the one that is wanted.
 *
 * Context: applying relocations. Stores are plain ones, so the PLT section must
 * be writable still.
 * Return: address of the entry, 0 if more are needed than were planned.
 */
u64 module_emit_plt_entry(struct module *mod, Elf_Shdr *sechdrs,
			  void *loc, const Elf_Rela *rela,
			  Elf_Sym *sym)
{
	struct mod_plt_sec *pltsec = plt_section_for(mod, loc);
	struct plt_entry *plt = plt_entries(pltsec, sechdrs) +
				pltsec->plt_num_entries;
	u64 dst = sym->st_value + rela->r_addend;

	if (pltsec->plt_num_entries && plt_entry_leads_to(plt - 1, dst))
		return (u64)(plt - 1);

	plt = take_plt_slot(pltsec, sechdrs);
	if (plt)
		*plt = get_plt_entry(dst, plt);

	return (u64)plt;
}
EXPORT_SYMBOL_IF_KUNIT(module_emit_plt_entry);

#ifdef CONFIG_ARM64_ERRATUM_843419
/**
 * module_emit_veneer_for_adrp() - replace an ADRP that the erratum may hit
 * @mod: module being relocated
 * @sechdrs: its section headers, sh_addr final
 * @loc: the ADRP, at page offset 0xff8 or 0xffc
 * @val: address of the 4 KB page that the ADRP is to form
 *
 * The veneer forms @val in the ADRP's own register and branches back behind
 * it. "Cortex-A53 MPCore Software Developers Errata Notice", 843419.
 *
 * Context: as module_emit_plt_entry().
 * Return: address of the veneer, 0 if more are needed than were planned.
 */
u64 module_emit_veneer_for_adrp(struct module *mod, Elf_Shdr *sechdrs,
				void *loc, u64 val)
{
	struct plt_entry *plt = take_plt_slot(plt_section_for(mod, loc),
					      sechdrs);
	u32 adrp = le32_to_cpup(loc);
	u32 back;
	int rd;

	if (!plt)
		return 0;

	rd = aarch64_insn_decode_register(AARCH64_INSN_REGTYPE_RD, adrp);
	back = aarch64_insn_gen_branch_imm((u64)&plt->br, (u64)loc + 4,
					   AARCH64_INSN_BRANCH_NOLINK);

	*plt = __get_adrp_add_pair(val, (u64)plt, rd);
	plt->br = cpu_to_le32(back);

	return (u64)plt;
}
EXPORT_SYMBOL_IF_KUNIT(module_emit_veneer_for_adrp);
#endif

/*
 * Can a module be out of a branch's reach of the kernel? Always, if the module
 * region is 2 GB large, as since v6.5. Up to v6.4 it is 128 MB large, but KASLR
 * can move it away from the kernel, and once it is full module_alloc() takes any
 * place within 2 GB, unless KASAN has no shadow there.
 */
static bool branches_may_need_plts(void)
{
	return IS_ENABLED(CONFIG_RANDOMIZE_BASE) || MODULES_VSIZE > SZ_128M ||
	       IS_ENABLED(CONFIG_KASAN_VMALLOC) ||
	       !(IS_ENABLED(CONFIG_KASAN_GENERIC) ||
		 IS_ENABLED(CONFIG_KASAN_SW_TAGS));
}

static bool is_branch_rela(const Elf_Rela *rela)
{
	u32 type = ELF64_R_TYPE(rela->r_info);

	return type == R_AARCH64_CALL26 || type == R_AARCH64_JUMP26;
}

static bool is_adrp_rela(const Elf_Rela *rela)
{
	u32 type = ELF64_R_TYPE(rela->r_info);

	return type == R_AARCH64_ADR_PREL_PG_HI21 ||
	       type == R_AARCH64_ADR_PREL_PG_HI21_NC;
}

static u32 symbol_index(u64 info)
{
	return ELF64_R_SYM(info);
}

/* As sort_by_symbol(). */
static int insertion_sort_by_symbol(Elf_Rela *rela, unsigned int num)
{
	Elf_Rela *next, *at;
	int symbols = 0;

	for (next = rela; next < rela + num; next++) {
		u32 symbol = symbol_index(next->r_info);

		for (at = next;; at--) {
			if (at == rela ||
			    symbol_index(at[-1].r_info) < symbol) {
				symbols++;
				break;
			}
			if (symbol_index(at[-1].r_info) == symbol)
				break;
			swap(at[-1].r_offset, at->r_offset);
			swap(at[-1].r_info, at->r_info);
		}
	}

	return symbols;
}

/* What sort_by_symbol() keeps in addends. */
struct bucket {
	u32 end;	/* first its size, then the end of what is to be sorted */
	u32 next;	/* where the next bucket starts */
};

static struct bucket *bucket_at(Elf_Rela *rela, u64 index)
{
	return (struct bucket *)&rela[index].r_addend;
}

/*
 * Sort @rela, whose addends are all zero, by symbol index, and return how many
 * symbols there are. Linear time, in place, and nothing to allocate.
 *
 * The symbol index is the upper half of r_info: here it is that of @low or up to
 * @range more. This range is divided evenly among at most as many buckets as
 * there are elements, whose addends hold the buckets meanwhile. An element goes
 * to the end of its bucket, and the one from there goes on to that of its own,
 * until the first place is filled: then that bucket is complete. A heap sort
 * takes several times as many instructions, and a table indexed by symbol would
 * have to be allocated, which could fail.
 *
 * Where elements do not fit into a cache, going to as many places would miss it
 * at every step. They are divided among DIVIDE_BUCKETS first, so few that the
 * lines at the end of each stay in the cache.
 *
 * A bucket is one symbol if there are no more symbols than buckets, which is
 * the rule. Else each bucket is sorted in turn. That bounds the recursion: a
 * level has more than INSERTION_SORT_MAX / 2 buckets with an equal part of the
 * range each, so a 32-bit symbol index ends it after eight.
 */
static int sort_by_symbol(Elf_Rela *rela, unsigned int num, u64 low, u64 range)
{
	u64 most = num > CACHED_SORT_MAX ? DIVIDE_BUCKETS : num;
	unsigned int i, shift = 32, start = 0, sum = 0;
	Elf_Rela *home, *last;
	int symbols = 0;

	if (num <= INSERTION_SORT_MAX)
		return insertion_sort_by_symbol(rela, num);

	while (range >> shift >= most)
		shift++;
	last = rela + (range >> shift);

	for (i = 0; i < num; i++)
		bucket_at(rela, (rela[i].r_info - low) >> shift)->end++;

	home = rela;
	do {
		symbols += bucket_at(home, 0)->end > 0;
		sum += bucket_at(home, 0)->end;
		bucket_at(home, 0)->end = sum;
		bucket_at(home, 0)->next = sum;
	} while (home++ < last);

	home = rela;
	do {
		Elf_Rela *to, *at = rela + start;

		if (start < bucket_at(home, 0)->end) {
			u64 offset = at->r_offset, info = at->r_info;

			do {
				to = rela +
				     --bucket_at(rela, (info - low) >> shift)->end;
				/* Where this bucket grows next. */
				prefetchw(to - 4);
				swap(offset, to->r_offset);
				swap(info, to->r_info);
			} while (to != at);
		}
		start = bucket_at(home, 0)->next;
		home->r_addend = 0;
	} while (home++ < last);

	if (shift == 32)
		return symbols;

	/* A bucket of several symbols has been counted as one. */
	range = (1ULL << shift) - 1;
	for (start = 0; start < num; start = i) {
		u64 above = rela[start].r_info - low;

		for (i = start + 1; i < num; i++)
			if ((rela[i].r_info - low) >> shift != above >> shift)
				break;

		symbols += sort_by_symbol(rela + start, i - start,
					  low + (above & ~range), range) - 1;
	}

	return symbols;
}

/* What there is to plan for the branches of a RELA section. */
struct branch_slice {
	unsigned int num;	/* can share PLT entries, and are in front */
	unsigned int lone;	/* have an entry each */
	u32 low, high;		/* range of the symbols of those in front */
};

/*
 * Move the branches that can share PLT entries to the front of @rela. Return 0
 * or -ENOEXEC.
 *
 * Only branches to another section count. Those within a section cannot be
 * helped: if it outgrows a branch's range, so does the way to its PLT.
 *
 * A branch with an addend is counted as lone but stays behind: emitted among
 * others to its symbol it would split them in two. Some compilers make such
 * calls between .text and .text.unlikely: one branch in 200.
 */
static int partition_branch_relas(const Elf_Shdr *symsec, Elf_Rela *rela,
				  unsigned int num, Elf64_Word dstidx,
				  struct branch_slice *slice)
{
	const Elf_Sym *syms = (void *)symsec->sh_addr;
	u64 numsyms = symsec->sh_size / sizeof(*syms);
	unsigned int i;

	*slice = (struct branch_slice){ .low = U32_MAX };

	for (i = 0; i < num; i++) {
		u32 symbol;

		if (!is_branch_rela(&rela[i]))
			continue;

		symbol = symbol_index(rela[i].r_info);
		if (symbol >= numsyms)
			return -ENOEXEC;

		if (syms[symbol].st_shndx == dstidx)
			continue;

		if (rela[i].r_addend) {
			slice->lone++;
			continue;
		}

		slice->low = min(slice->low, symbol);
		slice->high = max(slice->high, symbol);
		swap(rela[i], rela[slice->num]);
		slice->num++;
	}

	return 0;
}

/*
 * Erratum 843419 hits an ADRP only at page offset 0xff8 or 0xffc, that is
 * with bits [11:3] of its address all set. Aligning the section to twice
 * the lowest bit that is clear in [11:3] of the offset keeps that bit clear
 * in the address. Where there is none the address cannot be kept safe, and the
 * ADRP has a veneer reserved. It goes unused if an ADR will do, or if the
 * section turns out to start elsewhere in its page.
 */
static int count_adrp_veneers(const Elf_Rela *rela, unsigned int num,
			      Elf_Shdr *dstsec)
{
	unsigned int i;
	int count = 0;

	for (i = 0; i < num; i++) {
		u64 offset = rela[i].r_offset | 0x7;
		u64 fixed = offset ^ (offset + 1);

		if (!is_adrp_rela(&rela[i]))
			continue;

		if (fixed >= SZ_4K)
			count++;
		else
			dstsec->sh_addralign = max(dstsec->sh_addralign,
						   fixed + 1);
	}

	return count;
}

/*
 * Plan one RELA section: group its branches, add their number to @branches,
 * and return how many entries it needs of the PLT section that goes with its
 * target section, or -ENOEXEC.
 */
static int plan_rela_section(const Elf_Shdr *symsec, Elf_Rela *rela,
			     unsigned int num, Elf64_Word dstidx,
			     Elf_Shdr *dstsec, unsigned long *branches)
{
	unsigned int plts_per_page = SZ_4K / sizeof(struct plt_entry);
	struct branch_slice slice = {};
	int count;

	if (branches_may_need_plts() &&
	    partition_branch_relas(symsec, rela, num, dstidx, &slice))
		return -ENOEXEC;

	*branches += slice.num + slice.lone;
	count = slice.lone + sort_by_symbol(rela, slice.num,
					    (u64)slice.low << 32,
					    (u64)(slice.high - slice.low) << 32);

	if (cpus_have_final_cap(ARM64_WORKAROUND_843419)) {
		count += count_adrp_veneers(rela + slice.num, num - slice.num,
					    dstsec);
		/*
		 * An entry starts with an ADRP too. At two page ends of three
		 * a slot is skipped, see the document.
		 */
		count += DIV_ROUND_UP(count, plts_per_page);
	}

	return count;
}

/* A name that lies outside the string table matches none. */
static const char *section_name(const char *secstrings, u64 size,
				const Elf_Shdr *sec)
{
	return sec->sh_name < size ? secstrings + sec->sh_name : "?";
}

/* Nearly all names differ in their first two letters: do not call for those. */
static __always_inline bool is_named(const char *name, const char *wanted)
{
	return name[0] == wanted[0] && name[1] == wanted[1] &&
	       !strcmp(name, wanted);
}

/* Inlined for each of its calls it would be most of the text of its caller. */
static noinline void reserve_plt_section(Elf_Shdr *sec, u64 align,
					 unsigned long entries)
{
	sec->sh_type = SHT_NOBITS;
	sec->sh_flags = SHF_EXECINSTR | SHF_ALLOC;
	sec->sh_addralign = align;
	sec->sh_size = entries * sizeof(struct plt_entry);
}

/**
 * module_frob_arch_sections() - plan a module's PLT entries
 * @ehdr: ELF header at the start of the module's image
 * @sechdrs: section headers, e_shnum of them, offsets and sizes validated
 * @secstrings: section name string table
 * @mod: module, still in the image
 *
 * Sizes .plt and .init.plt for the worst placement. RELA sections are
 * reordered: branches that can share an entry come first, by symbol. On CPUs
 * with erratum 843419 code sections may have their alignment raised.
 *
 * Nothing outside the image is read, unless RELAs lie over the headers, which
 * moving them changes. A RELA section for a section that does not exist is
 * skipped, which is what apply_relocations() does with it.
 *
 * Context: module load, before the module's memory is allocated; may sleep.
 * Return: 0, or -ENOEXEC with a message for a module without PLT sections or
 * symbol table, and for a branch to a symbol index beyond the table.
 */
int module_frob_arch_sections(Elf_Ehdr *ehdr, Elf_Shdr *sechdrs,
			      char *secstrings, struct module *mod)
{
	/* The latter of each pair is for init code. */
	Elf_Shdr *plt[2] = {}, *tramp[2] = {}, *symsec = NULL;
	unsigned long plts[2] = {}, branches = 0;
	Elf_Shdr *sec, *end = sechdrs + ehdr->e_shnum;
	u64 names_size = sechdrs[ehdr->e_shstrndx].sh_size;
	const char *name;
	int init;

	for (sec = sechdrs + 1; sec < end; sec++) {
		name = section_name(secstrings, names_size, sec);
		init = name[0] == '.' && name[1] == 'i' &&
		       strstarts(name, ".init");
		if (init)
			name += strlen(".init");

		if (is_named(name, ".plt"))
			plt[init] = sec;
		else if (is_named(name, ".text.ftrace_trampoline"))
			tramp[init] = sec;
		else if (sec->sh_type == SHT_SYMTAB && !symsec)
			symsec = sec;
	}

	if (!plt[0] || !plt[1]) {
		pr_err("%s: module PLT section(s) missing\n", mod->name);
		return -ENOEXEC;
	}
	if (!symsec) {
		pr_err("%s: module symtab section missing\n", mod->name);
		return -ENOEXEC;
	}

	for (sec = sechdrs + 1; sec < end; sec++) {
		Elf_Shdr *dstsec;
		int num;

		if (sec->sh_type != SHT_RELA || sec->sh_info >= end - sechdrs)
			continue;

		dstsec = sechdrs + sec->sh_info;
		if (!(dstsec->sh_flags & SHF_EXECINSTR))
			continue;

		name = section_name(secstrings, names_size, dstsec);
		num = plan_rela_section(symsec, (void *)ehdr + sec->sh_offset,
					sec->sh_size / sizeof(Elf_Rela),
					sec->sh_info, dstsec, &branches);
		if (num < 0) {
			pr_err("%s: bad symbol index in %s\n",
			       mod->name, name);
			return num;
		}

		plts[module_init_layout_section(name)] += num;
	}

	mod->arch.core = (struct mod_plt_sec){
		.plt_shndx = plt[0] - sechdrs,
		.plt_max_entries = plts[0],
	};
	mod->arch.init = (struct mod_plt_sec){
		.plt_shndx = plt[1] - sechdrs,
		.plt_max_entries = plts[1],
	};

	for (init = 0; init < 2; init++) {
		/* One slot more than planned: no PLT section is empty. */
		reserve_plt_section(plt[init], L1_CACHE_BYTES, plts[init] + 1);
		if (tramp[init])
			reserve_plt_section(tramp[init],
					    __alignof__(struct plt_entry),
					    NR_FTRACE_PLTS);
	}

	pr_debug("%s: %lu core, %lu init PLT entries for %lu branches\n",
		 mod->name, plts[0], plts[1], branches);

	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(module_frob_arch_sections);
