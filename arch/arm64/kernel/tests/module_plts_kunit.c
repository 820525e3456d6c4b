// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite for module PLTs: the module loader's hooks are called on modules
 * made up in memory, and what they plan, reorder and emit is checked against
 * plain restatements of Documentation/arch/arm64/module-plts.rst.
 *
 * What is expected depends on whether the CPU has erratum 843419, so run it on
 * one with (QEMU: -cpu cortex-a53) and on one without.
 */

#include <kunit/test.h>

#include <linux/bitmap.h>
#include <linux/cpufeature.h>
#include <linux/elf.h>
#include <linux/ftrace.h>
#include <linux/kasan.h>
#include <linux/module.h>
#include <linux/moduleloader.h>
#include <linux/prandom.h>
#include <linux/sizes.h>

#define NUM_SYMS	2048
#define NUM_RELAS	1024
#define NAME_LEN	32

/* Symbols: all undefined, except one in each section that has branches. */
#define SYM_IN_TEXT	(NUM_SYMS - 1)
#define SYM_IN_INIT	(NUM_SYMS - 2)
#define SYM_EXTERN_MAX	(NUM_SYMS - 3)

#define PLTS_IN_PAGE	(SZ_4K / sizeof(struct plt_entry))
#define PLT_ROOM	SZ_16K
#define GUARD		0xa5

enum {
	SEC_NULL, SEC_TEXT, SEC_RELA_TEXT, SEC_INIT, SEC_RELA_INIT, SEC_DATA,
	SEC_RELA_DATA, SEC_PLT, SEC_INIT_PLT, SEC_FTRACE, SEC_INIT_FTRACE,
	SEC_SYMTAB, SEC_SHSTRTAB, NUM_SECS
};

static const struct {
	char name[NAME_LEN];
	u32 type;
	u32 info;
	u64 flags;
} sections[NUM_SECS] = {
	[SEC_TEXT]	  = { ".text", SHT_PROGBITS, 0, SHF_ALLOC | SHF_EXECINSTR },
	[SEC_RELA_TEXT]	  = { ".rela.text", SHT_RELA, SEC_TEXT },
	[SEC_INIT]	  = { ".init.text", SHT_PROGBITS, 0, SHF_ALLOC | SHF_EXECINSTR },
	[SEC_RELA_INIT]	  = { ".rela.init.text", SHT_RELA, SEC_INIT },
	[SEC_DATA]	  = { ".data", SHT_PROGBITS, 0, SHF_ALLOC | SHF_WRITE },
	[SEC_RELA_DATA]	  = { ".rela.data", SHT_RELA, SEC_DATA },
	[SEC_PLT]	  = { ".plt", SHT_PROGBITS, 0, SHF_ALLOC },
	[SEC_INIT_PLT]	  = { ".init.plt", SHT_PROGBITS, 0, SHF_ALLOC },
	[SEC_FTRACE]	  = { ".text.ftrace_trampoline", SHT_PROGBITS, 0, SHF_ALLOC },
	[SEC_INIT_FTRACE] = { ".init.text.ftrace_trampoline", SHT_PROGBITS, 0, SHF_ALLOC },
	[SEC_SYMTAB]	  = { ".symtab", SHT_SYMTAB },
	[SEC_SHSTRTAB]	  = { ".shstrtab", SHT_STRTAB },
};

/* A module: its image as the loader has it when planning, and its text. */
struct image {
	struct module mod;
	Elf_Ehdr ehdr;
	Elf_Shdr sechdrs[NUM_SECS];
	char names[NUM_SECS][NAME_LEN];
	Elf_Sym syms[NUM_SYMS];
	Elf_Rela relas[3][NUM_RELAS];	/* of .text, .init.text, .data */
	void *memory;			/* for emission, with room for the PLTs */
	__le32 *text;			/* one page of each */
	__le32 *init;
};

static const int rela_sections[] = { SEC_RELA_TEXT, SEC_RELA_INIT, SEC_RELA_DATA };

static void *zalloc(struct kunit *test, size_t size)
{
	void *memory = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	return memory;
}

static struct image *make_image(struct kunit *test)
{
	struct image *image = zalloc(test, sizeof(*image));
	unsigned int i;

