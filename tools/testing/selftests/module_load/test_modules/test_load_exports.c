// SPDX-License-Identifier: GPL-2.0-only
/* Symbols with versions for test_load_imports. */
#include <linux/module.h>

#include "exports.h"

#define EXPORTED(name)				\
	unsigned int name(unsigned int n)	\
	{					\
		return n * 3 + __LINE__;	\
	}					\
	EXPORT_SYMBOL_GPL(name)

EXPORTED(load_export_a);
EXPORTED(load_export_b);
EXPORTED(load_export_c);
EXPORTED(load_export_d);
EXPORTED(load_export_e);
EXPORTED(load_export_whose_name_takes_all_that_an_entry_can_hold);

MODULE_DESCRIPTION("Module load test: exports");
MODULE_LICENSE("GPL");
