// SPDX-License-Identifier: GPL-2.0-only
/* Branches from and between several sections: see sections_asm.S. */
#include <linux/init.h>

#include "plts.h"

static unsigned int lost;
module_param(lost, uint, 0444);
MODULE_PARM_DESC(lost, "1 if the RELA section for .plts.lost was not applied");

/* What each of the functions gives. */
static u64 sum;

static int __init plts_sections_init(void)
{
	unsigned int n;
	int ret;

	for (n = 1; n <= SECTIONS_ROUNDS; n++) {
		sum = plts_mix(sum, n);			/* int_sqrt(n * n) */
		sum = plts_mix(sum, 2 * n);		/* plts_double(n) */
		sum = plts_mix(sum, 3 * n);		/* plts_triple(n) */
	}

	/* Relocated to &plts_double unless its RELA section was passed over. */
	lost = !READ_ONCE(plts_lost);

	ret = plts_check_sites(THIS_MODULE, plts_sites, plts_sites_end);
	if (ret)
		return ret;

	ret = plts_check_value(THIS_MODULE, ".init.text", plts_from_init(), sum);
	if (ret)
		return ret;

	ret = plts_check_value(THIS_MODULE, ".text", plts_from_text(), sum);
	if (ret)
		return ret;

	return plts_check_value(THIS_MODULE, ".plts.text", plts_from_text2(), sum);
}
module_init(plts_sections_init);

static void __exit plts_sections_exit(void)
{
	plts_exit_checked(!plts_check_value(THIS_MODULE, ".exit.text",
					    plts_from_exit(), sum));
}
module_exit(plts_sections_exit);

MODULE_DESCRIPTION("Module PLT test: branches from and between sections");
MODULE_LICENSE("GPL");
