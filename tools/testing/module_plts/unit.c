// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of modules with what planning has to make of them. Every module also
 * goes through all checks of check.c, for every PLT offset at every distance.
 *
 * A module is written as its code sections, each with its RELAs:
 *
 *	.text c1 j1 c2+8 a3@ff8 | .init.text c1 c.text
 *
 * c and j are CALL26 and JUMP26, a and n ADRP (PG_HI21) without and with _NC, o an
 * ADD_ABS_LO12_NC. The number is a symbol index, all undefined, a section name the
 * symbol of that section. +n or -n is the addend, @x the r_offset in hex (4 more
 * than the one before by default), *n makes n of them, ~n steps the symbol index.
 * A section's size follows it as :x in hex.
 */
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <linux/sort.h>

#include "harness.h"

#define MAX_RECORDS	128
#define SECTION_SYMBOL	512	/* of section 0, the next is of section 1, ... */

static void bad_table(const char *text)
{
	fprintf(stderr, "unit: cannot read \"%s\"\n", text);
	exit(1);
}

static unsigned int name_index(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < NR_RECORD_NAMES; i++)
		if (strlen(record_names[i]) == len && !strncmp(record_names[i], name, len))
			return i;

	bad_table(name);
	return 0;
}

static const char *parse_section(const char *p, struct record *r)
{
	size_t len = strcspn(p, " :");

	*r = (struct record){ .op = RECORD_SECTION, .offset = 0x4000, .flags = 4 << 8 };
	r->kind = name_index(p, len);
	if (strstr(record_names[r->kind], "text"))
		r->flags |= SHF_EXECINSTR;
	p += len;
	if (*p == ':')
		r->offset = strtoul(p + 1, (char **)&p, 16);
	return p;
}

/* The section of that name: 0, 2, 4, ... behind RECORD_FIRST_SECTION. */
static unsigned int section_index(const char *text, const char *name, size_t len)
{
	unsigned int i = RECORD_FIRST_SECTION;
	const char *p;

	for (p = text; p; p = strchr(p, '|'), i += 2) {
		p += strspn(p, "| ");
		if (!strncmp(p, name, len) && strchr(" :", p[len]))
			return i;
	}
	bad_table(name);
	return 0;
}

static const char *parse_rela(const char *text, const char *p, struct record *r, u32 *offset)
{
	static const char letters[] = "cjanoxbz";	/* in the order of record_types */
	const char *letter = strchr(letters, *p++);
	size_t len;

	if (!letter)
		bad_table(p - 1);
	*r = (struct record){ .op = RECORD_RELA, .kind = letter - letters, .flags = 1 };
	if (*p == '.') {
		len = strcspn(p, " +-@*~");
		r->index = SECTION_SYMBOL + section_index(text, p, len);
		p += len;
	} else {
		r->index = strtoul(p, (char **)&p, 10);
	}
	if (*p == '+' || *p == '-')
		r->value = strtol(p, (char **)&p, 10);
	if (*p == '@')
		*offset = strtoul(p + 1, (char **)&p, 16);
	if (*p == '*')
		r->flags = strtoul(p + 1, (char **)&p, 10);
	if (*p == '~')
		r->step = strtol(p + 1, (char **)&p, 10);
	r->offset = *offset;
	*offset += 4 * r->flags;
	if (r->index >= FEW_SYMBOLS && !r->step && r->flags == 1)
		r->flags |= RECORD_WILD;
	return p;
}

static size_t parse(const char *text, struct record *records)
{
	unsigned int section = RECORD_FIRST_SECTION;
	struct record *r = records;
	const char *p = text;
	u32 offset = 0;

	while (*p && r < records + MAX_RECORDS - 2) {
		if (*p == '.') {
			p = parse_section(p, r++);
			*r++ = (struct record){ .op = RECORD_SYMBOL, .value = section,
						.index = SECTION_SYMBOL + section };
			section += 2;
			offset = 0;
		} else {
			p = parse_rela(text, p, r++, &offset);
		}
		if (*p && !strchr(" |", *p))
			bad_table(p);
		p += strspn(p, " |");
	}
	if (*p)
		bad_table(p);
	return r - records;
}

static const char *plan_with(const struct image *img, bool erratum, struct module *mod,
			     u64 *align)
{
	struct image copy;
	int ret;

	image_copy(&copy, img);
	kernel.erratum_843419 = erratum;
	*mod = (struct module){ .name = "unit", .state = MODULE_STATE_UNFORMED };
	ret = ours[KASLR]->plan(copy.ehdr, copy.sechdrs, copy.secstrings, mod);
	*align = copy.sechdrs[RECORD_FIRST_SECTION].sh_addralign;
	kernel.erratum_843419 = false;
	image_close(&copy);
	return ret ? failure("planning returns %d", ret) : NULL;
}

/* check_image(), and nothing may be left out. */
static const char *check_all(const struct image *img, unsigned int layouts)
{
	const char *err = check_image(img, 0, layouts);

	return !err && checked.left_out[0] ? failure("not checked: %s", checked.left_out) : err;
}

