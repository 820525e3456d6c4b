// SPDX-License-Identifier: GPL-2.0-only
/* The sum of the calls and tail calls in jumps_asm.S. */
#include "plts.h"

static int __init plts_jumps_init(void)
{
	u64 sum = 0;
	unsigned int n;
	int ret;

	for (n = 1; n <= JUMPS_ROUNDS; n++) {
		sum = plts_mix(sum, n);			/* int_sqrt(n * n) */
		sum = plts_mix(sum, 2 * n);		/* gcd(6 * n, 4 * n) */
		sum = plts_mix(sum, n);
		sum = plts_mix(sum, 2 * n);
	}

	ret = plts_check_sites(THIS_MODULE, plts_sites, plts_sites_end);
	if (ret)
		return ret;

	return plts_check_value(THIS_MODULE, "sum of the jumps", plts_jumps(), sum);
}
module_init(plts_jumps_init);

static void __exit plts_jumps_exit(void)
{
}
module_exit(plts_jumps_exit);

MODULE_DESCRIPTION("Module PLT test: JUMP26 and CALL26 to one symbol");
MODULE_LICENSE("GPL");
