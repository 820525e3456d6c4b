// SPDX-License-Identifier: GPL-2.0-only
/*
 * Emission for real: the branches and ADRPs of a planned module are relocated as
 * apply_relocate_add() does it, in host memory that is laid out like the kernel's
 * with respect to page offsets and distances. What was emitted is then decoded by
 * code of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "harness.h"

#define MB		0x100000L
#define UNTOUCHED	0xa5
#define GUARD		64
#define REACH		(128 * MB)
/* A branch's addend may lead so far out of a section, or away from a symbol. */
#define MAX_STRAY	MB
/* So ADRPs to anywhere in a module, the kernel and beyond reach for any addend. */
#define MAX_ADDEND	(1024 * MB)
#define MAX_MODULE	(1024 * MB)

/* Where the kernel image is, and the init part if core ends before, as seen from core. */
static const struct distance {
	s64 kernel, init;
} distances[] = {
	{ -20 * MB, 40 * MB },		/* all near, the only one without far_branches */
	{ 1000 * MB, 40 * MB },		/* kernel far, above */
	{ -1700 * MB, 200 * MB },	/* everything far, kernel below */
	{ 128 * MB, 40 * MB },		/* kernel at the edge of reach */
	{ -40 * MB, 128 * MB },		/* core and init at the edge of reach */
};

/* What a slot of a PLT section was emitted for. */
struct slot {
	bool used, veneer;
	u64 target;		/* S + A, of a veneer the page */
	u64 back;		/* where a veneer returns to */
	u32 reg;
};

/* The core or the init part of a module. */
struct part {
	struct mod_plt_sec *sec;
	u8 *plt;
	u64 code;		/* bytes that PLT and code can take, wherever they are laid out */
	u64 size;		/* and all */
	struct slot *slots;
	int last;
};

struct emission {
	const struct image *img;
	const Elf64_Sym *syms;
	size_t numsyms;
	const struct module_plts *plts;
	struct module *mod;
	struct part core, init;
	u8 *kernel;
	unsigned int seed;
};

/* Memory that nothing is written to but PLTs and ADRPs, so that it is not taken. */
static u8 *arena(u64 size)
{
	static void *start;
	static u64 mapped;

	if (size > mapped) {
		if (mapped)
			munmap(start, mapped);
		mapped = size;
		start = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (start == MAP_FAILED)
			abort();
	}
	return (u8 *)ALIGN((u64)start, (u64)SZ_64K);
}

static struct part *part_of(struct emission *em, const char *section_name)
{
	return module_init_layout_section(section_name) ? &em->init : &em->core;
}

/* Bytes between a section and the one before: for page offsets of all kinds. */
static u64 gap(const struct emission *em, u64 align)
{
	return align < SZ_4K ? align * (em->seed % 3) : 0;
}

/* What is loaded, but for the PLT sections, which are not where the file has them. */
static bool is_placed(const struct emission *em, unsigned int i)
{
	return em->img->sechdrs[i].sh_flags & SHF_ALLOC &&
	       (int)i != em->core.sec->plt_shndx && (int)i != em->init.sec->plt_shndx;
}

static u64 alignment(const Elf64_Shdr *sec)
{
	return max(sec->sh_addralign, 4UL);
}

/* How much room do the parts need for any layout? Return: what makes that impossible. */
static const char *measure(struct emission *em)
{
	struct part *parts[] = { &em->core, &em->init };
	const Elf64_Shdr *sec;
	unsigned int i, p;
	u64 room;

	for (p = 0; p < ARRAY_SIZE(parts); p++) {
		sec = &em->img->sechdrs[parts[p]->sec->plt_shndx];
		parts[p]->code = 2 * SZ_4K + 2 * GUARD + sec->sh_size;
		parts[p]->size = parts[p]->code;
	}
	for (i = 1; i < em->img->ehdr->e_shnum; i++) {
		sec = &em->img->sechdrs[i];
		if (!is_placed(em, i))
			continue;
		if (sec->sh_addralign & (sec->sh_addralign - 1) || sec->sh_addralign > SZ_64K)
			return failure("section %u has an alignment of %#llx", i,
				       (unsigned long long)sec->sh_addralign);
		if (sec->sh_size > MAX_MODULE)
			return "larger than any layout";
		room = sec->sh_size + 3 * alignment(sec);
		p = part_of(em, image_section_name(em->img, sec)) == &em->init;
		parts[p]->size += room;
		if (sec->sh_flags & SHF_EXECINSTR)
			parts[p]->code += room;
	}
	for (p = 0; p < ARRAY_SIZE(parts); p++) {
		if (parts[p]->code > REACH)
			return "code out of a branch's reach of its PLT";
		parts[p]->size = ALIGN(parts[p]->size, (u64)SZ_64K);
	}
	if (em->core.size + em->init.size > MAX_MODULE)
		return "larger than any layout";
	return NULL;
}

