/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tail branches and calls to the same symbols. gcc makes next to no tail branch
 * when it keeps frame pointers, so they are written here.
 */
#include "macros.S"

	sites_begin

	.text

/* Call a B to @sym, which thus returns to behind the BL. */
	.macro	tail, sym
	bl	1f
	b	2f
1:	jump	\sym
2:
	.endm

	sum_begin plts_jumps
	.set	n, 1
	.rept	JUMPS_ROUNDS
	mov	x0, #n * n
	tail	int_sqrt
	sum_add

	mov	x0, #6 * n
	mov	x1, #4 * n
	call	gcd
	sum_add

	mov	x0, #n * n
	call	int_sqrt
	sum_add

	mov	x0, #6 * n
	mov	x1, #4 * n
	tail	gcd
	sum_add
	.set	n, n + 1
	.endr
	sum_end plts_jumps

	sites_end
