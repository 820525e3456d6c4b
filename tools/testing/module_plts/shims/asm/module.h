/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODULE_PLTS_SHIM_ASM_MODULE_H
#define MODULE_PLTS_SHIM_ASM_MODULE_H

#include <asm/insn.h>
#include <linux/elf.h>

struct mod_plt_sec {
	int plt_shndx, plt_num_entries, plt_max_entries;
};

struct mod_arch_specific {
	struct mod_plt_sec core, init;
};

/* adrp x16, page; add x16, x16, #offset; br x16 */
struct plt_entry {
	__le32 adrp, add, br;
};

struct module;

struct plt_entry get_plt_entry(u64 dst, void *pc);
u64 module_emit_plt_entry(struct module *mod, Elf64_Shdr *sechdrs, void *loc,
			  const Elf64_Rela *rela, Elf64_Sym *sym);
u64 module_emit_veneer_for_adrp(struct module *mod, Elf64_Shdr *sechdrs,
				void *loc, u64 val);

/* For module_finalize(), which is not called here. */
static inline const Elf64_Shdr *find_section(const Elf64_Ehdr *hdr, const Elf64_Shdr *sechdrs,
					     const char *name)
{
	return NULL;
}

#define is_forbidden_offset_for_adrp(place)	\
	(kernel.erratum_843419 && ((u64)(place) & 0xfff) >= 0xff8)

#endif /* MODULE_PLTS_SHIM_ASM_MODULE_H */
