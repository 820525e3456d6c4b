// SPDX-License-Identifier: GPL-2.0-only
/*
 * apply_relocate_add() of our module.c against that of the base tree: what it
 * returns, writes, says, and asks the emission of PLT entries for has to be the
 * same, for every relocation type, at the limits of its range and beyond.
 *
 * Four differences are intended. Ours refuses symbols beyond the symbol table, which
 * base reads. It relocates an instruction that says that an encoder has failed, which
 * base leaves alone. For a branch to the target of the one before it does not ask for
 * an entry again. What a live patch has instead of an ADRP, once that has a veneer, it
 * refuses to relocate.
 */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

#define BREAK_FAULT	0xd4202000u	/* encoders give it up, and leave it alone */
#define OPCODE_BIT	0x10		/* of an instruction's last byte, in no field */
#define NUM_SYMBOLS	6
#define MAX_RELAS	8
#define RANDOM_VALUES	4000

typedef int apply_fn(Elf64_Shdr *sechdrs, const char *strtab, unsigned int symindex,
		     unsigned int relsec, struct module *me);

apply_fn ours_apply_relocate_add, base_apply_relocate_add;

/* What a value that is relocated to is, from S + A and P. */
enum operation { ABS, PREL, PAGE };

/* Which values fit: any, or those of so many bits. */
enum range { ANY, UNSIGNED, SIGNED };

static const struct type {
	const char *name;
	u32 number;
	enum operation op;
	enum range range;
	unsigned int bits;
} types[] = {
#define TYPE(name, op, range, bits)	{ "R_" #name, R_##name, op, range, bits }
	TYPE(ARM_NONE, ABS, ANY, 0),
	TYPE(AARCH64_NONE, ABS, ANY, 0),
	TYPE(AARCH64_ABS64, ABS, ANY, 0),
	TYPE(AARCH64_ABS32, ABS, UNSIGNED, 32),
	TYPE(AARCH64_ABS16, ABS, UNSIGNED, 16),
	TYPE(AARCH64_PREL64, PREL, ANY, 0),
	TYPE(AARCH64_PREL32, PREL, SIGNED, 32),
	TYPE(AARCH64_PREL16, PREL, SIGNED, 16),
	TYPE(AARCH64_MOVW_UABS_G0, ABS, UNSIGNED, 16),
	TYPE(AARCH64_MOVW_UABS_G0_NC, ABS, ANY, 0),
	TYPE(AARCH64_MOVW_UABS_G1, ABS, UNSIGNED, 32),
	TYPE(AARCH64_MOVW_UABS_G1_NC, ABS, ANY, 0),
	TYPE(AARCH64_MOVW_UABS_G2, ABS, UNSIGNED, 48),
	TYPE(AARCH64_MOVW_UABS_G2_NC, ABS, ANY, 0),
	TYPE(AARCH64_MOVW_UABS_G3, ABS, ANY, 0),
	TYPE(AARCH64_MOVW_SABS_G0, ABS, SIGNED, 17),
	TYPE(AARCH64_MOVW_SABS_G1, ABS, SIGNED, 33),
	TYPE(AARCH64_MOVW_SABS_G2, ABS, SIGNED, 49),
	TYPE(AARCH64_MOVW_PREL_G0, PREL, SIGNED, 17),
	TYPE(AARCH64_MOVW_PREL_G0_NC, PREL, ANY, 0),
	TYPE(AARCH64_MOVW_PREL_G1, PREL, SIGNED, 33),
	TYPE(AARCH64_MOVW_PREL_G1_NC, PREL, ANY, 0),
	TYPE(AARCH64_MOVW_PREL_G2, PREL, SIGNED, 49),
	TYPE(AARCH64_MOVW_PREL_G2_NC, PREL, ANY, 0),
	TYPE(AARCH64_MOVW_PREL_G3, PREL, ANY, 0),
	TYPE(AARCH64_LD_PREL_LO19, PREL, SIGNED, 21),
	TYPE(AARCH64_ADR_PREL_LO21, PREL, SIGNED, 21),
	TYPE(AARCH64_ADR_PREL_PG_HI21, PAGE, SIGNED, 33),
	TYPE(AARCH64_ADR_PREL_PG_HI21_NC, PAGE, ANY, 0),
	TYPE(AARCH64_ADD_ABS_LO12_NC, ABS, ANY, 0),
	TYPE(AARCH64_LDST8_ABS_LO12_NC, ABS, ANY, 0),
	TYPE(AARCH64_LDST16_ABS_LO12_NC, ABS, ANY, 0),
	TYPE(AARCH64_LDST32_ABS_LO12_NC, ABS, ANY, 0),
	TYPE(AARCH64_LDST64_ABS_LO12_NC, ABS, ANY, 0),
	TYPE(AARCH64_LDST128_ABS_LO12_NC, ABS, ANY, 0),
	TYPE(AARCH64_TSTBR14, PREL, SIGNED, 16),
	TYPE(AARCH64_CONDBR19, PREL, SIGNED, 21),
	TYPE(AARCH64_JUMP26, PREL, SIGNED, 28),
	TYPE(AARCH64_CALL26, PREL, SIGNED, 28),
};

