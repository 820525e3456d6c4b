// SPDX-License-Identifier: GPL-2.0-only

/*
 * aarch64_insn_encode_immediate() for the fields that relocations fill. It is
 * called with a constant @type, so that two or three instructions are left.
 */
static __always_inline u32 encode_imm(enum aarch64_insn_imm_type type,
				      u32 insn, u64 imm)
{
	u32 mask;

	/* What could not be encoded earlier must stay recognisable. */
	if (insn == AARCH64_BREAK_FAULT)
		return insn;

	switch (type) {
	case AARCH64_INSN_IMM_ADR:
		mask = GENMASK(30, 29) | GENMASK(23, 5);
		imm = (imm & 3) << 29 | (imm >> 2) << 5;
		break;
	case AARCH64_INSN_IMM_12:
		mask = GENMASK(21, 10);
		imm <<= 10;
		break;
	case AARCH64_INSN_IMM_14:
		mask = GENMASK(18, 5);
		imm <<= 5;
		break;
	case AARCH64_INSN_IMM_19:
		mask = GENMASK(23, 5);
		imm <<= 5;
		break;
	case AARCH64_INSN_IMM_26:
		mask = GENMASK(25, 0);
		break;
	default:
		return aarch64_insn_encode_immediate(type, insn, imm);
	}

	return (insn & ~mask) | (imm & mask);
}
