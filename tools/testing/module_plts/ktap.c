// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>

#include "ktap.h"

static unsigned int passed, failed, skipped;

const char *failure(const char *fmt, ...)
{
	static char text[2048];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return text;
}

void ktap_begin(void)
{
	printf("KTAP version 1\n");
}

void result(const char *name, const char *err)
{
	printf("%s %u %s\n", err ? "not ok" : "ok", passed + failed + skipped + 1, name);
	if (err)
		printf("# %s\n", err);
	if (err)
		failed++;
	else
		passed++;
	/* The next test may be the last. */
	fflush(stdout);
}

void skip(const char *name, const char *reason)
{
	printf("ok %u %s # SKIP %s\n", passed + failed + ++skipped, name, reason);
}

int ktap_end(void)
{
	printf("1..%u\n", passed + failed + skipped);
	printf("# Totals: pass:%u fail:%u xfail:0 xpass:0 skip:%u error:0\n",
	       passed, failed, skipped);
	return failed != 0;
}