	image->ehdr.e_shnum = NUM_SECS;
	image->ehdr.e_shstrndx = SEC_SHSTRTAB;
	for (i = 0; i < NUM_SECS; i++) {
		image->sechdrs[i].sh_name = i * NAME_LEN;
		image->sechdrs[i].sh_type = sections[i].type;
		image->sechdrs[i].sh_flags = sections[i].flags;
		image->sechdrs[i].sh_info = sections[i].info;
		image->sechdrs[i].sh_addralign = 4;
		memcpy(image->names[i], sections[i].name, NAME_LEN);
	}
	image->sechdrs[SEC_SYMTAB].sh_addr = (u64)image->syms;
	image->sechdrs[SEC_SYMTAB].sh_size = sizeof(image->syms);
	image->sechdrs[SEC_SHSTRTAB].sh_size = sizeof(image->names);
	for (i = 0; i < ARRAY_SIZE(rela_sections); i++)
		image->sechdrs[rela_sections[i]].sh_offset =
			(void *)image->relas[i] - (void *)&image->ehdr;
	image->syms[SYM_IN_TEXT].st_shndx = SEC_TEXT;
	image->syms[SYM_IN_INIT].st_shndx = SEC_INIT;
	strscpy(image->mod.name, "kunit_image");
	image->mod.state = MODULE_STATE_UNFORMED;

	return image;
}

static Elf_Rela *relas_of(struct image *image, int sec)
{
	return (void *)&image->ehdr + image->sechdrs[sec].sh_offset;
}

static unsigned int num_relas(const struct image *image, int sec)
{
	return image->sechdrs[sec].sh_size / sizeof(Elf_Rela);
}

static void add_rela(struct image *image, int sec, u64 offset, u32 type, u32 sym, s64 addend)
{
	relas_of(image, sec)[num_relas(image, sec)] = (Elf_Rela){
		.r_offset = offset,
		.r_info = (u64)sym << 32 | type,
		.r_addend = addend,
	};
	image->sechdrs[sec].sh_size += sizeof(Elf_Rela);
}

static int plan(struct image *image)
{
	return module_frob_arch_sections(&image->ehdr, image->sechdrs, image->names[0],
					 &image->mod);
}

static bool has_erratum(void)
{
	return cpus_have_final_cap(ARM64_WORKAROUND_843419);
}

/* Entries that @plts branches and @veneers ADRPs of one RELA section take. */
static unsigned int with_slack(unsigned int plts, unsigned int veneers)
{
	if (!has_erratum())
		return plts;

	return plts + veneers + DIV_ROUND_UP(plts + veneers, PLTS_IN_PAGE);
}

#define CALL	R_AARCH64_CALL26
#define JUMP	R_AARCH64_JUMP26
#define ADRP	R_AARCH64_ADR_PREL_PG_HI21
#define ADRP_NC	R_AARCH64_ADR_PREL_PG_HI21_NC
#define LO12	R_AARCH64_ADD_ABS_LO12_NC
#define ABS64	R_AARCH64_ABS64

static const struct plan_case {
	const char *name;
	struct {
		u32 offset;
		u32 type;
		u32 sym;
		s32 addend;
	} relas[6];
	unsigned int plts;
	unsigned int veneers;
	unsigned int align;	/* with the erratum; 4 without */
} plan_cases[] = {
	{ "nothing", {}, 0, 0, 4 },
	{ "one branch", { { 0, CALL, 1 } }, 1, 0, 4 },
	{ "the last RELA is one", { { 0, LO12, 2 }, { 4, CALL, 1 } }, 1, 0, 4 },
	{ "calls and jumps share", { { 0, CALL, 1 }, { 4, JUMP, 1 }, { 8, CALL, 1 } }, 1, 0, 4 },
	{ "symbols alternate", { { 0, CALL, 1 }, { 4, CALL, 2 }, { 8, CALL, 1 },
				 { 12, CALL, 2 } }, 2, 0, 4 },
	{ "within the section", { { 0, CALL, SYM_IN_TEXT }, { 4, JUMP, SYM_IN_TEXT } }, 0, 0, 4 },
	{ "to another section", { { 0, CALL, SYM_IN_INIT }, { 4, CALL, SYM_IN_TEXT } }, 1, 0, 4 },
	{ "an addend between", { { 0, CALL, 1, 0 }, { 4, CALL, 1, 4 }, { 8, CALL, 1, 0 } },
	  2, 0, 4 },
	{ "equal addends", { { 0, CALL, 1, 4 }, { 4, CALL, 1, 4 } }, 2, 0, 4 },
	{ "negative addend", { { 0, JUMP, 1, -4 }, { 4, JUMP, 1, 0 } }, 2, 0, 4 },
	{ "no branches", { { 0, ADRP, 1 }, { 4, LO12, 1 }, { 8, ABS64, 1 } }, 0, 0, 16 },
	{ "ADRP at 0xff8", { { 0xff8, ADRP, 1 } }, 0, 1, 4 },
	{ "ADRP at 0xffc", { { 0xffc, ADRP, 1 } }, 0, 1, 4 },
	{ "ADRP_NC at 0x3ffc", { { 0x3ffc, ADRP_NC, 1 } }, 0, 1, 4 },
	{ "LO12 at 0xff8", { { 0xff8, LO12, 1 } }, 0, 0, 4 },
	{ "ADRP at 0xff4", { { 0xff4, ADRP, 1 } }, 0, 0, 16 },
	{ "ADRP at 0x7f8", { { 0x7f8, ADRP, 1 } }, 0, 0, SZ_4K },
	{ "ADRP at 0x17fc", { { 0x17fc, ADRP, 1 } }, 0, 0, SZ_4K },
	{ "ADRP at 0x3f8", { { 0x3f8, ADRP, 1 } }, 0, 0, SZ_2K },
	{ "the strictest ADRP aligns", { { 0x8, ADRP, 1 }, { 0x1f8, ADRP, 1 }, { 0x20, ADRP, 1 } },
	  0, 0, SZ_1K },
	{ "ADRPs among branches", { { 0xff8, ADRP, 1 }, { 0, CALL, 1 }, { 0x1ff8, ADRP, 2 },
				    { 4, CALL, 1 }, { 0x2ffc, ADRP_NC, 3 } }, 1, 3, 4 },
};

