/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODULE_PLTS_SHIM_RELOCATE_BUG_H
#define MODULE_PLTS_SHIM_RELOCATE_BUG_H

#include <linux/kernel.h>

#define BUG()			__builtin_trap()
#define BUG_ON(condition)	do { if (condition) BUG(); } while (0)

#endif /* MODULE_PLTS_SHIM_RELOCATE_BUG_H */
