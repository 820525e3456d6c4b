// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel would plan for a module: module-plts.c run on a file.
 */
#include <gelf.h>
#include <getopt.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

#define TOP_SYMBOLS	10
#define CHECK_LAYOUTS	20

static const char usage[] =
	"usage: modplt [--csv | --check] [--erratum-843419] [--no-kaslr] FILE...\n"
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
	"                     layouts tried\n"
	"  --erratum-843419   the CPU has Cortex-A53 erratum 843419\n"
	"  --no-kaslr         CONFIG_RANDOMIZE_BASE is off and the module region has 128 MB,\n"
	"                     which is so on kernels up to 6.4 only: from 6.5 on the region\n"
	"                     has 2 GB, and branches have entries planned without KASLR too\n"
	"\n"
	"exit status: 0, 1 if a file is not an arm64 module or a check failed, 2 for bad usage\n";

struct report {
	size_t exec_relas, branch_relas, other_section, with_addend;
	unsigned int core_plts, init_plts;
	unsigned long veneers, plt_bytes;
	unsigned int *calls;		/* by symbol index */
	size_t numsyms;
};

static void count_relas(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sec, Elf_Data *syms,
			struct report *report)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Rela rela;
	GElf_Sym sym;
	int i;

	for (i = 0; data && gelf_getrela(data, i, &rela); i++) {
		report->exec_relas++;
		if (!rela_is_branch(&rela))
			continue;
		report->branch_relas++;
		if (!gelf_getsym(syms, GELF_R_SYM(rela.r_info), &sym) ||
		    sym.st_shndx == sec->sh_info)
			continue;
		report->other_section++;
		report->with_addend += rela.r_addend != 0;
		report->calls[GELF_R_SYM(rela.r_info)]++;
	}
}

static Elf_Data *symbol_table(Elf *elf, GElf_Shdr *symtab)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, symtab) && symtab->sh_type == SHT_SYMTAB)
			return elf_getdata(scn, NULL);

	return NULL;
}

static const char *count_file(Elf *elf, struct report *report)
{
	GElf_Shdr sec, target, symtab;
	Elf_Data *syms = symbol_table(elf, &symtab);
	Elf_Scn *scn = NULL;

	if (!syms)
		return "no symbol table";
	report->numsyms = symtab.sh_size / sizeof(GElf_Sym);
	report->calls = calloc(report->numsyms + 1, sizeof(*report->calls));
	if (!report->calls)
		abort();
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sec) && sec.sh_type == SHT_RELA &&
		    gelf_getshdr(elf_getscn(elf, sec.sh_info), &target) &&
		    target.sh_flags & SHF_EXECINSTR)
			count_relas(elf, scn, &sec, syms, report);

	return NULL;
}

static const char *plan_file(const struct image *img, bool erratum, enum kconfig kconfig,
			     struct report *report)
{
	struct module mod = { .name = "module" };
	struct image copy;
	struct plan plan;
	int ret;

	image_copy(&copy, img);
	kernel.erratum_843419 = true;
	oracle_plan(img, ours[kconfig]->far_branches, &plan);
	report->veneers = plan.veneers;
	plan_free(&plan);

	kernel.erratum_843419 = erratum;
	ret = ours[kconfig]->plan(copy.ehdr, copy.sechdrs, copy.secstrings, &mod);
	kernel.erratum_843419 = false;
	if (!ret) {
		report->core_plts = mod.arch.core.plt_max_entries;
		report->init_plts = mod.arch.init.plt_max_entries;
		report->plt_bytes = copy.sechdrs[mod.arch.core.plt_shndx].sh_size +
				    copy.sechdrs[mod.arch.init.plt_shndx].sh_size;
	}
	image_close(&copy);
	return ret ? kernel.last_message : NULL;
}

static void print_symbol(Elf *elf, unsigned int index, unsigned int calls)
{
	GElf_Shdr symtab, sec;
	const char *name = NULL;
	size_t names;
	GElf_Sym sym;

	if (!gelf_getsym(symbol_table(elf, &symtab), index, &sym))
		return;
	if (sym.st_name)
		name = elf_strptr(elf, symtab.sh_link, sym.st_name);
	else if (gelf_getshdr(elf_getscn(elf, sym.st_shndx), &sec) &&
		 !elf_getshdrstrndx(elf, &names))
		name = elf_strptr(elf, names, sec.sh_name);
	printf("    %8u %s\n", calls, name ? name : "?");
}

static void print_report(const char *path, Elf *elf, const struct report *report, bool erratum)
{
	size_t i, most;
	int k;

	printf("%s\n", path);
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
		print_symbol(elf, most, report->calls[most]);
		report->calls[most] = 0;
	}
}

static struct options {
	bool csv, check, erratum;
	enum kconfig kconfig;
} opts;

static const char *report_file(const char *path, const struct image *img, Elf *elf)
{
	struct report report = {};
	const char *err = elf ? count_file(elf, &report) : elf_errmsg(-1);

	if (!err)
		err = plan_file(img, opts.erratum, opts.kconfig, &report);
	if (!err && opts.csv)
		printf("%s,%zu,%zu,%u,%u\n", path, report.exec_relas, report.branch_relas,
		       report.core_plts, report.init_plts);
	else if (!err && opts.check)
		printf("%s,%zu,%zu,%zu,%zu,%u,%u,%lu,", path, report.exec_relas,
		       report.branch_relas, report.other_section, report.with_addend,
		       report.core_plts, report.init_plts, report.veneers);
	else if (!err)
		print_report(path, elf, &report, opts.erratum);
	free(report.calls);
	return err;
}

/* Print what is to be told of one file; false if it is no module or not right. */
static bool handle_file(const char *path)
{
	const char *err, *verdict = NULL;
	struct image img = {};
	size_t len = 0;
	u8 *bytes;
	Elf *elf;

	err = read_file(path, &bytes, &len);
	if (err) {
		fprintf(stderr, "modplt: %s: %s\n", path, err);
		free(bytes);
		return false;
	}
	err = image_open(&img, bytes, len);
	if (!err) {
		elf = elf_memory((char *)bytes, len);
		err = report_file(path, &img, elf);
		elf_end(elf);
	}
	if (!err && opts.check) {
		emitted_entries = 0;
		verdict = check_image(&img, len, CHECK_LAYOUTS);
		printf("%lu,%s\n", emitted_entries, verdict ? verdict : "ok");
	}
	if (err)
		fprintf(stderr, "modplt: %s: not an arm64 module: %s\n", path, err);
	fflush(stdout);
	image_close(&img);
	free(bytes);
	return !err && !verdict;
}

int main(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "csv", no_argument, NULL, 'c' },
		{ "check", no_argument, NULL, 'k' },
		{ "erratum-843419", no_argument, NULL, 'e' },
		{ "no-kaslr", no_argument, NULL, 'n' },
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