KUNIT_ARRAY_PARAM_DESC(plan_case, plan_cases, name);

static void plan_counts(struct kunit *test)
{
	static const struct {
		int rela, text, plt, idle_plt;
	} places[] = {
		{ SEC_RELA_TEXT, SEC_TEXT, SEC_PLT, SEC_INIT_PLT },
		{ SEC_RELA_INIT, SEC_INIT, SEC_INIT_PLT, SEC_PLT },
	};
	const struct plan_case *param = test->param_value;
	unsigned int expected = with_slack(param->plts, param->veneers);
	unsigned int align = has_erratum() ? param->align : 4;
	unsigned int i, place;

	for (place = 0; place < ARRAY_SIZE(places); place++) {
		struct image *image = make_image(test);
		Elf_Shdr *sechdrs = image->sechdrs;
		struct mod_plt_sec *used = &image->mod.arch.core;
		struct mod_plt_sec *idle = &image->mod.arch.init;

		if (place)
			swap(used, idle);

		/* In .init.text the two symbols that have a section trade places. */
		image->syms[SYM_IN_TEXT].st_shndx = sections[places[place].rela].info;
		image->syms[SYM_IN_INIT].st_shndx = sections[places[!place].rela].info;
		for (i = 0; i < ARRAY_SIZE(param->relas) && param->relas[i].type; i++)
			add_rela(image, places[place].rela, param->relas[i].offset,
				 param->relas[i].type, param->relas[i].sym,
				 param->relas[i].addend);

		KUNIT_ASSERT_EQ(test, plan(image), 0);
		KUNIT_EXPECT_EQ(test, used->plt_max_entries, expected);
		KUNIT_EXPECT_EQ(test, used->plt_num_entries, 0);
		KUNIT_EXPECT_EQ(test, used->plt_shndx, places[place].plt);
		KUNIT_EXPECT_EQ(test, idle->plt_max_entries, 0);
		KUNIT_EXPECT_EQ(test, idle->plt_shndx, places[place].idle_plt);
		KUNIT_EXPECT_EQ(test, sechdrs[places[place].text].sh_addralign, align);
		KUNIT_EXPECT_GE(test, sechdrs[places[place].plt].sh_size,
				expected * sizeof(struct plt_entry));
	}
}

static void plan_reserves_sections(struct kunit *test)
{
	static const int reserved[] = { SEC_PLT, SEC_INIT_PLT, SEC_FTRACE, SEC_INIT_FTRACE };
	struct image *image = make_image(test);
	unsigned int i;

	KUNIT_ASSERT_EQ(test, plan(image), 0);
	for (i = 0; i < ARRAY_SIZE(reserved); i++) {
		Elf_Shdr *sec = &image->sechdrs[reserved[i]];

		KUNIT_EXPECT_EQ(test, sec->sh_type, SHT_NOBITS);
		KUNIT_EXPECT_EQ(test, sec->sh_flags, SHF_ALLOC | SHF_EXECINSTR);
		KUNIT_EXPECT_GT(test, sec->sh_size, 0);
	}
	KUNIT_EXPECT_EQ(test, image->sechdrs[SEC_FTRACE].sh_size,
			NR_FTRACE_PLTS * sizeof(struct plt_entry));
}

/* Is @rela a branch that planning must reserve an entry for? */
static bool needs_plt(const struct image *image, const Elf_Rela *rela)
{
	u32 type = ELF64_R_TYPE(rela->r_info);

	return (type == CALL || type == JUMP) && ELF64_R_SYM(rela->r_info) != SYM_IN_TEXT;
}