/* Entries planned: without the erratum, and with it, ADRP veneers and slack included. */
static const struct {
	const char *name, *module;
	int core, init, erratum_core, erratum_init;
	u64 align;
	bool no_unload;
} plans[] = {
	{ "no RELAs", ".text", 0, 0, 0, 0, 16 },
	{ "one branch", ".text c1", 1, 0, 2, 0, 16 },
	{ "last element counts", ".text o1 o2 c3", 1, 0, 2, 0, 16 },
	{ "only the last two are branches", ".text o1 a2 o3 c3 c4", 2, 0, 3, 0, 16 },
	{ "equal branches share", ".text c1 c2 c1 c2 c1", 2, 0, 3, 0, 16 },
	{ "CALL26 and JUMP26 share", ".text c1 j1 c1 j1 j2 c2", 2, 0, 3, 0, 16 },
	{ "addend between equal branches", ".text c1 c1+4 c1", 2, 0, 3, 0, 16 },
	{ "equal addends do not share", ".text c1+4 c1+4 c1-4", 3, 0, 4, 0, 16 },
	{ "addends before and behind", ".text c1+4 c2 c1 j1-8 c2+4 c1 j2", 5, 0, 6, 0, 16 },
	{ "own section needs none", ".text c.text c.text+8 j.text", 0, 0, 0, 0, 16 },
	{ "another section does",
	  ".text c.text c.text.hot | .text.hot c.text c.text j.text.hot", 2, 0, 4, 0, 16 },
	{ "own section among others", ".text c.text c1 c.text c1 c.text c2", 2, 0, 3, 0, 16 },
	{ "init has its own", ".text c1 c2 | .init.text c1 c1 c3 c4", 2, 3, 3, 4, 16 },
	{ "init only", ".init.text c1 c.init.text", 0, 1, 0, 2, 16 },
	{ "core and init call each other", ".text c.init.text | .init.text c.text",
	  1, 1, 2, 2, 16 },
	{ "sections do not share", ".text c1 | .text.hot c1 | .text c1", 3, 0, 6, 0, 16 },
	{ "exit is core", ".text c1 | .exit.text c1 c2", 3, 0, 5, 0, 16 },
	{ "exit is init without unloading", ".text c1 | .exit.text c1 c2", 1, 2, 2, 3, 16, true },
	{ "a section with a name like .plt", ".printk_index c1 | .text c1", 1, 0, 2, 0, 16 },
	{ "data is not planned", ".data c1 c2 a3@ff8 | .text c1", 1, 0, 2, 0, 16 },
	{ "other types are not branches", ".text o1 x2 b3 z4", 0, 0, 0, 0, 16 },

	{ "ADRP at 0xff8", ".text a1@ff8", 0, 0, 2, 0, 16 },
	{ "ADRP at 0xffc", ".text n1@ffc", 0, 0, 2, 0, 16 },
	{ "ADRP at 0xff8 of a later page", ".text a1@2ff8", 0, 0, 2, 0, 16 },
	{ "ADRP at 0xff0 is aligned away", ".text a1@ff0", 0, 0, 0, 0, 16 },
	{ "ADRP at 0xff4 is aligned away", ".text a1@ff4", 0, 0, 0, 0, 16 },
	{ "ADRP at 0xfe8", ".text a1@fe8", 0, 0, 0, 0, 32 },
	{ "ADRP at 0xbf8", ".text a1@bf8", 0, 0, 0, 0, 2048 },
	{ "ADRP at 0x7f8", ".text n1@7f8", 0, 0, 0, 0, 4096 },
	{ "ADRP at 0x7fc", ".text a1@17fc", 0, 0, 0, 0, 4096 },
	{ "ADRP at 0, alignment is not lowered", ".text a1@0", 0, 0, 0, 0, 16 },
	{ "ADRPs: the largest alignment", ".text a1@78 a1@3f8 a1@8", 0, 0, 0, 0, 2048 },
	{ "ADRPs do not share", ".text a1@ff8 a1@ffc a1@1ff8", 0, 0, 4, 0, 16 },
	{ "ADRP first, branches behind", ".text a1@ff8 c1 c2 c1", 2, 0, 4, 0, 16 },
	{ "ADRP last, branches before", ".text c1 c2 c1 a1@ff8", 2, 0, 4, 0, 16 },
	{ "ADRP last, all before are branches", ".text c1 c1 c1 n1@ffc", 1, 0, 3, 0, 16 },
	{ "ADRP between branches", ".text c1 a1@ff8 c1@100 a2@ffc c1+4", 2, 0, 5, 0, 16 },
	{ "ADRP first in the next section", ".text c1 | .text.hot a1@ff8 c1", 2, 0, 5, 0, 16 },
	{ "ADRP against its own section", ".text a.text@ff8 c.text", 0, 0, 2, 0, 16 },
	{ "ADRPs of init", ".text a1@ff8 | .init.text c1 a2@ff8 a3@ffc", 0, 1, 2, 4, 16 },
	{ "ADRP veneer, then a branch to the page", ".text a256@ff8 | .text.hot c256 c1",
	  2, 0, 5, 0, 16 },
	{ "ADRP between two sections' branches", ".text c256 a256@ff8 | .text.hot c256",
	  2, 0, 5, 0, 16 },

	{ "341 entries, 1 slack", ".text c1*341~1", 341, 0, 342, 0, 16 },
	{ "342 entries, 2 slack", ".text c1*342~1", 342, 0, 344, 0, 16 },
	{ "682 entries, 2 slack", ".text c1*341~1 c1+4*341~1", 682, 0, 684, 0, 16 },
	{ "683 entries, 3 slack", ".text c1*341~1 c1+4*341~1 a1@2ff8", 682, 0, 686, 0, 16 },
	{ "slack is for branches and ADRPs together", ".text c1*340~1 a1@ff8",
	  340, 0, 342, 0, 16 },
	{ "slack is a section's", ".text c1 | .text c1 | .text c1 | .init.text c1",
	  3, 1, 6, 2, 16 },

	{ "32 branches", ".text c1*32~7", 32, 0, 33, 0, 16 },
	{ "33 branches", ".text c1*33~7", 33, 0, 34, 0, 16 },
	{ "33 branches, downwards", ".text c500*33~-9", 33, 0, 34, 0, 16 },
	{ "33 branches, lowest and highest symbol", ".text c0*32 c599", 2, 0, 3, 0, 16 },
	{ "more branches than symbols", ".text c3*2000~7", 599, 0, 601, 0, 16 },
	{ "branches in blocks", ".text c5*50 c1*50 c9*50 c1*50 c5*50", 3, 0, 4, 0, 16 },
	{ "branches interleaved with others", ".text c5*50~3 o1*50 c5*50~5 a1@ff8 j5*50~7 c.text*9",
	  126, 0, 128, 0, 16 },
};

