// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions to trace, in the order in which they are called: load_site_first()
 * from the init function, all of them when the parameter is written.
 */
#include <linux/init.h>
#include <linux/module.h>

static noinline int load_site_last(int n)
{
	barrier();
	return n + 3;
}

/* In a section of its own, so that its call site is not in the order of addresses */
static noinline __section(".text.unlikely") int load_site_cold(int n)
{
	barrier();
	return load_site_last(n) + 2;
}

static noinline int load_site_first(int n)
{
	barrier();
	return load_site_cold(n) + 1;
}

static int load_site_set(const char *text, const struct kernel_param *param)
{
	return load_site_first(1) == 7 ? 0 : -EINVAL;
}

static const struct kernel_param_ops load_site_ops = { .set = load_site_set };
module_param_cb(call, &load_site_ops, NULL, 0200);
MODULE_PARM_DESC(call, "call each function once");

static int __init load_site_init(void)
{
	return load_site_first(2) == 8 ? 0 : -EINVAL;
}
module_init(load_site_init);

static void __exit load_site_exit(void)
{
}
module_exit(load_site_exit);

MODULE_DESCRIPTION("Module load test: call sites of the function tracer");
MODULE_LICENSE("GPL");
