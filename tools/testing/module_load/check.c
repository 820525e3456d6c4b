// SPDX-License-Identifier: GPL-2.0-only
/* Holds ours against base and the oracle, on one scene. */
#include <stdlib.h>

#include "harness.h"

#define CHANGED		"%s: '%.200s'\n# became '%.200s'\n# and not '%.200s'"

/**
 * struct stage - what is expected after one step of a scene
 * @formats, @types: texts
 * @filters: of fields
 * @undecided: formats that have no right result, from some step on
 * @apart_formats, @apart_types: what base makes something else of, likewise
 * @warned: there are warnings
 * @unsure: base can have others
 * @open: ours too
 * @again: types have changed that had changed before, so strings are no longer in use
 */
struct stage {
	char **formats, **types;
	int *filters;
	bool *undecided, *apart_formats, *apart_types;
	bool warned, unsure, open, again;
};

static void *zeroed(size_t num, size_t size)
{
	void *ptr = calloc(num, size);

	if (!ptr)
		abort();
	return ptr;
}

static bool is_touched(const struct scene_class *class, const struct scene_step *step)
{
	return step->module == ANY_MODULE ||
		(!class->dynamic && class->module && class->module == step->module);
}

static bool has_events(const struct scene *scene, int class)
{
	int i;

	for (i = 0; i < scene->nr_events; i++)
		if (scene->events[i].class == class)
			return true;
	return false;
}

/* What a format becomes: all events that have it do it, as they are in the list. */
static void read_format(struct reading *result, const char *before, const struct scene *scene,
			const struct scene_step *step, int format)
{
	int i;

	memset(result, 0, sizeof(*result));
	result->text = strdup(before);
	for (i = 0; i < scene->nr_events; i++) {
		const struct scene_class *class = &scene->classes[scene->events[i].class];
		struct reading reading = { 0 };

		if (scene->events[i].format != format || !is_touched(class, step))
			continue;
		oracle_format(&reading, result->text, scene->maps + step->first, step->num,
			      class->system);
		free(result->text);
		result->text = reading.text;
		result->replaced += reading.replaced;
		result->warned |= reading.warned;
		result->undecided |= reading.undecided;
		result->apart |= reading.apart;
		result->at_end |= reading.at_end;
	}
}

static void count(struct counts *counts, const struct reading *reading, const char *before)
{
	counts->replaced += reading->replaced;
	counts->undecided += reading->undecided;
	counts->apart += reading->apart;
	counts->by_prefix += reading->by_prefix;
	if (reading->apart)
		snprintf(counts->example, sizeof(counts->example), "%s", before);
}

static void expect_formats(struct stage *now, const struct stage *last, const struct scene *scene,
			   const struct scene_step *step, struct counts *counts)
{
	int i;

	for (i = 0; i < scene->nr_formats; i++) {
		const char *before = last ? last->formats[i] : scene->formats[i].text;
		struct reading reading;

		read_format(&reading, before, scene, step, i);
		now->formats[i] = reading.text;
		now->undecided[i] = reading.undecided || (last && last->undecided[i]);
		now->warned |= reading.warned;
		now->apart_formats[i] = reading.apart || (last && last->apart_formats[i]);
		now->open |= now->undecided[i];
		now->unsure |= reading.at_end || now->apart_formats[i];
		if (!last)
			count(counts, &reading, before);
	}
}

static void expect_types(struct stage *now, const struct stage *last, const struct scene *scene,
			 const struct scene_step *step, struct counts *counts)
{
	int i;

	for (i = 0; i < scene->nr_fields; i++) {
		const char *before = last ? last->types[i] : scene->fields[i].type;
		const struct scene_class *class = &scene->classes[scene->fields[i].class];
		struct reading reading = { 0 };

		now->filters[i] = last ? last->filters[i] : scene->fields[i].filter;
		now->apart_types[i] = last && last->apart_types[i];
		if (!is_touched(class, step) || class->dynamic ||
		    !has_events(scene, scene->fields[i].class)) {
			now->types[i] = strdup(before);
			continue;
		}
		oracle_type(&reading, before, scene->maps + step->first, step->num, class->system);
		now->types[i] = reading.text;
		now->apart_types[i] |= reading.apart;
		now->warned |= reading.warned;
		now->unsure |= now->apart_types[i];
		now->again |= strcmp(before, reading.text) && strcmp(before, scene->fields[i].type);
		if (strcmp(before, reading.text) && now->filters[i] == FILTER_OTHER)
			now->filters[i] = filter_assign_type(reading.text);
		if (!last)
			count(counts, &reading, before);
	}
}

static void expect(struct stage *now, const struct stage *last, const struct scene *scene,
		   const struct scene_step *step, struct counts *counts)
{
	now->formats = zeroed(scene->nr_formats, sizeof(*now->formats));
	now->types = zeroed(scene->nr_fields, sizeof(*now->types));
	now->filters = zeroed(scene->nr_fields, sizeof(*now->filters));
	now->undecided = zeroed(scene->nr_formats, sizeof(*now->undecided));
	now->apart_formats = zeroed(scene->nr_formats, sizeof(*now->apart_formats));
	now->apart_types = zeroed(scene->nr_fields, sizeof(*now->apart_types));
	now->again = last && last->again;
	expect_formats(now, last, scene, step, counts);
	expect_types(now, last, scene, step, counts);
}

