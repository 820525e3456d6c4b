// SPDX-License-Identifier: GPL-2.0-only
/* What livepatch_patch.c is a live patch for. Its parameter tells if it is patched. */
#include <linux/module.h>

noinline int target_value(void);
noinline int target_plus(int x);
noinline int target_minus(int x);

noinline int target_value(void)
{
	barrier();
	return 0;
}

noinline int target_plus(int x)
{
	barrier();
	return x + 100;
}

noinline int target_minus(int x)
{
	barrier();
	return x - 1;
}

static int value_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d %d %d\n", target_value(), target_plus(0), target_minus(0));
}

static const struct kernel_param_ops value_ops = { .get = value_get };
module_param_cb(value, &value_ops, NULL, 0444);
MODULE_PARM_DESC(value, "0 100 -1, or 298 100 -1 if target_value() is patched");

MODULE_DESCRIPTION("Is patched");
MODULE_LICENSE("GPL");
