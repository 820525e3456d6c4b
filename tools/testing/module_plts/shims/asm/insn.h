/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The instruction encoders module-plts.c calls, defined in encoders.c.  unit.c
 * holds them against the disassembly of binutils.
 */
#ifndef MODULE_PLTS_SHIM_ASM_INSN_H
#define MODULE_PLTS_SHIM_ASM_INSN_H

#include <linux/kernel.h>

/* What an encoder returns for operands that it cannot encode: brk #0x100. */
#define AARCH64_BREAK_FAULT	0xd4202000u

enum aarch64_insn_register {
	AARCH64_INSN_REG_16 = 16,
};

enum aarch64_insn_register_type { AARCH64_INSN_REGTYPE_RD = 4 };
enum aarch64_insn_variant { AARCH64_INSN_VARIANT_64BIT = 1 };
enum aarch64_insn_adsb_type { AARCH64_INSN_ADSB_ADD };
enum aarch64_insn_adr_type { AARCH64_INSN_ADR_TYPE_ADRP, AARCH64_INSN_ADR_TYPE_ADR };
enum aarch64_insn_branch_type {
	AARCH64_INSN_BRANCH_NOLINK,
	AARCH64_INSN_BRANCH_LINK,
};

u32 aarch64_insn_gen_adr(unsigned long pc, unsigned long addr,
			 enum aarch64_insn_register reg,
			 enum aarch64_insn_adr_type type);
u32 aarch64_insn_gen_add_sub_imm(enum aarch64_insn_register dst,
				 enum aarch64_insn_register src, int imm,
				 enum aarch64_insn_variant variant,
				 enum aarch64_insn_adsb_type type);
u32 aarch64_insn_gen_branch_imm(unsigned long pc, unsigned long addr,
				enum aarch64_insn_branch_type type);
u32 aarch64_insn_gen_branch_reg(enum aarch64_insn_register reg,
				enum aarch64_insn_branch_type type);
u32 aarch64_insn_decode_register(enum aarch64_insn_register_type type, u32 insn);
s32 aarch64_insn_adrp_get_offset(u32 insn);

static inline bool aarch64_insn_is_br(u32 code)
{
	return (code & 0xfffffc1f) == 0xd61f0000;
}

#endif /* MODULE_PLTS_SHIM_ASM_INSN_H */
