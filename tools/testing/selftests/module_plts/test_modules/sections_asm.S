/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Branches from .init.text, .exit.text and a section of its own, to the kernel
 * and between two sections of the module. What .init.text needs is in .init.plt
 * and is gone after init; the core sections share .plt.
 */
#include "macros.S"

	sites_begin

/* The same calls from everywhere: to the kernel and to two sections. */
	.macro	calls
	.set	n, 1
	.rept	SECTIONS_ROUNDS
	mov	x0, #n * n
	call	int_sqrt
	sum_add

	mov	x0, #n
	call	plts_double
	sum_add

	mov	x0, #n
	call	plts_triple
	sum_add
	.set	n, n + 1
	.endr
	.endm

	.section .init.text, "ax"
	sum_begin plts_from_init
	calls
	sum_end	plts_from_init

	.section .exit.text, "ax"
	sum_begin plts_from_exit
	calls
	sum_end	plts_from_exit

	.text
	sum_begin plts_from_text
	calls
	sum_end	plts_from_text

SYM_FUNC_START(plts_double)
	add	x0, x0, x0
	ret
SYM_FUNC_END(plts_double)

	.section .plts.text, "ax"
	sum_begin plts_from_text2
	calls
	sum_end	plts_from_text2

SYM_FUNC_START(plts_triple)
	add	x0, x0, x0, lsl #1
	ret
SYM_FUNC_END(plts_triple)

	sites_end

/*
 * A table of data alone, for the runner: it makes a copy of this module whose
 * RELA section for .plts.lost names no section, and the pointer stays NULL.
 */
	.section .plts.lost, "a"
	.balign	8
	.global	plts_lost
plts_lost:
	.quad	plts_double
