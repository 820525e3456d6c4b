// SPDX-License-Identifier: GPL-2.0-only
/* Worlds: see struct world. */
#include <stdlib.h>

#include "harness.h"

static void *zeroed(size_t num, size_t size)
{
	void *ptr = calloc(num, size);

	if (!ptr)
		abort();
	return ptr;
}

static char *copy_of(const char *text, size_t slack)
{
	size_t len = strlen(text);
	char *copy = zeroed(len + 1 + slack, 1);

	return memcpy(copy, text, len);
}

/* Systems are told by their pointers alone. */
static const char *system_name(struct world *world, int system)
{
	if (!world->systems[system])
		world->systems[system] = copy_of("system", 0);
	return world->systems[system];
}

static struct list_head *fields_of(struct trace_event_call *call)
{
	return call->data;
}

/* What the kernel has for a class of the scene. */
static struct trace_event_class *real_class(struct world *world, int class)
{
	while (world->scene->classes[class].list)
		class--;
	return &world->classes[class];
}

void world_init(struct world *world, const struct events *events, const struct scene *scene)
{
	int i;

	memset(world, 0, sizeof(*world));
	world->events = events;
	world->scene = scene;
	world->maps = zeroed(scene->nr_maps, sizeof(*world->maps));
	world->classes = zeroed(scene->nr_classes, sizeof(*world->classes));
	world->fields = zeroed(scene->nr_fields, sizeof(*world->fields));
	world->calls = zeroed(scene->nr_events, sizeof(*world->calls));
	world->formats = zeroed(scene->nr_formats, sizeof(*world->formats));
	world->types = zeroed(scene->nr_fields, sizeof(*world->types));

	for (i = 0; i < scene->nr_maps; i++) {
		world->maps[i].system = system_name(world, scene->maps[i].system);
		world->maps[i].eval_string = copy_of(scene->maps[i].name, 0);
		world->maps[i].eval_value = scene->maps[i].value;
	}
	for (i = 0; i < scene->nr_classes; i++) {
		world->classes[i].system = system_name(world, scene->classes[i].system);
		INIT_LIST_HEAD(&world->classes[i].fields);
		if (scene->classes[i].list)
			real_class(world, i)->get_fields = fields_of;
	}
	for (i = 0; i < scene->nr_fields; i++) {
		world->types[i] = copy_of(scene->fields[i].type, 0);
		world->fields[i].type = world->types[i];
		world->fields[i].filter_type = scene->fields[i].filter;
		list_add(&world->fields[i].link, &world->classes[scene->fields[i].class].fields);
	}
	for (i = 0; i < scene->nr_formats; i++)
		world->formats[i] = copy_of(scene->formats[i].text, events == &base);

	INIT_LIST_HEAD(events->list);
	INIT_LIST_HEAD(events->strings);
	for (i = 0; i < scene->nr_events; i++) {
		struct trace_event_call *call = &world->calls[i];
		int class = scene->events[i].class;

		call->class = real_class(world, class);
		call->data = &world->classes[class].fields;
		call->print_fmt = world->formats[scene->events[i].format];
		if (scene->classes[class].dynamic) {
			call->flags = TRACE_EVENT_FL_DYNAMIC;
			call->refcnt.counter = 1;
		} else if (scene->classes[class].module) {
			call->module = &world->modules[scene->classes[class].module];
		}
		list_add_tail(&call->list, events->list);
	}
}

void world_step(struct world *world, const struct scene_step *step)
{
	struct module *mod = step->module == ANY_MODULE ? NULL : &world->modules[step->module];
	/* At the end of a block, so that what is read behind it is seen. */
	struct trace_eval_map **maps = zeroed(step->num, sizeof(*maps));
	unsigned int warnings = kernel.warnings;
	int i;

	for (i = 0; i < step->num; i++)
		maps[i] = &world->maps[step->first + i];
	world->events->update_all(maps, step->num, mod);
	world->warned = kernel.warnings != warnings;
	free(maps);
}

/* The class with a field of this type, or -1. */
static int class_of(const struct world *world, const char *str)
{
	int i;

	for (i = 0; i < world->scene->nr_fields; i++)
		if (world->fields[i].type == str)
			return world->scene->fields[i].class;
	return -1;
}

const char *world_strings(const struct world *world, bool all_current)
{
	const struct module_string *item, *other;
	size_t accounted = 0;
	int i;

	list_for_each_entry(item, world->events->strings, next) {
		int class = class_of(world, item->str);

		if (!kernel_is_live(item->str))
			return failure("a string that is freed with its module is not allocated");
		list_for_each_entry(other, world->events->strings, next)
			if (other != item && other->str == item->str)
				return failure("a string is to be freed twice: %s", item->str);
		if (all_current && class < 0)
			return failure("no field has the type that is freed with its module: %s",
				       item->str);
		if (class >= 0 &&
		    item->module != &world->modules[world->scene->classes[class].module])
			return failure("a type goes with another module: %s", item->str);
		accounted += 2;
	}
	for (i = 0; i < world->scene->nr_fields; i++) {
		const struct scene_class *class =
			&world->scene->classes[world->scene->fields[i].class];

		if (world->fields[i].type == world->types[i])
			continue;
		if (!kernel_is_live(world->fields[i].type))
			return failure("a field's type is not allocated");
		if (class->dynamic)
			return failure("a dynamic event's field has been changed");
		accounted += !class->module;
	}
	if (all_current && accounted != kernel_live())
		return failure("%zu blocks are allocated, but %zu are known", kernel_live(),
			       accounted);
	return NULL;
}

void world_fini(struct world *world)
{
	int i;

	for (i = 0; i < NR_SYSTEMS; i++)
		free(world->systems[i]);
	for (i = 0; i < world->scene->nr_maps; i++)
		free((char *)world->maps[i].eval_string);
	for (i = 0; i < world->scene->nr_fields; i++)
		free(world->types[i]);
	for (i = 0; i < world->scene->nr_formats; i++)
		free(world->formats[i]);
	free(world->maps);
	free(world->classes);
	free(world->fields);
	free(world->calls);
	free(world->formats);
	free(world->types);
	INIT_LIST_HEAD(world->events->list);
	INIT_LIST_HEAD(world->events->strings);
	kernel_free_all();
}
