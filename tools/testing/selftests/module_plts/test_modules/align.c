// SPDX-License-Identifier: GPL-2.0-only
/* The sum of what the ADRPs in align_asm.S give. */
#include "plts.h"

static int __init plts_align_init(void)
{
	u64 sum = 0;
	unsigned int n;
	int ret;

	for (n = 0; n < ALIGN_ADRPS; n++)
		sum = plts_mix(sum, plts_sites[n].target);

	ret = plts_check_sites(THIS_MODULE, plts_sites, plts_sites_end);
	if (ret)
		return ret;

	return plts_check_value(THIS_MODULE, "sum of the ADRPs", plts_align(), sum);
}
module_init(plts_align_init);

static void __exit plts_align_exit(void)
{
}
module_exit(plts_align_exit);

MODULE_DESCRIPTION("Module PLT test: ADRPs which need their section aligned");
MODULE_LICENSE("GPL");