enum { TEXT = 1, RELAS, SYMTAB, NUM_SECTIONS };

/* All that apply_relocate_add() is given; text is at a page, for ADRP. */
struct memory {
	u8 text[SZ_4K + 64];
	Elf64_Rela relas[MAX_RELAS + 1];
	Elf64_Sym syms[NUM_SYMBOLS + 2];	/* two of them beyond the table */
	Elf64_Shdr sechdrs[NUM_SECTIONS];
	struct module mod;
};

/* A call for an entry of a PLT, or for a veneer, which has no RELA. */
struct call {
	struct module *mod;
	Elf64_Shdr *sechdrs;
	void *loc;
	const Elf64_Rela *rela;
	Elf64_Sym *sym;
	u64 val;
};

struct outcome {
	int ret;
	unsigned int messages, copies, calls;
	struct call call[MAX_RELAS];
	char message[sizeof(kernel.last_message)];
	struct memory memory;
};

/* The memory relocated, and what it is each time before. */
static struct memory memory __aligned(SZ_4K);
static struct memory before;
static bool erratum;
static u64 entry;			/* where emission says that an entry is */
static struct outcome now;
static bool is_base;			/* that is what is called now */
static unsigned int repeated;		/* calls of base that are left out for being so */

/* Is the last call for an entry, if there is one, for the target of @call too? */
static bool is_repeated(const struct call *call)
{
	u64 target = call->sym->st_value + call->rela->r_addend;
	unsigned int i;

	for (i = now.calls; i; i--) {
		const struct call *old = &now.call[i - 1];

		if (old->rela)
			return old->sym->st_value + old->rela->r_addend == target;
	}

	return false;
}

static u64 record_call(struct call call)
{
	if (is_base && call.rela && is_repeated(&call)) {
		repeated++;
		return entry;
	}
	if (now.calls < MAX_RELAS)
		now.call[now.calls] = call;
	now.calls++;
	return entry;
}

u64 module_emit_plt_entry(struct module *mod, Elf64_Shdr *sechdrs, void *loc,
			  const Elf64_Rela *rela, Elf64_Sym *sym)
{
	return record_call((struct call){ mod, sechdrs, loc, rela, sym, 0 });
}

u64 module_emit_veneer_for_adrp(struct module *mod, Elf64_Shdr *sechdrs, void *loc, u64 val)
{
	return record_call((struct call){ mod, sechdrs, loc, NULL, NULL, val });
}

static u64 seed = 1;

