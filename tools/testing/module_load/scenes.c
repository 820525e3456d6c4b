// SPDX-License-Identifier: GPL-2.0-only
/*
 * What takes more than one event. Each test adds events with what is expected of
 * their formats and types; all of it goes through check_scene() too.
 */
#include "harness.h"

#define ATTRIBUTE	"__attribute__((a)) "

static struct scene scene;
static const char *formats[64], *types[64];
static int filters[64];

/* A class with one event. */
static void event(int system, int module, bool dynamic, const char *before, const char *after)
{
	scene_class(&scene, system, module, dynamic);
	formats[scene.nr_formats] = after;
	scene_format(&scene, before);
}

/* A field of the last event. */
static void field(const char *before, const char *after, int filter, int filter_after)
{
	types[scene.nr_fields] = after;
	filters[scene.nr_fields] = filter_after;
	scene_field(&scene, before, filter);
}

static const char *compare(const struct world *world, int strings)
{
	struct list_head *item;
	int i, listed = 0;

	for (i = 0; i < scene.nr_formats; i++)
		if (strcmp(world->formats[i], formats[i]))
			return failure("format %d is '%s'", i, world->formats[i]);
	for (i = 0; i < scene.nr_fields; i++) {
		if (strcmp(world->fields[i].type, types[i]))
			return failure("type %d is '%s'", i, world->fields[i].type);
		if (world->fields[i].filter_type != filters[i])
			return failure("filter %d is %d", i, world->fields[i].filter_type);
	}
	for (item = ours.strings->next; item != ours.strings; item = item->next)
		listed++;
	if (listed != strings)
		return failure("%d strings are listed for modules, not %d", listed, strings);
	return NULL;
}

/* All steps; in the end there are @strings that are freed with their modules. */
static void judge(const char *name, int strings, unsigned int warnings)
{
	struct counts counts;
	struct world world;
	const char *err;
	int i;

	err = check_scene(&scene, &counts);
	world_init(&world, &ours, &scene);
	kernel_reset();
	for (i = 0; i < scene.nr_steps; i++)
		world_step(&world, &scene.steps[i]);
	if (!err)
		err = compare(&world, strings);
	if (!err && kernel.warnings != warnings)
		err = failure("there are %u warnings, not %u", kernel.warnings, warnings);
	result(name, err);
	world_fini(&world);
	scene_free(&scene);
}

static void check_systems(void)
{
	int i;

	scene_maps(&scene, "1:FOO=1 0:FOO=2 2:BAR=3 1:BAR=4 0:BAZ=5");
	for (i = 0; i < 3; i++) {
		event(0, 1, false, "FOO BAR BAZ,", "2 BAR 5,");
		event(1, 1, false, "FOO BAR BAZ,", "1 4 BAZ,");
		event(2, 1, false, "FOO BAR BAZ,", "FOO 3 BAZ,");
		event(3, 1, false, "FOO BAR BAZ,", "FOO BAR BAZ,");
		event(3, 1, false, "FOO BAR BAZ,", "FOO BAR BAZ,");
	}
	scene_step(&scene, 0, 5, 1);
	judge("systems are told by their pointers", 0, 0);

	scene_maps(&scene, "1:FOO=1");
	event(0, 1, false, "FOO,", "FOO,");
	field(ATTRIBUTE "char[FOO]", "char[FOO]", FILTER_OTHER, FILTER_STATIC_STRING);
	event(1, 1, false, "FOO,", "1,");
	event(0, 1, false, "FOO,", "FOO,");
	field(ATTRIBUTE "int", "int", FILTER_OTHER, FILTER_OTHER);
	scene_step(&scene, 0, 1, 1);
	judge("types of systems without enums", 2, 0);
}

