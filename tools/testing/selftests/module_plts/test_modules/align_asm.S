/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ADRPs at the offsets 0x8, 0x18 ... 0xfe8 of a section: the loader plans no veneer
 * for them but aligns the section to 4 KB, which keeps them off 0xff8. Wherever else
 * the section starts, one of them is there, too far from its target for an ADR.
 */
#include "macros.S"

	sites_begin

	.section .plts.text, "ax"
	.balign	16
adrps:
	nop
	nop
	.rept	ALIGN_ADRPS
	page	x0, jiffies
	add	x0, x0, :lo12:jiffies
	sum_add
	nop
	.endr
	ret

	/* Behind them, for their offsets. */
	sum_begin plts_align
	bl	adrps
	sum_end	plts_align

	sites_end
