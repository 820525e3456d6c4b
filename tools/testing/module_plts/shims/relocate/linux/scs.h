/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODULE_PLTS_SHIM_RELOCATE_SCS_H
#define MODULE_PLTS_SHIM_RELOCATE_SCS_H

#include <linux/kernel.h>

#define scs_is_dynamic()	false

static inline int __pi_scs_patch(const u8 *eh_frame, ...)
{
	return 0;
}

#endif /* MODULE_PLTS_SHIM_RELOCATE_SCS_H */
