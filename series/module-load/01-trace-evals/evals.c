// SPDX-License-Identifier: GPL-2.0-only

/* Evals by the identifier that each begins with. */
struct eval_index {
	struct trace_eval_map	**map;
	int			len;
	unsigned int		bits;
	int			*first;	/* of each bucket, NULL if there is no memory */
	int			*next;	/* of each eval, in the order of the map */
};

/* Enough for any long, and its NUL. */
#define EVAL_VALUE_SIZE 24

static bool in_identifier(char c)
{
	return isalnum(c) || c == '_';
}

static bool starts_identifier(char c)
{
	return isalpha(c) || c == '_';
}

/* The length of the identifier at @str; @hash gets what it hashes to. */
static int identifier_len(const char *str, u32 *hash)
{
	int len = 0;

	*hash = 0;
	do {
		*hash = *hash * 31 + str[len++];
	} while (in_identifier(str[len]));

	return len;
}

/*
 * What TRACE_DEFINE_ENUM() and TRACE_DEFINE_SIZEOF() are given becomes a part
 * of a variable's name, so an eval is an identifier, sizeof() of one, or a
 * number, which is never looked up. Hash the identifier or the "sizeof"; there
 * are few of the latter in a system.
 *
 * Without memory every lookup goes through the whole map, to the same result.
 */
static void index_evals(struct eval_index *index, struct trace_eval_map **map,
			int len)
{
	u32 hash;
	int i;

	index->map = map;
	index->len = len;
	index->first = NULL;
	if (len <= 0)
		return;

	index->bits = ilog2(len) + 1;
	index->first = kvmalloc_array((1UL << index->bits) + len,
				      sizeof(*index->first), GFP_KERNEL);
	if (!index->first)
		return;
	index->next = index->first + (1UL << index->bits);

	for (i = 0; i < 1 << index->bits; i++)
		index->first[i] = len;

	/* From the last to the first, so that those of a bucket are in order. */
	for (i = len - 1; i >= 0; i--) {
		identifier_len(map[i]->eval_string, &hash);
		hash = hash_32(hash, index->bits);
		index->next[i] = index->first[hash];
		index->first[hash] = i;
	}
}

static bool has_evals(const struct eval_index *index, const char *system)
{
	int i;

	for (i = 0; i < index->len; i++) {
		if (index->map[i]->system == system)
			return true;
	}

	return false;
}

/*
 * Is the identifier at *@str an eval of @system, or the beginning of one? If
 * so, print its value to @value and return how long that is, else return 0.
 * Move *@str behind the eval or else the identifier.
 */
static int eval_value(const struct eval_index *index, const char *system,
		      char **str, char *value)
{
	struct trace_eval_map *map;
	char *start = *str;
	int i, len, size;
	u32 hash;

	*str += identifier_len(start, &hash);

	i = index->first ? index->first[hash_32(hash, index->bits)] : 0;
	for (; i < index->len; i = index->first ? index->next[i] : i + 1) {
		map = index->map[i];
		if (map->system != system)
			continue;

		len = strlen(map->eval_string);
		if (strncmp(map->eval_string, start, len) ||
		    in_identifier(start[len]))
			continue;

		size = snprintf(value, EVAL_VALUE_SIZE, "%ld", map->eval_value);
		/* enum/sizeof string smaller than value */
		if (WARN_ON_ONCE(size > len))
			continue;

		*str = start + len;
		return size;
	}

	return 0;
}

/* The quote that ends the string at @str, or the end of the text without one. */
static char *skip_string(char *str)
{
	for (str++; *str && *str != '"'; str++) {
		if (*str == '\\' && str[1])
			str++;
	}

	return str;
}

/*
 * Skip the members that follow an identifier, as in REC->a.b, which are no
 * evals whatever they are called.
 */
static char *skip_members(char *str)
{
	while (*str == '.' || (str[0] == '-' && str[1] == '>')) {
		str += *str == '.' ? 1 : 2;
		if (!*str)
			break;
		do {
			str++;
		} while (in_identifier(*str));
	}

	return str;
}

/*
 * Replace all evals of the event's system in its print format by their values,
 * in one pass. No value is longer than its name, so what has been written never
 * catches up with what is yet to be read.
 */
static void update_event_printk(struct trace_event_call *call,
				const struct eval_index *index)
{
	char *end = call->print_fmt;	/* of what has been written */
	char *rest = call->print_fmt;	/* what follows that, still to be moved */
	char value[EVAL_VALUE_SIZE];
	char *ptr, *start;
	int len;

	for (ptr = call->print_fmt; *ptr; ptr++) {
		if (*ptr == '\\') {
			ptr++;
		} else if (*ptr == '"') {
			ptr = skip_string(ptr);
		} else if (isdigit(*ptr)) {
			/* with its suffix, like ULL */
			do {
				ptr++;
			} while (isalnum(*ptr));
		} else if (starts_identifier(*ptr)) {
			start = ptr;
			len = eval_value(index, call->class->system, &ptr, value);
			if (len) {
				memmove(end, rest, start - rest);
				end += start - rest;
				memcpy(end, value, len);
				end += len;
				rest = ptr;
			} else {
				ptr = skip_members(ptr);
			}
		}
		/* What has ended a word or a string, or was escaped, is passed over. */
		if (!*ptr)
			break;
	}

	if (rest != end)
		memmove(end, rest, ptr - rest + 1);
}

/* Return a copy of @type with the value of the eval behind its '[', or @type. */
static char *replace_field_eval(char *type, const char *system,
				const struct eval_index *index)
{
	char value[EVAL_VALUE_SIZE];
	char *start, *end, *str;
	int len;

	start = strchr(type, '[');
	if (!start || !starts_identifier(*++start))
		return type;

	end = start;
	len = eval_value(index, system, &end, value);
	if (!len)
		return type;

	str = kasprintf(GFP_KERNEL, "%.*s%s%s", (int)(start - type), type, value, end);
	WARN_ON_ONCE(!str);
	return str;
}
