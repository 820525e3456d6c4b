/* SPDX-License-Identifier: GPL-2.0-only */
/* What a tree does with the call sites of a module, and what that calls. */
#ifndef MODULE_LOAD_SITES_H
#define MODULE_LOAD_SITES_H

#include "kernel.h"

/* Of the tree */
void sort_ips(unsigned long *start, unsigned long count);
int init_nop(struct module *mod, struct dyn_ftrace *rec);
int init_code(const struct module *mod, unsigned long pc, u32 old, u32 new, bool validate);

/* Of the test */
extern u64 ftrace_nop_ops;
int ftrace_cmp_ips(const void *a, const void *b);
void sort(void *base, size_t num, size_t size, int (*cmp)(const void *, const void *),
	  void *swap);
int ftrace_modify_code(unsigned long pc, u32 old, u32 new, bool validate);
int ftrace_rec_set_ops(const struct dyn_ftrace *rec, const void *ops);
void caches_clean_inval_pou(unsigned long start, unsigned long end);

#endif