/* SplitMix64, for which any seed is good. */
static u64 random64(void)
{
	u64 x = seed += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* Random, but for its size: small ones are as frequent as large ones. */
static u64 random_value(void)
{
	return (s64)random64() >> random64() % 64;
}

/* State that hardly matters: anything, then. */
static void randomize(void)
{
	u64 near = (u64)memory.text + 64, entries[] = { near, near, 0, near + SZ_2G };

	memset(&before, 0, sizeof(before));
	/* A RELA behind the end must not be applied. */
	memset(before.relas, 0xff, sizeof(before.relas));
	before.sechdrs[TEXT].sh_addr = (u64)memory.text;
	before.sechdrs[RELAS].sh_addr = (u64)memory.relas;
	before.sechdrs[RELAS].sh_info = TEXT;
	before.sechdrs[SYMTAB].sh_addr = (u64)memory.syms;
	before.sechdrs[SYMTAB].sh_size = NUM_SYMBOLS * sizeof(Elf64_Sym);
	before.mod = (struct module){ .name = "test" };
	before.mod.state = random64() % 2 ? MODULE_STATE_UNFORMED : random64() % 3;
	entry = entries[random64() % ARRAY_SIZE(entries)];
	erratum = random64() % 2;
}

static bool is_adrp(u32 type)
{
	return type == R_AARCH64_ADR_PREL_PG_HI21 || type == R_AARCH64_ADR_PREL_PG_HI21_NC;
}

static bool is_branch(u32 word)
{
	return word >> 26 == 5;
}

static void add_rela(u32 type, size_t offset, u32 word, u64 value)
{
	Elf64_Shdr *sec = &before.sechdrs[RELAS];
	u64 sym = random64() % NUM_SYMBOLS, addend = random64() % 2 ? random_value() : 0;

	/* The difference that check_veneer_again() is about. */
	if (is_adrp(type) && is_branch(word) && erratum &&
	    before.mod.state != MODULE_STATE_UNFORMED)
		word = ~word;
	before.syms[sym].st_value = value - addend;
	before.relas[sec->sh_size / sizeof(Elf64_Rela)] = (Elf64_Rela){
		.r_offset = offset,
		.r_info = ELF64_R_INFO(sym, type),
		.r_addend = addend,
	};
	sec->sh_size += sizeof(Elf64_Rela);
	memcpy(before.text + offset, &word, sizeof(word));
}

static void apply(apply_fn *fn, struct outcome *out)
{
	memory = before;
	kernel = (struct kernel_state){ .erratum_843419 = erratum };
	memset(&now, 0, sizeof(now));
	now.ret = fn(memory.sechdrs, NULL, SYMTAB, RELAS, &memory.mod);
	now.copies = kernel.copies;
	now.messages = kernel.messages;
	memcpy(now.message, kernel.last_message, sizeof(now.message));
	now.memory = memory;
	*out = now;
}

static struct outcome base_outcome, ours_outcome;

/*
 * Base leaves an instruction alone that is BREAK_FAULT. Then @opcode is where it can be
 * given another one, whose fields are treated the same.
 */
static void apply_base(u8 *opcode, struct outcome *out)
{
	is_base = true;
	if (opcode)
		*opcode ^= OPCODE_BIT;
	apply(base_apply_relocate_add, out);
	is_base = false;
	if (!opcode)
		return;

	*opcode ^= OPCODE_BIT;
	/* A branch to a veneer replaces all of the instruction. */
	if (!out->calls || out->call[0].rela || !entry)
		out->memory.text[opcode - before.text] ^= OPCODE_BIT;
}

static const char *compare(u8 *opcode)
{
	struct outcome *a = &base_outcome, *b = &ours_outcome;
	size_t i;

	apply_base(opcode, a);
	apply(ours_apply_relocate_add, b);
	if (!memcmp(a, b, sizeof(*a)))
		return NULL;
	if (a->ret != b->ret)
		return failure("base returns %d, ours %d", a->ret, b->ret);
	if (a->messages != b->messages || strcmp(a->message, b->message))
		return failure("base says \"%s\", ours \"%s\"", a->message, b->message);
	for (i = 0; i < sizeof(a->memory.text); i++)
		if (a->memory.text[i] != b->memory.text[i])
			return failure("byte %zu: base writes %02x, ours %02x", i,
				       a->memory.text[i], b->memory.text[i]);
	if (a->calls != b->calls || memcmp(a->call, b->call, sizeof(a->call)))
		return "emission is called in another way";
	if (a->copies != b->copies)
		return "the text of a live module is written in another way";
	return "headers, symbols or RELAs are changed";
}

static bool fits(u64 operand, enum range range, unsigned int bits)
{
	if (range == ANY)
		return true;
	if (range == SIGNED)
		operand += 1L << (bits - 1);
	return operand >> bits == 0;
}

/* Does apply_relocate_add() have to succeed for the one RELA of @type? */
static bool is_applied(const struct type *type, u64 place, u64 value)
{
	u64 page = (value & ~0xfffUL) - (place & ~0xfffUL);
	u64 operand = type->op == ABS ? value : type->op == PREL ? value - place : page;
	bool branch = type->number == R_AARCH64_CALL26 || type->number == R_AARCH64_JUMP26;

	/* An ADRP that the erratum hits becomes an ADR, or a branch to a veneer. */
	if (type->op == PAGE && erratum && (place & 0xfff) >= 0xff8)
		return fits((value & ~0xfffUL) - place, SIGNED, 21) || entry;

	return fits(operand, type->range, type->bits) ||
	       (branch && entry && fits(entry - place, SIGNED, 28));
}

static const char *check_value(const struct type *type, u64 operand, size_t offset, u32 word)
{
	u64 place = (u64)memory.text + offset;
	u64 value = operand + (type->op == ABS ? 0 : place);
	bool is_insn = type->number >= R_AARCH64_MOVW_UABS_G0;
	const char *err;

	randomize();
	add_rela(type->number, offset, word, value);
	err = compare(is_insn && word == BREAK_FAULT ? &before.text[offset + 3] : NULL);
	if (!err && ours_outcome.ret != (is_applied(type, place, value) ? 0 : -ENOEXEC))
		err = failure("both return %d", ours_outcome.ret);
	return err;
}

/* Around every power of two, so at all limits; then any values. */
static const char *check_type(const struct type *type)
{
	static const s64 steps[] = { -SZ_4K, -4, -1, 0, 1, 4, SZ_4K };
	static const u32 words[] = { 0, ~0, BREAK_FAULT, 0x14000123, 0x94000123, 0xf9412345 };
	static const size_t offsets[] = { 0x100, 0x102, 0xff8, 0xffc };
	const char *err = NULL;
	unsigned int bit, i, k;

	for (bit = 0; bit < 64; bit++)
		for (i = 0; i < 2 * ARRAY_SIZE(steps); i++)
			for (k = 0; k < ARRAY_SIZE(words) * ARRAY_SIZE(offsets) && !err; k++)
				err = check_value(type, (i % 2 ? -1UL << bit : 1UL << bit) +
						  steps[i / 2], offsets[k % ARRAY_SIZE(offsets)],
						  words[k / ARRAY_SIZE(offsets)]);
	for (i = 0; i < RANDOM_VALUES && !err; i++)
		err = check_value(type, random_value(), random64() % SZ_4K, random64());
	return err;
}

static const struct type *find_type(u32 number)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].number == number)
			return &types[i];

	return NULL;
}

