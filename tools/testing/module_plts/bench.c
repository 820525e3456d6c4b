// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long planning takes on this machine in each of the ways in peers.c, for the modules
 * given or for made ones.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "harness.h"

static const char usage[] =
	"usage: bench [--rounds N] [--each] [--cold] FILE...\n"
	"       bench [--rounds N] [--each] [--cold] --branches NUMBER...\n"
	"Times of planning, ours, that of BASE_TREE and other ways, for modules: medians of\n"
	"N rounds (11). A file that is not planned, or that base would read beyond, is named\n"
	"and left out, and the exit status is 1.\n"
	"  --branches  for modules of so many branches, with 25 to a symbol, in random order:\n"
	"              the fastest of N rounds\n"
	"  --each      one line a module: microseconds of each way, and its name\n"
	"  --cold      what small caches hold of the module is evicted before it is planned\n";

#define CALLS_A_SYMBOL	25

static struct {
	unsigned int rounds;
	bool each, branches, cold;
} opts = { .rounds = 11 };

struct result {
	double us[NR_WAYS];
	unsigned int entries[NR_WAYS];
};

/* Sections of the modules that --branches makes. */
enum { NUL, TEXT, RELA, SYMTAB, SHSTRTAB, PLT, INIT_PLT, NR_SECTIONS };

static const char *make_branches(const char *number, struct image *img)
{
	static const char names[] = "\0.plt\0.init.plt";
	u64 state = 1, num = strtoul(number, NULL, 10), syms = num / CALLS_A_SYMBOL + 1, at, i;
	Elf64_Shdr *sechdrs;
	Elf64_Ehdr *ehdr;
	Elf64_Rela *relas;
	const char *err;

	if (!num || num > 100000000)
		return "not a number of branches";
	at = sizeof(*ehdr) + NR_SECTIONS * sizeof(*sechdrs);
	ehdr = calloc(1, at + num * sizeof(*relas) + syms * sizeof(Elf64_Sym) + sizeof(names));
	if (!ehdr)
		return "no memory";
	sechdrs = (void *)(ehdr + 1);
	*ehdr = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB },
		.e_type = ET_REL, .e_machine = EM_AARCH64, .e_shoff = sizeof(*ehdr),
		.e_shentsize = sizeof(*sechdrs), .e_shnum = NR_SECTIONS, .e_shstrndx = SHSTRTAB,
	};
	sechdrs[TEXT] = (Elf64_Shdr){ .sh_type = SHT_NOBITS, .sh_size = 4 * num,
				      .sh_flags = SHF_ALLOC | SHF_EXECINSTR };
	sechdrs[RELA] = (Elf64_Shdr){ .sh_type = SHT_RELA, .sh_info = TEXT, .sh_link = SYMTAB,
				      .sh_offset = at, .sh_size = num * sizeof(*relas) };
	relas = (void *)((u8 *)ehdr + at);
	at += sechdrs[RELA].sh_size;
	sechdrs[SYMTAB] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB, .sh_link = SHSTRTAB, .sh_offset = at,
					.sh_size = syms * sizeof(Elf64_Sym) };
	at += sechdrs[SYMTAB].sh_size;
	memcpy((u8 *)ehdr + at, names, sizeof(names));
	sechdrs[SHSTRTAB] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = at,
					  .sh_size = sizeof(names) };
	sechdrs[PLT] = (Elf64_Shdr){ .sh_type = SHT_NOBITS, .sh_name = 1 };
	sechdrs[INIT_PLT] = (Elf64_Shdr){ .sh_type = SHT_NOBITS, .sh_name = 6 };

	for (i = 0; i < num; i++) {
		state = state * 6364136223846793005ull + 1442695040888963407ull;
		relas[i].r_offset = 4 * i;
		relas[i].r_info = ELF64_R_INFO((state >> 32) % (syms - 1) + 1, R_AARCH64_CALL26);
	}
	err = image_open(img, ehdr, at + sizeof(names));
	free(ehdr);
	return err;
}

