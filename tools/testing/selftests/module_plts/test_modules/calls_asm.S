/* SPDX-License-Identifier: GPL-2.0-only */
/* A few callees, called many times: each needs one PLT entry. */
#include "macros.S"

	sites_begin

	.text

	sum_begin plts_calls
	.set	n, 1
	.rept	CALLS_ROUNDS
	mov	x0, #n * n
	call	int_sqrt
	sum_add

	mov	x0, #6 * n
	mov	x1, #4 * n
	call	gcd
	sum_add

	mov	w0, #'0' + n % 10
	call	hex_to_bin
	sum_add

	mov	x0, #n
	mov	w1, #3
	call	int_pow
	sum_add

	adr	x0, text + n % 8
	call	strlen
	sum_add
	.set	n, n + 1
	.endr
	sum_end plts_calls

text:
	.asciz	"12345678"
	.balign	4

	sites_end
