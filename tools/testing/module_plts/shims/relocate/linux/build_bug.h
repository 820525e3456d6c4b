/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODULE_PLTS_SHIM_RELOCATE_BUILD_BUG_H
#define MODULE_PLTS_SHIM_RELOCATE_BUILD_BUG_H

#include <assert.h>

#define BUILD_BUG_ON(condition)	static_assert(!(condition), #condition)

#endif /* MODULE_PLTS_SHIM_RELOCATE_BUILD_BUG_H */
