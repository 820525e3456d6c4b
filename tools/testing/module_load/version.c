// SPDX-License-Identifier: GPL-2.0-only
/*
 * check_version() of a base tree and of ours: the answers and the messages are
 * equal for any table of versions, and ours compares few strings.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

#undef strcmp

struct variant {
	int (*check_version)(const struct load_info *info, const char *name,
			     struct module *mod, const u32 *crc);
	int (*check_modstruct_version)(struct load_info *info, struct module *mod);
};

#define VARIANT(name)								\
	int name##_check_version(const struct load_info *, const char *,	\
				 struct module *, const u32 *);			\
	int name##_check_modstruct_version(struct load_info *, struct module *);\
	static const struct variant name = {					\
		name##_check_version, name##_check_modstruct_version		\
	}

VARIANT(base);
VARIANT(ours);
void __attribute__((weak)) base_modversion_ext_start(void);

#define MAX_ENTRIES 4096
#define MAX_NAME 72

/* A module: its tables, and what it asks for */
static struct modversion_info table[MAX_ENTRIES + 2];
static u32 ext_crc[MAX_ENTRIES];
static char ext_name[MAX_ENTRIES * MAX_NAME];
static char asked[MAX_ENTRIES][MAX_NAME];
static unsigned int num_asked;
static Elf_Shdr sechdrs[4];
static struct load_info info = { .name = "test", .sechdrs = sechdrs };

static u32 crc_of_all = 0x12345678;
static bool exporter_has_crc, may_force, no_memory;
static char log_text[1 << 20];
static size_t log_len;
static unsigned long compared;
static unsigned int failed, done;

void report(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	log_len += vsnprintf(log_text + log_len, sizeof(log_text) - log_len, format, args);
	va_end(args);
	assert(log_len < sizeof(log_text));
}

int counted_strcmp(const char *a, const char *b)
{
	compared++;
	return strcmp(a, b);
}

void *allocate(size_t n, size_t size)
{
	return no_memory ? NULL : calloc(n, size);
}

unsigned int hash(const char *name, unsigned int len)
{
	unsigned int value = 2166136261;

	while (len--)
		value = (value ^ (unsigned char)*name++) * 16777619;
	return value ^ value >> 15;
}

int try_to_force_load(struct module *mod, const char *reason)
{
	report("force %s\n", reason);
	return may_force ? 0 : -8;
}

bool find_symbol(struct find_symbol_arg *fsa)
{
	fsa->crc = exporter_has_crc ? &crc_of_all : NULL;
	return true;
}

/* All answers and messages of a load, which are in log_text then */
static void load(const struct variant *variant)
{
	log_len = 0;
	compared = 0;
	info.vers_hash = NULL;
	report("layout %d\n", variant->check_modstruct_version(&info, NULL));
	for (unsigned int i = 0; i < num_asked; i++)
		report("%d\n", variant->check_version(&info, asked[i], NULL,
						      exporter_has_crc ? &crc_of_all : NULL));
	free(info.vers_hash);
}

static bool same(void)
{
	static char base_text[sizeof(log_text)];

	load(&base);
	memcpy(base_text, log_text, log_len + 1);
	load(&ours);
	return !strcmp(base_text, log_text);
}

static void result(const char *name, bool good)
{
	printf("%sok %u %s\n", good ? "" : "not ", ++done, name);
	failed += !good;
}

static void name_of(char *name, unsigned int i)
{
	snprintf(name, MODULE_NAME_LEN, "a_symbol_that_is_exported_%u", i);
}

static void use_table(unsigned int size)
{
	memset(sechdrs, 0, sizeof(sechdrs));
	memset(&info.index, 0, sizeof(info.index));
	info.index.vers = 1;
	sechdrs[1].sh_type = SHT_PROGBITS;
	sechdrs[1].sh_addr = (unsigned long)table;
	sechdrs[1].sh_size = size;
}

static void use_ext(unsigned int num)
{
	use_table(0);
	info.index.vers_ext_crc = 2;
	info.index.vers_ext_name = 3;
	sechdrs[2].sh_addr = (unsigned long)ext_crc;
	sechdrs[2].sh_size = num * sizeof(u32);
	sechdrs[3].sh_type = SHT_PROGBITS;
	sechdrs[3].sh_addr = (unsigned long)ext_name;
}