static const struct order_case {
	const char *name;
	unsigned int num;
	unsigned int clusters;	/* the symbols are in as many runs ... */
	unsigned int symbols;	/* ... of as many */
} order_cases[] = {
	{ "two", 2, 1, 2 },
	{ "a short slice", 40, 1, 8 },
	{ "one symbol", 200, 1, 1 },
	{ "two symbols far apart", 200, 2, 1 },
	{ "few symbols", 1000, 1, 20 },
	{ "more symbols than branches", 300, 1, 2000 },
	{ "crowded runs of symbols", 1000, 2, 3 },
	{ "as many as there is room for", NUM_RELAS, 1, SYM_EXTERN_MAX },
};

KUNIT_ARRAY_PARAM_DESC(order_case, order_cases, name);

/* Random RELAs; r_offset is unique so that each can be told after planning. */
static void add_random_relas(struct image *image, const struct order_case *param, u32 seed)
{
	static const u32 types[] = { CALL, CALL, JUMP, ADRP, LO12, ABS64 };
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, seed);
	for (i = 0; i < param->num; i++) {
		u32 type = types[prandom_u32_state(&rnd) % ARRAY_SIZE(types)];
		u32 cluster = prandom_u32_state(&rnd) % param->clusters;
		u32 sym = 1 + prandom_u32_state(&rnd) % param->symbols +
			  cluster * (SYM_EXTERN_MAX / 2);
		bool local = prandom_u32_state(&rnd) % 8 == 0;
		bool addend = prandom_u32_state(&rnd) % 16 == 0;

		add_rela(image, SEC_RELA_TEXT, 4 * i, type, local ? SYM_IN_TEXT : sym,
			 addend ? 4 * (i % 4) : 0);
	}
}

/* Planning may change the order of the RELAs and nothing else. */
static void expect_permutation(struct kunit *test, const Elf_Rela *before,
			       const Elf_Rela *after, unsigned int num)
{
	unsigned long *seen = zalloc(test, BITS_TO_LONGS(NUM_RELAS) * sizeof(*seen));
	unsigned int i;

	for (i = 0; i < num; i++) {
		u64 old = after[i].r_offset / 4;

		KUNIT_ASSERT_LT(test, old, num);
		KUNIT_EXPECT_FALSE(test, __test_and_set_bit(old, seen));
		KUNIT_EXPECT_MEMEQ(test, &after[i], &before[old], sizeof(after[i]));
	}
}

/*
 * Between two branches that share an entry nothing else is emitted: no branch
 * to elsewhere and no ADRP. Returns the number of entries planned for then.
 */
static unsigned int expect_contiguity(struct kunit *test, const struct image *image)
{
	const Elf_Rela *relas = image->relas[0];
	unsigned long *seen = zalloc(test, BITS_TO_LONGS(NUM_SYMS) * sizeof(*seen));
	unsigned int i, entries = 0;
	u32 last = 0;

	for (i = 0; i < num_relas(image, SEC_RELA_TEXT); i++) {
		u32 sym = ELF64_R_SYM(relas[i].r_info);

		if (ELF64_R_TYPE(relas[i].r_info) == ADRP) {
			last = 0;
		} else if (needs_plt(image, &relas[i]) && relas[i].r_addend) {
			last = 0;
			entries++;
		} else if (needs_plt(image, &relas[i]) && sym != last) {
			KUNIT_EXPECT_FALSE(test, __test_and_set_bit(sym, seen));
			last = sym;
			entries++;
		}
	}

	return entries;
}

static unsigned int count_page_end_adrps(const Elf_Rela *relas, unsigned int num)
{
	unsigned int i, count = 0;

	for (i = 0; i < num; i++)
		if (ELF64_R_TYPE(relas[i].r_info) == ADRP &&
		    relas[i].r_offset % SZ_4K >= 0xff8)
			count++;

	return count;
}

static void plan_orders_branches(struct kunit *test)
{
	const struct order_case *param = test->param_value;
	struct image *image = make_image(test);
	Elf_Rela *before, *after = image->relas[0];
	unsigned int entries;

	add_random_relas(image, param, param->num);
	before = zalloc(test, sizeof(image->relas[0]));
	memcpy(before, after, sizeof(image->relas[0]));

	KUNIT_ASSERT_EQ(test, plan(image), 0);
	expect_permutation(test, before, after, param->num);
	entries = expect_contiguity(test, image);
	KUNIT_EXPECT_EQ(test, image->mod.arch.core.plt_max_entries,
			with_slack(entries, count_page_end_adrps(before, param->num)));
}