static void forget(struct stage *stage, const struct scene *scene)
{
	int i;

	for (i = 0; i < scene->nr_formats; i++)
		free(stage->formats[i]);
	for (i = 0; i < scene->nr_fields; i++)
		free(stage->types[i]);
	free(stage->formats);
	free(stage->types);
	free(stage->filters);
	free(stage->undecided);
	free(stage->apart_formats);
	free(stage->apart_types);
}

static const char *compare_formats(const struct world *world, const struct stage *stage)
{
	const struct scene *scene = world->scene;
	const char *name = world->events->name;
	int i;

	for (i = 0; i < scene->nr_events; i++)
		if (world->calls[i].print_fmt != world->formats[scene->events[i].format])
			return failure("%s: an event has a format elsewhere", name);
	for (i = 0; i < scene->nr_formats; i++) {
		const char *before = scene->formats[i].text, *after = world->formats[i];

		if (world->events == &base && stage->apart_formats[i])
			continue;
		if (!stage->undecided[i]) {
			if (strcmp(after, stage->formats[i]))
				return failure(CHANGED, name, before, after, stage->formats[i]);
		} else if (strlen(after) > strlen(before)) {
			return failure("%s: '%.200s' has grown", name, before);
		} else if (world->events != &base && !quotes_are_kept(before, after)) {
			return failure("%s: a string in '%.200s' has been changed", name, before);
		}
	}
	return NULL;
}

static const char *compare_types(const struct world *world, const struct stage *stage)
{
	const struct scene *scene = world->scene;
	const char *name = world->events->name;
	int i;

	for (i = 0; i < scene->nr_fields; i++) {
		const struct ftrace_event_field *field = &world->fields[i];
		const char *before = scene->fields[i].type;

		if (world->events == &base && stage->apart_types[i])
			continue;
		if (strcmp(field->type, stage->types[i]))
			return failure(CHANGED, name, before, field->type, stage->types[i]);
		if (field->filter_type != stage->filters[i])
			return failure("%s: type '%.200s': filter %d became %d and not %d", name,
				       before, scene->fields[i].filter, field->filter_type,
				       stage->filters[i]);
		if (field->type != world->types[i] && !strcmp(field->type, before) &&
		    !stage->again)
			return failure("%s: type '%.200s' is the same, in another place", name,
				       before);
	}
	return NULL;
}

/* All steps, with the results that @stages say. */
static const char *run(struct world *world, const struct stage *stages, bool fail_index)
{
	const struct scene *scene = world->scene;
	const char *err = NULL;
	int i;

	for (i = 0; i < scene->nr_steps && !err; i++) {
		bool strict = world->events != &base && !stages[i].again;

		kernel_reset();
		kernel.fail_index = fail_index;
		world_step(world, &scene->steps[i]);
		err = compare_formats(world, &stages[i]);
		if (!err)
			err = compare_types(world, &stages[i]);
		if (!err && world->warned != stages[i].warned && !stages[i].open &&
		    !(stages[i].unsure && world->events == &base))
			err = failure("%s: there are %swarnings", world->events->name,
				      world->warned ? "" : "no ");
		if (!err && (kernel.locked || kernel.unlocked))
			err = failure("%s: locks", world->events->name);
		if (!err)
			err = world_strings(world, strict);
	}
	return err;
}

/* The first step, while allocations fail: formats are right, and types if they change. */
static const char *run_short_of_memory(const struct scene *scene, const struct stage *stage,
				       unsigned int every)
{
	struct world world;
	const char *err;
	int i;

	world_init(&world, &ours, scene);
	kernel_reset();
	kernel.fail_every = every;
	world_step(&world, &scene->steps[0]);
	err = compare_formats(&world, stage);
	for (i = 0; i < scene->nr_fields && !err; i++)
		if (world.fields[i].type != world.types[i] &&
		    strcmp(world.fields[i].type, stage->types[i]))
			err = failure("ours: type '%.200s' became '%.200s' without memory",
				      world.types[i], world.fields[i].type);
	if (!err && kernel.locked)
		err = failure("ours: locks are held without memory");
	if (!err)
		err = world_strings(&world, false);
	world_fini(&world);
	return err;
}

static const char *run_all(const struct scene *scene, const struct stage *stages)
{
	struct world world, other;
	const char *err;
	int i;

	world_init(&world, &base, scene);
	err = run(&world, stages, false);
	world_fini(&world);
	if (err)
		return err;

	world_init(&world, &ours, scene);
	err = run(&world, stages, false);
	kernel_free_all();
	if (!err) {
		world_init(&other, &ours, scene);
		err = run(&other, stages, true);
		for (i = 0; i < scene->nr_formats && !err; i++)
			if (strcmp(world.formats[i], other.formats[i]))
				err = failure(CHANGED, "ours, without an index",
					      scene->formats[i].text, other.formats[i],
					      world.formats[i]);
		world_fini(&other);
	}
	world_fini(&world);
	for (i = 1; i < 4 && !err; i++)
		err = run_short_of_memory(scene, &stages[0], i);
	return err;
}

const char *check_scene(const struct scene *scene, struct counts *counts)
{
	struct stage *stages = zeroed(scene->nr_steps, sizeof(*stages));
	const char *err;
	int i;

	memset(counts, 0, sizeof(*counts));
	for (i = 0; i < scene->nr_steps; i++)
		expect(&stages[i], i ? &stages[i - 1] : NULL, scene, &scene->steps[i], counts);
	err = run_all(scene, stages);
	for (i = 0; i < scene->nr_steps; i++)
		forget(&stages[i], scene);
	free(stages);
	return err;
}
