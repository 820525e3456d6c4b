// SPDX-License-Identifier: GPL-2.0-only
/* The sum of the calls in calls_asm.S, from what each function is defined to give. */
#include "plts.h"

static int __init plts_calls_init(void)
{
	u64 sum = 0;
	unsigned int n;
	int ret;

	for (n = 1; n <= CALLS_ROUNDS; n++) {
		sum = plts_mix(sum, n);			/* int_sqrt(n * n) */
		sum = plts_mix(sum, 2 * n);		/* gcd(6 * n, 4 * n) */
		sum = plts_mix(sum, n % 10);		/* hex_to_bin() */
		sum = plts_mix(sum, n * n * n);		/* int_pow(n, 3) */
		sum = plts_mix(sum, 8 - n % 8);		/* strlen() */
	}

	ret = plts_check_sites(THIS_MODULE, plts_sites, plts_sites_end);
	if (ret)
		return ret;

	return plts_check_value(THIS_MODULE, "sum of the calls", plts_calls(), sum);
}
module_init(plts_calls_init);

static void __exit plts_calls_exit(void)
{
}
module_exit(plts_calls_exit);

MODULE_DESCRIPTION("Module PLT test: few callees, many calls");
MODULE_LICENSE("GPL");
