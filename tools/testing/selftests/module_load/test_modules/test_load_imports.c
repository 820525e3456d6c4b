// SPDX-License-Identifier: GPL-2.0-only
/* Has a version of each symbol of test_load_exports, for versions.py to spoil. */
#include <linux/module.h>

#include "exports.h"

static unsigned int __used load_imports_sum(unsigned int n)
{
	n = load_export_a(n);
	n += load_export_b(n);
	n += load_export_c(n);
	n += load_export_d(n);
	n += load_export_e(n);
	return n + load_export_whose_name_takes_all_that_an_entry_can_hold(n);
}

MODULE_DESCRIPTION("Module load test: imports");
MODULE_LICENSE("GPL");
