// SPDX-License-Identifier: GPL-2.0-only
/* Results of tests, as KTAP. */
#include <stdarg.h>

#include "harness.h"

static unsigned int passed, failed;

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
	printf("%s %u %s\n", err ? "not ok" : "ok", passed + failed + 1, name);
	if (err)
		printf("# %s\n", err);
	/* The next test may be the last. */
	fflush(stdout);
	if (err)
		failed++;
	else
		passed++;
}

int ktap_end(void)
{
	printf("1..%u\n", passed + failed);
	printf("# Totals: pass:%u fail:%u xfail:0 xpass:0 skip:0 error:0\n", passed, failed);
	return failed != 0;
}
