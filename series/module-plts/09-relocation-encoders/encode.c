// SPDX-License-Identifier: GPL-2.0-only

/*
 * aarch64_insn_encode_immediate() for the fields that relocations fill. It is
 * called with a constant @type, so that two or three instructions are left.
 */
static __always_inline u32 encode_imm(enum aarch64_insn_imm_type type,
				      u32 insn, u64 imm)
{
	unsigned int lsb, len;
	u32 mask;

	/* What could not be encoded earlier must stay recognisable. */
	if (insn == AARCH64_BREAK_FAULT)
		return insn;

	switch (type) {
	case AARCH64_INSN_IMM_ADR:
		/* The two low bits are in [30:29], the others in [23:5]. */
		insn &= ~GENMASK(30, 29);
		insn |= (imm & 3) << 29;
		imm >>= 2;
		fallthrough;
	case AARCH64_INSN_IMM_19:
		lsb = 5;
		len = 19;
		break;
	case AARCH64_INSN_IMM_14:
		lsb = 5;
		len = 14;
		break;
	case AARCH64_INSN_IMM_12:
		lsb = 10;
		len = 12;
		break;
	case AARCH64_INSN_IMM_26:
		lsb = 0;
		len = 26;
		break;
	default:
		return aarch64_insn_encode_immediate(type, insn, imm);
	}

	mask = GENMASK(lsb + len - 1, lsb);
	return (insn & ~mask) | (imm << lsb & mask);
}
