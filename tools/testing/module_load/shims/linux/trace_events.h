/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODULE_LOAD_SHIM_TRACE_EVENTS_H
#define MODULE_LOAD_SHIM_TRACE_EVENTS_H

#include <linux/list.h>

typedef struct { int counter; } atomic_t;

#define TRACE_EVENT_FL_DYNAMIC	0x40

enum {
	FILTER_OTHER,
	FILTER_STATIC_STRING,
	FILTER_DYN_STRING,
	FILTER_RDYN_STRING,
	FILTER_PTR_STRING,
	FILTER_TRACE_FN,
	FILTER_CPUMASK,
};

struct module {
	char name[56];
};

struct trace_eval_map {
	const char *system;
	const char *eval_string;
	unsigned long eval_value;
};

struct ftrace_event_field {
	struct list_head link;
	const char *name;
	const char *type;
	int filter_type;
};

struct trace_event_call;

struct trace_event_class {
	const char *system;
	struct list_head *(*get_fields)(struct trace_event_call *call);
	struct list_head fields;
};

struct trace_event_call {
	struct list_head list;
	struct trace_event_class *class;
	const char *name;
	char *print_fmt;
	/* A dynamic event has no module. */
	union {
		void *module;
		atomic_t refcnt;
	};
	void *data;
	int flags;
};

static inline struct list_head *trace_get_fields(struct trace_event_call *call)
{
	if (!call->class->get_fields)
		return &call->class->fields;
	return call->class->get_fields(call);
}

int filter_assign_type(const char *type);

#endif /* MODULE_LOAD_SHIM_TRACE_EVENTS_H */
