// SPDX-License-Identifier: GPL-2.0-only
/* Tables of formats and types, one line for each trap, and what is no table. */
#include <stdlib.h>

#include "harness.h"

#define SIZEOF_MANY	"sizeof(a)=1 sizeof(b)=2 sizeof(ab)=3"
#define LONG_NAME	"ABCDEFGHIJKLMNOPQRST"	/* as long as LONG_MIN */

static const struct {
	const char *name;
	const char *maps;
	const char *before, *after;
	bool warns;
} formats[] = {
	{ "no maps", "", "\"%d\", FOO", "\"%d\", FOO" },
	{ "empty format", "FOO=5", "", "" },
	{ "an enum", "FOO=5", "\"%d\", FOO, 1", "\"%d\", 5, 1" },
	{ "alone", "FOO=5", "FOO", "5" },
	{ "at the beginning and the end", "FOO=5", "FOO + FOO", "5 + 5" },
	{ "value as long as its name", "FOO=123", "(FOO)", "(123)" },
	{ "as long, at the end", "FOO=123", "FOO", "123" },
	{ "zero", "FOO=0", "FOO,", "0," },
	{ "many", "A=1 B=2 C=3", "{ A, \"A\" }, { B, \"B\" }, { C, \"C\" }",
	  "{ 1, \"A\" }, { 2, \"B\" }, { 3, \"C\" }" },
	{ "in brackets", "FOO=5", "REC->a[FOO] + b[FOO]", "REC->a[5] + b[5]" },

	{ "in a string", "FOO=5", "\"FOO\" FOO \"a FOO b\"", "\"FOO\" 5 \"a FOO b\"" },
	{ "quote in a string", "FOO=5", "\"a\\\"FOO\", FOO", "\"a\\\"FOO\", 5" },
	{ "backslash at a string's end", "FOO=5", "\"a\\\\\", FOO", "\"a\\\\\", 5" },
	{ "newline in a string", "nFOO=5", "\"\\nFOO\", nFOO ", "\"\\nFOO\", 5 " },
	{ "line break in a string", "FOO=5", "\"a\nFOO\", FOO,", "\"a\nFOO\", 5," },
	{ "two strings", "FOO=5", "\"FOO\"\"FOO\", FOO,", "\"FOO\"\"FOO\", 5," },
	{ "empty string", "FOO=5", "\"\" FOO,", "\"\" 5," },
	{ "open string", "FOO=5", "FOO, \"FOO", "5, \"FOO" },
	{ "backslash at the end", "FOO=5", "FOO \\", "5 \\" },
	{ "backslash at the end of an open string", "FOO=5", "FOO \"\\", "5 \"\\" },
	{ "escaped quote outside", "FOO=5", "\\\"FOO, FOO", "\\\"5, 5" },
	{ "escaped letter", "FOO=5 OO=6", "\\FOO OO ", "\\F6 6 " },
	{ "escaped letter before a name", "FOO=5", "\\nFOO ", "\\n5 " },
	{ "a character is no string", "FOO=5", "'F' FOO '\\''", "'F' 5 '\\''" },
	{ "quote behind a name is passed over", "FOO=5 B=6", "B\"FOO\" FOO,", "6\"5\" 5," },
	{ "quote behind another name too", "FOO=5", "B\"FOO\" FOO,", "B\"5\" 5," },
	{ "quote behind a number too", "FOO=5", "1\"FOO\" FOO,", "1\"5\" 5," },
	{ "string in a string of a macro", "FOO=5", "__print_flags(a, \"|\", { FOO, \"FOO\" })",
	  "__print_flags(a, \"|\", { 5, \"FOO\" })" },

	{ "suffix of a number", "ULL=1 L=2 UL=3", "0x1fULL + 10UL + 1L + L ",
	  "0x1fULL + 10UL + 1L + 2 " },
	{ "digits of a number", "x1f=1 f=2", "0x1f f ", "0x1f 2 " },
	{ "exponent", "e=1", "1e5 1.e e ", "1e5 1.1 1 " },
	{ "underscore ends a number", "FOO=1 _FOO=2", "0_FOO _FOO ", "0_1 2 " },
	{ "number at the end", "FOO=1", "FOO + 10", "1 + 10" },
	{ "behind a minus", "FOO=1", "a-FOO -FOO ", "a-1 -1 " },

	{ "member", "FOO=5", "REC->FOO, FOO", "REC->FOO, 5" },
	{ "member by a dot", "FOO=5", "a.FOO, FOO", "a.FOO, 5" },
	{ "chain of members", "FOO=5 b=1", "a->b.FOO->b.b, FOO", "a->b.FOO->b.b, 5" },
	{ "member of an element", "FOO=5", "a[FOO].FOO a[FOO]->FOO ", "a[5].5 a[5]->5 " },
	{ "space behind an arrow", "FOO=5", "a-> FOO, FOO", "a-> FOO, 5" },
	{ "space before an arrow", "FOO=5", "a ->FOO, FOO", "a ->5, 5" },
	{ "no arrow", "FOO=5", "a- >FOO a-FOO a>FOO ", "a- >5 a-5 a>5 " },
	{ "arrow at the end", "FOO=5", "FOO, a->", "5, a->" },
	{ "dot at the end", "FOO=5", "FOO, a.", "5, a." },
	{ "minus at the end", "FOO=5", "FOO, a-", "5, a-" },
	{ "dots", "FOO=5", "a...FOO, FOO", "a...FOO, 5" },
	{ "arrow, bracket and a name", "FOO=5", "a->(FOO), FOO", "a->(FOO), 5" },
	{ "quote behind a dot is passed over", "FOO=5", "a.\"FOO\" FOO,", "a.\"FOO\" 5," },
	{ "number and a member", "FOO=5", "1.FOO,", "1.5," },

	{ "sizeof()", "sizeof(int)=4", "(sizeof(int) / sizeof(x))", "(4 / sizeof(x))" },
	{ "sizeof() alone", "sizeof(int)=4", "sizeof(int)", "4" },
	{ "sizeof() of many", SIZEOF_MANY, "sizeof(ab) + sizeof(b) + sizeof(a),", "3 + 2 + 1," },
	{ "sizeof() of a longer name", "sizeof(a)=1", "sizeof(ab), sizeof(a),",
	  "sizeof(ab), 1," },
	{ "sizeof() of a shorter name", "sizeof(ab)=1", "sizeof(a), sizeof(ab),",
	  "sizeof(a), 1," },
	{ "sizeof() in another form", "sizeof(a)=1", "sizeof( a) sizeof (a) sizeof a ,",
	  "sizeof( a) sizeof (a) sizeof a ," },
	{ "sizeof() with a word behind it", "sizeof(a)=1", "sizeof(a)b sizeof(a)_ sizeof(a)1,",
	  "sizeof(a)b sizeof(a)_ sizeof(a)1," },
	{ "sizeof() with a member", "sizeof(a)=1 m=7", "sizeof(a)->b sizeof(a).b.m ",
	  "1->b 1.b.m " },
	{ "sizeof() in sizeof()", "sizeof(a)=1", "sizeof(sizeof(a)),", "sizeof(1)," },
	{ "sizeof() in a string", "sizeof(a)=1", "\"sizeof(a)\" sizeof(a),", "\"sizeof(a)\" 1," },
	{ "sizeof as a member", "sizeof(a)=1", "b.sizeof(a),", "b.sizeof(a)," },
	{ "part of sizeof", "sizeof(a)=1 size=2 of=3", "size of(a) sizeof(a),", "2 3(a) 1," },
	{ "sizeof() cut off", "sizeof(abc)=1", "sizeof(ab", "sizeof(ab" },
	{ "sizeof() of an enum that comes later", "sizeof(a)=1 a=2", "sizeof(a), a,", "1, 2," },
	{ "sizeof() of an enum that comes earlier", "a=2 sizeof(a)=1", "sizeof(a), a,",
	  "1, 2," },
	{ "sizeof() of an enum that does not fit", "a=22 sizeof(a)=1", "sizeof(a),", "1," },
	{ "sizeof() that does not fit, of an enum", "a=2 sizeof(a)=1234567890", "sizeof(a),",
	  "sizeof(2),", true },
	{ "sizeof() that does not fit", "sizeof(a)=1234567890 a=2", "sizeof(a),", "sizeof(2),",
	  true },

	{ "negative", "FOO=-5", "FOO, a-FOO, (FOO)", "-5, a--5, (-5)" },
	{ "negative, as long as its name", "FO=-5", "FO,", "-5," },
	{ "LONG_MIN", LONG_NAME "=-9223372036854775808", LONG_NAME ",", "-9223372036854775808," },
	{ "LONG_MAX", LONG_NAME "=9223372036854775807", LONG_NAME ",", "9223372036854775807," },
	{ "too long", "FOO=1234", "FOO, FOO", "FOO, FOO", true },
	{ "too long by its sign", "FO=-50", "FO, FO", "FO, FO", true },
	{ "too long, with members", "FO=500 m=1", "FO.m, m,", "FO.m, 1,", true },
	{ "LONG_MIN, too long", "ABCDEFGHIJKLMNOPQRS=-9223372036854775808",
	  "ABCDEFGHIJKLMNOPQRS,", "ABCDEFGHIJKLMNOPQRS,", true },
	{ "too long, but not used", "FOO=1234 BAR=1", "\"FOO\" BAR,", "\"FOO\" 1," },
	{ "too long, others are not", "FOO=1234 BAR=1", "BAR, FOO, BAR,", "1, FOO, 1,", true },

	{ "prefix of another", "FOO=1 FOO_MAX=2", "FOO, FOO_MAX, FOO,", "1, 2, 1," },
	{ "prefix of another, the other first", "FOO_MAX=2 FOO=1", "FOO_MAX, FOO,", "2, 1," },
	{ "prefix of a word", "FOO=1", "FOO_, FOO1, FOOa, FOO,", "FOO_, FOO1, FOOa, 1," },
	{ "end of a word", "FOO=1", "_FOO, aFOO, FOO,", "_FOO, aFOO, 1," },
	{ "longer than what is left", "FOO_BAR=1", "FOO", "FOO" },
	{ "in any case", "FOO=1", "foo Foo FOO ", "foo Foo 1 " },
	{ "underscores", "_=1 __=2", "_ __ ___ ", "1 2 ___ " },
	{ "one letter", "A=1", "A A,AA(A)", "1 1,AA(1)" },
	{ "twice, the first counts", "FOO=1 FOO=2", "FOO,", "1," },
	{ "twice, the first does not fit", "FOO=1000 FOO=2", "FOO,", "2,", true },
	{ "twice, the second does not fit", "FOO=1 FOO=2000", "FOO,", "1," },
	{ "of another system", "1:FOO=1", "FOO,", "FOO," },
	{ "in two systems", "1:FOO=1 FOO=2 2:FOO=3", "FOO,", "2," },
	{ "another system's does not fit", "1:FOO=1000 FOO=2", "FOO,", "2," },
	{ "value that is the name of another", "A1=1 B=2", "A1 1 B", "1 1 2" },
	{ "begins with a digit", "1FOO=1 A=2", "1FOO FOO A,", "1FOO FOO 2," },

	{ "Latin-1 letters", "\xc9\xe9=1 F=2", "\xc9\xe9 F\xe9 F,", "1 F\xe9 2," },
	{ "Latin-1, no letters", "F=1", "F\327F\367F\240F\265F,", "1\3271\3671\2401\2651," },
	{ "UTF-8", "caf\xc3\xa9=1 caf=2", "caf\xc3\xa9 caf\xc3 caf,", "1 caf\xc3 2," },
	{ "other characters", "F=1", "@F$F`F\tF\nF\001F\177", "@1$1`1\t1\n1\0011\177" },
};

