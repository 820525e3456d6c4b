/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODULE_PLTS_SHIM_ASM_TEXT_PATCHING_H
#define MODULE_PLTS_SHIM_ASM_TEXT_PATCHING_H

#include <linux/kernel.h>

void *aarch64_insn_copy(void *dst, void *src, size_t len);

#endif /* MODULE_PLTS_SHIM_ASM_TEXT_PATCHING_H */