/* Branches have entries planned where, and only where, a module can be far. */
static void test_kconfigs(void)
{
	static const struct {
		const char *name;
		const struct module_plts *plts;
		int core;
	} kconfigs[] = {
		{ "KASLR: branches count", &ours_kaslr, 2 },
		{ "2 GB region: branches count", &ours_big_region, 2 },
		{ "128 MB region: branches count", &ours_no_kaslr, 2 },
		{ "128 MB region, KASAN_VMALLOC: branches count", &ours_kasan_vmalloc, 2 },
		{ "128 MB region, generic KASAN: branches do not count", &ours_kasan, 0 },
		{ "128 MB region, KASAN_SW_TAGS: branches do not count", &ours_kasan_sw_tags, 0 },
	};
	struct record records[MAX_RECORDS];
	struct image img;
	unsigned int i;

	if (image_from_records(&img, records, parse(".text o1 c2 c1+4", records), FEW_SYMBOLS))
		abort();
	for (i = 0; i < ARRAY_SIZE(kconfigs); i++) {
		struct module mod = { .name = "unit" };
		const char *err = NULL;
		struct image copy;

		image_copy(&copy, &img);
		if (kconfigs[i].plts->plan(copy.ehdr, copy.sechdrs, copy.secstrings, &mod))
			err = "planning fails";
		else if (mod.arch.core.plt_max_entries != kconfigs[i].core)
			err = failure("got %d", mod.arch.core.plt_max_entries);
		result(kconfigs[i].name, err);
		image_close(&copy);
	}
	image_close(&img);
}

static void test_plans(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(plans); i++) {
		struct record records[MAX_RECORDS];
		struct module off, on;
		struct image img;
		const char *err;
		u64 align;

		kernel.module_unload = !plans[i].no_unload;
		err = image_from_records(&img, records, parse(plans[i].module, records),
					 FEW_SYMBOLS);
		if (err)
			bad_table(plans[i].module);
		err = check_all(&img, ALL_LAYOUTS);
		if (!err)
			err = plan_with(&img, false, &off, &align);
		if (!err)
			err = plan_with(&img, true, &on, &align);
		if (!err && (off.arch.core.plt_max_entries != plans[i].core ||
			     off.arch.init.plt_max_entries != plans[i].init ||
			     on.arch.core.plt_max_entries != plans[i].erratum_core ||
			     on.arch.init.plt_max_entries != plans[i].erratum_init ||
			     align != plans[i].align))
			err = failure("got %d, %d, %d, %d, %llu", off.arch.core.plt_max_entries,
				      off.arch.init.plt_max_entries,
				      on.arch.core.plt_max_entries,
				      on.arch.init.plt_max_entries, (unsigned long long)align);
		result(plans[i].name, err);
		image_close(&img);
	}
	kernel.module_unload = true;
}

