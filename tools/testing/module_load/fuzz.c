// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target. The input makes a scene: a byte says what to add, the next ones
 * which. Texts are made of words that mean something to one of the sides, and of
 * bytes as they come.
 */
#include <stdlib.h>

#include "harness.h"

/* Names that begin or end like others; most are longer than most values. */
static const char *const names[] = {
	"FOO_BAR", "FOO_B", "FOO_", "FOO", "OO_BAR", "OO_B", "BAR_", "_FOO_", "sizeof(FOO_)",
	"sizeof(x_t)", "sizeof(long_name_t)", "x_t_", "size", "ULL_", "\xe9_\xe8", "F",
	"a_name_of_twenty_two_", "1FOO", "attribute", "user",
};

static const char *const words[] = {
	"\"", "\\", "\\\"", ".", "->", "-", "[", "]", "(", ")", ", ", " ", "_", "0", "0x1f", "10UL",
	"REC->", "sizeof(", "__attribute__(", "__attribute__((user)) ", "char[", "\xa0", "\xe9",
	"\xd7", "{", "}", "\"%s\", ", "__print_symbolic(", "a", "y",
};

static const long values[] = {
	0, 1, -1, 10, 42, 123, -12, 5, 6, 7, 8, 9, 1000, 12345678, LONG_MAX, LONG_MIN,
};

struct input {
	const u8 *data;
	size_t left;
};

static unsigned int next(struct input *in, unsigned int limit)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->data++ % limit;
}

/* Some of the names, in some order, with some values, from few bytes. */
static void maps_from(struct input *in, struct scene *scene)
{
	unsigned int mask = next(in, 256) | next(in, 256) << 8 | next(in, 256) << 16;
	unsigned int first = next(in, 256), step = next(in, 256), i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const char *name = names[(first + i) % ARRAY_SIZE(names)];

		if (mask >> i & 1)
			scene_map(scene, 0, name, strlen(name),
				  values[(first + i * step) % ARRAY_SIZE(values)]);
	}
}

/* Words and bytes up to a 0. */
static void text_from(struct input *in, char *text, size_t size)
{
	size_t len = 0;

	while (in->left && len < size - 32) {
		unsigned int kind = next(in, 256);

		if (!kind)
			break;
		if (kind < 64)
			len += sprintf(text + len, "%s", names[kind % ARRAY_SIZE(names)]);
		else if (kind < 160)
			len += sprintf(text + len, "%s", words[kind % ARRAY_SIZE(words)]);
		else if (in->left)
			text[len++] = next(in, 255) + 1;
	}
	text[len] = '\0';
}

static void print(const struct scene *scene)
{
	int i;

	for (i = 0; i < scene->nr_maps; i++)
		fprintf(stderr, "# map %d:%s=%ld\n", scene->maps[i].system, scene->maps[i].name,
			scene->maps[i].value);
	for (i = 0; i < scene->nr_classes; i++)
		fprintf(stderr, "# class %d: system %d, module %d%s%s\n", i,
			scene->classes[i].system, scene->classes[i].module,
			scene->classes[i].dynamic ? ", dynamic" : "",
			scene->classes[i].list ? ", of the class before it" : "");
	for (i = 0; i < scene->nr_fields; i++)
		fprintf(stderr, "# class %d: type '%s'\n", scene->fields[i].class,
			scene->fields[i].type);
	for (i = 0; i < scene->nr_formats; i++)
		fprintf(stderr, "# format %d: '%s'\n", i, scene->formats[i].text);
	for (i = 0; i < scene->nr_events; i++)
		fprintf(stderr, "# event: class %d, format %d\n", scene->events[i].class,
			scene->events[i].format);
	for (i = 0; i < scene->nr_steps; i++)
		fprintf(stderr, "# step %d: %d maps from %d, module %d\n", i, scene->steps[i].num,
			scene->steps[i].first, scene->steps[i].module);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	struct scene scene = { 0 };
	struct counts counts;
	char text[512];
	const char *err, *name;
	int first, module;

	maps_from(&in, &scene);
	scene_class(&scene, 0, 1, false);
	while (in.left) {
		switch (next(&in, 8)) {
		case 0:
		case 1:
			name = names[next(&in, ARRAY_SIZE(names))];
			scene_map(&scene, 0, name, strlen(name),
				  values[next(&in, ARRAY_SIZE(values))]);
			break;
		case 2:
			name = names[next(&in, ARRAY_SIZE(names))];
			scene_map(&scene, next(&in, 3), name, strlen(name), (s8)next(&in, 256));
			break;
		case 3:
			first = next(&in, 4);
			module = next(&in, 3);
			if (first == 3)
				scene_list(&scene);
			else
				scene_class(&scene, first, module, next(&in, 4) == 3);
			break;
		case 4:
		case 5:
			text_from(&in, text, sizeof(text));
			scene_format(&scene, text);
			break;
		case 6:
			module = next(&in, 4) ? FILTER_OTHER : FILTER_TRACE_FN;
			text_from(&in, text, sizeof(text));
			scene_field(&scene, text, module);
			break;
		case 7:
			if (scene.nr_steps > 3) {
				break;
			} else if (next(&in, 4) && scene.nr_formats) {
				scene_event(&scene);
				break;
			}
			module = (int)next(&in, 4) + ANY_MODULE;
			first = next(&in, scene.nr_maps + 1);
			scene_step(&scene, first, scene.nr_maps - first, module);
			break;
		}
	}
	scene_step(&scene, 0, scene.nr_maps, ANY_MODULE);
	scene_step(&scene, 0, scene.nr_maps, ANY_MODULE);

	err = check_scene(&scene, &counts);
	if (err) {
		fprintf(stderr, "fuzz: %s\n", err);
		print(&scene);
		abort();
	}
	scene_free(&scene);
	return 0;
}
