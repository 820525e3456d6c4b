/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODULE_PLTS_SHIM_SORT_H
#define MODULE_PLTS_SHIM_SORT_H

#include <linux/kernel.h>

void sort(void *base, size_t num, size_t size,
	  int (*cmp)(const void *a, const void *b),
	  void (*swap_fn)(void *a, void *b, int size));

#endif /* MODULE_PLTS_SHIM_SORT_H */
