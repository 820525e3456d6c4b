// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel would plan for a module: module-plts.c run on a file.
 */
#include <getopt.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

#define TOP_SYMBOLS	10
#define CHECK_LAYOUTS	20

static const char usage[] =
	"usage: modplt [--csv | --check] [--erratum-843419] [--no-kaslr | --near] FILE...\n"
	"\n"
	"Print the PLT entries that an arm64 kernel plans for each module, a .ko, .ko.xz,\n"
	".ko.zst or .ko.gz.\n"
	"\n"
	"  --csv              one line a file, and no other:\n"
	"                     file,exec_relas,branch_relas,core_plts,init_plts\n"
	"  --check            also hold planning and emission against the specification:\n"
	"                     file,exec_relas,branch_relas,other_section,with_addend,\n"
	"                     core_plts,init_plts,adrp_veneers,emitted,verdict; the veneers\n"
	"                     are those with the erratum, the entries emitted those of all\n"
	"                     layouts tried; the verdict is ok, \"ok, not checked: \" and what\n"
	"                     was left out of the checks and why, or what is wrong\n"
	"  --erratum-843419   the CPU has Cortex-A53 erratum 843419\n"
	"  --no-kaslr         CONFIG_RANDOMIZE_BASE is off. As many entries are planned: modules\n"
	"                     are far from the kernel when the region near it is full\n"
	"  --near             CONFIG_RANDOMIZE_BASE is off, and CONFIG_KASAN is on without\n"
	"                     KASAN_VMALLOC, on a kernel up to 6.4: no module is ever far, and\n"
	"                     branches have no entries planned\n"
	"\n"
	"In names of files a control character or a backslash is written as \\ and its octal\n"
	"number.\n"
	"\n"
	"exit status: 0, 1 if a kernel would not plan a file or a check failed, 2 for bad usage\n";

struct report {
	size_t exec_relas, branch_relas, other_section, with_addend;
	unsigned int core_plts, init_plts;
	unsigned long veneers, plt_bytes;
	unsigned int *calls;		/* by symbol index */
	size_t numsyms;
};

static void count_relas(const struct image *img, const Elf64_Shdr *sec, const Elf64_Sym *syms,
			struct report *report)
{
	size_t i, num;
	const Elf64_Rela *rela = image_relas(img, sec, &num);

	report->exec_relas += num;
	for (i = 0; i < num; i++, rela++) {
		const u64 symbol = ELF64_R_SYM(rela->r_info);

		if (!rela_is_branch(rela))
			continue;
		report->branch_relas++;
		if (symbol >= report->numsyms || syms[symbol].st_shndx == sec->sh_info)
			continue;
		report->other_section++;
		report->with_addend += rela->r_addend != 0;
		report->calls[symbol]++;
	}
}

/* As the kernel counts: libelf has nothing of a section that ends within a RELA. */
static void count_file(const struct image *img, struct report *report)
{
	const Elf64_Shdr *symtab = image_symtab(img);
	const Elf64_Sym *syms = symtab ? (void *)(img->bytes + symtab->sh_offset) : NULL;
	unsigned int i;

	report->numsyms = symtab ? symtab->sh_size / sizeof(*syms) : 0;
	report->calls = calloc(report->numsyms + 1, sizeof(*report->calls));
	if (!report->calls)
		abort();
	for (i = 1; i < img->ehdr->e_shnum; i++)
		if (image_exec_target(img, &img->sechdrs[i]))
			count_relas(img, &img->sechdrs[i], syms, report);
}

static const char *plan_file(const struct image *img, bool erratum, enum kconfig kconfig,
			     struct report *report)
{
	struct module mod;
	struct image copy;
	struct plan plan;
	const char *err;

	kernel.erratum_843419 = true;
	oracle_plan(img, ours[kconfig]->far_branches, &plan);
	report->veneers = plan.veneers;
	plan_free(&plan);

	kernel.erratum_843419 = erratum;
	err = plan_image(img, kconfig, &copy, &mod);
	kernel.erratum_843419 = false;
	if (!err) {
		report->core_plts = mod.arch.core.plt_max_entries;
		report->init_plts = mod.arch.init.plt_max_entries;
		report->plt_bytes = copy.sechdrs[mod.arch.core.plt_shndx].sh_size +
				    copy.sechdrs[mod.arch.init.plt_shndx].sh_size;
	}
	image_close(&copy);
	return err;
}

