// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does planning stay linear whatever the symbols are? Counted are the basic
 * blocks of module-plts.c that run, so the figures are the same on every run:
 * the compiler calls __sanitizer_cov_trace_pc() in each of them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

#define FEW		2000
#define MANY		20000
/* So many that they are divided before they are sorted. */
#define HUGE		200000
/* Blocks a branch; one walk, and four passes for each level of the sort. */
#define MAX_COST	48
/* More blocks a branch for MANY than for FEW, in percent. */
#define MAX_GROWTH	15

static unsigned long blocks;

void __sanitizer_cov_trace_pc(void)
{
	blocks++;
}

static u32 random_u32(void)
{
	static u64 state = 1;

	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return state >> 32;
}

static u32 all_equal(u32 i, u32 num)
{
	return 7;
}

static u32 ascending(u32 i, u32 num)
{
	return i;
}

static u32 descending(u32 i, u32 num)
{
	return num - i;
}

/* A permutation: 7919 divides none of FEW, MANY and HUGE. */
static u32 distinct(u32 i, u32 num)
{
	return i * 7919ull % num;
}

static u32 as_in_drivers(u32 i, u32 num)
{
	return random_u32() % (num / 25);
}

static u32 high_bits(u32 i, u32 num)
{
	return random_u32() & ~0u << 22;
}

static u32 all_bits(u32 i, u32 num)
{
	return random_u32();
}

static u32 two_ends(u32 i, u32 num)
{
	u32 near = random_u32() % num;

	return i % 2 ? near : ~near;
}

/* As many between 2^k and 2^(k+1) for each k: every level has one full bucket. */
static u32 powers(u32 i, u32 num)
{
	return random_u32() >> i % 32;
}

/* Runs of 33, just too long to be sorted by insertion, next to each other. */
static u32 runs(u32 i, u32 num)
{
	return (random_u32() % (num / 33) << 16) + i % 33;
}

static const struct {
	const char *name;
	u32 (*symbol)(u32 i, u32 num);
} cases[] = {
	{ "all equal", all_equal },
	{ "all distinct, sorted", ascending },
	{ "all distinct, reversed", descending },
	{ "all distinct, shuffled", distinct },
	{ "25 calls a symbol", as_in_drivers },
	{ "high bits only", high_bits },
	{ "all 32 bits", all_bits },
	{ "both ends of the range", two_ends },
	{ "all powers of two", powers },
	{ "runs far apart", runs },
};

/* Blocks that planning runs for @num branches; 0 without address space. */
static unsigned long cost(u32 (*symbol)(u32 i, u32 num), u32 num)
{
	Elf64_Rela *relas = calloc(num, sizeof(*relas));
	u32 i;

	if (!relas)
		abort();
	for (i = 0; i < num; i++)
		relas[i].r_info = ELF64_R_INFO((u64)symbol(i, num), R_AARCH64_CALL26);

	blocks = 0;
	if (plan_branches(relas, num) < 0)
		blocks = 0;
	free(relas);
	return blocks;
}

int main(void)
{
	unsigned int i;

	ktap_begin();
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		double few, many, huge;
		const char *err = NULL;

		few = (double)cost(cases[i].symbol, FEW) / FEW;
		many = (double)cost(cases[i].symbol, MANY) / MANY;
		huge = (double)cost(cases[i].symbol, HUGE) / HUGE;
		if (!few) {
			skip(cases[i].name, "no address space");
			continue;
		}
		printf("# %.1f blocks a branch of %u, %.1f of %u, %.1f of %u\n",
		       few, FEW, many, MANY, huge, HUGE);
		if (max(many, huge) > MAX_COST || many * 100 > few * (100 + MAX_GROWTH))
			err = "that is too many";
		result(cases[i].name, err);
	}
	return ktap_end();
}