static void check_modules(void)
{
	static const int modules[] = { 0, 1, 2, 1 };
	int i;

	scene_maps(&scene, "FOO=1");
	for (i = 0; i < ARRAY_SIZE(modules); i++) {
		event(0, modules[i], false, "FOO,", modules[i] == 1 ? "1," : "FOO,");
		if (modules[i] == 1)
			field(ATTRIBUTE "int[FOO]", "int[1]", 0, 0);
		else
			field(ATTRIBUTE "int[FOO]", ATTRIBUTE "int[FOO]", 0, 0);
	}
	scene_step(&scene, 0, 1, 1);
	judge("other modules are left alone", 2, 0);

	scene_maps(&scene, "FOO=1");
	for (i = 0; i < ARRAY_SIZE(modules); i++) {
		event(0, modules[i], false, "FOO,", "1,");
		field(ATTRIBUTE "int[FOO]", "int[1]", 0, 0);
	}
	scene_step(&scene, 0, 1, ANY_MODULE);
	judge("all modules, and the kernel", 3, 0);

	scene_maps(&scene, "FOO=1 BAR=2");
	event(0, 0, false, "FOO BAR,", "FOO BAR,");
	field("char[FOO]", "char[FOO]", 0, 0);
	event(0, 1, false, "FOO BAR,", "FOO 2,");
	field("char[BAR]", "char[2]", 0, FILTER_STATIC_STRING);
	event(0, 2, false, "FOO BAR,", "1 BAR,");
	field("char[BAR]", "char[BAR]", 0, 0);
	scene_step(&scene, 0, 1, 3);
	scene_step(&scene, 0, 1, 2);
	scene_step(&scene, 1, 1, 1);
	scene_step(&scene, 0, 0, ANY_MODULE);
	scene_step(&scene, 0, 0, 1);
	judge("modules one after the other", 1, 0);

	scene_maps(&scene, "FOO=1 BAR=2 FOO=3");
	event(0, 0, false, "FOO BAR,", "1 2,");
	field("int[FOO]", "int[1]", 0, 0);
	field("int[BAR]", "int[2]", 0, 0);
	event(0, 1, false, "FOO BAR,", "1 2,");
	field("int[FOO]", "int[1]", 0, 0);
	scene_step(&scene, 0, 1, ANY_MODULE);
	scene_step(&scene, 0, 3, ANY_MODULE);
	scene_step(&scene, 0, 3, ANY_MODULE);
	scene_step(&scene, 0, 3, 1);
	judge("loaded again", 1, 0);
}

static void check_dynamic(void)
{
	scene_maps(&scene, "FOO=1");
	event(0, 0, true, "FOO,", "1,");
	field("char[FOO]", "char[FOO]", 0, 0);
	field(ATTRIBUTE "int", ATTRIBUTE "int", 0, 0);
	event(0, 1, false, "FOO,", "1,");
	field("char[FOO]", "char[1]", 0, FILTER_STATIC_STRING);
	scene_step(&scene, 0, 1, ANY_MODULE);
	judge("fields of dynamic events stay", 1, 0);

	scene_maps(&scene, "FOO=1");
	event(0, 0, true, "FOO,", "FOO,");
	event(0, 1, false, "FOO,", "1,");
	scene_step(&scene, 0, 1, 1);
	judge("dynamic events are of no module", 0, 0);
}

static void check_shared(void)
{
	scene_maps(&scene, "FOO=1");
	event(0, 1, false, "FOO,", "1,");
	scene_event(&scene);
	field("int[FOO]", "int[1]", 0, 0);
	scene_event(&scene);
	scene_event(&scene);
	scene_step(&scene, 0, 1, 1);
	judge("events of one class", 1, 0);

	scene_maps(&scene, "FOO=1");
	event(0, 1, false, "FOO,", "1,");
	field("int[FOO]", "int[1]", 0, 0);
	formats[scene.nr_formats] = "a 1,";
	scene_format(&scene, "a FOO,");
	scene_step(&scene, 0, 1, 1);
	judge("formats of one class", 1, 0);

	scene_maps(&scene, "FOO=1");
	event(0, 0, false, "FOO,", "1,");
	field("int[FOO]", "int[1]", 0, 0);
	scene_list(&scene);
	field(ATTRIBUTE "char[FOO]", "char[1]", 0, FILTER_STATIC_STRING);
	scene_event(&scene);
	scene_list(&scene);
	formats[scene.nr_formats] = "1 1,";
	scene_format(&scene, "FOO FOO,");
	field("int[FOO]", "int[1]", 0, 0);
	scene_step(&scene, 0, 1, ANY_MODULE);
	judge("fields of events of one class", 0, 0);

	scene_maps(&scene, "FOO=1");
	event(0, 1, false, "FOO,", "1,");
	field("int[FOO]", "int[1]", 0, 0);
	scene_class(&scene, 0, 1, false);
	field("char[FOO]", "char[1]", 0, FILTER_STATIC_STRING);
	scene_event(&scene);
	scene_step(&scene, 0, 1, 1);
	judge("a format of two classes", 2, 0);

	scene_maps(&scene, "FOO=1 1:BAR=2");
	event(0, 1, false, "FOO BAR,", "1 2,");
	field("int[FOO]", "int[1]", 0, 0);
	scene_class(&scene, 1, 1, false);
	field("int[BAR]", "int[2]", 0, 0);
	scene_event(&scene);
	scene_step(&scene, 0, 2, 1);
	judge("a format of two systems", 2, 0);

	scene_maps(&scene, "FOO=1");
	event(0, 2, false, "FOO,", "1,");
	scene_class(&scene, 0, 1, false);
	scene_event(&scene);
	scene_step(&scene, 0, 1, 1);
	judge("a format of two modules", 0, 0);

	scene_maps(&scene, "FOO=1");
	scene_step(&scene, 0, 1, ANY_MODULE);
	judge("no events", 0, 0);
}

