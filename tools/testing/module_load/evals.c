// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds ours against base on what evals.py has read from modules. The input is
 * records that end with a NUL, each a letter and what follows it:
 *
 *	M<name>				a module
 *	V<system> <value> <name>	a map, before all events
 *	C<system>			a class
 *	T<filter> <type>		a field of it
 *	F<format>			a format of it, and an event
 *	E				one more event of that format
 *
 * The output is a line for each module: its name, counts, "ok" or what is wrong.
 */
#include <stdlib.h>

#include "harness.h"

/* Return: NULL, or what is wrong with the record. */
static const char *add(struct scene *scene, char *record)
{
	char *rest = record + 1;
	long number = 0, value;

	if (strchr("VCT", *record)) {
		number = strtol(rest, &rest, 10);
		if (*record != 'T' && (number < 0 || number >= NR_SYSTEMS))
			return "more systems than there is room for";
		rest += *rest == ' ';
	}
	if (strchr("TF", *record) && !scene->nr_classes)
		return "no class yet";

	switch (*record) {
	case 'V':
		value = strtol(rest, &rest, 10);
		if (*rest++ != ' ' || !*rest)
			return "no name";
		scene_map(scene, number, rest, strlen(rest), value);
		return NULL;
	case 'C':
		scene_class(scene, number, 1, false);
		return NULL;
	case 'T':
		scene_field(scene, rest, number);
		return NULL;
	case 'F':
		scene_format(scene, rest);
		return NULL;
	case 'E':
		if (!scene->nr_formats)
			return "no format yet";
		scene_event(scene);
		return NULL;
	default:
		return "no record";
	}
}

static bool finish(struct scene *scene, const char *module)
{
	struct counts counts;
	const char *err;

	/* It is loaded, and another one that has the same enums. */
	scene_step(scene, 0, scene->nr_maps, 1);
	scene_step(scene, 0, scene->nr_maps, ANY_MODULE);
	err = check_scene(scene, &counts);
	if (*counts.example)
		printf("%s: base: %s\n", module, counts.example);
	printf("%s,%d,%d,%d,%d,%lu,%lu,%lu,%lu,%s\n", module, scene->nr_events,
	       scene->nr_formats, scene->nr_fields, scene->nr_maps, counts.replaced,
	       counts.undecided, counts.apart, counts.by_prefix, err ?: "ok");
	fflush(stdout);
	scene_free(scene);
	return !err;
}

int main(int argc, char **argv)
{
	struct scene scene = { 0 };
	char *record = NULL, *module = NULL;
	const char *err = NULL;
	bool passed = true;
	size_t size = 0;

	if (argc > 1) {
		fprintf(stderr, "evals: no arguments are taken, only what evals.py writes\n");
		return 2;
	}
	while (!err && getdelim(&record, &size, 0, stdin) > 0) {
		if (*record != 'M') {
			err = module ? add(&scene, record) : "no module yet";
			continue;
		}
		if (module)
			passed &= finish(&scene, module);
		free(module);
		module = strdup(record + 1);
	}
	if (err)
		fprintf(stderr, "evals: %.60s: %s\n", record, err);
	else if (module)
		passed &= finish(&scene, module);
	else
		fprintf(stderr, "evals: %s\n", err = "no modules in the input");
	scene_free(&scene);
	free(module);
	free(record);
	return err ? 2 : !passed;
}
