/* SPDX-License-Identifier: GPL-2.0-only */
/* What version.c of a kernel tree is given by, and gives to, the test. */
#ifndef MODULE_LOAD_VERSION_H
#define MODULE_LOAD_VERSION_H

#include <stddef.h>

struct load_info;
struct module;

void report(const char *format, ...) __attribute__((format(printf, 1, 2)));
int counted_strcmp(const char *a, const char *b);
void *allocate(size_t n, size_t size);
unsigned int hash(const char *name, unsigned int len);

#endif
