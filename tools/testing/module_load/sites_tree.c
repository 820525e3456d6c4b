// SPDX-License-Identifier: GPL-2.0-only
/* The functions of a tree that deal with call sites, as csource.py cuts them out. */
#include "sites.h"

#include "sites_insn.h"

#include "sites_sort.inc"
#include "sites_code.inc"
#include "sites_ops.inc"
#include "sites_nop.inc"

void sort_ips(unsigned long *start, unsigned long count)
{
	ftrace_sort_ips(start, count);
}

int init_nop(struct module *mod, struct dyn_ftrace *rec)
{
	return ftrace_init_nop(mod, rec);
}

int init_code(const struct module *mod, unsigned long pc, u32 old, u32 new, bool validate)
{
	return ftrace_init_code(mod, pc, old, new, validate);
}
