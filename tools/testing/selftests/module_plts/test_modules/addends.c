// SPDX-License-Identifier: GPL-2.0-only
/* All of this module is in addends_asm.S. */
#include "plts.h"

static int __init plts_addends_init(void)
{
	return plts_check_sites(THIS_MODULE, plts_sites, plts_sites_end);
}
module_init(plts_addends_init);

static void __exit plts_addends_exit(void)
{
}
module_exit(plts_addends_exit);

MODULE_DESCRIPTION("Module PLT test: branches with addends");
MODULE_LICENSE("GPL");
