// SPDX-License-Identifier: GPL-2.0-only
/* Scenes: see struct scene. */
#include <stdlib.h>

#include "harness.h"

/* The array with room for one more element; it grows at powers of two. */
static void *with_room(void *array, int num, size_t size)
{
	if (!(num & (num - 1)))
		array = realloc(array, (num ? 2 * num : 1) * size);
	if (!array)
		abort();
	return array;
}

static char *copy_of(const char *text, size_t len)
{
	char *copy = malloc(len + 1);

	if (!copy)
		abort();
	memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

void scene_map(struct scene *scene, int system, const char *name, size_t len, long value)
{
	scene->maps = with_room(scene->maps, scene->nr_maps, sizeof(*scene->maps));
	scene->maps[scene->nr_maps++] = (struct scene_map){
		.system = system, .name = copy_of(name, len), .value = value,
	};
}

void scene_maps(struct scene *scene, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "=");
		char *end = (char *)text;
		int system = 0;

		if (text[1] == ':') {
			system = *text - '0';
			text += 2;
			len -= 2;
		}
		scene_map(scene, system, text, len, strtol(text + len + 1, &end, 10));
		text = end + (*end == ' ');
	}
}

void scene_class(struct scene *scene, int system, int module, bool dynamic)
{
	scene->classes = with_room(scene->classes, scene->nr_classes, sizeof(*scene->classes));
	scene->classes[scene->nr_classes++] = (struct scene_class){
		.system = system, .module = module, .dynamic = dynamic,
	};
}

void scene_list(struct scene *scene)
{
	struct scene_class last = scene->classes[scene->nr_classes - 1];

	scene_class(scene, last.system, last.module, last.dynamic);
	scene->classes[scene->nr_classes - 1].list = true;
}

void scene_field(struct scene *scene, const char *type, int filter)
{
	scene->fields = with_room(scene->fields, scene->nr_fields, sizeof(*scene->fields));
	scene->fields[scene->nr_fields++] = (struct scene_field){
		.class = scene->nr_classes - 1, .filter = filter,
		.type = copy_of(type, strlen(type)),
	};
}

void scene_format(struct scene *scene, const char *text)
{
	scene->formats = with_room(scene->formats, scene->nr_formats, sizeof(*scene->formats));
	scene->formats[scene->nr_formats++].text = copy_of(text, strlen(text));
	scene_event(scene);
}

void scene_event(struct scene *scene)
{
	scene->events = with_room(scene->events, scene->nr_events, sizeof(*scene->events));
	scene->events[scene->nr_events++] = (struct scene_event){
		.format = scene->nr_formats - 1, .class = scene->nr_classes - 1,
	};
}

void scene_step(struct scene *scene, int first, int num, int module)
{
	scene->steps = with_room(scene->steps, scene->nr_steps, sizeof(*scene->steps));
	scene->steps[scene->nr_steps++] = (struct scene_step){
		.first = first, .num = num, .module = module,
	};
}

void scene_free(struct scene *scene)
{
	int i;

	for (i = 0; i < scene->nr_maps; i++)
		free(scene->maps[i].name);
	for (i = 0; i < scene->nr_fields; i++)
		free(scene->fields[i].type);
	for (i = 0; i < scene->nr_formats; i++)
		free(scene->formats[i].text);
	free(scene->maps);
	free(scene->fields);
	free(scene->classes);
	free(scene->formats);
	free(scene->events);
	free(scene->steps);
	memset(scene, 0, sizeof(*scene));
}
