/* SPDX-License-Identifier: GPL-2.0-only */
/* The assembly side of plts.h: macros for the other assembly files to include. */
#include <linux/linkage.h>

#include "plts.h"

/*
 * The table of sites stands in a section of its own, from which modpost lets any
 * section be referred to: also .init.text and .exit.text.
 */
	.macro	sites_begin
	.pushsection .plts.sites, "a"
	.balign	8
	.global	plts_sites
plts_sites:
	.popsection
	.endm

	.macro	sites_end
	.pushsection .plts.sites, "a"
	.global	plts_sites_end
plts_sites_end:
	.popsection
	.endm

/* Record the next instruction, whose operand is @target. */
	.macro	site, kind, target
9999:
	.pushsection .plts.sites, "a"
	.quad	9999b, \target, \kind
	.popsection
	.endm

	.macro	call, sym, addend=0
	site	PLTS_BL, \sym + \addend
	bl	\sym + \addend
	.endm

	.macro	jump, sym, addend=0
	site	PLTS_B, \sym + \addend
	b	\sym + \addend
	.endm

	.macro	page, reg, sym
	site	PLTS_ADRP, \sym
	adrp	\reg, \sym
	.endm

/* A function which returns the sum of what it calls: plts_mix() in assembly. */
	.macro	sum_begin, name
SYM_FUNC_START(\name)
	stp	x29, x30, [sp, #-32]!
	mov	x29, sp
	stp	x19, x20, [sp, #16]
	mov	x19, #0
	mov	x20, #PLTS_MIX
	.endm

	.macro	sum_add
	madd	x19, x19, x20, x0
	.endm

	.macro	sum_end, name
	mov	x0, x19
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #32
	ret
SYM_FUNC_END(\name)
	.endm