static u64 init_distance(const struct emission *em, const struct distance *distance)
{
	const u64 wanted = distance->init;

	return max(wanted, em->core.size);
}

/* Is every part of the module in reach of every other and of the kernel, as is assumed? */
static bool is_near(const struct emission *em, const struct distance *distance)
{
	return (s64)(init_distance(em, distance) + em->init.size) + 2 * MAX_STRAY -
	       distance->kernel <= REACH;
}

/* Give the sections that are loaded, with @flags or without, addresses from @next on. */
static void place_sections(struct emission *em, u64 flags, u64 next[])
{
	unsigned int i, p;
	Elf64_Shdr *sec;
	u64 align;

	for (i = 1; i < em->img->ehdr->e_shnum; i++) {
		sec = &em->img->sechdrs[i];
		if (!is_placed(em, i) || (sec->sh_flags & SHF_EXECINSTR) != flags)
			continue;
		p = part_of(em, image_section_name(em->img, sec)) == &em->init;
		align = alignment(sec);
		sec->sh_addr = ALIGN(next[p], align) + gap(em, align);
		next[p] = sec->sh_addr + sec->sh_size;
	}
}

/*
 * Give each section that is loaded an address in its part, in the loader's order:
 * code and then the rest, but with the PLT first.
 */
static void lay_out(struct emission *em, const struct distance *distance)
{
	u64 init = init_distance(em, distance);
	u8 *core = arena(init + em->init.size + SZ_64K);
	u8 *start[] = { core, core + init };
	u64 next[ARRAY_SIZE(start)];
	struct part *parts[] = { &em->core, &em->init };
	Elf64_Shdr *sec;
	unsigned int p;

	for (p = 0; p < ARRAY_SIZE(parts); p++) {
		sec = &em->img->sechdrs[parts[p]->sec->plt_shndx];
		/* The page offset runs through all that the alignment allows. */
		parts[p]->plt = start[p] + SZ_4K + (em->seed + 32 * p) % 64 * sec->sh_addralign;
		memset(parts[p]->plt - GUARD, UNTOUCHED, sec->sh_size + 2 * GUARD);
		next[p] = (u64)parts[p]->plt + sec->sh_size + GUARD;
		sec->sh_addr = (u64)parts[p]->plt;
	}
	place_sections(em, SHF_EXECINSTR, next);
	place_sections(em, 0, next);
	em->kernel = start[0] + distance->kernel;
	em->mod->init_layout.base = start[1];
	em->mod->init_layout.size = next[1] - (u64)start[1];
}

static const Elf64_Shdr *section_of(const struct emission *em, const Elf64_Sym *sym)
{
	const Elf64_Shdr *sec = &em->img->sechdrs[sym->st_shndx];

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= em->img->ehdr->e_shnum ||
	    !(sec->sh_flags & SHF_ALLOC))
		return NULL;

	return sec;
}

/* Symbols of a section are in it or at its end, others within so much of somewhere. */
static Elf64_Sym resolve(const struct emission *em, u32 index)
{
	Elf64_Sym sym = em->syms[index];
	const Elf64_Shdr *sec = section_of(em, &sym);

	if (sec)
		sym.st_value = sec->sh_addr + min(sym.st_value, sec->sh_size);
	else if (sym.st_shndx == SHN_UNDEF)
		sym.st_value = (u64)em->kernel + 16 * index % (16 * MB) + sym.st_value % MB;
	else
		sym.st_value = (u64)em->core.plt + sym.st_value % MB;

	return sym;
}