static void check_filters(void)
{
	scene_maps(&scene, "FOO=1");
	event(0, 1, false, "", "");
	field("char[FOO]", "char[1]", FILTER_OTHER, FILTER_STATIC_STRING);
	field("int[FOO]", "int[1]", FILTER_OTHER, FILTER_OTHER);
	field("char[FOO]", "char[1]", FILTER_TRACE_FN, FILTER_TRACE_FN);
	field("int[FOO]", "int[1]", FILTER_CPUMASK, FILTER_CPUMASK);
	field("char[8]", "char[8]", FILTER_OTHER, FILTER_OTHER);
	field("char *", "char *", FILTER_OTHER, FILTER_OTHER);
	field(ATTRIBUTE "char *", "char *", FILTER_OTHER, FILTER_PTR_STRING);
	field(ATTRIBUTE "char *", "char *", FILTER_DYN_STRING, FILTER_DYN_STRING);
	field(ATTRIBUTE "__data_loc char[]", "__data_loc char[]", FILTER_OTHER, FILTER_DYN_STRING);
	scene_step(&scene, 0, 1, 1);
	judge("filters of types that change", 7, 0);
}

static void check_warnings(void)
{
	int i;

	scene_maps(&scene, "FOO=1000 BAR=1000 BAZ=1");
	for (i = 0; i < 10; i++)
		event(0, 1, false, "FOO BAR FOO BAZ BAR,", "FOO BAR FOO 1 BAR,");
	scene_step(&scene, 0, 3, 1);
	judge("one warning for values that are too long", 0, 1);

	scene_maps(&scene, "FOO=1000 A=1000 B=1000 C=1000");
	event(0, 1, false, "\"FOO\" A.FOO", "\"FOO\" A.FOO");
	scene_step(&scene, 0, 1, 1);
	judge("no warning for what is not used", 0, 0);
}

/* Names that are alike, in two systems; what begins with a digit is no name. */
static void check_many(void)
{
	static const char *const shapes[] = {
		"E%d", "%dE", "LONG_PREFIX_%d", "_%d_LONG_SUFFIX", "sizeof(s%d)", "sizeof(s%d_t)",
		"x%1$dX%1$d", "y%o",
	};
	static char before[40000], after[40000];
	char name[32], *b = before, *a = after;
	int i, len;

	for (i = 0; i < 512; i++) {
		len = snprintf(name, sizeof(name), shapes[i % ARRAY_SIZE(shapes)], i);
		scene_map(&scene, i % 3 ? 0 : 1, name, len, i % 10);
		b += sprintf(b, "%s %s_, ", name, name);
		if (i % 3 && i % ARRAY_SIZE(shapes) != 1)
			a += sprintf(a, "%d %s_, ", i % 10, name);
		else
			a += sprintf(a, "%s %s_, ", name, name);
	}
	event(0, 1, false, before, after);
	scene_step(&scene, 0, scene.nr_maps, 1);
	judge("many enums", 0, 0);
}

/* What a kernel needs for them for as long as the update lasts. */
static void check_memory(void)
{
	const char *err = NULL;
	struct world world;
	int i;

	for (i = 0; i < 1000; i++)
		scene_map(&scene, 0, "NAME", 4, 1);
	event(0, 1, false, "NAME,", "1,");
	scene_step(&scene, 0, 1000, 1);
	world_init(&world, &ours, &scene);
	kernel_reset();
	world_step(&world, &scene.steps[0]);
	printf("# %lu bytes for 1000 enums\n", kernel.index_bytes);
	if (kernel.index_bytes > 64 * 1000)
		err = failure("that is too much");
	else if (kernel_live())
		err = failure("they have not been freed");
	world_fini(&world);
	scene_free(&scene);
	result("memory", err);
}

void check_scenes(void)
{
	check_systems();
	check_modules();
	check_dynamic();
	check_shared();
	check_filters();
	check_warnings();
	check_many();
	check_memory();
}