/* Modules with header fields changed, and what the loader is told. */
static const struct {
	const char *name, *module;
	struct {
		u8 field;
		u32 section;
		s32 value;
	} change[5];
	const char *message;	/* what a refusal says; NULL if the module is planned */
	int core;
} malformed[] = {
	{ "no .plt", ".text c1", { { HEADER_NAME, 1, 11 } }, "PLT" },
	{ "no .init.plt", ".text c1", { { HEADER_NAME, 2, 11 } }, "PLT" },
	{ "no .init.plt, but .inix.plt", ".text c1", { { HEADER_NAME, 2, 13 } }, "PLT" },
	{ "no .init.plt, but .init.init.plt", ".text c1", { { HEADER_NAME, 2, 14 } }, "PLT" },
	{ "no .plt, but .inix.plt", ".text c1", { { HEADER_NAME, 1, 13 } }, "PLT" },
	{ "no symbol table", ".text c1", { { HEADER_TYPE, 4, SHT_PROGBITS } }, "symtab" },
	{ "symbol table named .plt", ".text c1", { { HEADER_NAME, 4, 6 } }, "symtab" },
	{ "no .plt but section 0 is named so", ".text c1",
	  { { HEADER_NAME, 1, 11 }, { HEADER_NAME, 0, 6 } }, "PLT" },
	{ "no .init.plt but section 0 is named so", ".text c1",
	  { { HEADER_NAME, 2, 11 }, { HEADER_NAME, 0, 7 } }, "PLT" },
	{ "section 0 is named .plt too", ".text c1", { { HEADER_NAME, 0, 6 } }, NULL, 1 },
	{ "section 0 has a name beyond the table", ".text c1", { { HEADER_NAME, 0, 99 } },
	  NULL, 1 },
	{ "RELAs for a null section named beyond the table", ".text c1",
	  { { HEADER_TYPE, 5, SHT_NULL }, { HEADER_NAME, 5, 99 } }, NULL, 1 },
	{ "a null section's name starts where the table ends", ".text c1",
	  { { HEADER_TYPE, 6, SHT_NULL }, { HEADER_NAME, 6, 9 }, { HEADER_SIZE, 7, 94 },
	    { HEADER_NAME, 4, 3 }, { HEADER_NAME, 7, 3 } }, NULL, 0 },
	{ "symbol beyond the table, for such a section", ".text c600",
	  { { HEADER_TYPE, 5, SHT_NULL }, { HEADER_NAME, 5, 99 } }, "symbol" },
	{ "sh_info is e_shnum", ".text c1 | .text c2 c3", { { HEADER_INFO, 6, 10 } }, NULL, 2 },
	{ "sh_info is far beyond", ".text c1 | .text c2 c3", { { HEADER_INFO, 6, 0x7fffff0 } },
	  NULL, 2 },
	{ "sh_info is -1", ".text c1 | .text c2 c3", { { HEADER_INFO, 6, -1 } }, NULL, 2 },
	{ "sh_info is 0", ".text c1 | .text c2 c3", { { HEADER_INFO, 6, 0 } }, NULL, 2 },
	{ "sh_info is the last section", ".text c1 | .text c2 c3", { { HEADER_INFO, 6, 9 } },
	  NULL, 2 },
	{ "section 0 is executable", ".text c1 | .text c2 c3",
	  { { HEADER_INFO, 6, 0 }, { HEADER_FLAGS, 0, SHF_EXECINSTR } }, NULL, 2 },
	{ "last symbol", ".text c599", {}, NULL, 1 },
	{ "CALL26: symbol behind the last", ".text c1 c600", {}, ".text" },
	{ "JUMP26: symbol behind the last", ".text.hot j600 j1", {}, ".text.hot" },
	{ "branch with an addend: symbol behind the last", ".text c600+4", {}, "symbol" },
	{ "symbol far beyond", ".text c1 | .init.text c134217727", {}, ".init.text" },
	{ "largest symbol", ".text c4294967295", {}, "symbol" },
	{ "empty symbol table", ".text c0", { { HEADER_SIZE, 4, 0 } }, "symbol" },
	{ "symbol table ends within a symbol", ".text c1 c2", { { HEADER_SIZE, 4, 71 } },
	  "symbol" },
	{ "symbol beyond the table, not a branch", ".text a600@ff0 o700 x4294967295 c1", {},
	  NULL, 1 },
	{ "symbol beyond the table, RELAs of data", ".data c600 | .text c1", {}, NULL, 1 },
	{ "symbol beyond the table, RELAs of no section", ".text c600 | .text c1",
	  { { HEADER_INFO, 6, 77 } }, NULL, 1 },
	{ "two symbol tables", ".text c1 c2 c2", { { HEADER_TYPE, 3, SHT_SYMTAB },
	  { HEADER_NAME, 3, 11 } }, "symbol" },
	{ "two .plt", ".plt | .text c1", {}, NULL, 1 },
	{ "two .init.plt", ".init.plt | .init.plt | .text c1", {}, NULL, 1 },
	{ "no trampoline", ".text c1", { { HEADER_NAME, 3, 11 } }, NULL, 1 },
	{ "two trampolines", ".text.ftrace_trampoline | .init.text.ftrace_trampoline | .text c1",
	  {}, NULL, 1 },
	{ "RELAs for .plt", ".plt c1 a2@ff0", { { HEADER_FLAGS, 5, SHF_EXECINSTR } }, NULL, 1 },
	{ "RELAs for a trampoline that is not executable", ".text.ftrace_trampoline c1 | .text c1",
	  { { HEADER_FLAGS, 5, SHF_ALLOC } }, NULL, 1 },
	{ "RELAs for a section that is not loaded", ".text c1 | .text c1",
	  { { HEADER_FLAGS, 5, SHF_EXECINSTR } }, NULL, 2 },
	{ ".plt holds RELAs", ".text c1 c2", { { HEADER_NAME, 6, 6 } }, NULL, 2 },
	{ "trampoline holds RELAs", ".text c1 c2", { { HEADER_NAME, 6, 8 } }, NULL, 2 },
	{ "no trailing part of a RELA", ".text c1 c2 c3", { { HEADER_SIZE, 6, 71 } }, NULL, 2 },
	{ "less than a RELA", ".text c1", { { HEADER_SIZE, 6, 23 } }, NULL, 0 },
	{ "RELAs are not aligned", ".text c1*99~1", { { HEADER_OFFSET, 6, 0x3881 },
	  { HEADER_SIZE, 6, 2000 } }, NULL, 0 },
	{ "RELA sections share their contents", ".text c9*99~3 | .init.text c1*99~2",
	  { { HEADER_OFFSET, 8, 0x38e0 } }, NULL, 99 },
	{ "the first section holds RELAs", ".plt | .text c1 c2", { { HEADER_TYPE, 1, SHT_RELA },
	  { HEADER_OFFSET, 1, 0x3880 }, { HEADER_SIZE, 1, 48 }, { HEADER_INFO, 1, 7 },
	  { HEADER_SIZE, 8, 0 } }, NULL, 2 },
	{ "r_offset is as large as can be", ".text a1@fffffff8 c1", {}, NULL, 1 },
};

static size_t parse_malformed(unsigned int i, struct record *records)
{
	size_t num = parse(malformed[i].module, records);
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(malformed[i].change); k++) {
		u32 section = malformed[i].change[k].section;
		s32 value = malformed[i].change[k].value;

		if (section || value)
			records[num++] = (struct record){
				.op = RECORD_HEADER,
				.kind = malformed[i].change[k].field,
				.index = section,
				.value = value,
			};
	}
	return num;
}

static void test_malformed(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(malformed); i++) {
		struct record records[MAX_RECORDS];
		struct module mod;
		struct image img;
		const char *err;
		u64 align;

		err = image_from_records(&img, records, parse_malformed(i, records), FEW_SYMBOLS);
		if (err) {
			result(malformed[i].name, err);
			continue;
		}
		err = check_image(&img, 0, ALL_LAYOUTS);
		if (!err) {
			err = plan_with(&img, false, &mod, &align);
			if (!!err != !!malformed[i].message)
				err = err ? err : "is planned";
			else if (!err && mod.arch.core.plt_max_entries != malformed[i].core)
				err = failure("planned %d", mod.arch.core.plt_max_entries);
			else if (err && (!strstr(kernel.last_message, malformed[i].message) ||
					 !strstr(kernel.last_message, mod.name)))
				err = failure("says: %s", kernel.last_message);
			else
				err = NULL;
		}
		result(malformed[i].name, err);
		image_close(&img);
	}
}

/* Symbol indices that are hard on a sort, in a table of MANY_SYMBOLS. */
#define MANY_SYMBOLS	0x40000