/* RELAs of sections that are not code are not planned for, nor moved. */
static void plan_leaves_data_alone(struct kunit *test)
{
	struct image *image = make_image(test);
	unsigned int i;

	for (i = 0; i < 100; i++)
		add_rela(image, SEC_RELA_DATA, 8 * i, i % 2 ? CALL : ABS64, 100 - i, 0);

	KUNIT_ASSERT_EQ(test, plan(image), 0);
	KUNIT_EXPECT_EQ(test, image->mod.arch.core.plt_max_entries, 0);
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_EQ(test, image->relas[2][i].r_offset, 8 * i);
}

#define SHDR(sec, field, value)	{ sec, offsetof(Elf_Shdr, field), value }

/* A RELA that is added to the good one, a field of a section header, or both. */
static const struct malformed_case {
	const char *name;
	struct {
		int sec;
		u32 type;
		u32 sym;
	} rela;
	struct {
		int sec;
		size_t offset;
		u64 value;
	} field;
	int result;
} malformed_cases[] = {
	{ "branch to the symbol behind the last", { SEC_RELA_TEXT, CALL, NUM_SYMS }, {}, -ENOEXEC },
	{ "branch to symbol 0xffffffff", { SEC_RELA_INIT, JUMP, U32_MAX }, {}, -ENOEXEC },
	{ "branch to a symbol cut off", { SEC_RELA_TEXT, CALL, NUM_SYMS - 1 },
	  SHDR(SEC_SYMTAB, sh_size, NUM_SYMS * sizeof(Elf_Sym) - 1), -ENOEXEC },
	{ "ADRP of symbol 0xffffffff", { SEC_RELA_TEXT, ADRP, U32_MAX } },
	{ "sh_info is e_shnum", { SEC_RELA_INIT, CALL, 2 },
	  SHDR(SEC_RELA_INIT, sh_info, NUM_SECS) },
	{ "sh_info is 0x7fffff0", { SEC_RELA_INIT, CALL, 2 },
	  SHDR(SEC_RELA_INIT, sh_info, 0x7fffff0) },
	{ "sh_info is 0", { SEC_RELA_INIT, CALL, 2 },
	  SHDR(SEC_RELA_INIT, sh_info, SEC_NULL) },
	{ "last RELA cut off", { SEC_RELA_TEXT, CALL, 2 },
	  SHDR(SEC_RELA_TEXT, sh_size, 2 * sizeof(Elf_Rela) - 1) },
	{ "no .plt", {}, SHDR(SEC_PLT, sh_name, SEC_DATA * NAME_LEN), -ENOEXEC },
	{ "no .init.plt", {}, SHDR(SEC_INIT_PLT, sh_name, SEC_DATA * NAME_LEN), -ENOEXEC },
	{ "name of .plt is not in the strings", {}, SHDR(SEC_PLT, sh_name, U32_MAX), -ENOEXEC },
	{ "name of .text is not in the strings", {}, SHDR(SEC_TEXT, sh_name, U32_MAX) },
	{ "no symbol table", {}, SHDR(SEC_SYMTAB, sh_type, SHT_PROGBITS), -ENOEXEC },
	{ "empty symbol table", {}, SHDR(SEC_SYMTAB, sh_size, 0), -ENOEXEC },
};

KUNIT_ARRAY_PARAM_DESC(malformed_case, malformed_cases, name);

/* Of what is not refused, the one good branch is all that is planned for. */
static void plan_bears_malformed_input(struct kunit *test)
{
	const struct malformed_case *param = test->param_value;
	struct image *image = make_image(test);
	void *field;

	add_rela(image, SEC_RELA_TEXT, 0, CALL, 1, 0);
	if (param->rela.type)
		add_rela(image, param->rela.sec, 4, param->rela.type, param->rela.sym, 0);
	field = (void *)&image->sechdrs[param->field.sec] + param->field.offset;
	if (param->field.offset == offsetof(Elf_Shdr, sh_size))
		*(u64 *)field = param->field.value;
	else if (param->field.sec)
		*(u32 *)field = param->field.value;

	KUNIT_ASSERT_EQ(test, plan(image), param->result);
	if (param->result)
		return;

	KUNIT_EXPECT_EQ(test, image->mod.arch.core.plt_max_entries, with_slack(1, 0));
	KUNIT_EXPECT_EQ(test, image->mod.arch.init.plt_max_entries, 0);
}

/* Encodings are from the "Arm Architecture Reference Manual for A-profile". */
static u64 adrp_result(u32 insn, u64 pc)
{
	u64 pages = (insn >> 5 & 0x7ffff) << 2 | (insn >> 29 & 3);

	return ALIGN_DOWN(pc, SZ_4K) + sign_extend64(pages << 12, 32);
}

