/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODULE_PLTS_SHIM_MODULELOADER_H
#define MODULE_PLTS_SHIM_MODULELOADER_H

#include <linux/module.h>

int module_frob_arch_sections(Elf_Ehdr *ehdr, Elf_Shdr *sechdrs,
			      char *secstrings, struct module *mod);
bool module_init_layout_section(const char *name);

#endif /* MODULE_PLTS_SHIM_MODULELOADER_H */