static const struct {
	const char *name, *module;
} distributions[] = {
	{ "all equal", ".text:80000 c77*32000" },
	{ "all distinct, ascending", ".text:80000 c1*32000~1" },
	{ "all distinct, descending", ".text:80000 c32001*32000~-1" },
	{ "scattered", ".text:80000 c5*32000~40503" },
	{ "scattered over few", ".text:80000 c5*16000~40503 c5*16000~40503" },
	{ "high bits only", ".text:80000 c4*32000~8192" },
	{ "dense, and one far away", ".text:80000 c1*32000~1 c262143" },
	{ "two, far apart", ".text:80000 c0*99 c262143*99 c0*99 c262143*99" },
	{ "dense clusters, far apart",
	  ".text:80000 c262100*40~1 c0*40~1 c131072*40~1 c65536*40~1" },
	{ "clusters of clusters",
	  ".text:80000 c0*40~6000 c1*40~80 c2*40~1 c3*40 c200000*40~2" },
	{ "few mixed symbols at the low end",
	  ".text:80000 c2 c0 c2 c1 c0 c1 c262143*40~-6000 c2 c0" },
	{ "few mixed symbols at the high end",
	  ".text:80000 c262143 c262141 c0*40~6000 c262143 c262142 c262141 c262142 c262143" },
	{ "few mixed symbols in the middle",
	  ".text:80000 c131073 c131075 c131073 c0*40~6000 c131075 c131074 c131073" },
	{ "organ pipe", ".text:80000 c1000*1000~1 c2000*1000~-1" },
	{ "few, each twice and mixed", ".text:80000 c3 c1 c2 c1 c3 c2 j1 j3 c1 j2" },
	{ "at both ends of buckets that are sorted in turn",
	  ".text:80000 c0*40 c262143*40 c4095*20 c4096*20 c8191*20 c8192*20 c4095*20 c4096*20 c8191*20 c8192*20",
	},
	/* More than are sorted in one go. */
	{ "many, all equal", ".text:80000 c77*32000 c77*32000" },
	{ "many, three symbols", ".text:80000 c1000*20000 c1002*20000 c1001*20000" },
	{ "many, dense", ".text:80000 c1*32000~1 c32001*32000~-1 c262143" },
	{ "many, scattered", ".text:80000 c5*32000~40503 c9*32000~40503 c262142*32000~-8" },
};

static void test_distributions(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(distributions); i++) {
		struct record records[MAX_RECORDS];
		struct image img;
		const char *err;

		err = image_from_records(&img, records,
					 parse(distributions[i].module, records), MANY_SYMBOLS);
		if (err)
			bad_table(distributions[i].module);
		result(distributions[i].name, check_all(&img, 5));
		image_close(&img);
	}
}

/* Modules by size: @num sections like the first of @module, and the others. */
static const struct {
	const char *name, *module;
	unsigned int num;
	const char *left_out;	/* what is said not to be checked; NULL if all is */
	bool emits;
} sizes[] = {
	{ "300 code sections", ".text:4 c1", 300, NULL, true },
	{ "3000 code sections", ".text:4 c1", 3000, NULL, true },
	{ "40 MB of data", ".text c1 | .data:2800000", 1, NULL, true },
	{ "40 MB of data before the code", ".data:2800000 | .text c1 c.text", 1, NULL, true },
	{ "40 MB of init data", ".init.text c1 c2 | .init.data:2800000 | .text c1",
	  1, NULL, true },
	{ "100 MB of data, the kernel in reach", ".text c1 | .data:6400000", 1, NULL, true },
	{ "110 MB of data, the kernel out of reach", ".text c1 | .data:6e00000",
	  1, "emission: too large to be near", true },
	{ "900 MB of data", ".text c1 a1@ff8 | .data:38400000",
	  1, "emission: too large to be near", true },
	{ "1 GB of data", ".text c1 | .data:40000000", 1, "emission: larger", false },
	{ "more than 1 GB of data", ".text c1 | .data:40000001", 1, "emission: larger", false },
	{ "100 MB of code", ".text:6400000 c1 c2@63fffe0 a2@63feff8 c.text.hot | .text.hot:4 c1",
	  1, NULL, true },
	{ "126 MB of code", ".text:7e00000 c1 c2@7dfffe0 a2@7dfeff8 c.text.hot | .text.hot:4 c1",
	  1, "emission: too large to be near", true },
	{ "128 MB of code", ".text:8000000 c1", 1, "emission: code out of a branch's reach",
	  false },
	{ "a branch 3 MB into another section", ".text c.text.hot+3145728 | .text.hot:400000 c1",
	  1, NULL, true },
	{ "a branch 1 MB beyond a section", ".text c1 c.text.hot+1048580 | .text.hot:4",
	  1, NULL, true },
	{ "a branch further beyond it", ".text c1 c.text.hot+1048581 | .text.hot:4",
	  1, "emission: section 6: RELA 1 is none", false },
	{ "a branch 1 MB before a section", ".text c1 c.text.hot-1048576 | .text.hot:4",
	  1, NULL, true },
	{ "a branch further before it", ".text c1 c.text.hot-1048577 | .text.hot:4",
	  1, "emission: section 6: RELA 1 is none", false },
	{ "branches to no instruction", ".text c1+2 c1+3 c1+1", 1, NULL, true },
	{ "an ADRP 1 GB away", ".text c1 a1-1073741824@ff8", 1, NULL, true },
	{ "an ADRP further away", ".text c1 a1+1073741825@ff8",
	  1, "emission: section 6: RELA 1 is none", false },
	{ "a branch that is not aligned", ".text c1@2", 1, "emission: section 6: RELA 0", false },
	{ "a branch at the end of its section", ".text:8 c1@4", 1, NULL, true },
	{ "a branch over the end of its section", ".text:8 c1 c1@8",
	  1, "emission: section 6: RELA 1", false },
	{ "branches of a trampoline", ".init.text.ftrace_trampoline:100 c1 | .text c1",
	  1, "emission: RELAs for .init.text.ftrace_trampoline", false },
};

