// SPDX-License-Identifier: GPL-2.0-only
/* The addresses which the ADRPs in adrp_asm.S compute: those in the table of sites. */
#include "plts.h"

static int __init check(const char *what, const unsigned long *addr,
			const struct plts_site *site)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ADRP_SITES && !ret; i++)
		ret = plts_check_value(THIS_MODULE, what, addr[i], site[i].target);

	return ret;
}

static int __init plts_adrp_init(void)
{
	unsigned long addr[ADRP_SITES] = {};
	int ret;

	ret = plts_check_sites(THIS_MODULE, plts_sites, plts_sites_end);
	if (ret)
		return ret;

	plts_pairs(addr);
	ret = check("ADRPs of .text", addr, plts_sites);
	if (ret)
		return ret;

	plts_pairs_init(addr);
	return check("ADRPs of .init.text", addr, plts_sites + ADRP_SITES);
}
module_init(plts_adrp_init);

static void __exit plts_adrp_exit(void)
{
}
module_exit(plts_adrp_exit);

MODULE_DESCRIPTION("Module PLT test: ADRPs at page offsets 0xff8 and 0xffc");
MODULE_LICENSE("GPL");
