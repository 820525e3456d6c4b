/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODULE_LOAD_HARNESS_H
#define MODULE_LOAD_HARNESS_H

#include <linux/trace_events.h>

#include "../module_plts/ktap.h"

/* As trace_events.c has it, above what is compiled here. */
struct module_string {
	struct list_head next;
	struct module *module;
	char *str;
};

/**
 * struct events - the part of one trace_events.c that puts in the values of enums
 * @name: whose it is
 * @list: its ftrace_events
 * @strings: its module_strings
 * @update_all: its trace_event_update_all()
 */
struct events {
	const char *name;
	struct list_head *list;
	struct list_head *strings;
	void (*update_all)(struct trace_eval_map **map, int len, struct module *mod);
};

extern const struct events ours, base;

void ours_update_all(struct trace_eval_map **map, int len, struct module *mod);
void base_update_all(struct trace_eval_map **map, int len, struct module *mod);

/* kernel.c */

/* A new run: nothing fails, nothing has been counted. */
void kernel_reset(void);
bool kernel_is_live(const void *ptr);
/* How many blocks are allocated. */
size_t kernel_live(void);
void kernel_free_all(void);

/* scene.c: events and the values of enums, as a test says them */

#define NR_SYSTEMS	512
#define NR_MODULES	4
#define ANY_MODULE	(-1)

struct scene_map {
	int system;
	long value;
	char *name;
};

struct scene_field {
	int class;
	int filter;
	char *type;
};

/*
 * @module: of its events; 0 is the kernel. @dynamic: its events are. @list: it is one
 * with the class before it in all but its fields, as those of system calls.
 */
struct scene_class {
	int system;
	int module;
	bool dynamic;
	bool list;
};

/* Events can share formats, those of other classes too. */
struct scene_format {
	char *text;
};

struct scene_event {
	int format, class;
};

/* A call of trace_event_update_all(): @num maps from @first, and events of @module. */
struct scene_step {
	int first, num;
	int module;
};

/**
 * struct scene - what a test is about
 *
 * Systems are numbers: their names, which nothing should look at, are all the same.
 */
struct scene {
	struct scene_map *maps;
	struct scene_field *fields;
	struct scene_class *classes;
	struct scene_format *formats;
	struct scene_event *events;
	struct scene_step *steps;
	int nr_maps, nr_fields, nr_classes, nr_formats, nr_events, nr_steps;
};

/* Indices are of what has been added last if they are not given. Texts are copied. */
void scene_map(struct scene *scene, int system, const char *name, size_t len, long value);
/* Maps from "NAME=VALUE ...", of system 0 or of that in "SYSTEM:NAME=VALUE". */
void scene_maps(struct scene *scene, const char *text);
void scene_class(struct scene *scene, int system, int module, bool dynamic);
/* Other fields for further events of the last class. */
void scene_list(struct scene *scene);
void scene_field(struct scene *scene, const char *type, int filter);
/* A format, and an event that has it. */
void scene_format(struct scene *scene, const char *text);
/* One more event, of the last class and with the last format. */
void scene_event(struct scene *scene);
void scene_step(struct scene *scene, int first, int num, int module);
void scene_free(struct scene *scene);

/* world.c: a scene in the memory of one kernel */

/**
 * struct world - what one trace_events.c works on
 *
 * Each text is a block of its own, so that ASan sees what is read beside it.
 * Base may read one byte behind a format's end, and can have it.
 */
struct world {
	const struct events *events;
	const struct scene *scene;
	char *systems[NR_SYSTEMS];
	struct module modules[NR_MODULES];
	struct trace_eval_map *maps;
	struct trace_event_class *classes;
	struct ftrace_event_field *fields;
	struct trace_event_call *calls;
	char **formats;
	char **types;
	bool warned;
};

void world_init(struct world *world, const struct events *events, const struct scene *scene);
void world_step(struct world *world, const struct scene_step *step);
/* NULL, or what is wrong with the strings that have been allocated. */
const char *world_strings(const struct world *world, bool all_current);
void world_fini(struct world *world);

/* oracle.c: what has to come out, stated in the plainest way */

/**
 * struct reading - the oracle's result for a format or a type
 * @text: what it becomes; NULL before the first use, to be freed
 * @replaced: how many names
 * @warned: a value was longer than its name
 * @undecided: the result depends on the order of base's passes
 * @apart: base's result is another, and wrong
 * @at_end: base goes on behind the end, and can warn there
 * @by_prefix: base replaces the beginning of a name
 */
struct reading {
	char *text;
	unsigned int replaced;
	bool warned;
	bool undecided;
	bool apart;
	bool at_end;
	bool by_prefix;
};

void oracle_format(struct reading *result, const char *fmt, const struct scene_map *maps,
		   int num, int system);
void oracle_type(struct reading *result, const char *type, const struct scene_map *maps,
		 int num, int system);
/* Are the quotes of @fmt where C has them, and those of @after around the same texts? */
bool quotes_are_kept(const char *fmt, const char *after);

/* check.c */

/**
 * struct counts - what check_scene() has compared
 * @replaced: names of formats and types
 * @undecided: formats that have no right result, see struct reading
 * @apart: formats and types of which base makes something else
 * @by_prefix: of these, types of which base replaces the beginning of a name
 * @example: one of @apart
 */
struct counts {
	unsigned long replaced, undecided, apart, by_prefix;
	char example[160];
};

/*
 * NULL, or what is wrong; the text is good until the next call. Counted is what the
 * first step does.
 */
const char *check_scene(const struct scene *scene, struct counts *counts);

/* scenes.c: what takes more than one event, for unit.c */

void check_scenes(void);

/* cost.c */

void __sanitizer_cov_trace_pc(void);

/* fuzz.c */

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#endif /* MODULE_LOAD_HARNESS_H */
