/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODULE_PLTS_SHIM_RELOCATE_ASM_ALTERNATIVE_H
#define MODULE_PLTS_SHIM_RELOCATE_ASM_ALTERNATIVE_H

#include <linux/kernel.h>

#define alternative_has_cap_unlikely(cap)	cpus_have_final_cap(cap)
/* Its name up to 6.4. */
#define alternative_has_feature_unlikely(cap)	cpus_have_final_cap(cap)

static inline int apply_alternatives_module(void *start, size_t length)
{
	return 0;
}

#endif /* MODULE_PLTS_SHIM_RELOCATE_ASM_ALTERNATIVE_H */