static const char *check_size(unsigned int i)
{
	struct record first[MAX_RECORDS], *records;
	size_t num = parse(sizes[i].module, first), section = 0;
	struct image img;
	const char *err;
	unsigned int k;

	while (section < num && (!section || first[section].op != RECORD_SECTION))
		section++;
	records = malloc((sizes[i].num * section + num) * sizeof(*records));
	if (!records)
		abort();
	for (k = 0; k + 1 < sizes[i].num; k++)
		memcpy(records + k * section, first, section * sizeof(*records));
	memcpy(records + k * section, first, num * sizeof(*records));
	err = image_from_records(&img, records, k * section + num, FEW_SYMBOLS);
	free(records);
	if (err)
		bad_table(sizes[i].module);

	err = check_image(&img, 0, 20);
	if (!err && sizes[i].emits != !!checked.emitted)
		err = failure("%lu entries emitted", checked.emitted);
	else if (!err && (sizes[i].left_out ? !strstr(checked.left_out, sizes[i].left_out) :
					      checked.left_out[0] != '\0'))
		err = failure("not checked: \"%s\"", checked.left_out);
	image_close(&img);
	return err;
}

static void test_sizes(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		result(sizes[i].name, check_size(i));
}

/*
 * How sort_by_symbol() divides symbols among buckets: each has 1 << shift of them, and
 * there are less buckets than branches. Symbols of one bucket and of those beside it,
 * mixed, are grouped for every shift, from the least to the largest range that has it.
 */
#define MAX_SHIFT_BRANCHES	1000

static int compare_branches(const void *a, const void *b)
{
	const Elf64_Rela *x = a, *y = b;

	if (x->r_info != y->r_info)
		return x->r_info < y->r_info ? -1 : 1;
	return x->r_offset < y->r_offset ? -1 : x->r_offset > y->r_offset;
}

static int count_groups(const Elf64_Rela *relas, u32 num)
{
	int groups = 1;

	while (--num)
		groups += ELF64_R_SYM(relas[num].r_info) != ELF64_R_SYM(relas[num - 1].r_info);

	return groups;
}

/*
 * Branches to @low, @low + @range and to what is between the two, @mixed or a single one
 * to each of the two: is each symbol's group one?
 */
static const char *check_groups(u32 num, u32 low, u32 range, unsigned int shift, bool mixed)
{
	const u64 width = 1ull << shift, last = range;
	const u64 steps[2][8] = {
		{ width + 1, width, 2 * width, 2 * width - 1, width, width + 1, 1, width - 1 },
		{ 0, range, 1, width - 1, width, width + 1, range - 1, 2 * width },
	};
	static Elf64_Rela before[MAX_SHIFT_BRANCHES], after[MAX_SHIFT_BRANCHES];
	int planned, groups, symbols;
	u32 i;

	for (i = 0; i < num; i++) {
		u64 step = min(steps[mixed][i % ARRAY_SIZE(steps[mixed])], last);
		u64 symbol = low + (mixed || i > 1 ? max(step, !mixed * width) : i * last);

		before[i] = (Elf64_Rela){
			.r_info = ELF64_R_INFO(symbol, R_AARCH64_CALL26),
			.r_offset = 4 * i,
		};
	}
	memcpy(after, before, sizeof(after));
	planned = plan_branches(after, num);
	if (planned < 0)
		return "no address space";
	groups = count_groups(after, num);
	qsort(before, num, sizeof(*before), compare_branches);
	symbols = count_groups(before, num);
	if (groups != symbols || planned != symbols)
		return failure("%u branches to %d symbols, %u to %u: %d groups, %d planned",
			       num, symbols, low, low + range, groups, planned);
	qsort(after, num, sizeof(*after), compare_branches);
	return memcmp(before, after, num * sizeof(*after)) ? "not a permutation" : NULL;
}

static void test_shifts(void)
{
	static const u32 nums[] = { 33, 34, 100, MAX_SHIFT_BRANCHES };
	unsigned int shift, i, k, m;
	char name[64];

	for (shift = 0; 33ull << shift >> 1 <= U32_MAX; shift++) {
		const char *err = NULL;

		for (i = 0; i < ARRAY_SIZE(nums) && !err; i++) {
			u64 least = shift ? (u64)nums[i] << (shift - 1) : 1;
			u64 ranges[] = { least, ((u64)nums[i] << shift) - 1 };

			for (k = 0; k < 2 && ranges[k] <= U32_MAX && !err; k++) {
				u32 lows[] = { 0, U32_MAX - ranges[k] };

				for (m = 0; m < 4 && !err; m++)
					err = check_groups(nums[i], lows[m / 2], ranges[k], shift,
							   m % 2);
			}
		}
		snprintf(name, sizeof(name), "symbols in buckets of %llu", 1ull << shift);
		result(name, err);
	}
}

/* Words and their disassembly, for pc values that follow each other from CODE. */
#define CODE		0x100000000000UL
#define NR_WORDS	400
#define OBJDUMP		"aarch64-linux-gnu-objdump"

static u32 encode(unsigned int i, unsigned long pc, char *text)
{
	u32 reg = i * 7 % 31, src = i * 11 % 31, imm = i * 2654435761u >> 20;
	s64 far = (s64)(i * 2654435761u) - (1L << 31);
	bool link = i & 8;
	unsigned long addr;

	switch (i % 5) {
	case 0:
		addr = pc + 2 * far;
		sprintf(text, "adrp\tx%u, 0x%lx", reg, addr & ~0xfffUL);
		return aarch64_insn_gen_adr(pc, addr, reg, AARCH64_INSN_ADR_TYPE_ADRP);
	case 1:
		addr = pc + (far >> 11);
		sprintf(text, "adr\tx%u, 0x%lx", reg, addr);
		return aarch64_insn_gen_adr(pc, addr, reg, AARCH64_INSN_ADR_TYPE_ADR);
	case 2:
		sprintf(text, "add\tx%u, x%u, #0x%x", reg, src, imm);
		return aarch64_insn_gen_add_sub_imm(reg, src, imm, AARCH64_INSN_VARIANT_64BIT,
						    AARCH64_INSN_ADSB_ADD);
	case 3:
		sprintf(text, "%s\tx%u", link ? "blr" : "br", reg);
		return aarch64_insn_gen_branch_reg(reg, link);
	default:
		addr = pc + (far >> 4 & ~3L);
		sprintf(text, "%s\t0x%lx", link ? "bl" : "b", addr);
		return aarch64_insn_gen_branch_imm(pc, addr, link);
	}
}