static void evict(void)
{
	static u8 other[8 << 20];

	memset(other, 1, sizeof(other));
	__asm__ volatile("" : : "r" (other) : "memory");
}

static double time_once(enum way way, const struct image *img, unsigned int *entries)
{
	struct timespec start, end;
	struct image copy;

	image_copy(&copy, img);
	if (opts.cold)
		evict();
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
	*entries = plan_way(way, &copy);
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

/*
 * Of large modules, whose time is that of memory, which other programs use too, the
 * fastest round says most.
 */
static double fastest(const double *values, size_t num)
{
	double found = *values;

	while (num--)
		found = values[num] < found ? values[num] : found;

	return found;
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

/* One module: the median of interleaved rounds, or the fastest of them. */
static const char *time_module(const char *name, struct result *result)
{
	struct image img = {};
	unsigned int way, round;
	const char *err;
	double *values;

	err = (opts.branches ? make_branches : read_module)(name, &img);
	if (!err)
		err = find_unplanned(&img);
	if (err) {
		image_close(&img);
		return err;
	}
	values = calloc(NR_WAYS * opts.rounds, sizeof(*values));
	for (round = 0; round < opts.rounds; round++)
		for (way = 0; way < NR_WAYS; way++)
			values[way * opts.rounds + round] = time_once(way, &img,
								      &result->entries[way]);
	for (way = 0; way < NR_WAYS; way++) {
		double *times = values + way * opts.rounds;

		result->us[way] = opts.branches ? fastest(times, opts.rounds) :
						  median(times, opts.rounds);
		if (opts.each)
			printf("%.3f,", result->us[way]);
	}
	if (opts.each) {
		print_name(stdout, name);
		putchar('\n');
	}
	free(values);
	image_close(&img);
	return NULL;
}

static void print_totals(const struct result *results, int num, int left_out)
{
	double *ratios = calloc(num, sizeof(*ratios));
	int way, i;

	printf("%d modules, %d left out, %u rounds\n", num, left_out, opts.rounds);
	printf("%-26s %10s %10s %17s %10s\n", "planning", "total us", "of base's",
	       "median of ratios", "entries");
	for (way = 0; way < NR_WAYS; way++) {
		double us = 0, base_us = 0;
		unsigned long entries = 0;

		for (i = 0; i < num; i++) {
			us += results[i].us[way];
			base_us += results[i].us[BASE];
			entries += results[i].entries[way];
			ratios[i] = results[i].us[way] / results[i].us[BASE];
		}
		printf("%-26s %10.0f %10.3f %17.3f %10lu\n", way_names[way], us, us / base_us,
		       median(ratios, num), entries);
	}
	free(ratios);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "rounds", required_argument, NULL, 'r' },
		{ "branches", no_argument, NULL, 'b' },
		{ "each", no_argument, NULL, 'e' },
		{ "cold", no_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	int option, files, num = 0;
	struct result *results;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'h') {
			fputs(usage, stdout);
			return 0;
		}
		opts.branches |= option == 'b';
		opts.each |= option == 'e';
		opts.cold |= option == 'c';
		if (option == 'r')
			opts.rounds = strtoul(optarg, NULL, 10);
		else if (option == '?')
			opts.rounds = 0;
	}
	files = argc - optind;
	if (!opts.rounds || !files) {
		fputs(usage, stderr);
		return 2;
	}
	if (!base[KASLR]) {
		fprintf(stderr, "bench: built without BASE_TREE\n");
		return 1;
	}
	results = calloc(files, sizeof(*results));
	for (; optind < argc; optind++) {
		const char *err = time_module(argv[optind], &results[num]);

		if (err)
			complain("bench", argv[optind], err);
		else
			num++;
	}
	if (!num)
		fprintf(stderr, "bench: no module that can be planned\n");
	else if (!opts.each)
		print_totals(results, num, files - num);
	free(results);
	return num < files;
}
