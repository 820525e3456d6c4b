// SPDX-License-Identifier: GPL-2.0-only
/* What the code under test calls outside itself, and what tests control of it. */
#define KERNEL_C

#include <stdarg.h>
#include <stdlib.h>

#include "harness.h"

#include <linux/ctype.h>
#include <linux/hash.h>
#include <linux/slab.h>
#include <linux/string.h>

struct kernel_state kernel;

/* Blocks that have been allocated and not been freed. */
static const void **live;
static size_t nr_live, max_live;

void *kernel_alloc(size_t num, size_t size, bool zero, bool index)
{
	void *ptr;

	kernel.allocations++;
	if (index)
		kernel.index_bytes += num * size;
	if (index && kernel.fail_index)
		return NULL;
	if (kernel.fail_every && kernel.allocations % kernel.fail_every == 0)
		return NULL;

	ptr = malloc(num * size);
	if (nr_live == max_live) {
		max_live = 2 * max_live + 64;
		live = realloc(live, max_live * sizeof(*live));
	}
	if (!ptr || !live)
		abort();
	/* Not what is there by chance */
	memset(ptr, zero ? 0 : 0xa5, num * size);
	live[nr_live++] = ptr;
	return ptr;
}

char *kernel_strdup(const char *str)
{
	size_t size = strlen(str) + 1;
	char *copy = kernel_alloc(1, size, false, false);

	kernel.bytes += 2 * size;
	return copy ? memcpy(copy, str, size) : NULL;
}

char *kernel_asprintf(const char *fmt, ...)
{
	va_list args;
	size_t size;
	char *str;

	va_start(args, fmt);
	size = vsnprintf(NULL, 0, fmt, args) + 1;
	va_end(args);
	kernel.bytes += 2 * size;
	str = kernel_alloc(1, size, false, false);
	if (!str)
		return NULL;

	va_start(args, fmt);
	vsnprintf(str, size, fmt, args);
	va_end(args);
	return str;
}

bool kernel_is_live(const void *ptr)
{
	size_t i;

	for (i = nr_live; i; i--)
		if (live[i - 1] == ptr)
			return true;
	return false;
}

size_t kernel_live(void)
{
	return nr_live;
}

void kernel_free(const void *ptr)
{
	size_t i = nr_live;

	if (!ptr)
		return;
	while (i && live[i - 1] != ptr)
		i--;
	if (!i) {
		fprintf(stderr, "kfree() of what is not allocated\n");
		abort();
	}
	live[i - 1] = live[--nr_live];
	free((void *)ptr);
}

void kernel_free_all(void)
{
	while (nr_live)
		free((void *)live[--nr_live]);
}

void kernel_reset(void)
{
	unsigned int run = kernel.run + 1;

	memset(&kernel, 0, sizeof(kernel));
	kernel.run = run;
}

/* linux/ctype.h */

bool kernel_isdigit(int c)
{
	return c >= '0' && c <= '9';
}

bool kernel_isalpha(int c)
{
	c = (u8)c;
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		(c >= 0xc0 && c != 0xd7 && c != 0xf7);
}

bool kernel_isspace(int c)
{
	c = (u8)c;
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xa0;
}

/* linux/string.h and linux/stringhash.h */

u32 full_name_hash(const void *salt, const char *name, unsigned int len)
{
	u32 hash = (unsigned long)salt;
	unsigned int i;

	kernel.bytes += len;
	for (i = 0; i < len; i++)
		hash = (hash + (u8)name[i]) * 0x61C88647;
	return hash;
}

size_t kernel_strlen(const char *s)
{
	size_t len = strlen(s);

	kernel.bytes += len + 1;
	return len;
}

int kernel_strncmp(const char *a, const char *b, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		kernel.bytes++;
		if (a[i] != b[i])
			return (u8)a[i] < (u8)b[i] ? -1 : 1;
		if (!a[i])
			break;
	}
	return 0;
}

int kernel_strcmp(const char *a, const char *b)
{
	return kernel_strncmp(a, b, SIZE_MAX);
}

int kernel_memcmp(const void *a, const void *b, size_t len)
{
	kernel.bytes += len;
	return memcmp(a, b, len);
}

char *kernel_strchr(const char *s, int c)
{
	char *found = strchr(s, c);

	kernel.bytes += (found ? (size_t)(found - s) : strlen(s)) + 1;
	return found;
}

char *kernel_strstr(const char *s, const char *what)
{
	char *found = strstr(s, what);

	kernel.bytes += found ? (size_t)(found - s) + strlen(what) : strlen(s) + 1;
	return found;
}

char *kernel_strpbrk(const char *s, const char *set)
{
	size_t len = strcspn(s, set);

	kernel.bytes += len + 1;
	return s[len] ? (char *)s + len : NULL;
}

char *kernel_skip_spaces(const char *s)
{
	while (kernel_isspace(*s)) {
		kernel.bytes++;
		s++;
	}
	return (char *)s;
}

char *kernel_strcpy(char *to, const char *from)
{
	kernel_memmove(to, from, strlen(from) + 1);
	return to;
}

void *kernel_memmove(void *to, const void *from, size_t len)
{
	kernel.bytes += len;
	return memmove(to, from, len);
}

/* kernel/trace/trace_events_filter.c: what a filter compares a field of @type as. */
int filter_assign_type(const char *type)
{
	bool chars = strstr(type, "char");

	if (chars && strstr(type, "__data_loc"))
		return FILTER_DYN_STRING;
	if (chars && strstr(type, "__rel_loc"))
		return FILTER_RDYN_STRING;
	if (chars && strchr(type, '['))
		return FILTER_STATIC_STRING;
	if (!strcmp(type, "char *") || !strcmp(type, "const char *"))
		return FILTER_PTR_STRING;
	return FILTER_OTHER;
}
