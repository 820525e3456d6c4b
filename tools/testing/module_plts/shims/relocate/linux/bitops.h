/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODULE_PLTS_SHIM_RELOCATE_BITOPS_H
#define MODULE_PLTS_SHIM_RELOCATE_BITOPS_H

#include <linux/kernel.h>

#define BIT(nr)			(1UL << (nr))
#define GENMASK(high, low)	(~0UL >> (63 - (high)) & ~0UL << (low))
#define hweight64(word)		__builtin_popcountl(word)
#define __ffs64(word)		__builtin_ctzl(word)
#define fls64(word)		(64 - __builtin_clzl(word))

static inline s64 sign_extend64(u64 value, int index)
{
	return (s64)(value << (63 - index)) >> (63 - index);
}

#endif /* MODULE_PLTS_SHIM_RELOCATE_BITOPS_H */
