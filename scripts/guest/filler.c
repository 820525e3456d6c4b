// SPDX-License-Identifier: GPL-2.0-only
/* A module that takes room: fill.py makes others of it, each with a size of its own. */
#include <linux/module.h>

char filler_space[1];

static int __init filler_init(void)
{
	return 0;
}
module_init(filler_init);

static void __exit filler_exit(void)
{
}
module_exit(filler_exit);

MODULE_DESCRIPTION("Takes room in the module region");
MODULE_LICENSE("GPL");
