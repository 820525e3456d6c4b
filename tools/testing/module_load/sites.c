// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call sites of ftrace, while a module is loaded: their addresses are sorted, in the
 * time that their order allows; and what is stored at each of them, in which state of
 * the module, with cache maintenance that QEMU would not miss.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "sites.h"

#define NOP		0xd503201f
#define MOV_X9_LR	0xaa1e03e9
#define OTHER		0xd65f03c0
#define MAX_SITES	20000

/* Basic blocks of the tree's code that have been executed, and until it called sort() */
static unsigned long blocks, blocks_in_vain;
static unsigned int sorted;

__attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	blocks++;
}

int ftrace_cmp_ips(const void *a, const void *b)
{
	const unsigned long *first = a, *second = b;

	return *first < *second ? -1 : *first > *second;
}

void sort(void *base, size_t num, size_t size, int (*cmp)(const void *, const void *),
	  void *swap)
{
	sorted++;
	blocks_in_vain = blocks;
	qsort(base, num, size, cmp);
}

/* Entries, to be sorted; all ways to be out of order are given @n and a measure of it. */
static void in_order(unsigned long *ips, unsigned long n, unsigned long measure)
{
	for (unsigned long i = 0; i < n; i++)
		ips[i] = 0xffff800000000000UL + 16 * i;
}

static void equal(unsigned long *ips, unsigned long n, unsigned long measure)
{
	for (unsigned long i = 0; i < n; i++)
		ips[i] = 0xffff800000000000UL;
}

static void reversed(unsigned long *ips, unsigned long n, unsigned long measure)
{
	for (unsigned long i = 0; i < n; i++)
		ips[i] = 0xffff800000000000UL - 16 * i;
}

static void shuffled(unsigned long *ips, unsigned long n, unsigned long measure)
{
	for (unsigned long i = 0; i < n; i++)
		ips[i] = 0xffff800000000000UL + 16UL * (rand() % (n * measure));
}

/* Each @measure-th one is that many places from where it belongs. */
static void displaced(unsigned long *ips, unsigned long n, unsigned long measure)
{
	in_order(ips, n, 0);
	for (unsigned long i = measure; i < n; i += measure)
		ips[i] -= 16 * measure + 8;
}

/* Functions of an init section after each @measure ones, all of them at low addresses */
static void sections(unsigned long *ips, unsigned long n, unsigned long measure)
{
	in_order(ips, n, 0);
	for (unsigned long i = measure; i < n; i += measure)
		ips[i] = 0x1000 + 16 * i;
}

static void doubled(unsigned long *ips, unsigned long n, unsigned long measure)
{
	in_order(ips, n, 0);
	for (unsigned long i = 0; i < n; i++)
		ips[i] = i % 5 ? ips[i - i % measure] : 0;
}

static unsigned long moves(const unsigned long *ips, unsigned long n)
{
	static unsigned long done[MAX_SITES];
	unsigned long total = 0, j;

	for (unsigned long i = 0; i < n; i++) {
		for (j = i; j > 0 && done[j - 1] > ips[i]; j--)
			done[j] = done[j - 1];
		done[j] = ips[i];
		total += i - j;
	}
	return total;
}

static const struct order {
	const char *name;
	void (*make)(unsigned long *ips, unsigned long n, unsigned long measure);
	unsigned long n, measure;
	bool by_insertion;
} orders[] = {
	{ "none",			in_order,	0,	0,	true },
	{ "one",			in_order,	1,	0,	true },
	{ "two",			in_order,	2,	0,	true },
	{ "two, reversed",		reversed,	2,	0,	true },
	{ "three, reversed",		reversed,	3,	0,	true },
	{ "in order",			in_order,	8466,	0,	true },
	{ "all equal",			equal,		5000,	0,	true },
	{ "few of them displaced",	displaced,	3272,	100,	true },
	{ "most of them displaced",	displaced,	3272,	2,	true },
	{ "an init section",		sections,	5000,	4999,	true },
	/* 39 moves an entry, which is what amdgpu needs. */
	{ "init sections",		sections,	8466,	108,	true },
	{ "many init sections",		sections,	8466,	8,	false },
	{ "random, few",		shuffled,	40,	4,	true },
	{ "random",			shuffled,	5000,	4,	false },
	{ "random, many times each",	shuffled,	20000,	1,	false },
	{ "reversed",			reversed,	8466,	0,	false },
	{ "doubled and zero",		doubled,	3000,	7,	false },
};

