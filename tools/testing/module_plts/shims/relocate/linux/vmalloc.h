/* SPDX-License-Identifier: GPL-2.0-only */
/* For module_alloc(), which is in module.c up to 6.9 and is not called here. */
#ifndef MODULE_PLTS_SHIM_RELOCATE_VMALLOC_H
#define MODULE_PLTS_SHIM_RELOCATE_VMALLOC_H

#include <linux/kernel.h>

#define MODULES_VSIZE		SZ_128M
#define MODULES_END		module_alloc_base
#define MODULE_ALIGN		SZ_4K
#define GFP_KERNEL		0
#define __GFP_NOWARN		0
#define PAGE_KERNEL		0
#define VM_DEFER_KMEMLEAK	0
#define NUMA_NO_NODE		0

typedef unsigned int gfp_t;

static const u64 module_alloc_base;

static inline void *__vmalloc_node_range(unsigned long size, ...)
{
	return NULL;
}

static inline void vfree(const void *addr)
{
}

static inline int kasan_alloc_module_shadow(void *addr, size_t size, gfp_t gfp)
{
	return 0;
}

static inline void *kasan_reset_tag(void *addr)
{
	return addr;
}

#endif /* MODULE_PLTS_SHIM_RELOCATE_VMALLOC_H */
