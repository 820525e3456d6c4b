/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODULE_PLTS_SHIM_ELF_H
#define MODULE_PLTS_SHIM_ELF_H

#include <elf.h>

/* The kernel has the number that has been withdrawn; 0 is R_ARM_NONE to it. */
#undef R_AARCH64_NONE
#define R_AARCH64_NONE	256

#define Elf_Ehdr	Elf64_Ehdr
#define Elf_Shdr	Elf64_Shdr
#define Elf_Sym		Elf64_Sym
#define Elf_Rela	Elf64_Rela

#endif /* MODULE_PLTS_SHIM_ELF_H */
