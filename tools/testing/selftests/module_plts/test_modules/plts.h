/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the test modules share. Their assembly records every branch and every ADRP
 * under test in a table of sites; test_plts_lib decodes each site as the loader
 * left it and compares where it leads with where it was meant to lead.
 */
#ifndef PLTS_H
#define PLTS_H

/* The kinds of site: the instruction which was assembled there. */
#define PLTS_B		0
#define PLTS_BL		1
#define PLTS_ADRP	2

/* The factor of the sums: odd, so that none of the earlier terms is lost. */
#define PLTS_MIX	33

/* How often the assembly repeats its calls; the C code computes the same sums. */
#define CALLS_ROUNDS	100
#define JUMPS_ROUNDS	50
#define SECTIONS_ROUNDS	20

/* Slots of 12 bytes fall on every page offset that is a multiple of 4 once in 1024. */
#define ADDENDS_DISTINCT 1100

/* ADRPs in each of two sections. */
#define ADRP_SITES	8

/* ADRPs 16 bytes apart in 4 KB, without the last. */
#define ALIGN_ADRPS	255

#ifndef __ASSEMBLER__

#include <linux/module.h>
#include <linux/types.h>

/**
 * struct plts_site - a branch or an ADRP under test
 * @place: its address
 * @target: the address it is to lead to; of an ADRP, any address in the page
 * @kind: PLTS_B, PLTS_BL or PLTS_ADRP
 */
struct plts_site {
	unsigned long place;
	unsigned long target;
	unsigned long kind;
};

/* The table of the module: macros.S */
extern const struct plts_site plts_sites[];
extern const struct plts_site plts_sites_end[];

/* test_plts_lib.c */
int plts_check_sites(const struct module *mod, const struct plts_site *first,
		     const struct plts_site *end);
int plts_check_value(const struct module *mod, const char *what, u64 got, u64 want);
void plts_exit_checked(bool good);

/* calls_asm.S */
u64 plts_calls(void);

/* jumps_asm.S */
u64 plts_jumps(void);

/* sections_asm.S */
u64 plts_from_init(void);
u64 plts_from_exit(void);
u64 plts_from_text(void);
u64 plts_from_text2(void);
extern const void *const plts_lost;

/* adrp_asm.S: each writes the addresses it computes to @addr. */
void plts_pairs(unsigned long *addr);
void plts_pairs_init(unsigned long *addr);

/* align_asm.S */
u64 plts_align(void);

/* A sum in which the order of the terms counts, so no error makes up for another. */
static inline u64 plts_mix(u64 sum, u64 term)
{
	return sum * PLTS_MIX + term;
}

#endif /* __ASSEMBLER__ */

#endif /* PLTS_H */
