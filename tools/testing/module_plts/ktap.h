/* SPDX-License-Identifier: GPL-2.0-only */
/* Results of tests, as KTAP. */
#ifndef KTAP_H
#define KTAP_H

/* The text of a failed check, good until the next call. */
__attribute__((format(printf, 1, 2)))
const char *failure(const char *fmt, ...);

void ktap_begin(void);
/* One test point; @err is NULL, or what is wrong. */
void result(const char *name, const char *err);
void skip(const char *name, const char *reason);
/* Plan and totals. Return: what to exit with. */
int ktap_end(void);

#endif