static void print_symbol(Elf *elf, const struct image *img, unsigned int index,
			 unsigned int calls)
{
	const Elf64_Shdr *symtab = image_symtab(img);
	const Elf64_Sym *sym = (Elf64_Sym *)(img->bytes + symtab->sh_offset) + index;
	const char *name = NULL;

	if (sym->st_name)
		name = elf_strptr(elf, symtab->sh_link, sym->st_name);
	else if (sym->st_shndx < img->ehdr->e_shnum)
		name = image_section_name(img, &img->sechdrs[sym->st_shndx]);
	printf("    %8u ", calls);
	print_name(stdout, name ? name : "?");
	putchar('\n');
}

static void print_report(const struct image *img, Elf *elf, const struct report *report,
			 bool erratum)
{
	size_t i, most;
	int k;

	putchar('\n');
	printf("  exec RELAs         %zu\n", report->exec_relas);
	printf("  branch RELAs       %zu, %zu to another section, %zu of these with an addend\n",
	       report->branch_relas, report->other_section, report->with_addend);
	printf("  entries planned    core %u, init %u\n", report->core_plts, report->init_plts);
	if (erratum)
		printf("  for ADRP veneers   %lu\n", report->veneers);
	printf("  PLT bytes          %lu\n", report->plt_bytes);

	for (k = 0; k < TOP_SYMBOLS; k++) {
		for (most = 0, i = 1; i < report->numsyms; i++)
			if (report->calls[i] > report->calls[most])
				most = i;
		if (!report->calls[most])
			break;
		if (!k)
			printf("  called most\n");
		print_symbol(elf, img, most, report->calls[most]);
		report->calls[most] = 0;
	}
}

static struct options {
	bool csv, check, erratum;
	enum kconfig kconfig;
} opts;

static const char *report_file(const char *path, const struct image *img)
{
	struct report report = {};
	const char *err;
	Elf *elf;

	count_file(img, &report);
	err = plan_file(img, opts.erratum, opts.kconfig, &report);
	if (err) {
		free(report.calls);
		return err;
	}
	print_name(stdout, path);
	if (opts.csv) {
		printf(",%zu,%zu,%u,%u\n", report.exec_relas, report.branch_relas,
		       report.core_plts, report.init_plts);
	} else if (opts.check) {
		printf(",%zu,%zu,%zu,%zu,%u,%u,%lu,", report.exec_relas, report.branch_relas,
		       report.other_section, report.with_addend, report.core_plts,
		       report.init_plts, report.veneers);
	} else {
		elf = elf_memory((char *)img->bytes, img->len);
		print_report(img, elf, &report, opts.erratum);
		elf_end(elf);
	}
	free(report.calls);
	return NULL;
}

/* Print what is to be told of one file; false if it is no module or not right. */
static bool handle_file(const char *path)
{
	const char *err, *verdict = NULL;
	struct image img = {};

	err = read_module(path, &img);
	if (!err)
		err = report_file(path, &img);
	if (err) {
		complain("modplt", path, err);
	} else if (opts.check) {
		verdict = check_image(&img, img.len, CHECK_LAYOUTS);
		printf("%lu,", checked.emitted);
		if (verdict || !checked.left_out[0])
			puts(verdict ? verdict : "ok");
		else
			printf("ok, not checked: %s\n", checked.left_out);
	}
	fflush(stdout);
	image_close(&img);
	return !err && !verdict;
}

int main(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "csv", no_argument, NULL, 'c' },
		{ "check", no_argument, NULL, 'k' },
		{ "erratum-843419", no_argument, NULL, 'e' },
		{ "no-kaslr", no_argument, NULL, 'n' },
		{ "near", no_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	bool good = true;
	int option;

	while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		switch (option) {
		case 'c':
			opts.csv = true;
			break;
		case 'k':
			opts.check = true;
			break;
		case 'e':
			opts.erratum = true;
			break;
		case 'n':
			opts.kconfig = NO_KASLR;
			break;
		case 'r':
			opts.kconfig = NEAR_ONLY;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (optind == argc || (opts.csv && opts.check)) {
		fputs(usage, stderr);
		return 2;
	}
	elf_version(EV_CURRENT);
	for (; optind < argc; optind++)
		good &= handle_file(argv[optind]);

	return !good;
}
