/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * String functions that count what they read, see kernel.c; also because the
 * kernel's strcpy() may be given strings that overlap.
 */
#ifndef MODULE_LOAD_SHIM_STRING_H
#define MODULE_LOAD_SHIM_STRING_H

#include <linux/kernel.h>

size_t kernel_strlen(const char *s);
int kernel_strcmp(const char *a, const char *b);
int kernel_strncmp(const char *a, const char *b, size_t len);
int kernel_memcmp(const void *a, const void *b, size_t len);
char *kernel_strchr(const char *s, int c);
char *kernel_strstr(const char *s, const char *what);
char *kernel_strpbrk(const char *s, const char *set);
char *kernel_skip_spaces(const char *s);
char *kernel_strcpy(char *to, const char *from);
void *kernel_memmove(void *to, const void *from, size_t len);

/* kernel.c, which defines them, calls those of the C library. */
#ifndef KERNEL_C
#define strlen(s)		kernel_strlen(s)
#define strcmp(a, b)		kernel_strcmp(a, b)
#define strncmp(a, b, len)	kernel_strncmp(a, b, len)
#define memcmp(a, b, len)	kernel_memcmp(a, b, len)
#define strchr(s, c)		kernel_strchr(s, c)
#define strstr(s, what)		kernel_strstr(s, what)
#define strpbrk(s, set)		kernel_strpbrk(s, set)
#define skip_spaces(s)		kernel_skip_spaces(s)
#define strcpy(to, from)	kernel_strcpy(to, from)
#define memmove(to, from, len)	kernel_memmove(to, from, len)
#define memcpy(to, from, len)	kernel_memmove(to, from, len)
#endif /* KERNEL_C */

#endif /* MODULE_LOAD_SHIM_STRING_H */