/* Is the relocation one that a compiler and linker make? */
static bool is_sane_rela(const struct emission *em, const Elf64_Rela *rela, u64 size)
{
	const u64 index = ELF64_R_SYM(rela->r_info);
	const Elf64_Shdr *sec;
	s64 from = 0, to = 0;

	if (!rela_is_branch(rela) && !rela_is_adrp(rela))
		return true;
	if (rela->r_offset & 3 || size < 4 || rela->r_offset > size - 4 || index >= em->numsyms ||
	    rela->r_addend > MAX_ADDEND || rela->r_addend < -MAX_ADDEND)
		return false;
	if (rela_is_adrp(rela))
		return true;

	sec = section_of(em, &em->syms[index]);
	if (sec) {
		from = min(em->syms[index].st_value, sec->sh_size);
		to = sec->sh_size;
	}
	return from + rela->r_addend >= -MAX_STRAY && from + rela->r_addend <= to + MAX_STRAY;
}

/* Return: a relocation or a section for which nothing is to be expected. */
static const char *find_insane(const struct emission *em)
{
	const Elf64_Shdr *sec, *target;
	const Elf64_Rela *relas;
	const char *name;
	unsigned int i;
	size_t k, num;

	for (i = 1; i < em->img->ehdr->e_shnum; i++) {
		sec = &em->img->sechdrs[i];
		target = image_exec_target(em->img, sec);
		if (!target || !(target->sh_flags & SHF_ALLOC))
			continue;
		name = image_section_name(em->img, target);
		if (is_plt_name(name) || is_trampoline_name(name))
			return failure("RELAs for %s", name);
		relas = image_relas(em->img, sec, &num);
		for (k = 0; k < num; k++)
			if (!is_sane_rela(em, &relas[k], target->sh_size))
				return failure("section %u: RELA %zu is none that a compiler makes",
					       i, k);
	}
	return NULL;
}

static bool reaches(u64 from, u64 to)
{
	return (s64)(to - from) >= -REACH && (s64)(to - from) < REACH;
}

/* Note what the slot at @addr is for, and that emission was right to use it. */
static const char *use_slot(struct part *part, u64 addr, const struct slot *use)
{
	u64 offset = addr - (u64)part->plt;
	int i = offset / sizeof(struct plt_entry);
	struct slot *last = part->last < 0 ? NULL : &part->slots[part->last];
	bool shared = last && !last->veneer && !use->veneer && last->target == use->target;

	if (!addr)
		return failure("no entry left: %d planned", part->sec->plt_max_entries);
	if (addr < (u64)part->plt || offset % sizeof(struct plt_entry) ||
	    i >= part->sec->plt_num_entries)
		return failure("entry at offset 0x%llx of the PLT, %d are in use",
			       (unsigned long long)offset, part->sec->plt_num_entries);
	if (part->sec->plt_num_entries > part->sec->plt_max_entries)
		return failure("%d entries emitted, %d planned", part->sec->plt_num_entries,
			       part->sec->plt_max_entries);
	if (shared ? i != part->last : i == part->last)
		return failure("entry %d, the one before is %d%s", i, part->last,
			       shared ? " and should be shared" : "");
	if (!shared && part->slots[i].used)
		return failure("entry %d is in use for another target", i);

	part->slots[i] = *use;
	part->last = i;
	return NULL;
}

/* Before the first entry there is none to share, whatever the bytes there say. */
static void set_decoy(const struct part *part, u64 dst)
{
	struct plt_entry *decoy = (struct plt_entry *)part->plt - 1;

	decoy->adrp = aarch64_insn_gen_adr((u64)decoy, dst, AARCH64_INSN_REG_16,
					   AARCH64_INSN_ADR_TYPE_ADRP);
	decoy->add = aarch64_insn_gen_add_sub_imm(AARCH64_INSN_REG_16, AARCH64_INSN_REG_16,
						  dst & 0xfff, AARCH64_INSN_VARIANT_64BIT,
						  AARCH64_INSN_ADSB_ADD);
	decoy->br = aarch64_insn_gen_branch_reg(AARCH64_INSN_REG_16, AARCH64_INSN_BRANCH_NOLINK);
}

static const char *relocate_branch(struct emission *em, struct part *part, u64 loc,
				   const Elf64_Rela *rela, Elf64_Sym *sym)
{
	struct slot use = { .used = true, .target = sym->st_value + rela->r_addend };
	u64 entry;

	if (reaches(loc, use.target))
		return NULL;

	set_decoy(part, use.target);
	entry = em->plts->emit_plt_entry(em->mod, em->img->sechdrs, (void *)loc, rela, sym);
	memset(part->plt - sizeof(struct plt_entry), UNTOUCHED, sizeof(struct plt_entry));
	if (entry && !reaches(loc, entry))
		return failure("PLT entry is out of the branch's reach");
	return use_slot(part, entry, &use);
}

