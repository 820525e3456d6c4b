// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does a format cost the same whatever the number of enums? Counted are the basic
 * blocks of ours that run, and the bytes that string functions go through, so the
 * figures are the same on every run: the compiler calls __sanitizer_cov_trace_pc()
 * in each block. What is done once is no part of it. There are enums alone: ours may
 * look at all sizeof() of the maps, as kernels have a handful of them.
 *
 * And is nothing read for an event that has the format and fields of the one before
 * it, or whose system has no enums?
 */
#include <stdlib.h>

#include "harness.h"

#define EVENTS		20
/* Blocks and bytes for a byte of a format. */
#define MAX_COST	24
/* For an event that there is nothing to do for. */
#define MAX_IDLE	40
/* More for many enums than for few, and for long formats than for short ones, in percent. */
#define MAX_GROWTH	15

static unsigned long blocks;

void __sanitizer_cov_trace_pc(void)
{
	blocks++;
}

/* Blocks and bytes of the first update of a scene, which is freed. */
static unsigned long spend(struct scene *scene)
{
	struct world world;
	unsigned long spent;

	world_init(&world, &ours, scene);
	kernel_reset();
	blocks = 0;
	world_step(&world, &scene->steps[0]);
	spent = blocks + kernel.bytes;
	world_fini(&world);
	scene_free(scene);
	return spent;
}

/* Formats of @entries of enums, those of few in a system being used by all. */
static double cost(const char *shape, int enums, int entries, bool used)
{
	size_t len = 0, size = entries * 80 + 80;
	char *text = malloc(size), name[64];
	unsigned long costs[2];
	int i, events;

	for (i = 0; i < entries && text; i++) {
		snprintf(name, sizeof(name), shape, 1000 + i * 7919 % (used ? enums : 1000));
		len += snprintf(text + len, size - len, "{ %s%s, \"%.5s %d\" }, ", name,
				used ? "" : "_", name, i);
	}
	if (!text)
		abort();

	for (events = 0; events < 2; events++) {
		struct scene scene = { 0 };

		for (i = 0; i < enums; i++)
			scene_map(&scene, 0, name, snprintf(name, sizeof(name), shape, 1000 + i),
				  i % 1000);
		scene_class(&scene, 0, 1, false);
		/* Twice as many */
		for (i = 0; i < EVENTS * (1 + events); i++)
			scene_format(&scene, text);
		scene_step(&scene, 0, enums, 1);
		costs[events] = spend(&scene);
	}
	free(text);
	return (double)(costs[1] - costs[0]) / EVENTS / len;
}

/*
 * One more event that has the fields of others, and their format, or no enums. Those of
 * its system are the last ones of the maps.
 */
static double idle_cost(int enums, bool has_enums)
{
	const char *type = "unsigned long and_some_more_words_that_would_be_read[FOO]";
	unsigned long costs[2];
	int i, events;

	for (events = 0; events < 2; events++) {
		struct scene scene = { 0 };

		for (i = 0; i < enums; i++)
			scene_map(&scene, 1, "NAME", 4, 1);
		scene_map(&scene, 0, "FOO", 3, 1);
		scene_class(&scene, 0, 1, false);
		scene_format(&scene, "the format of another event of its class, FOO");
		if (!has_enums)
			scene_class(&scene, 2, 1, false);
		for (i = 0; i < 4; i++)
			scene_field(&scene, type, FILTER_OTHER);
		for (i = 0; i < EVENTS * (1 + events); i++) {
			if (!i || !has_enums)
				scene_format(&scene, "a format that is not to be read again, FOO");
			else
				scene_event(&scene);
		}
		scene_step(&scene, 0, scene.nr_maps, 1);
		costs[events] = spend(&scene);
	}
	return (double)(costs[1] - costs[0]) / EVENTS;
}

static const char *judge_idle(bool has_enums)
{
	double few = idle_cost(10, has_enums), many = idle_cost(10000, has_enums);

	printf("# %.1f blocks and bytes for an event, %.1f of 10000 enums\n", few, many);
	return few > MAX_IDLE || many > MAX_IDLE ? "that is too many" : NULL;
}

static const struct {
	const char *name;
	const char *shape;
	bool used;
} cases[] = {
	{ "enums that are used", "SOME_ENUM_%d", true },
	{ "enums that are not used", "SOME_ENUM_%d", false },
	{ "enums that differ at their beginning", "E%d_LONG_SUFFIX_OF_AN_ENUM", true },
	{ "enums that differ at their end", "LONG_PREFIX_OF_AN_ENUM_E%d", true },
};

static const char *judge(double few, double many, const char *what)
{
	printf("# %.1f blocks and bytes for a byte of a format, %.1f of %s\n", few, many, what);
	if (many > MAX_COST || few > MAX_COST)
		return "that is too many";
	if (many * 100 > few * (100 + MAX_GROWTH))
		return "that has grown";
	return NULL;
}

int main(void)
{
	char name[100];
	int i;

	ktap_begin();
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		double few = cost(cases[i].shape, 10, 200, cases[i].used);
		double some = cost(cases[i].shape, 100, 200, cases[i].used);
		double many = cost(cases[i].shape, 1000, 200, cases[i].used);
		double most = cost(cases[i].shape, 10000, 200, cases[i].used);

		snprintf(name, sizeof(name), "%s: 100 for 10", cases[i].name);
		result(name, judge(few, some, "100 enums"));
		snprintf(name, sizeof(name), "%s: 1000 for 10", cases[i].name);
		result(name, judge(few, many, "1000 enums"));
		snprintf(name, sizeof(name), "%s: 10000 for 10", cases[i].name);
		result(name, judge(few, most, "10000 enums"));
	}
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		double one = cost(cases[i].shape, 100, 20, cases[i].used);
		double many = cost(cases[i].shape, 100, 2000, cases[i].used);

		snprintf(name, sizeof(name), "%s: longer formats", cases[i].name);
		result(name, judge(one, many, "a hundred times longer ones"));
	}
	result("one more event of a class", judge_idle(true));
	result("one more event of a system without enums", judge_idle(false));
	return ktap_end();
}
