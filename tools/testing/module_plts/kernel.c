// SPDX-License-Identifier: GPL-2.0-only
/*
 * What module-plts.c calls outside itself: instruction encoders, sort(), the
 * section classifier of the module loader, and a log.
 */
#include <stdarg.h>
#include <stdio.h>

#include <asm/insn.h>
#include <linux/moduleloader.h>
#include <linux/sort.h>

struct kernel_state kernel = { .module_unload = true };

void kernel_print(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(kernel.last_message, sizeof(kernel.last_message), fmt, args);
	va_end(args);
	kernel.messages++;
}

bool module_init_layout_section(const char *name)
{
	if (!strncmp(name, ".exit", 5))
		return !kernel.module_unload;

	return !strncmp(name, ".init", 5);
}

/* ADR and ADRP hold a 21-bit immediate: bits 1:0 in 30:29, the others in 23:5. */
u32 aarch64_insn_gen_adr(unsigned long pc, unsigned long addr,
			 enum aarch64_insn_register reg,
			 enum aarch64_insn_adr_type type)
{
	bool page = type == AARCH64_INSN_ADR_TYPE_ADRP;
	s64 imm = page ? (s64)(addr >> 12) - (s64)(pc >> 12) : (s64)(addr - pc);

	if (imm < -(1 << 20) || imm >= 1 << 20)
		return AARCH64_BREAK_FAULT;

	return (page ? 0x90000000 : 0x10000000) | (imm & 3) << 29 |
	       (imm >> 2 & 0x7ffff) << 5 | reg;
}

u32 aarch64_insn_gen_add_sub_imm(enum aarch64_insn_register dst,
				 enum aarch64_insn_register src, int imm,
				 enum aarch64_insn_variant variant,
				 enum aarch64_insn_adsb_type type)
{
	if (imm < 0 || imm > 0xfff)
		return AARCH64_BREAK_FAULT;

	return 0x91000000 | imm << 10 | src << 5 | dst;
}

u32 aarch64_insn_gen_branch_imm(unsigned long pc, unsigned long addr,
				enum aarch64_insn_branch_type type)
{
	s64 offset = addr - pc;

	if (offset & 3 || offset < -SZ_128M || offset >= SZ_128M)
		return AARCH64_BREAK_FAULT;

	return (type == AARCH64_INSN_BRANCH_LINK ? 0x94000000 : 0x14000000) |
	       (offset >> 2 & 0x3ffffff);
}

u32 aarch64_insn_gen_branch_reg(enum aarch64_insn_register reg,
				enum aarch64_insn_branch_type type)
{
	return (type == AARCH64_INSN_BRANCH_LINK ? 0xd63f0000 : 0xd61f0000) | reg << 5;
}

u32 aarch64_insn_decode_register(enum aarch64_insn_register_type type, u32 insn)
{
	return insn & 0x1f;
}

/* As in the kernel the result has 32 bits: offsets of 2 GB and more wrap. */
s32 aarch64_insn_adrp_get_offset(u32 insn)
{
	return ((insn >> 5 & 0x7ffff) << 2 | (insn >> 29 & 3)) << 12;
}

static void swap_bytes(void *a, void *b, int size)
{
	u64 *x = a, *y = b;

	/* sort() is only ever called for RELAs here. */
	for (; size > 0; size -= sizeof(*x), x++, y++)
		swap(*x, *y);
}

/*
 * Heap sort that calls out for each comparison and each exchange, as the kernel's
 * does, so that bench.c charges the base tree the same kind of work.  The path of
 * larger children is followed to a leaf first and climbed back from there, which
 * costs about half the comparisons of testing the parent on every level.
 */
void sort(void *base, size_t num, size_t size,
	  int (*cmp)(const void *a, const void *b),
	  void (*swap_fn)(void *a, void *b, int size))
{
	size_t top = num / 2, end = num, hole, child;
	char *at = base;

	if (!swap_fn)
		swap_fn = swap_bytes;

	while (end > 1) {
		if (top)
			top--;
		else if (--end)
			swap_fn(at, at + end * size, size);

		for (hole = top; (child = 2 * hole + 1) < end; hole = child)
			if (child + 1 < end &&
			    cmp(at + child * size, at + (child + 1) * size) < 0)
				child++;
		while (hole != top && cmp(at + top * size, at + hole * size) >= 0)
			hole = (hole - 1) / 2;
		/* Exchanges along the path from the top move each element up by one. */
		for (child = hole; hole != top;) {
			hole = (hole - 1) / 2;
			swap_fn(at + hole * size, at + child * size, size);
		}
	}
}