static const char *relocate_adrp(struct emission *em, struct part *part, u64 loc, u64 page)
{
	struct slot use = { .used = true, .veneer = true, .target = page, .back = loc + 4 };
	u64 veneer;

	if (!is_forbidden_offset_for_adrp(loc))
		return NULL;
	if ((s64)(page - loc) >= -1 * MB && (s64)(page - loc) < 1 * MB)
		return NULL;	/* an ADR will do */

	use.reg = em->seed & 1 ? 16 : loc >> 12 & 0x1f;
	*(__le32 *)loc = cpu_to_le32(0x90000000 | use.reg);
	veneer = em->plts->emit_veneer(em->mod, em->img->sechdrs, (void *)loc, page);
	return use_slot(part, veneer, &use);
}

static s64 sign_extend(u64 value, unsigned int bits)
{
	return (s64)(value << (64 - bits)) >> (64 - bits);
}

/* Decode the entry in a slot and follow it. */
static const char *check_slot(const struct part *part, int i)
{
	const struct slot *slot = &part->slots[i];
	const __le32 *insn = (__le32 *)(part->plt + i * sizeof(struct plt_entry));
	u32 adrp = le32_to_cpu(insn[0]), add = le32_to_cpu(insn[1]), br = le32_to_cpu(insn[2]);
	u32 reg = slot->veneer ? slot->reg : 16;
	s64 pages = sign_extend((adrp >> 29 & 3) | (adrp >> 5 & 0x7ffff) << 2, 21);
	u64 dst = ((u64)insn & ~0xfffUL) + pages * 4096 + (add >> 10 & 0xfff);
	unsigned int k;

	if (!slot->used) {
		for (k = 0; k < sizeof(struct plt_entry); k++)
			if (((u8 *)insn)[k] != UNTOUCHED)
				return failure("slot %d was written to but is no entry", i);
		return NULL;
	}
	if (is_forbidden_offset_for_adrp(insn))
		return failure("slot %d has its ADRP where the erratum hits", i);
	if ((adrp & 0x9f00001f) != (0x90000000 | reg) ||
	    (add & 0xffc003ff) != (0x91000000 | reg << 5 | reg))
		return failure("slot %d is not adrp, add: %08x %08x", i, adrp, add);
	if (dst != slot->target)
		return failure("slot %d leads to 0x%llx, not 0x%llx", i, (unsigned long long)dst,
			       (unsigned long long)slot->target);
	if (!slot->veneer)
		return br == 0xd61f0200 ? NULL : failure("slot %d: %08x is not br x16", i, br);
	if ((br & 0xfc000000) != 0x14000000 ||
	    (u64)&insn[2] + sign_extend(br & 0x3ffffff, 26) * 4 != slot->back)
		return failure("slot %d: %08x does not branch back", i, br);

	return NULL;
}

static const char *check_part(const struct part *part)
{
	int i, planned = part->sec->plt_max_entries;
	const u8 *end = part->plt + (planned + 1) * sizeof(struct plt_entry);
	const char *err = NULL;

	/* The last is the spare slot: base scribbles on it, the series does not. */
	for (i = 0; i <= planned && !err; i++)
		err = check_slot(part, i);
	for (i = 0; i < GUARD && !err; i++)
		if (end[i] != UNTOUCHED || part->plt[-1 - i] != UNTOUCHED)
			err = failure("bytes around the PLT were written to");

	return err;
}

static const char *relocate_section(struct emission *em, const Elf64_Shdr *sec,
				    const Elf64_Shdr *target)
{
	struct part *part = part_of(em, image_section_name(em->img, target));
	const char *err = NULL;
	size_t k, num;
	const Elf64_Rela *rela = image_relas(em->img, sec, &num);

	for (k = 0; k < num && !err; k++, rela++) {
		u64 loc = target->sh_addr + rela->r_offset;
		Elf64_Sym sym;

		if (!rela_is_branch(rela) && !rela_is_adrp(rela))
			continue;
		sym = resolve(em, ELF64_R_SYM(rela->r_info));
		if (rela_is_branch(rela))
			err = relocate_branch(em, part, loc, rela, &sym);
		else
			err = relocate_adrp(em, part, loc,
					    (sym.st_value + rela->r_addend) & ~0xfffUL);
	}
	return err;
}

