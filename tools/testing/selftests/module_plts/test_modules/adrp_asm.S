/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ADRPs at the page offsets 0xff8 and 0xffc, where Cortex-A53 erratum 843419 can
 * give them a wrong result. There the loader makes an ADRP an ADR if the target is
 * within 1 MB, which data of the module is, and else a branch to a veneer.
 */
#include "macros.S"

	sites_begin

/* Two ADRPs, the first at the page offset 0xff8; the addresses go to *x0. */
	.macro	pair, first, second
	b	1f
	.balign	4096
	.space	0xff8
1:	page	x1, \first
	page	x2, \second
	add	x1, x1, :lo12:\first
	add	x2, x2, :lo12:\second
	stp	x1, x2, [x0], #16
	.endm

	.macro	pairs, name
SYM_FUNC_START(\name)	/* ADRP_SITES of them */
	pair	plts_data, plts_zero
	pair	jiffies, _ctype
	pair	_ctype, plts_data
	pair	plts_zero, jiffies
	ret
SYM_FUNC_END(\name)
	.endm

	.text
	pairs	plts_pairs

	.section .init.text, "ax"
	pairs	plts_pairs_init

	.data
plts_data:
	.quad	1

	.bss
plts_zero:
	.space	8

	sites_end
