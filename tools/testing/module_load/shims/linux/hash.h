/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODULE_LOAD_SHIM_HASH_H
#define MODULE_LOAD_SHIM_HASH_H

#include <linux/kernel.h>

#define GOLDEN_RATIO_32		0x61C88647
#define GOLDEN_RATIO_64		0x61C8864680B583EBull

/* The upper bits of a product; @bits is never 0. */
static inline u32 hash_32(u32 val, unsigned int bits)
{
	return val * GOLDEN_RATIO_32 >> (32 - bits);
}

static inline u32 hash_64(u64 val, unsigned int bits)
{
	return val * GOLDEN_RATIO_64 >> (64 - bits);
}

#define hash_long(val, bits)	hash_64(val, bits)
#define hash_ptr(ptr, bits)	hash_64((unsigned long)(ptr), bits)

/* linux/stringhash.h */
u32 full_name_hash(const void *salt, const char *name, unsigned int len);

#endif /* MODULE_LOAD_SHIM_HASH_H */
