// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long planning takes on this machine, for the modules given: ours, base's, and
 * what two other architectures do, written here from a description of it.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <linux/sort.h>

#include "harness.h"

static const char usage[] =
	"usage: bench [--rounds N] FILE...\n"
	"Times of planning, ours, that of BASE_TREE and other ways, for modules: medians of\n"
	"N rounds (11). A file that is not planned, or that base would read beyond, is named\n"
	"and left out, and the exit status is 1.\n";

static int compare_u64(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

static int by_symbol(const void *a, const void *b)
{
	const Elf64_Rela *x = a, *y = b;
	int order = compare_u64(ELF64_R_SYM(x->r_info), ELF64_R_SYM(y->r_info));

	return order ? order : compare_u64(x->r_addend, y->r_addend);
}

static int by_info(const void *a, const void *b)
{
	const Elf64_Rela *x = a, *y = b;
	int order = compare_u64(x->r_info, y->r_info);

	return order ? order : compare_u64(x->r_addend, y->r_addend);
}

static bool needs_entry(const Elf64_Rela *rela, const Elf64_Sym *syms, u32 section)
{
	return rela_is_branch(rela) && syms[ELF64_R_SYM(rela->r_info)].st_shndx != section;
}

/* riscv: copy the candidates to a buffer, sort that, count what differs. */
static unsigned int count_copied(const Elf64_Rela *relas, size_t num, const Elf64_Sym *syms,
				 u32 section)
{
	Elf64_Rela *copy = malloc(num * sizeof(*copy) + 1);
	unsigned int count = 0;
	size_t i, copied = 0;

	if (!copy)
		abort();
	for (i = 0; i < num; i++)
		if (needs_entry(&relas[i], syms, section))
			copy[copied++] = relas[i];
	sort(copy, copied, sizeof(*copy), by_symbol, NULL);
	for (i = 0; i < copied; i++)
		count += !i || by_symbol(&copy[i - 1], &copy[i]);
	free(copy);
	return count;
}

/* loongarch: sort every RELA of the section, count the candidates that differ. */
static unsigned int count_sorted(Elf64_Rela *relas, size_t num, const Elf64_Sym *syms,
				 u32 section)
{
	unsigned int count = 0;
	size_t i;

	sort(relas, num, sizeof(*relas), by_info, NULL);
	for (i = 0; i < num; i++)
		count += needs_entry(&relas[i], syms, section) &&
			 (!i || by_info(&relas[i - 1], &relas[i]));
	return count;
}

enum strategy { OURS, BASE, COPY_AND_SORT, SORT_ALL, NR_STRATEGIES };

static const char * const names[] = {
	"ours", "base", "copy candidates and sort", "sort all",
};

static unsigned int plan_with(enum strategy strategy, struct image *img)
{
	const Elf64_Shdr *symtab = image_symtab(img);
	const Elf64_Sym *syms = (void *)(img->bytes + symtab->sh_offset);
	struct module mod = {};
	unsigned int i, count = 0;
	size_t num;

	if (strategy == OURS || strategy == BASE) {
		(strategy == OURS ? ours : base)[KASLR]->plan(img->ehdr, img->sechdrs,
							      img->secstrings, &mod);
		return mod.arch.core.plt_max_entries + mod.arch.init.plt_max_entries;
	}
	for (i = 1; i < img->ehdr->e_shnum; i++) {
		Elf64_Rela *relas = image_relas(img, &img->sechdrs[i], &num);

		if (!image_exec_target(img, &img->sechdrs[i]))
			continue;
		if (strategy == COPY_AND_SORT)
			count += count_copied(relas, num, syms, img->sechdrs[i].sh_info);
		else
			count += count_sorted(relas, num, syms, img->sechdrs[i].sh_info);
	}
	return count;
}

static double time_once(enum strategy strategy, const struct image *img)
{
	struct timespec start, end;
	unsigned int entries;
	struct image copy;

	image_copy(&copy, img);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
	entries = plan_with(strategy, &copy);
	__asm__ volatile("" : : "r" (entries));	/* the count is wanted */
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	image_close(&copy);
	return (end.tv_sec - start.tv_sec) * 1e6 + (end.tv_nsec - start.tv_nsec) / 1e3;
}

static int compare_doubles(const void *a, const void *b)
{
	return *(const double *)a < *(const double *)b ? -1 :
	       *(const double *)a > *(const double *)b;
}

static double median(double *values, size_t num)
{
	qsort(values, num, sizeof(*values), compare_doubles);
	return (values[(num - 1) / 2] + values[num / 2]) / 2;
}

/* What is not planned has no time: NULL if @img is, by ours and by base. */
static const char *find_unplanned(const struct image *img)
{
	struct image copy;
	struct module mod;
	const char *err = plan_image(img, KASLR, &copy, &mod);

	image_close(&copy);
	return err ? err : unsafe_for_base(img);
}

/* Microseconds of each strategy for one module: the median of interleaved rounds. */
static const char *time_file(const char *path, unsigned int rounds, double *us)
{
	double *values[NR_STRATEGIES];
	struct image img = {};
	unsigned int i, round;
	const char *err;

	err = read_module(path, &img);
	if (!err)
		err = find_unplanned(&img);
	if (err) {
		image_close(&img);
		return err;
	}
	for (i = 0; i < NR_STRATEGIES; i++)
		values[i] = calloc(rounds, sizeof(double));
	for (round = 0; round < rounds; round++)
		for (i = 0; i < NR_STRATEGIES; i++)
			values[i][round] = time_once(i, &img);
	for (i = 0; i < NR_STRATEGIES; i++) {
		us[i] = median(values[i], rounds);
		free(values[i]);
	}
	image_close(&img);
	return NULL;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "rounds", required_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	double (*us)[NR_STRATEGIES], *ratios, totals[NR_STRATEGIES] = {};
	unsigned int rounds = 11;
	int i, files, option, num = 0;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'h') {
			fputs(usage, stdout);
			return 0;
		}
		rounds = option == 'r' ? strtoul(optarg, NULL, 10) : 0;
	}
	if (!rounds || optind == argc) {
		fputs(usage, stderr);
		return 2;
	}
	if (!base[KASLR]) {
		fprintf(stderr, "bench: built without BASE_TREE\n");
		return 1;
	}
	files = argc - optind;
	us = calloc(argc, sizeof(*us));
	ratios = calloc(argc, sizeof(*ratios));
	for (; optind < argc; optind++) {
		const char *err = time_file(argv[optind], rounds, us[num]);

		if (err)
			complain("bench", argv[optind], err);
		else
			num++;
	}
	if (!num) {
		fprintf(stderr, "bench: no file that can be planned\n");
		return 1;
	}

	printf("%d modules, %d left out, %u rounds\n", num, files - num, rounds);
	printf("%-26s %14s %14s %18s\n", "planning", "total us", "of base's", "median of ratios");
	for (option = 0; option < NR_STRATEGIES; option++)
		for (i = 0; i < num; i++)
			totals[option] += us[i][option];
	for (option = 0; option < NR_STRATEGIES; option++) {
		for (i = 0; i < num; i++)
			ratios[i] = us[i][option] / us[i][BASE];
		printf("%-26s %14.0f %14.3f %18.3f\n", names[option], totals[option],
		       totals[option] / totals[BASE], median(ratios, num));
	}
	free(ratios);
	free(us);
	return num < files;
}
