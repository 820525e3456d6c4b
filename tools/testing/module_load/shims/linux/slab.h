/* SPDX-License-Identifier: GPL-2.0-only */
/* Allocation: what can be large is told from strings, so that either can fail alone. */
#ifndef MODULE_LOAD_SHIM_SLAB_H
#define MODULE_LOAD_SHIM_SLAB_H

#include <linux/kernel.h>

#define GFP_KERNEL		1u
#define __GFP_NOWARN		2u
#define __GFP_ZERO		4u
#define __GFP_NORETRY		8u

void *kernel_alloc(size_t num, size_t size, bool zero, bool index);
char *kernel_strdup(const char *str);
__printf(1, 2)
char *kernel_asprintf(const char *fmt, ...);
void kernel_free(const void *ptr);

#define kmalloc(size, flags)			\
	kernel_alloc(1, size, (flags) & __GFP_ZERO, false)
#define kzalloc(size, flags)			\
	kernel_alloc(1, size, (flags) & ~0u, false)
#define kmalloc_obj(obj, ...)			\
	((typeof(obj) *)kernel_alloc(1, sizeof(obj), false, false))
#define kstrdup(str, flags)			\
	((void)(flags), kernel_strdup(str))
#define kasprintf(flags, fmt, ...)		\
	((void)(flags), kernel_asprintf(fmt, ##__VA_ARGS__))
#define kfree(ptr)		kernel_free(ptr)

#define kmalloc_array(num, size, flags)		\
	kernel_alloc(num, size, (flags) & __GFP_ZERO, true)
#define kcalloc(num, size, flags)		\
	kernel_alloc(num, size, (flags) & ~0u, true)
#define kvmalloc(size, flags)			kmalloc_array(1, size, flags)
#define kvzalloc(size, flags)			kcalloc(1, size, flags)
#define kvmalloc_array(num, size, flags)	kmalloc_array(num, size, flags)
#define kvcalloc(num, size, flags)		kcalloc(num, size, flags)
#define kvfree(ptr)		kernel_free(ptr)

/* As mainline spells some of them */
#define kvmalloc_objs(obj, num, ...)		\
	((typeof(obj) *)kernel_alloc(num, sizeof(obj), false, true))
#define kvzalloc_objs(obj, num, ...)		\
	((typeof(obj) *)kernel_alloc(num, sizeof(obj), true, true))

#endif /* MODULE_LOAD_SHIM_SLAB_H */