/* What @plt, ADRP and ADD, puts into register @reg; 0 if that is not what it does. */
static u64 pair_result(const struct plt_entry *plt, u64 pc, u32 reg)
{
	u32 adrp = le32_to_cpu(plt->adrp);
	u32 add = le32_to_cpu(plt->add);

	if ((adrp & 0x9f00001f) != (0x90000000 | reg) ||
	    (add & 0xffc003ff) != (0x91000000 | reg << 5 | reg))
		return 0;

	return adrp_result(adrp, pc) + (add >> 10 & 0xfff);
}

static u64 entry_target(const struct plt_entry *plt, u64 pc)
{
	return le32_to_cpu(plt->br) == 0xd61f0200 ? pair_result(plt, pc, 16) : 0;
}

static void entry_reaches_target(struct kunit *test)
{
	static const s64 distances[] = {
		4, -4, 0xff8, SZ_4K, -SZ_4K, SZ_128M, -SZ_128M, SZ_2G + 0xabcLL,
		-0x124LL - SZ_2G, SZ_4G - 2 * SZ_4K, 2 * SZ_4K - SZ_4G,
	};
	u64 base = 0xffff800012340000;
	unsigned int i, offset;

	for (i = 0; i < ARRAY_SIZE(distances); i++) {
		for (offset = 0; offset < SZ_4K; offset += 4) {
			u64 pc = base + offset;
			struct plt_entry plt = get_plt_entry(pc + distances[i], (void *)pc);

			KUNIT_ASSERT_EQ(test, entry_target(&plt, pc), pc + distances[i]);
		}
	}
}

/* Where the B that ends a veneer leads, 0 if it is none. */
static u64 veneer_return(const struct plt_entry *plt, u64 pc)
{
	u32 br = le32_to_cpu(plt->br);

	if (br >> 26 != 0x14000000 >> 26)
		return 0;

	return pc + offsetof(struct plt_entry, br) + sign_extend64(br * 4ULL, 27);
}

/*
 * Memory for text and the PLT sections, which start @offset into a page: one
 * block, as veneers branch back, and without a tag of KASAN, as modules are. As
 * planning would have, but for this to be tested alone, allow @entries in each.
 */
static void place_image(struct kunit *test, struct image *image, unsigned int offset,
			unsigned int entries)
{
	void *text, *plts;

	image->memory = zalloc(test, 2 * PAGE_SIZE + 2 * PLT_ROOM);
	text = kasan_reset_tag(image->memory);
	plts = text + 2 * PAGE_SIZE;
	KUNIT_ASSERT_TRUE(test, IS_ALIGNED((u64)text, SZ_4K));
	KUNIT_ASSERT_LE(test, SZ_4K + (entries + 1) * sizeof(struct plt_entry), PLT_ROOM);

	image->text = text;
	image->init = text + PAGE_SIZE;
	image->mod.mem[MOD_INIT_TEXT].base = image->init;
	image->mod.mem[MOD_INIT_TEXT].size = PAGE_SIZE;
	image->sechdrs[SEC_PLT].sh_addr = (u64)plts + offset;
	image->sechdrs[SEC_INIT_PLT].sh_addr = (u64)plts + PLT_ROOM + offset;
	image->mod.arch.core = (struct mod_plt_sec){ SEC_PLT, 0, entries };
	image->mod.arch.init = (struct mod_plt_sec){ SEC_INIT_PLT, 0, entries };
}

static struct plt_entry *plt_of(const struct image *image, int sec)
{
	return (struct plt_entry *)image->sechdrs[sec].sh_addr;
}

static struct plt_entry *emit(struct image *image, void *loc, u64 target)
{
	Elf_Rela rela = { .r_info = CALL };
	Elf_Sym sym = { .st_value = target };

	return (void *)module_emit_plt_entry(&image->mod, image->sechdrs, loc, &rela, &sym);
}

