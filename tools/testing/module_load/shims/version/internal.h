/* SPDX-License-Identifier: GPL-2.0-only */
/* What version.c takes from kernel/module/internal.h */
#ifndef MODULE_LOAD_INTERNAL_H
#define MODULE_LOAD_INTERNAL_H

#include <linux/module.h>

struct load_info {
	const char *name;
	Elf_Shdr *sechdrs;
	u32 *vers_hash;
	u32 *vers_ext_start;
	unsigned long num_vers_buckets;
	struct {
		unsigned int vers, vers_ext_crc, vers_ext_name;
	} index;
};

struct find_symbol_arg {
	const char *name;
	bool gplok;
	const void *crc;
};

struct modversion_info_ext {
	size_t remaining;
	const u32 *crc;
	const char *name;
};

int try_to_force_load(struct module *mod, const char *reason);
bool find_symbol(struct find_symbol_arg *fsa);
void modversion_ext_start(const struct load_info *info, struct modversion_info_ext *ver);
void modversion_ext_advance(struct modversion_info_ext *ver);

#define for_each_modversion_info_ext(ver, info) \
	for (modversion_ext_start(info, &ver); ver.remaining > 0; modversion_ext_advance(&ver))

#endif