/*
 * An entry more than planned has to be refused with nothing written, and so has the
 * last one planned if the erratum forbids its slot.
 */
static const char *exhaust(struct emission *em, struct part *part)
{
	u64 loc = em->img->sechdrs[part->sec->plt_shndx].sh_addr;
	struct mod_plt_sec full = *part->sec;
	Elf64_Sym sym = { .st_value = 0x1000 + (u64)em->kernel };
	Elf64_Rela rela = { .r_addend = 0x7f00000 };
	int planned = full.plt_max_entries;
	const char *err = NULL;

	if (planned &&
	    is_forbidden_offset_for_adrp(part->plt + (planned - 1) * sizeof(struct plt_entry)))
		planned--;
	part->sec->plt_num_entries = planned;
	if (em->plts->emit_plt_entry(em->mod, em->img->sechdrs, (void *)loc, &rela, &sym) ||
	    em->plts->emit_veneer(em->mod, em->img->sechdrs, (void *)loc, sym.st_value))
		err = "an entry beyond what was planned";
	*part->sec = full;
	return err ? err : check_part(part);
}

static const char *emit_once(struct emission *em, const struct distance *distance)
{
	unsigned int i;
	const char *err = NULL;

	lay_out(em, distance);
	em->core.last = -1;
	em->init.last = -1;
	em->core.sec->plt_num_entries = 0;
	em->init.sec->plt_num_entries = 0;
	memset(em->core.slots, 0, (em->core.sec->plt_max_entries + 1) * sizeof(struct slot));
	memset(em->init.slots, 0, (em->init.sec->plt_max_entries + 1) * sizeof(struct slot));
	kernel.warnings = 0;

	for (i = 1; i < em->img->ehdr->e_shnum && !err; i++) {
		const Elf64_Shdr *sec = &em->img->sechdrs[i];
		const Elf64_Shdr *target = image_exec_target(em->img, sec);

		if (target && target->sh_flags & SHF_ALLOC)
			err = relocate_section(em, sec, target);
	}
	if (!err && kernel.warnings)
		err = "emission warns";
	if (!err)
		err = check_part(&em->core);
	if (!err)
		err = check_part(&em->init);
	if (!err)
		err = exhaust(em, &em->core);
	checked.emitted += em->core.sec->plt_num_entries + em->init.sec->plt_num_entries;
	return err;
}

/**
 * check_emission() - relocate a planned module and follow every entry emitted
 * @img: module, planned
 * @mod: what planning left in it
 * @plts: the module-plts.c to emit with
 * @seed: the first layout
 * @layouts: how many
 *
 * Return: NULL, or what is wrong. What cannot be laid out is noted as left out.
 */
const char *check_emission(struct image *img, struct module *mod,
			   const struct module_plts *plts, unsigned int seed,
			   unsigned int layouts)
{
	struct emission em = { .img = img, .plts = plts, .mod = mod };
	const char *err;
	static char text[600];
	unsigned int i, n;

	em.syms = (void *)(img->bytes + image_symtab(img)->sh_offset);
	em.numsyms = image_symtab(img)->sh_size / sizeof(Elf64_Sym);
	em.core.sec = &mod->arch.core;
	em.init.sec = &mod->arch.init;
	err = find_insane(&em);
	if (!err)
		err = measure(&em);
	if (!err && !plts->far_branches && !is_near(&em, &distances[0]))
		err = "too large to be near the kernel";
	if (err) {
		leave_out("emission", err);
		return NULL;
	}

	em.core.slots = calloc(mod->arch.core.plt_max_entries + 1, sizeof(struct slot));
	em.init.slots = calloc(mod->arch.init.plt_max_entries + 1, sizeof(struct slot));
	if (!em.core.slots || !em.init.slots)
		abort();

	for (i = seed; i < seed + layouts && !err; i++) {
		n = plts->far_branches ? i % ARRAY_SIZE(distances) : 0;
		em.seed = i;
		err = emit_once(&em, &distances[n]);
		if (err)
			snprintf(text, sizeof(text), "layout %u: %s", i, err);
	}
	free(em.core.slots);
	free(em.init.slots);
	return err ? text : NULL;
}