static const char *check_unsupported(u32 number)
{
	const char *err;

	randomize();
	add_rela(number, 0x100, random64(), random_value());
	err = compare(NULL);
	if (!err && (ours_outcome.ret != -ENOEXEC ||
		     !strstr(ours_outcome.message, "unsupported")))
		err = "both support it";
	return err;
}

/* All numbers of 16 bits that are in no range of types; those of types, with more bits. */
static const char *check_numbers(void)
{
	const char *err = NULL;
	unsigned int i, bit;

	for (i = 0; i < 1 << 16 && !err; i++)
		if (!find_type(i))
			err = check_unsupported(i);
	for (i = 0; i < ARRAY_SIZE(types) && !err; i++)
		for (bit = 16; bit < 32 && !err; bit++)
			err = check_unsupported(types[i].number | 1U << bit);
	return err ? err : check_unsupported(U32_MAX);
}

static u32 random_type(void)
{
	switch (random64() % 64) {
	case 0:
		return random64() % 512;
	case 1 ... 8:
		return R_AARCH64_CALL26;
	default:
		return types[random64() % ARRAY_SIZE(types)].number;
	}
}

/* Values near and far, and often the one before; only one place that the erratum hits. */
static void random_relas(unsigned int num)
{
	unsigned int i, hit = random64() % MAX_RELAS;
	u64 value = random_value();

	randomize();
	for (i = 0; i < num; i++) {
		if (random64() % 2)
			value = random64() % 4 ? (u64)memory.text + (s16)random64() :
				random_value();
		add_rela(random_type(), i == hit ? 0xff8 + random64() % 8 : random64() % 0xff4,
			 random64(), value);
	}
	/* What an empty section relocates need not be there. */
	if (!num)
		before.sechdrs[RELAS].sh_info = 0x7fffffff;
	/* A part of a RELA at the end is none. */
	before.sechdrs[RELAS].sh_size += random64() % sizeof(Elf64_Rela);
}

static const char *check_sections(void)
{
	unsigned int i, applied = 0, refused = 0;
	const char *err;

	for (i = 0; i < 100000; i++) {
		random_relas(i % (MAX_RELAS + 1));
		err = compare(NULL);
		if (err)
			return err;
		applied += i % (MAX_RELAS + 1) > 1 && !ours_outcome.ret;
		refused += ours_outcome.ret != 0;
	}
	if (!applied || !refused || !repeated)
		return failure("%u sections applied, %u refused, %u branches to the one target again",
			       applied, refused, repeated);
	return NULL;
}