static void emit_shares_the_last_entry(struct kunit *test)
{
	struct image *image = make_image(test);
	struct plt_entry *plt, *init_plt;
	u64 target;

	place_image(test, image, 0, 8);
	plt = plt_of(image, SEC_PLT);
	init_plt = plt_of(image, SEC_INIT_PLT);
	target = (u64)plt + SZ_256M;

	KUNIT_EXPECT_PTR_EQ(test, emit(image, image->text, target), plt);
	KUNIT_EXPECT_PTR_EQ(test, emit(image, image->text + 1, target), plt);
	/* The same offset in another page, and another one in the same page. */
	KUNIT_EXPECT_PTR_EQ(test, emit(image, image->text, target + SZ_4K), plt + 1);
	KUNIT_EXPECT_PTR_EQ(test, emit(image, image->text, target + SZ_4K + 4), plt + 2);
	KUNIT_EXPECT_PTR_EQ(test, emit(image, image->text, target - SZ_512M), plt + 3);
	/* Code in init memory has entries of its own. */
	KUNIT_EXPECT_PTR_EQ(test, emit(image, image->init, target - SZ_512M), init_plt);
	KUNIT_EXPECT_PTR_EQ(test, emit(image, image->init, target - SZ_512M), init_plt);

	KUNIT_EXPECT_EQ(test, entry_target(plt, (u64)plt), target);
	KUNIT_EXPECT_EQ(test, entry_target(plt + 3, (u64)(plt + 3)), target - SZ_512M);
	KUNIT_EXPECT_EQ(test, image->mod.arch.core.plt_num_entries, 4);
	KUNIT_EXPECT_EQ(test, image->mod.arch.init.plt_num_entries, 1);
}

/* Branches to one target share an entry wherever it is: in reach, out of it, or 0. */
static void emit_shares_whatever_the_distance(struct kunit *test)
{
	static const s64 distances[] = {
		SZ_2G, 5LL * SZ_512M, -5LL * SZ_512M, SZ_4G - 2 * SZ_4K, 12LL * SZ_512M,
	};
	unsigned int i;

	for (i = 0; i <= ARRAY_SIZE(distances); i++) {
		struct image *image = make_image(test);
		struct plt_entry *plt;
		u64 target = 0;

		place_image(test, image, 0, 8);
		plt = plt_of(image, SEC_PLT);
		if (i < ARRAY_SIZE(distances))
			target = (u64)plt + distances[i];

		KUNIT_EXPECT_PTR_EQ(test, emit(image, image->text, target), plt);
		KUNIT_EXPECT_PTR_EQ(test, emit(image, image->text, target), plt);
		KUNIT_EXPECT_PTR_EQ(test, emit(image, image->text, target + 4), plt + 1);
	}
}

/* A veneer forms the page in the ADRP's register and branches back behind it. */
static void emit_veneer_for_adrp(struct kunit *test)
{
	static const u32 regs[] = { 0, 16, 30 };
	struct image *image = make_image(test);
	struct plt_entry *plt;
	unsigned int i;
	u64 page;

	if (!IS_ENABLED(CONFIG_ARM64_ERRATUM_843419))
		kunit_skip(test, "CONFIG_ARM64_ERRATUM_843419 is off");

	place_image(test, image, 0, 8);
	plt = plt_of(image, SEC_PLT);
	page = ALIGN((u64)plt, SZ_4K) + SZ_256M;
	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		__le32 *loc = &image->text[0xff8 / 4];
		u64 veneer;

		*loc = cpu_to_le32(0x90000000 | regs[i]);
		veneer = module_emit_veneer_for_adrp(&image->mod, image->sechdrs, loc, page);
		KUNIT_ASSERT_EQ(test, veneer, (u64)&plt[i]);
		KUNIT_EXPECT_EQ(test, pair_result(&plt[i], veneer, regs[i]), page);
		KUNIT_EXPECT_EQ(test, veneer_return(&plt[i], veneer), (u64)(loc + 1));
	}

	/* The veneer with x16 is no entry, although it forms that address too. */
	image->mod.arch.core.plt_num_entries = 2;
	KUNIT_EXPECT_PTR_EQ(test, emit(image, image->text, page), plt + 2);
	KUNIT_EXPECT_EQ(test, entry_target(plt + 2, (u64)(plt + 2)), page);
}

/*
 * Slots whose ADRP the erratum could hit are passed over, and only those: at
 * each place of the PLT in its page, for more entries than a page has.
 */
static void emit_at_page_ends(struct kunit *test)
{
	unsigned int offset, i, skipped_at = 0;

	for (offset = 0; offset < SZ_4K; offset += L1_CACHE_BYTES) {
		struct image *image = make_image(test);
		struct plt_entry *slot;

		place_image(test, image, offset, PLTS_IN_PAGE + 4);
		slot = plt_of(image, SEC_PLT);
		for (i = 0; i < PLTS_IN_PAGE + 2; i++, slot++) {
			u64 target = (u64)slot + SZ_256M + i;

			if (has_erratum() && ((u64)slot & 0xfff) >= 0xff8) {
				skipped_at |= 1 << ((u64)slot & 4);
				slot++;
			}
			KUNIT_ASSERT_PTR_EQ(test, emit(image, image->text, target), slot);
			KUNIT_ASSERT_EQ(test, entry_target(slot, (u64)slot), target);
		}
		kunit_kfree(test, image->memory);
		kunit_kfree(test, image);
	}

	/* Both 0xff8 and 0xffc have occurred. */
	KUNIT_EXPECT_EQ(test, skipped_at, has_erratum() ? 1 << 0 | 1 << 4 : 0);
}

