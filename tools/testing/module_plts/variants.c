// SPDX-License-Identifier: GPL-2.0-only
#include "harness.h"

const struct module_plts *const ours[NR_KCONFIGS + 1] = {
	[KASLR] = &ours_kaslr,
	[BIG_REGION] = &ours_big_region,
	[NO_KASLR] = &ours_no_kaslr,
	[NEAR_ONLY] = &ours_kasan,
};

const struct module_plts *const base[NR_KCONFIGS + 1] = {
#ifdef HAVE_BASE
	[KASLR] = &base_kaslr,
	/*
	 * Base plans for branches always, or with KASLR only, which is not enough for
	 * NO_KASLR: it is held against what base plans with KASLR.
	 */
	[BIG_REGION] = &base_kaslr,
	[NO_KASLR] = &base_kaslr,
	[NEAR_ONLY] = &base_kasan,
#endif
};