static const struct {
	const char *name;
	const char *maps;
	const char *before, *after;
	bool warns;
} types[] = {
	{ "no array", "FOO=5", "FOO", "FOO" },
	{ "empty", "FOO=5", "", "" },
	{ "an enum", "FOO=5", "char[FOO]", "char[5]" },
	{ "an enum and more", "FOO=5", "char[FOO + 1]", "char[5 + 1]" },
	{ "an enum behind another", "FOO=5 BAR=6", "char[FOO + BAR]", "char[5 + BAR]" },
	{ "second dimension", "FOO=5", "char[FOO][FOO]", "char[5][FOO]" },
	{ "a number first", "FOO=5", "char[2][FOO]", "char[2][FOO]" },
	{ "a space first", "FOO=5", "char[ FOO]", "char[ FOO]" },
	{ "as long as its name", "FOO=123", "char[FOO]", "char[123]" },
	{ "negative", "FOO=-1", "char[FOO]", "char[-1]" },
	{ "too long", "FOO=1234", "char[FOO]", "char[FOO]", true },
	{ "too long, the next fits", "FOO=1234 FOO=5", "char[FOO]", "char[5]", true },
	{ "sizeof()", "sizeof(x)=8", "char[sizeof(x)]", "char[8]" },
	{ "sizeof() of an enum", "x=1 sizeof(x)=8", "char[sizeof(x)]", "char[8]" },
	{ "sizeof() of many", SIZEOF_MANY, "char[sizeof(b)]", "char[2]" },
	{ "whole name", "FOO=5", "char[FOO_MAX]", "char[FOO_MAX]" },
	{ "whole name, digits", "FOO=5", "char[FOO2]", "char[FOO2]" },
	{ "whole name, both there", "FOO=5 FOO_MAX=6", "char[FOO_MAX]", "char[6]" },
	{ "whole name, the longer first", "FOO_MAX=6 FOO=5", "char[FOO_MAX]", "char[6]" },
	{ "part of sizeof", "size=1 sizeof(x)=8", "char[sizeof(x)]", "char[8]" },
	{ "of another system", "1:FOO=5", "char[FOO]", "char[FOO]" },
	{ "in two systems", "1:FOO=5 FOO=6", "char[FOO]", "char[6]" },
	{ "bracket at the end", "FOO=5", "char[", "char[" },
	{ "name at the end", "FOO=5", "char[FOO", "char[5" },
	{ "begins with a digit", "1FOO=5", "char[1FOO]", "char[1FOO]" },
	{ "data_loc", "FOO=5", "__data_loc char[]", "__data_loc char[]" },

	{ "attribute", "", "__attribute__((user)) int *", "int *" },
	{ "attribute in the middle", "", "const __attribute__((user)) int *", "const int *" },
	{ "attribute at the end", "", "int __attribute__((user))", "int " },
	{ "attributes", "", "__attribute__((a)) int __attribute__((b)) *", "int *" },
	{ "attributes without a space", "", "__attribute__((a))__attribute__((b))int", "int" },
	{ "attribute with brackets", "", "__attribute__((a(b, (c)))) int", "int" },
	{ "attribute alone", "", "__attribute__((a))", "" },
	{ "part of another word", "", "x__attribute__((a)) int", "x__attribute__((a)) int" },
	{ "behind part of another word", "", "x__attribute__(__attribute__((a)) int",
	  "x__attribute__(int" },
	{ "another word", "", "__attribute__s((a)) int", "__attribute__s((a)) int" },
	{ "attribute without brackets", "", "__attribute__ int", "__attribute__ int" },
	{ "one bracket", "", "__attribute__(a) int", "int" },
	{ "spaces before and behind", "", "a\t__attribute__((b)) \t\n\xa0 c", "a\tc" },
	{ "unbalanced", "", "__attribute__((a) int", "__attribute__((a) int", true },
	{ "unbalanced at the end", "", "int __attribute__(", "int __attribute__(", true },
	{ "unbalanced behind another", "", "__attribute__((a)) b __attribute__((c",
	  "__attribute__((a)) b __attribute__((c", true },
	{ "too many brackets", "", "__attribute__((a))) int", ") int" },
	{ "attribute and enum", "FOO=5", "__attribute__((a)) char[FOO]", "char[5]" },
	{ "attribute with a bracket, and enum", "FOO=5", "__attribute__((a[2])) char[FOO]",
	  "char[5]" },
	{ "attribute and no enum", "FOO=5", "__attribute__((a)) char[BAR]", "char[BAR]" },
	{ "attribute and an enum too long", "FOO=1234", "__attribute__((a)) char[FOO]",
	  "char[FOO]", true },
	{ "attribute and an enum too long, another", "FOO=1234 BAR=1",
	  "__attribute__((a)) char[FOO]", "char[FOO]", true },
	{ "unbalanced and an enum", "FOO=5", "__attribute__((a char[FOO]",
	  "__attribute__((a char[5]", true },
};

