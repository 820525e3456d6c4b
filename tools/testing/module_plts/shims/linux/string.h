/* SPDX-License-Identifier: GPL-2.0-only */
/* String functions of the kernel that libc lacks. */
#ifndef MODULE_PLTS_SHIM_STRING_H
#define MODULE_PLTS_SHIM_STRING_H

#include <stdbool.h>
#include <string.h>

static inline bool strstarts(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

#endif
