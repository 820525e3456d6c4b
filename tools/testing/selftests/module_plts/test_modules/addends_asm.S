/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Branches with addends. A branch into the middle of a function cannot be
 * executed, so all of this is decoded only.
 *
 * A branch with an addend has a PLT entry of its own, and must not come between
 * branches without one which share theirs.
 */
#include "macros.S"

	sites_begin

	.text

	.global	plts_addends
plts_addends:
	/* No addend, an addend, no addend: in both orders and of both types. */
	call	int_sqrt
	call	int_sqrt, 4
	call	int_sqrt
	jump	gcd, 8
	jump	gcd
	jump	gcd, 8
	call	hex_to_bin, -4
	jump	hex_to_bin
	call	hex_to_bin
	jump	hex_to_bin, -4

	/* Enough entries for some to fall on page offsets which cannot take an ADRP. */
	.set	n, 4
	.rept	ADDENDS_DISTINCT
	call	int_pow, n
	jump	int_pow
	call	strlen
	.set	n, n + 4
	.endr

	/* To a local symbol of another section: the section's symbol and an addend. */
	.rept	3
	call	in_text2
	jump	in_text2_too
	.endr

	.section .plts.text, "ax"
	nop
in_text2:
	ret
in_text2_too:
	ret

	/* One place in two pages in turn: entries which differ in the ADRP alone. */
	.rept	4
	call	gcd, 4
	call	gcd, 4 + 4096
	.endr

	sites_end
