/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's characters are those of Latin-1, whatever the locale: see kernel.c. */
#ifndef MODULE_LOAD_SHIM_CTYPE_H
#define MODULE_LOAD_SHIM_CTYPE_H

#include <linux/kernel.h>

bool kernel_isdigit(int c);
bool kernel_isalpha(int c);
bool kernel_isspace(int c);

#define isdigit(c)		kernel_isdigit(c)
#define isalpha(c)		kernel_isalpha(c)
#define isalnum(c)		\
	({ int alnum_ = (c); kernel_isalpha(alnum_) || kernel_isdigit(alnum_); })
#define isspace(c)		kernel_isspace(c)

#endif /* MODULE_LOAD_SHIM_CTYPE_H */
