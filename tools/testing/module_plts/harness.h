/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODULE_PLTS_HARNESS_H
#define MODULE_PLTS_HARNESS_H

#include <stdio.h>

#include <linux/elf.h>
#include <linux/kernel.h>
#include <linux/moduleloader.h>

#include "ktap.h"

/**
 * struct module_plts - module-plts.c, compiled for one kernel configuration
 * @far_branches: modules of that kernel can be out of a branch's reach
 * @live_patches: it has live patches, which are relocated when they are live
 * @plan: module_frob_arch_sections()
 * @emit_plt_entry: module_emit_plt_entry()
 * @emit_veneer: module_emit_veneer_for_adrp()
 */
struct module_plts {
	bool far_branches, live_patches;
	int (*plan)(Elf_Ehdr *ehdr, Elf_Shdr *sechdrs, char *secstrings,
		    struct module *mod);
	u64 (*emit_plt_entry)(struct module *mod, Elf64_Shdr *sechdrs, void *loc,
			      const Elf64_Rela *rela, Elf64_Sym *sym);
	u64 (*emit_veneer)(struct module *mod, Elf64_Shdr *sechdrs, void *loc, u64 val);
};

/*
 * The kernel configurations, see the Makefile for what each is: those in which a
 * module can be out of a branch's reach, and behind them one in which none can.
 */
enum kconfig { KASLR, BIG_REGION, NO_KASLR, NR_KCONFIGS, NEAR_ONLY = NR_KCONFIGS };

extern const struct module_plts ours_kaslr, ours_big_region, ours_no_kaslr, ours_kasan,
				ours_kasan_sw_tags, ours_kasan_vmalloc;
extern const struct module_plts base_kaslr, base_kasan;
extern const struct module_plts *const ours[NR_KCONFIGS + 1];
/* NULL if built without a base tree to compare with. */
extern const struct module_plts *const base[NR_KCONFIGS + 1];

/* image.c: a module's file in memory, as the loader hands it to planning */

/**
 * struct image - a module's ELF file
 * @bytes: the file, in a heap block of exactly @len bytes
 * @len: its length
 * @ehdr: ELF header, at the start of @bytes
 * @sechdrs: section headers, within @bytes, sh_addr pointing to the contents
 * @secstrings: section name string table, within @bytes
 */
struct image {
	u8 *bytes;
	size_t len;
	Elf64_Ehdr *ehdr;
	Elf64_Shdr *sechdrs;
	char *secstrings;
};

/**
 * image_open() - check a file as the module loader does before planning
 * @img: result
 * @bytes: the file, copied
 * @len: its length
 *
 * Return: NULL, or what is wrong with the file.
 */
const char *image_open(struct image *img, const void *bytes, size_t len);
void image_copy(struct image *copy, const struct image *img);
void image_close(struct image *img);

const char *image_section_name(const struct image *img, const Elf64_Shdr *sec);
bool is_plt_name(const char *name);
bool is_trampoline_name(const char *name);
/* The first symbol table that is not named like a PLT; NULL if there is none. */
Elf64_Shdr *image_symtab(const struct image *img);
Elf64_Rela *image_relas(const struct image *img, const Elf64_Shdr *sec, size_t *num);
/* The executable section that @sec has RELAs for; NULL if it has not. */
Elf64_Shdr *image_exec_target(const struct image *img, const Elf64_Shdr *sec);

bool rela_is_branch(const Elf64_Rela *rela);
bool rela_is_adrp(const Elf64_Rela *rela);

/* records.c: images made from tables and from fuzzed bytes */

enum record_op { RECORD_SECTION, RECORD_RELA, RECORD_SYMBOL, RECORD_HEADER, NR_RECORD_OPS };

enum record_header {
	HEADER_NAME, HEADER_TYPE, HEADER_INFO, HEADER_FLAGS, HEADER_SIZE, HEADER_OFFSET,
	NR_RECORD_HEADERS,
};

/* Symbols of the tables in unit.c, and so of what fuzzing starts from. */
#define FEW_SYMBOLS		600
#define NR_RECORD_NAMES		15
#define NR_RECORD_TYPES		8
#define RECORD_FIRST_SECTION	5	/* index of the first RECORD_SECTION's */
#define RECORD_COUNT		0x7fff	/* flags of RECORD_RELA */
#define RECORD_WILD		0x8000

