// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a trace_events.c has from behind __register_event() to the end of
 * trace_event_update_all(), with what it has before. The Makefile sets EVENTS_C
 * to the file with the first, and VARIANT to the name of the result.
 */
#define JOIN(a, b)		a ## b
#define NAME_IN(variant, name)	JOIN(variant, name)
#define trace_event_update_all	NAME_IN(VARIANT, _update_all)

#include "harness.h"

#include <linux/ctype.h>
#include <linux/hash.h>
#include <linux/slab.h>
#include <linux/string.h>

static LIST_HEAD(ftrace_events);
static LIST_HEAD(module_strings);
static struct mutex event_mutex;
static struct rw_semaphore trace_event_sem;

#include EVENTS_C

const struct events VARIANT = {
	.name = VARIANT_NAME,
	.list = &ftrace_events,
	.strings = &module_strings,
	.update_all = trace_event_update_all,
};
