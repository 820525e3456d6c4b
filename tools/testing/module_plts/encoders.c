// SPDX-License-Identifier: GPL-2.0-only
/* The encoders of instructions that module-plts.c calls. */
#include <stdlib.h>

#include <asm/insn.h>

/* ADR and ADRP hold a 21-bit immediate: bits 1:0 in 30:29, the others in 23:5. */
u32 aarch64_insn_gen_adr(unsigned long pc, unsigned long addr,
			 enum aarch64_insn_register reg,
			 enum aarch64_insn_adr_type type)
{
	bool page = type == AARCH64_INSN_ADR_TYPE_ADRP;
	/* As in the kernel this has 32 bits: far enough away is near again */
	s32 imm = page ? (addr - ALIGN_DOWN(pc, SZ_4K)) >> 12 : addr - pc;

	if (imm < -(1 << 20) || imm >= 1 << 20)
		return AARCH64_BREAK_FAULT;

	return (page ? 0x90000000 : 0x10000000) | (imm & 3) << 29 |
	       (imm >> 2 & 0x7ffff) << 5 | reg;
}

u32 aarch64_insn_gen_add_sub_imm(enum aarch64_insn_register dst,
				 enum aarch64_insn_register src, int imm,
				 enum aarch64_insn_variant variant,
				 enum aarch64_insn_adsb_type type)
{
	if (imm < 0 || imm > 0xfff)
		return AARCH64_BREAK_FAULT;

	return 0x91000000 | imm << 10 | src << 5 | dst;
}

u32 aarch64_insn_gen_branch_imm(unsigned long pc, unsigned long addr,
				enum aarch64_insn_branch_type type)
{
	s64 offset = addr - pc;

	if (offset & 3 || offset < -SZ_128M || offset >= SZ_128M)
		return AARCH64_BREAK_FAULT;

	return (type == AARCH64_INSN_BRANCH_LINK ? 0x94000000 : 0x14000000) |
	       (offset >> 2 & 0x3ffffff);
}

u32 aarch64_insn_gen_branch_reg(enum aarch64_insn_register reg,
				enum aarch64_insn_branch_type type)
{
	return (type == AARCH64_INSN_BRANCH_LINK ? 0xd63f0000 : 0xd61f0000) | reg << 5;
}

u32 aarch64_insn_decode_register(enum aarch64_insn_register_type type, u32 insn)
{
	return insn & 0x1f;
}

/* As in the kernel it has to be an ADRP, and offsets of 2 GB and more wrap. */
s32 aarch64_insn_adrp_get_offset(u32 insn)
{
	if ((insn & 0x9f000000) != 0x90000000)
		abort();
	return ((insn >> 5 & 0x7ffff) << 2 | (insn >> 29 & 3)) << 12;
}
