/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODULE_PLTS_SHIM_MODULE_H
#define MODULE_PLTS_SHIM_MODULE_H

#include <asm/module.h>

enum module_state {
	MODULE_STATE_LIVE, MODULE_STATE_COMING, MODULE_STATE_GOING, MODULE_STATE_UNFORMED,
};

struct module {
	enum module_state state;
	char name[56];
	struct mod_arch_specific arch;
	struct {
		void *base;
		unsigned int size;
	} init_layout;
};

static inline bool within_module_init(unsigned long addr, const struct module *mod)
{
	return addr - (unsigned long)mod->init_layout.base < mod->init_layout.size;
}

#endif /* MODULE_PLTS_SHIM_MODULE_H */