/* Emit for one RELA as apply_relocate_add() does with everything out of range. */
static void emit_for_rela(struct kunit *test, struct image *image, const Elf_Rela *rela)
{
	Elf_Sym *sym = &image->syms[ELF64_R_SYM(rela->r_info)];
	__le32 *loc = (void *)image->text + rela->r_offset;
	u64 target = sym->st_value + rela->r_addend;
	Elf_Shdr *sec = &image->sechdrs[SEC_PLT];
	u64 plt;

	if (needs_plt(image, rela)) {
		plt = module_emit_plt_entry(&image->mod, image->sechdrs, loc, rela, sym);
	} else if (ELF64_R_TYPE(rela->r_info) == ADRP && is_forbidden_offset_for_adrp(loc)) {
		target = ALIGN_DOWN(target, SZ_4K);
		*loc = cpu_to_le32(0x90000000);
		plt = module_emit_veneer_for_adrp(&image->mod, image->sechdrs, loc, target);
	} else {
		return;
	}

	KUNIT_ASSERT_GE(test, plt, sec->sh_addr);
	KUNIT_ASSERT_LE(test, plt + sizeof(struct plt_entry), sec->sh_addr + sec->sh_size);
	KUNIT_ASSERT_FALSE(test, is_forbidden_offset_for_adrp((void *)plt));
	if (needs_plt(image, rela)) {
		KUNIT_ASSERT_EQ(test, entry_target((void *)plt, plt), target);
	} else {
		KUNIT_ASSERT_EQ(test, pair_result((void *)plt, plt, 0), target);
		KUNIT_ASSERT_EQ(test, veneer_return((void *)plt, plt), (u64)(loc + 1));
	}
}

/* What was planned is enough, wherever in its page the PLT comes to be. */
static void emit_what_was_planned(struct kunit *test)
{
	const struct order_case *param = test->param_value;
	struct image *image = make_image(test);
	Elf_Shdr *plt = &image->sechdrs[SEC_PLT];
	struct mod_plt_sec *pltsec = &image->mod.arch.core;
	unsigned int offset, planned, i;
	u8 *memory;

	add_random_relas(image, param, param->num + 1);
	KUNIT_ASSERT_EQ(test, plan(image), 0);
	planned = pltsec->plt_max_entries;
	place_image(test, image, 0, planned);
	memory = (u8 *)plt->sh_addr;
	for (i = 1; i < NUM_SYMS; i++)
		image->syms[i].st_value = plt->sh_addr + SZ_256M + i * 0x1230;

	for (offset = 0; offset < SZ_4K; offset += L1_CACHE_BYTES) {
		memset(memory, GUARD, PLT_ROOM);
		plt->sh_addr = (u64)memory + offset;
		pltsec->plt_num_entries = 0;

		for (i = 0; i < num_relas(image, SEC_RELA_TEXT); i++)
			emit_for_rela(test, image, &image->relas[0][i]);

		KUNIT_EXPECT_LE(test, pltsec->plt_num_entries, planned);
		KUNIT_EXPECT_NULL(test, memchr_inv(memory, GUARD, offset));
		KUNIT_EXPECT_NULL(test, memchr_inv(memory + offset + plt->sh_size, GUARD,
						   PLT_ROOM - offset - plt->sh_size));
	}
}

static struct kunit_case module_plts_cases[] = {
	KUNIT_CASE_PARAM(plan_counts, plan_case_gen_params),
	KUNIT_CASE_PARAM(plan_orders_branches, order_case_gen_params),
	KUNIT_CASE(plan_reserves_sections),
	KUNIT_CASE(plan_leaves_data_alone),
	KUNIT_CASE_PARAM(plan_bears_malformed_input, malformed_case_gen_params),
	KUNIT_CASE(entry_reaches_target),
	KUNIT_CASE(emit_shares_the_last_entry),
	KUNIT_CASE(emit_shares_whatever_the_distance),
	KUNIT_CASE(emit_veneer_for_adrp),
	KUNIT_CASE(emit_at_page_ends),
	KUNIT_CASE_PARAM(emit_what_was_planned, order_case_gen_params),
	{}
};

static struct kunit_suite module_plts_suite = {
	.name = "arm64_module_plts",
	.test_cases = module_plts_cases,
};

kunit_test_suite(module_plts_suite);

/* As MODULE_IMPORT_NS(), whose argument has been a string since v6.13 and was none before. */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests for arm64 module PLTs");
MODULE_LICENSE("GPL");