/* As modpost makes them, and the symbol table in the same order or in another */
static void good_module(unsigned int num, bool permuted)
{
	char *ext = ext_name;

	memset(table, 0, sizeof(table));
	memset(asked, 0, sizeof(asked));
	for (unsigned int i = 0; i < num; i++) {
		if (i)
			name_of(table[i].name, i);
		else
			strcpy(table[i].name, "module_layout");
		table[i].crc = crc_of_all;
		ext_crc[i] = crc_of_all;
		ext = stpcpy(ext, table[i].name) + 1;
	}
	num_asked = num - 1;
	for (unsigned int i = 0; i < num_asked; i++)
		name_of(asked[i], permuted ? i * 1663UL % num_asked + 1 : i + 1);
	exporter_has_crc = true;
	no_memory = false;
	use_table(num * sizeof(table[0]));
}

static void count(const char *what, unsigned int num)
{
	static char name[128];
	unsigned long of_base;

	load(&base);
	of_base = compared;
	load(&ours);
	snprintf(name, sizeof(name), "%s: %u symbols, %lu comparisons, base %lu",
		 what, num, compared, of_base);
	result(name, compared <= num * 12UL / 10);
}

static unsigned int any(unsigned int below)
{
	return rand() % below;
}

/* Few different names, so that many stand twice; some do not end in their entry */
static void any_name(char *name, unsigned int room)
{
	static const unsigned int lens[] = { 0, 1, 7, 8, 9, 20, 54, 55, 56, 57, 60, 63, 64, 65 };
	unsigned int len = lens[any(sizeof(lens) / sizeof(lens[0]))];

	memset(name, 'a', room);
	if (len < room)
		name[len] = 0;
	if (len && !any(3))
		name[any(len) % room] = 'b' + any(2);
}

static void any_module(void)
{
	unsigned int num = any(12);
	char *ext = ext_name;

	memset(table, 0, sizeof(table));
	for (unsigned int i = 0; i < num; i++) {
		any_name(table[i].name, MODULE_NAME_LEN);
		table[i].crc = any(3) ? crc_of_all : 0x6161616161616161UL >> 8 * any(8);
		ext_crc[i] = table[i].crc;
		any_name(ext, MAX_NAME);
		ext += strlen(ext) + 1;
	}
	if (num && any(2))
		strcpy(table[any(num)].name, "module_layout");
	num_asked = any(24);
	for (unsigned int i = 0; i < num_asked; i++)
		any_name(asked[i], MAX_NAME);
	exporter_has_crc = any(8);
	may_force = any(2);
	no_memory = !any(4);
	if (base_modversion_ext_start && any(2))
		use_ext(num);
	else
		use_table(num * sizeof(table[0]) + any(sizeof(table[0])));
	if (!any(8))
		info.index.vers = 0;
	if (!any(8))
		info.index.vers_ext_name = 0;
	if (!any(8))
		sechdrs[1].sh_type = SHT_NOBITS;
}

static void fuzz(unsigned int rounds)
{
	bool good = true;

	for (unsigned int i = 0; i < rounds && good; i++) {
		srand(i);
		any_module();
		good = same();
		if (!good)
			printf("# module %u\n", i);
	}
	result("any modules: answers and messages as base's", good);
}

/* What base does not read, because it finds all that is asked for before that. */
static void unread(void)
{
	size_t size = 4 * sizeof(table[0]);
	char *exact = malloc(size);

	good_module(4, false);
	num_asked = 2;
	memset(table[3].name, 'z', sizeof(table[3].name));
	memcpy(exact, table, size);
	sechdrs[1].sh_addr = (unsigned long)exact;
	result("the last name has no end", same());

	sechdrs[1].sh_type = SHT_NOBITS;
	sechdrs[1].sh_size = 1UL << 36;
	result("a table whose size nobody has checked", same());

	/* A quarter of as many entries as 32 bits can count buckets, and no memory. */
	sechdrs[1].sh_type = SHT_PROGBITS;
	no_memory = true;
	result("a table too large for a hash", same());
	free(exact);
}

int main(int argc, char **argv)
{
	static const unsigned int sizes[] = { 2, 40, 200, 800, 3000 };
	char what[64];

	printf("KTAP version 1\n");
	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (unsigned int permuted = 0; permuted < 2; permuted++) {
			good_module(sizes[i], permuted);
			snprintf(what, sizeof(what), "%s order", permuted ? "another" : "same");
			count(what, sizes[i]);
			if (base_modversion_ext_start) {
				use_ext(sizes[i]);
				strcat(what, ", extended");
				count(what, sizes[i]);
			}
		}
	}
	unread();
	fuzz(argc > 1 ? atoi(argv[1]) : 200000);
	printf("1..%u\n", done);
	return failed != 0;
}
