// SPDX-License-Identifier: GPL-2.0-only
#include "harness.h"

const struct module_plts *const ours[NR_KCONFIGS] = {
	[KASLR] = &ours_kaslr,
	[BIG_REGION] = &ours_big_region,
	[NO_KASLR] = &ours_no_kaslr,
};

const struct module_plts *const base[NR_KCONFIGS] = {
#ifdef HAVE_BASE
	[KASLR] = &base_kaslr,
	/* Base either plans for branches always or with KASLR: it has no third case. */
	[BIG_REGION] = &base_kaslr,
	[NO_KASLR] = &base_no_kaslr,
#endif
};