/* Ours only, since base reads such a symbol. */
static const char *check_symbol(u32 type, u64 sym)
{
	struct outcome *out = &ours_outcome;

	randomize();
	add_rela(type, 0x100, random64(), random_value());
	before.relas[0].r_info = ELF64_R_INFO(sym, type);
	before.sechdrs[SYMTAB].sh_size += random64() % sizeof(Elf64_Sym);
	apply(ours_apply_relocate_add, out);
	if (out->ret != -ENOEXEC || out->messages != 1 || !strstr(out->message, "symbol") ||
	    !strstr(out->message, before.mod.name))
		return failure("returns %d and says \"%s\"", out->ret, out->message);
	if (out->calls || memcmp(out->memory.text, before.text, sizeof(before.text)))
		return "is refused, but not only that";
	return NULL;
}

static const char *check_symbols(void)
{
	static const u32 beyond[] = { NUM_SYMBOLS, NUM_SYMBOLS + 1, 0x7fffff0, U32_MAX };
	const char *err = NULL;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(beyond); i++)
		for (k = 0; k < ARRAY_SIZE(types) && !err; k++)
			err = check_symbol(types[k].number, beyond[i]);
	return err;
}

/* An ADRP of a live patch: the second time it is a branch to a veneer, if there was one. */
static const char *check_veneer_again(u32 type, size_t offset)
{
	struct outcome *out = &ours_outcome;
	struct memory first;

	randomize();
	erratum = true;
	before.mod.state = MODULE_STATE_LIVE;
	entry = (u64)memory.text + 64;
	add_rela(type, offset, 0x90000003, (u64)memory.text + SZ_2G);
	apply(ours_apply_relocate_add, out);
	if (out->ret || out->calls != 1)
		return failure("returns %d", out->ret);
	/* Else this base has no live patches. */
	if (!out->copies)
		return NULL;

	first = before;
	memcpy(before.text, out->memory.text, sizeof(before.text));
	apply(ours_apply_relocate_add, out);
	if (out->ret != -ENOEXEC || out->calls || memcmp(out->memory.text, before.text,
							 sizeof(before.text)))
		return failure("returns %d for a branch", out->ret);

	/* That the module is near the second time makes no difference. */
	before.syms[ELF64_R_SYM(before.relas[0].r_info)].st_value =
		(u64)memory.text - before.relas[0].r_addend;
	apply(ours_apply_relocate_add, out);
	if (out->ret != -ENOEXEC || out->calls || memcmp(out->memory.text, before.text,
							 sizeof(before.text)))
		return failure("returns %d for a branch, near", out->ret);

	/* An ADR is as good as an ADRP. */
	before = first;
	before.text[offset + 3] ^= 0x80;
	apply(ours_apply_relocate_add, out);
	return out->ret || out->calls != 1 ? failure("returns %d for an ADR", out->ret) : NULL;
}

static const char *check_veneers_again(void)
{
	static const u32 adrps[] = { R_AARCH64_ADR_PREL_PG_HI21, R_AARCH64_ADR_PREL_PG_HI21_NC };
	const char *err = NULL;
	unsigned int i;

	for (i = 0; i < 2 * ARRAY_SIZE(adrps) && !err; i++)
		err = check_veneer_again(adrps[i / 2], i % 2 ? 0xff8 : 0xffc);
	return err;
}

static void describe(void)
{
	const Elf64_Rela *rela = before.relas;
	u64 num = before.sechdrs[RELAS].sh_size / sizeof(*rela);

	for (; num; num--, rela++) {
		u64 sym = ELF64_R_SYM(rela->r_info);

		printf("# type %#lx, symbol %lu = %#lx, addend %#lx, offset %#lx\n",
		       ELF64_R_TYPE(rela->r_info), sym,
		       sym < NUM_SYMBOLS ? before.syms[sym].st_value : 0,
		       rela->r_addend, rela->r_offset);
	}
	printf("# text at %p, PLT entry at %#lx%s%s\n", memory.text, entry,
	       erratum ? ", erratum" : "",
	       before.mod.state == MODULE_STATE_UNFORMED ? "" : ", live");
}

/* A check ends at what is wrong, so that this is still there. */
static void test(const char *name, const char *err)
{
	if (err)
		describe();
	result(name, err);
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc > 1)
		seed = strtoul(argv[1], NULL, 0);
	ktap_begin();
	printf("# seed %lu\n", seed);
	for (i = 0; i < ARRAY_SIZE(types); i++)
		test(types[i].name, check_type(&types[i]));
	test("numbers of no type", check_numbers());
	test("sections of RELAs", check_sections());
	test("symbols beyond the table", check_symbols());
	test("ADRPs that have veneers, again", check_veneers_again());
	return ktap_end();
}