static const char *compare_disassembly(FILE *dump)
{
	unsigned int i = 0;
	char line[256], want[64];
	char *text;

	while (fgets(line, sizeof(line), dump)) {
		line[strcspn(line, "\n")] = 0;
		text = strchr(line, '\t');
		text = text ? strchr(text + 1, '\t') : NULL;
		if (!text)
			continue;
		encode(i, CODE + 4 * i, want);
		if (strcmp(text + 1, want))
			return failure("\"%s\" is disassembled as \"%s\"", want, text + 1);
		i++;
	}
	return i == NR_WORDS ? NULL : failure("%u words disassembled", i);
}

static void test_encoders(void)
{
	static const char name[] = "encoders against objdump";
	char path[] = "/tmp/module_plts.XXXXXX", command[256], text[64];
	u32 words[NR_WORDS];
	const char *err;
	unsigned int i;
	FILE *dump;
	int fd;

	if (system(OBJDUMP " --version >/dev/null 2>&1")) {
		skip(name, OBJDUMP " is not installed");
		return;
	}
	for (i = 0; i < NR_WORDS; i++)
		words[i] = cpu_to_le32(encode(i, CODE + 4 * i, text));

	fd = mkstemp(path);
	if (fd < 0 || write(fd, words, sizeof(words)) != sizeof(words)) {
		result(name, "cannot write a temporary file");
		return;
	}
	close(fd);
	snprintf(command, sizeof(command), "%s -D -z -b binary -m aarch64 --adjust-vma=0x%lx %s",
		 OBJDUMP, CODE, path);
	dump = popen(command, "r");
	err = dump ? compare_disassembly(dump) : "cannot run objdump";
	if (dump)
		pclose(dump);
	unlink(path);
	result(name, err);
}

/* Operands at both ends of what can be encoded, and one beyond. */
static void test_encoder_limits(void)
{
	static const struct {
		const char *name;
		s64 low, high, unit;
	} limits[] = {
		{ "ADRP reaches 4 GB", -(1L << 32), (1L << 32) - 4096, 4096 },
		{ "ADR reaches 1 MB", -(1L << 20), (1L << 20) - 1, 1 },
		{ "B reaches 128 MB", -(1L << 27), (1L << 27) - 4, 4 },
	};
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		s64 offsets[] = { limits[i].low, limits[i].high, limits[i].low - limits[i].unit,
				  limits[i].high + limits[i].unit };
		const char *err = NULL;

		for (k = 0; k < ARRAY_SIZE(offsets); k++) {
			u32 insn = i == 2 ?
				aarch64_insn_gen_branch_imm(CODE, CODE + offsets[k],
							    AARCH64_INSN_BRANCH_NOLINK) :
				aarch64_insn_gen_adr(CODE, CODE + offsets[k], 0,
						     i ? AARCH64_INSN_ADR_TYPE_ADR :
							 AARCH64_INSN_ADR_TYPE_ADRP);

			if (k < 2 ? insn == AARCH64_BREAK_FAULT : insn != AARCH64_BREAK_FAULT)
				err = failure("offset %lld: %08x", (long long)offsets[k], insn);
		}
		result(limits[i].name, err);
	}
}

static int compare_words(const void *a, const void *b)
{
	return *(const u64 *)a < *(const u64 *)b ? -1 : *(const u64 *)a > *(const u64 *)b;
}

static void test_sort(void)
{
	u64 a[300] = {}, b[300];
	const char *err = NULL;
	unsigned int num, i;

	for (num = 0; num <= ARRAY_SIZE(a) && !err; num++) {
		for (i = 0; i < num; i++)
			a[i] = (i * 2654435761u >> 16) % (num + 7);
		memcpy(b, a, sizeof(b));
		sort(a, num, sizeof(*a), compare_words, NULL);
		qsort(b, num, sizeof(*b), compare_words);
		if (memcmp(a, b, num * sizeof(*a)))
			err = failure("%u elements are not sorted", num);
	}
	result("the sort() that base calls", err);
}

/* An input of fuzz.c: a seed, then records. */
static void write_seed(const char *dir, const char *kind, unsigned int number,
		       const struct record *records, size_t num)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s%u", dir, kind, number);
	file = fopen(path, "w");
	if (!file || fwrite(&number, sizeof(number), 1, file) != 1 ||
	    fwrite(records, sizeof(*records), num, file) != num || fclose(file)) {
		fprintf(stderr, "unit: cannot write %s\n", path);
		exit(1);
	}
}

static void write_seeds(const char *dir)
{
	struct record records[MAX_RECORDS];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(plans); i++)
		write_seed(dir, "plan", i, records, parse(plans[i].module, records));
	for (i = 0; i < ARRAY_SIZE(malformed); i++)
		write_seed(dir, "malformed", i, records, parse_malformed(i, records));
	for (i = 0; i < ARRAY_SIZE(distributions); i++)
		write_seed(dir, "distribution", i, records,
			   parse(distributions[i].module, records));
}

/*
 * Branches to one target share an entry wherever it is, and so do those of an
 * undefined weak symbol, 0, which nothing reaches. Planning counted on it.
 */