/* The scene of a table's line, done twice, and what its text becomes. */
static const char *expect(struct scene *scene, const char *format, const char *type, int warns)
{
	const struct scene_step step = *scene->steps;
	struct counts counts;
	struct world world;
	const char *err;

	scene_step(scene, step.first, step.num, step.module);
	err = check_scene(scene, &counts);
	if (!err) {
		world_init(&world, &ours, scene);
		kernel_reset();
		world_step(&world, &step);
		if (format && strcmp(world.formats[0], format))
			err = failure("'%s' is not '%s'", world.formats[0], format);
		else if (type && strcmp(world.fields[0].type, type))
			err = failure("'%s' is not '%s'", world.fields[0].type, type);
		else if (warns >= 0 && kernel.warnings != warns)
			err = failure("%u warnings", kernel.warnings);
		world_fini(&world);
	}
	scene_free(scene);
	return err;
}

int main(void)
{
	char name[100];
	int i;

	ktap_begin();
	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		struct scene scene = { 0 };

		scene_maps(&scene, formats[i].maps);
		scene_class(&scene, 0, 1, false);
		scene_format(&scene, formats[i].before);
		scene_step(&scene, 0, scene.nr_maps, 1);
		snprintf(name, sizeof(name), "format: %s", formats[i].name);
		result(name, expect(&scene, formats[i].after, NULL, formats[i].warns));
	}
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		struct scene scene = { 0 };

		scene_maps(&scene, types[i].maps);
		scene_class(&scene, 0, 1, false);
		scene_field(&scene, types[i].before, FILTER_OTHER);
		scene_format(&scene, "");
		scene_step(&scene, 0, scene.nr_maps, 1);
		snprintf(name, sizeof(name), "type: %s", types[i].name);
		/* Types can be read, and warned about, at several places. */
		result(name, expect(&scene, NULL, types[i].after, types[i].warns ? -1 : 0));
	}
	check_scenes();
	return ktap_end();
}
