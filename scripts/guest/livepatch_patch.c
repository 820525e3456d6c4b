// SPDX-License-Identifier: GPL-2.0-only
/*
 * A live patch whose function calls others of the module that it is for. The
 * script livepatch makes relocations of a live patch of these calls.
 */
#include <linux/livepatch.h>
#include <linux/module.h>

int target_plus(int x);
int target_minus(int x);

static noinline int patched_value(void)
{
	int x = target_plus(0);

	x = target_minus(x);
	x = target_plus(x);
	x = target_minus(x);

	return target_plus(x);
}

static struct klp_func funcs[] = {
	{ .old_name = "target_value", .new_func = patched_value },
	{ }
};

static struct klp_object objects[] = {
	{ .name = "livepatch_target", .funcs = funcs },
	{ }
};

static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objects };

static int __init patch_init(void)
{
	return klp_enable_patch(&patch);
}
module_init(patch_init);

static void __exit patch_exit(void)
{
}
module_exit(patch_exit);

MODULE_DESCRIPTION("Live patch for livepatch_target");
MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
