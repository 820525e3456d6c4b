// SPDX-License-Identifier: GPL-2.0-only
/*
 * What module-plts.c calls outside itself, but for the encoders of instructions:
 * sort(), the section classifier of the module loader, and a log.
 */
#include <stdarg.h>
#include <stdio.h>

#include <linux/moduleloader.h>
#include <linux/sort.h>

#include <asm/text-patching.h>

struct kernel_state kernel = { .module_unload = true };

void kernel_print(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(kernel.last_message, sizeof(kernel.last_message), fmt, args);
	va_end(args);
	kernel.last_message[strcspn(kernel.last_message, "\n")] = '\0';
	kernel.messages++;
}

void *aarch64_insn_copy(void *dst, void *src, size_t len)
{
	kernel.copies++;
	return memcpy(dst, src, len);
}

bool module_init_layout_section(const char *name)
{
	if (!strncmp(name, ".exit", 5))
		return !kernel.module_unload;

	return !strncmp(name, ".init", 5);
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
