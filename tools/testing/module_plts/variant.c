// SPDX-License-Identifier: GPL-2.0-only
/*
 * One module-plts.c, compiled for one kernel configuration. The Makefile sets
 * MODULE_PLTS_C to the file, VARIANT to the name of the result, FAR_BRANCHES to
 * what it has to plan for, and the configuration.
 */
#define JOIN(a, b)			a ## b
#define NAME_IN(variant, name)		JOIN(variant, name)
#define module_frob_arch_sections	NAME_IN(VARIANT, _frob_arch_sections)
#define module_emit_plt_entry		NAME_IN(VARIANT, _emit_plt_entry)
#define module_emit_veneer_for_adrp	NAME_IN(VARIANT, _emit_veneer_for_adrp)
#define get_plt_entry			NAME_IN(VARIANT, _get_plt_entry)

#include "harness.h"
#include MODULE_PLTS_C

const struct module_plts VARIANT = {
	.far_branches = FAR_BRANCHES,
#ifdef MODULE_PLTS_SHIM_ASM_TEXT_PATCHING_H
	.live_patches = true,
#endif
	.plan = module_frob_arch_sections,
	.emit_plt_entry = module_emit_plt_entry,
	.emit_veneer = module_emit_veneer_for_adrp,
};