static const char *test_order(const struct order *order)
{
	static unsigned long given[MAX_SITES], expected[MAX_SITES], ips[MAX_SITES + 2];
	unsigned long n = order->n, of_insertion, limit, log;

	order->make(given, n, order->measure ? order->measure : 1);
	memcpy(expected, given, n * sizeof(*given));
	qsort(expected, n, sizeof(*expected), ftrace_cmp_ips);
	memcpy(ips + 1, given, n * sizeof(*given));
	ips[0] = ips[n + 1] = ~0UL;
	of_insertion = moves(given, n);

	sorted = 0;
	blocks = 0;
	sort_ips(ips + 1, n);
	if (!sorted)
		blocks_in_vain = blocks;

	for (log = 0; n >> (log + 1); log++)
		;
	printf("# %s: %lu entries, %lu moves needed, %lu blocks by insertion%s\n", order->name,
	       n, of_insertion, blocks_in_vain, sorted ? ", then sort()" : "");
	if (memcmp(ips + 1, expected, n * sizeof(*expected)))
		return "not sorted";
	if (ips[0] != ~0UL || ips[n + 1] != ~0UL)
		return "something else written";
	if (sorted != !order->by_insertion)
		return failure("sort() called %u times", sorted);
	/* The loops have at most two blocks for a move, and six for an entry. */
	limit = order->by_insertion ? of_insertion : 4 * n * log + n;
	if (blocks_in_vain > 2 * limit + 6 * n + 8)
		return failure("%lu blocks, not %lu moves", blocks_in_vain, limit);
	return NULL;
}

/* The text of a module, and what the kernel is asked to do with it */
#define NUM_WORDS 64
static u32 text[NUM_WORDS] __attribute__((aligned(64)));
u64 ftrace_nop_ops;
static unsigned int cleaned, modified, ops_set;
static bool cleaned_right, modified_right;
static unsigned long site;

int ftrace_modify_code(unsigned long pc, u32 old, u32 new, bool validate)
{
	modified++;
	modified_right = pc == site - 4 && old == NOP && new == MOV_X9_LR && validate;
	return -EPERM;
}

int ftrace_rec_set_ops(const struct dyn_ftrace *rec, const void *ops)
{
	ops_set++;
	return rec->ip == site && ops == &ftrace_nop_ops ? 0 : -EFAULT;
}

void caches_clean_inval_pou(unsigned long start, unsigned long end)
{
	cleaned++;
	cleaned_right = start == site - 4 && end == site && *(u32 *)start == MOV_X9_LR;
}

static struct module module;

/* A function at text[@func] and its two NOPs before that; @bti is 1 if it begins with one. */
static int init_site(struct module *mod, unsigned int func, unsigned int bti, u32 old)
{
	struct dyn_ftrace rec;

	for (unsigned int i = 0; i < NUM_WORDS; i++)
		text[i] = NOP;
	text[func + bti] = old;
	site = (unsigned long)&text[func + bti + 1];
	rec.ip = site;
	cleaned = modified = ops_set = 0;
	cleaned_right = modified_right = false;
	return init_nop(mod, &rec);
}