static void test_targets(void)
{
	static alignas(SZ_4K) struct plt_entry plts[4];
	static const struct {
		const char *name;
		s64 distance;
		bool absolute;
	} targets[] = {
		{ "target 2 GB above", SZ_2G },
		{ "target 2.5 GB below", -5LL * SZ_2G / 4 },
		{ "target nearly 4 GB above", 2LL * SZ_2G - 2 * SZ_4K },
		{ "target 4 GB below", -2LL * SZ_2G },
		{ "target 6 GB above, out of reach", 3LL * SZ_2G },
		{ "undefined weak symbol", 0, true },
		{ "absolute symbol", 0x1000000000000, true },
	};
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		struct module mod = { .state = MODULE_STATE_UNFORMED,
				      .arch.core = { .plt_shndx = 1, .plt_max_entries = 4 } };
		Elf64_Shdr sechdrs[2] = { [1] = { .sh_addr = (u64)plts } };
		Elf64_Rela rela = { .r_info = ELF64_R_INFO(1, R_AARCH64_CALL26) };
		u64 target = targets[i].distance + (targets[i].absolute ? 0 : (u64)plts);
		/* The last two are to addresses that the first may look like. */
		u64 called[] = { target, target, target + 4, target + SZ_4K };
		static const int wanted[] = { 0, 0, 1, 2 };
		const char *err = NULL;

		for (k = 0; k < ARRAY_SIZE(called) && !err; k++) {
			Elf64_Sym sym = { .st_value = called[k] };
			u64 plt = ours[KASLR]->emit_plt_entry(&mod, sechdrs, plts, &rela, &sym);

			if (plt != (u64)&plts[wanted[k]])
				err = failure("branch %u: entry at %#llx, of %#llx", k,
					      (unsigned long long)plt, (unsigned long long)plts);
		}
		result(targets[i].name, err);
	}
}

/* Targets that differ in one bit do not share an entry, whichever it is. */
static void test_target_bits(void)
{
	static alignas(SZ_4K) struct plt_entry plts[4];
	Elf64_Shdr sechdrs[2] = { [1] = { .sh_addr = (u64)plts } };
	Elf64_Rela rela = { .r_info = ELF64_R_INFO(1, R_AARCH64_CALL26) };
	const char *err = NULL;
	unsigned int bit, k;

	for (bit = 0; bit < 31 && !err; bit++) {
		struct module mod = { .state = MODULE_STATE_UNFORMED,
				      .arch.core = { .plt_shndx = 1, .plt_max_entries = 4 } };

		for (k = 0; k < 4 && !err; k++) {
			Elf64_Sym sym = { .st_value = (u64)plts ^ (u64)(k & 1) << bit };
			u64 plt = ours[KASLR]->emit_plt_entry(&mod, sechdrs, plts, &rela, &sym);

			if (plt != (u64)&plts[k])
				err = failure("bit %u, branch %u: entry at %#llx, of %#llx", bit, k,
					      (unsigned long long)plt, (unsigned long long)plts);
		}
	}
	result("targets that differ in one bit", err);
}

/* A live patch is relocated when its PLT is read-only, and again and again. */
static void test_live(enum module_state state, const char *name, const char *veneer)
{
	static alignas(SZ_4K) struct plt_entry plts[3];
	struct module mod = { .state = state,
			      .arch.core = { .plt_shndx = 1, .plt_max_entries = 2 } };
	Elf64_Shdr sechdrs[2] = { [1] = { .sh_addr = (u64)plts } };
	Elf64_Rela rela = { .r_info = ELF64_R_INFO(1, R_AARCH64_CALL26) };
	/* Where the targets are, and the slots wanted; there is none for the last. */
	static const int targets[] = { 1, 1, 2, 1, 2, 2, 3 }, wanted[] = { 0, 0, 1, 0, 1, 1, -1 };
	const char *err = NULL;
	unsigned int k;

	memset(plts, 0, sizeof(plts));
	kernel.copies = 0;
	kernel.warnings = 0;
	for (k = 0; k < ARRAY_SIZE(targets) && !err; k++) {
		Elf64_Sym sym = { .st_value = (u64)plts + targets[k] * SZ_1M * 500ull };
		u64 plt = ours[KASLR]->emit_plt_entry(&mod, sechdrs, plts, &rela, &sym);

		if (plt != (wanted[k] < 0 ? 0 : (u64)&plts[wanted[k]]))
			err = failure("branch %u: entry at %#llx, of %#llx", k,
				      (unsigned long long)plt, (unsigned long long)plts);
	}
	if (!err && (kernel.copies != 2 || kernel.warnings != 1))
		err = failure("%u copies and %u warnings", kernel.copies, kernel.warnings);
	kernel.warnings = 0;
	result(name, err);

	mod.arch.core.plt_max_entries = 3;
	kernel.copies = 0;
	err = ours[KASLR]->emit_veneer(&mod, sechdrs, &plts[2], 0) && kernel.copies == 1 ?
	      NULL : "stored directly";
	result(veneer, err);
}

/* What planning tells who asks for it. */
static void test_debug(void)
{
	struct record records[MAX_RECORDS];
	static const char want[] = "unit: 3 core, 2 init PLT entries for 7 branches";
	static const char module[] = ".text c1 c2 c1 c1+4 c.text | .init.text c1 c2 c1";
	struct image img;
	struct module mod;
	const char *err;
	u64 align;

	err = image_from_records(&img, records, parse(module, records), FEW_SYMBOLS);
	if (err)
		bad_table(module);
	kernel.debug = true;
	err = plan_with(&img, false, &mod, &align);
	kernel.debug = false;
	if (!err && strcmp(kernel.last_message, want))
		err = failure("says: %s", kernel.last_message);
	result("debug message", err);
	image_close(&img);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--seeds")) {
		write_seeds(argv[2]);
		return 0;
	}
	if (argc > 1) {
		fprintf(stderr, "usage: unit [--seeds DIR]\n");
		return 2;
	}

	ktap_begin();
	test_encoders();
	test_encoder_limits();
	test_sort();
	test_plans();
	test_kconfigs();
	test_malformed();
	test_distributions();
	test_sizes();
	test_shifts();
	test_targets();
	test_target_bits();
	if (ours[KASLR]->live_patches) {
		test_live(MODULE_STATE_LIVE, "a live patch is relocated three times",
			  "the veneer of a live patch");
		test_live(MODULE_STATE_COMING, "a patch that is coming is relocated three times",
			  "the veneer of a patch that is coming");
	}
	test_debug();
	if (!base[KASLR])
		printf("# no comparison with a base tree: BASE_TREE is not set\n");
	return ktap_end();
}