/**
 * struct record - one step in making an image
 * @op: enum record_op: a section and a RELA section for it; RELAs in that; the
 *	definition of a symbol; a change to a section header, made last
 * @kind: section: index in record_names; RELA: index in record_types; header:
 *	enum record_header
 * @flags: section: SHF_EXECINSTR, and log2 of the alignment from bit 8; RELA:
 *	how many in RECORD_COUNT, RECORD_WILD for symbols beyond the table
 * @index: RELA, symbol: symbol index; header: section index
 * @offset: section: size; RELA: r_offset, 4 more for each next; symbol: st_value
 * @value: RELA: addend; symbol: st_shndx; header: new value
 * @step: RELA: difference between the symbol indices of one and the next
 */
struct record {
	u8 op;
	u8 kind;
	u16 flags;
	u32 index;
	u32 offset;
	s32 value;
	s32 step;
};

extern const char *const record_names[NR_RECORD_NAMES];
extern const unsigned int record_types[NR_RECORD_TYPES];

const char *image_from_records(struct image *img, const struct record *records,
			       size_t num, u32 numsyms);

int plan_branches(Elf64_Rela *relas, u32 num);

/* oracle.c: what planning has to come to, stated in the plainest way */

struct plan {
	int err;
	unsigned long core, init;	/* entries of .plt and .init.plt */
	unsigned long veneers;		/* of these, for ADRPs */
	u64 *addralign;			/* of each section */
};

void oracle_plan(const struct image *img, bool far_branches, struct plan *plan);
void plan_free(struct plan *plan);

/* check.c */

#define ALL_LAYOUTS	(64 * 5)

/**
 * struct checked - what the last check_image() has come to
 * @emitted: entries emitted and followed, in all layouts
 * @left_out: what was not checked, and why; empty if nothing was left out
 */
struct checked {
	unsigned long emitted;
	char left_out[1000];
};

extern struct checked checked;

/* Note, once, that @what is not checked. */
void leave_out(const char *what, const char *why);

/**
 * plan_image() - plan a copy of a module, with ours
 * @img: module
 * @kconfig: the kernel's configuration
 * @planned: the copy, to be closed also if planning refuses it
 * @mod: what planning leaves
 *
 * Return: NULL, or what planning says.
 */
const char *plan_image(const struct image *img, enum kconfig kconfig, struct image *planned,
		       struct module *mod);

/* What base would read beyond the image, or takes otherwise; NULL if it does not. */
const char *unsafe_for_base(const struct image *img);

/**
 * check_image() - hold module-plts.c against the oracle and the base tree
 * @img: module, not changed
 * @seed: the first layout that relocations are applied for
 * @layouts: how many; ALL_LAYOUTS takes every PLT offset at every distance
 *
 * Return: NULL, or what is wrong; the text is good until the next call.
 */
const char *check_image(const struct image *img, unsigned int seed, unsigned int layouts);

/* file.c */

const char *read_file(const char *path, u8 **bytes, size_t *len);
/* A file as image_open() has it. Return: NULL, or what is wrong with it. */
const char *read_module(const char *path, struct image *img);

/* A file's name on a line: control characters and backslashes as octal numbers. */
void print_name(FILE *to, const char *name);
/* Print one line of what is wrong with a file. */
void complain(const char *tool, const char *path, const char *why);

/* peers.c */

enum way { OURS, BASE, COPY_AND_SORT, SORT_ALL, TABLE, MARK, NR_WAYS };

extern const char * const way_names[NR_WAYS];

/**
 * plan_way() - plan in one of these ways
 * @way: which
 * @img: module that ours and base plan, without the erratum; changed
 *
 * Return: the entries planned.
 */
unsigned int plan_way(enum way way, struct image *img);

/* emission.c */

const char *check_emission(struct image *img, struct module *mod,
			   const struct module_plts *plts, unsigned int seed,
			   unsigned int layouts);

/* cost.c */

void __sanitizer_cov_trace_pc(void);

/* fuzz.c */

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#endif /* MODULE_PLTS_HARNESS_H */
