// SPDX-License-Identifier: GPL-2.0-only
/*
 * The specification, with loops over all maps, and no thought for time.
 *
 * A format is text in C. Outside of strings, each name in it that an enum of the
 * event's system has, or each sizeof() that one has, becomes the value. Base's reading
 * of C is simple:
 *
 *  - a backslash takes along the next character, within a string or not;
 *  - a number is a digit and the digits and letters behind it;
 *  - a name that stays takes along its members: each '.' or '->', one more
 *    character whatever that is, and the digits and letters behind that;
 *  - numbers and names, replaced or not, take along one more character, as C has
 *    something between two of them.
 *
 * Of maps that fit one text the first counts. A map whose value is longer than its
 * name does not fit: it is warned about and passed over.
 */
#include <linux/ctype.h>
#include <stdlib.h>

#include "harness.h"

#define ATTRIBUTE	"__attribute__("

static bool in_name(char c)
{
	return isalnum(c) || c == '_';
}

static bool begins_name(char c)
{
	return isalpha(c) || c == '_';
}

static int member(const char *p)
{
	return *p == '.' ? 1 : p[0] == '-' && p[1] == '>' ? 2 : 0;
}

/* Does @p begin with @name, and with no longer one? */
static bool is_at(const char *p, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(p, name, len) && !in_name(p[len]);
}

static size_t value_len(const struct scene_map *map)
{
	return snprintf(NULL, 0, "%ld", map->value);
}

static bool fits(const struct scene_map *map)
{
	return value_len(map) <= strlen(map->name);
}

/* The map for what is at @p. */
static const struct scene_map *find(struct reading *result, const char *p,
				    const struct scene_map *maps, int num, int system)
{
	bool size = !strncmp(p, "sizeof(", 7), earlier = false;
	int i;

	for (i = 0; i < num; i++) {
		const char *name = maps[i].name;

		if (maps[i].system != system || !begins_name(*name))
			continue;
		earlier |= size && is_at(p + 7, name) && p[7 + strlen(name)] == ')';
		if (!is_at(p, name)) {
			/* No C: a value in place of what stands behind the bracket changes this. */
			result->undecided |= size && !strncmp(p, name, strlen(name));
			continue;
		}
		/* Base has replaced x in sizeof(x), or tried it. */
		result->apart |= earlier;
		if (fits(&maps[i])) {
			/* Base ends the text with the value, and forgets what follows it. */
			result->apart |= value_len(&maps[i]) == strlen(name);
			return &maps[i];
		}
		result->warned = true;
	}
	return NULL;
}

static void start(struct reading *result, const char *text)
{
	free(result->text);
	memset(result, 0, sizeof(*result));
	/* What comes out is not longer. */
	result->text = malloc(strlen(text) + 1);
	if (!result->text)
		abort();
}

void oracle_format(struct reading *result, const char *fmt, const struct scene_map *maps,
		   int num, int system)
{
	const struct scene_map *map;
	const char *p = fmt;
	bool quoted = false;
	char *out;

	start(result, fmt);
	out = result->text;
	while (*p) {
		if (*p == '\\') {
			*out++ = *p++;
		} else if (*p == '"') {
			quoted = !quoted;
		} else if (quoted) {
			;
		} else if (isdigit(*p)) {
			while (isalnum(*p))
				*out++ = *p++;
		} else if (begins_name(*p)) {
			map = find(result, p, maps, num, system);
			if (map) {
				out += sprintf(out, "%ld", map->value);
				p += strlen(map->name);
				result->replaced++;
				result->at_end |= !*p;
				result->undecided |= member(p);
				/* Passes before have read on behind the bracket. */
				result->undecided |= p[-1] == ')' && (*p == '"' || *p == '\\');
			} else {
				while (in_name(*p))
					*out++ = *p++;
				while (member(p) && p[member(p)]) {
					*out++ = *p++;
					if (p[-1] == '-')
						*out++ = *p++;
					do {
						*out++ = *p++;
					} while (in_name(*p));
				}
				if (member(p)) {
					*out++ = *p++;
					if (*p)
						*out++ = *p++;
				}
			}
		}
		if (*p)
			*out++ = *p++;
	}
	*out = '\0';
}

/* Remove attributes. Return: false if brackets do not match. */
static bool sanitize(char *type)
{
	size_t len = strlen(ATTRIBUTE);
	/* Attributes can follow each other, with nothing between them. */
	char *p = type, *behind = type, *end;
	int depth;

	while ((p = strstr(p, ATTRIBUTE))) {
		if (p != behind && !isspace(p[-1])) {
			p += len;
			behind = p;
			continue;
		}
		for (end = p + len, depth = 1; *end && depth; end++)
			depth += (*end == '(') - (*end == ')');
		if (depth)
			return false;
		while (isspace(*end))
			end++;
		memmove(p, end, strlen(end) + 1);
		behind = p;
	}
	return true;
}

/*
 * A field's type loses its attributes, unless their brackets do not match, which is
 * warned about. What stands behind the first '[' is replaced if it is a name, in whole.
 */
void oracle_type(struct reading *result, const char *type, const struct scene_map *maps,
		 int num, int system)
{
	const struct scene_map *map;
	char *name, *behind, value[24];
	bool sanitized;
	int i;

	start(result, type);
	memcpy(result->text, type, strlen(type) + 1);
	if (!sanitize(result->text)) {
		result->warned = true;
		memcpy(result->text, type, strlen(type) + 1);
	}
	sanitized = strcmp(result->text, type);

	name = strchr(result->text, '[');
	if (!name || !begins_name(*++name))
		return;
	for (i = 0; i < num; i++)
		if (maps[i].system == system && !is_at(name, maps[i].name) &&
		    !strncmp(name, maps[i].name, strlen(maps[i].name)))
			result->by_prefix = true;
	result->apart |= result->by_prefix;

	map = find(result, name, maps, num, system);
	result->apart |= sanitized && result->warned;
	if (!map)
		return;
	behind = name + strlen(map->name);
	i = sprintf(value, "%ld", map->value);
	memcpy(name, value, i);
	memmove(name + i, behind, strlen(behind) + 1);
	result->replaced++;
}

/* The next string from *@p in quotes; @plain is cleared if C has none there. */
static const char *next_string(const char **p, size_t *len, bool *plain)
{
	const char *begin;

	for (begin = *p; *begin && *begin != '"'; begin++)
		if (*begin == '\\')
			*plain = false;
	if (!*begin)
		return NULL;
	if (begin > *p && (!strchr(" (,{", begin[-1]) ||
			   (begin > *p + 1 && strchr(".>", begin[-2]))))
		*plain = false;
	for (*p = begin + 1; **p && **p != '"'; (*p)++)
		if (**p == '\\' && (*p)[1])
			(*p)++;
	*len = *p - begin;
	if (**p)
		(*p)++;
	else
		*plain = false;
	return begin;
}

bool quotes_are_kept(const char *fmt, const char *after)
{
	size_t len = 0, len_after = 0;
	bool plain = true;

	for (;;) {
		const char *a = next_string(&fmt, &len, &plain);
		const char *b;

		if (!plain)
			return true;
		b = next_string(&after, &len_after, &plain);
		if (!a || !b)
			return a == b;
		if (len != len_after || memcmp(a, b, len))
			return false;
	}
}