static const char *test_unformed(unsigned int bti)
{
	u64 literal;
	int err;

	for (unsigned int func = 2; func < NUM_WORDS - 4; func += 2) {
		module.state = MODULE_STATE_UNFORMED;
		err = init_site(&module, func, bti, NOP);
		if (err || modified || ops_set)
			return failure("%d, %u sites and %u literals through a mapping",
				       err, modified, ops_set);
		if (text[func + bti] != MOV_X9_LR)
			return failure("%#x is stored", text[func + bti]);
		memcpy(&literal, &text[func - 2], sizeof(literal));
		if (literal != (unsigned long)&ftrace_nop_ops)
			return failure("the literal of text[%u] is %#lx", func, literal);
		if (cleaned != 1 || !cleaned_right)
			return failure("%u times cleaned, %s", cleaned,
				       cleaned_right ? "right" : "not what is stored");
		for (unsigned int i = 0; i < NUM_WORDS; i++)
			if (text[i] != NOP && i != func + bti && i != func - 1 && i != func - 2)
				return failure("text[%u] is written", i);
	}
	return NULL;
}

/* Everything else goes the old way, and nothing is stored here. */
static const char *test_mapped(struct module *mod)
{
	int err = init_site(mod, 8, 0, NOP);

	if (err != -EPERM || modified != 1 || !modified_right || ops_set != 1)
		return failure("%d, %u sites, %u literals", err, modified, ops_set);
	if (cleaned)
		return "cleaned";
	for (unsigned int i = 0; i < NUM_WORDS; i++)
		if (text[i] != NOP)
			return failure("text[%u] is written", i);
	return NULL;
}

static const char *test_states(void)
{
	static const enum module_state formed[] = { MODULE_STATE_LIVE, MODULE_STATE_COMING,
						    MODULE_STATE_GOING };
	const char *err = NULL;

	for (unsigned int i = 0; i < sizeof(formed) / sizeof(formed[0]) && !err; i++) {
		module.state = formed[i];
		err = test_mapped(&module);
	}
	return err;
}

static const char *test_elsewhere(void)
{
	struct module before = { MODULE_STATE_UNFORMED, 0, (unsigned long)text };
	struct module after = { MODULE_STATE_UNFORMED, (unsigned long)(text + NUM_WORDS), ~0UL };
	const char *err = test_mapped(&before);

	return err ? err : test_mapped(&after);
}

static const char *test_other_insn(void)
{
	int err;

	module.state = MODULE_STATE_UNFORMED;
	err = init_site(&module, 8, 0, OTHER);
	if (err != -EINVAL)
		return failure("%d", err);
	return text[8] != OTHER || cleaned || modified ? "written nevertheless" : NULL;
}

static const char *test_unchecked(void)
{
	unsigned long pc = (unsigned long)&text[8];
	int err;

	init_site(&module, 8, 0, OTHER);
	err = init_code(&module, pc, 0, MOV_X9_LR, false);
	return err || text[8] != MOV_X9_LR || !cleaned_right ? failure("%d", err) : NULL;
}

static const char *test_unaligned(void)
{
	init_site(&module, 8, 0, OTHER);
	return init_code(&module, (unsigned long)&text[8] + 2, 0, NOP, false) != -EPERM ?
	       "stored" : NULL;
}

int main(void)
{
	char name[80];

	ktap_begin();
	for (unsigned int i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		snprintf(name, sizeof(name), "sorting: %s", orders[i].name);
		result(name, test_order(&orders[i]));
	}
	module.start = (unsigned long)text;
	module.end = (unsigned long)(text + NUM_WORDS);
	result("sites of an unformed module: stored and cleaned", test_unformed(0));
	result("the same behind a BTI", test_unformed(1));
	result("sites of formed modules: as before", test_states());
	result("sites of the kernel: as before", test_mapped(NULL));
	result("sites outside of the module: as before", test_elsewhere());
	result("another instruction there: refused", test_other_insn());
	result("another instruction there, not looked at", test_unchecked());
	result("an instruction that is not aligned: as before", test_unaligned());
	return ktap_end();
}
