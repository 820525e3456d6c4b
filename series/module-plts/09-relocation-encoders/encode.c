// SPDX-License-Identifier: GPL-2.0-only

/* @insn with the low @len bits of @imm in its bits from @lsb on. */
static __always_inline u32 insert_bits(u32 insn, u32 imm, int lsb, int len)
{
	u32 mask = GENMASK(len - 1, 0);

	return (insn & ~(mask << lsb)) | (imm & mask) << lsb;
}

/*
 * aarch64_insn_encode_immediate() for the fields that relocations fill. It is
 * called with a constant @type, so that one to four instructions are left.
 */
static __always_inline u32 encode_imm(enum aarch64_insn_imm_type type,
				      u32 insn, u64 imm)
{
	/* What could not be encoded earlier must stay recognisable. */
	if (insn == AARCH64_BREAK_FAULT)
		return insn;

	switch (type) {
	case AARCH64_INSN_IMM_ADR:
		/* The two low bits are in [30:29], the others in [23:5]. */
		insn = insert_bits(insn, imm >> 2, 5, 19);
		return insert_bits(insn, imm, 29, 2);
	case AARCH64_INSN_IMM_26:
		return insert_bits(insn, imm, 0, 26);
	case AARCH64_INSN_IMM_19:
		return insert_bits(insn, imm, 5, 19);
	case AARCH64_INSN_IMM_16:
		return insert_bits(insn, imm, 5, 16);
	case AARCH64_INSN_IMM_14:
		return insert_bits(insn, imm, 5, 14);
	case AARCH64_INSN_IMM_12:
		return insert_bits(insn, imm, 10, 12);
	default:
		return aarch64_insn_encode_immediate(type, insn, imm);
	}
}
