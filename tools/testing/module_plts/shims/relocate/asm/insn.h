/* SPDX-License-Identifier: GPL-2.0-only */
/* The base tree's own, since its lib/insn.c is compiled too. */
#include <arch/arm64/include/asm/insn.h>
