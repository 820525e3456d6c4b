// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load the modules of test_modules/, each of which checks its own branches and
 * ADRPs and refuses to load if one of them is wrong, and unload them again.
 *
 * Runs as the only program of an initramfs too: it is linked statically and needs
 * /proc and /sys, which it does not mount.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest.h"

#define ROUNDS		50

/* How far a B or BL reaches, and more than a test module takes. */
#define BRANCH_RANGE	(128L * 1024 * 1024)
#define MARGIN		(1024L * 1024)

#define LIB		"test_plts_lib"
#define CALLS		"test_plts_calls"
#define SECTIONS	"test_plts_sections"

static const char * const modules[] = {
	CALLS,
	"test_plts_addends",
	"test_plts_jumps",
	SECTIONS,
	"test_plts_adrp",
	"test_plts_align",
};

#define NUM_MODULES	((int)ARRAY_SIZE(modules))

enum placement { UNKNOWN, NEAR, FAR, BETWEEN };

static char dir[PATH_MAX];

/* Where the text of the kernel is; 0 if /proc/kallsyms does not tell. */
static unsigned long kernel_start, kernel_end;

static void find_dir(void)
{
	ssize_t len = readlink("/proc/self/exe", dir, sizeof(dir) - 1);
	char *slash;

	if (len < 0)
		ksft_exit_skip("/proc is not mounted\n");

	dir[len] = '\0';
	slash = strrchr(dir, '/');
	slash[1] = '\0';
	if (strlen(dir) + sizeof("test_modules/") > sizeof(dir))
		ksft_exit_fail_msg("path too long: %s\n", dir);
	strcat(dir, "test_modules/");
}

static void find_kernel(void)
{
	unsigned long addr;
	char line[512], name[256];
	FILE *f = fopen("/proc/kallsyms", "r");

	if (!f)
		return;

	while ((!kernel_start || !kernel_end) && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx %*c %255s", &addr, name) != 2)
			continue;
		if (!strcmp(name, "_stext"))
			kernel_start = addr;
		else if (!strcmp(name, "_etext"))
			kernel_end = addr;
	}
	fclose(f);
}

static unsigned long module_address(const char *module)
{
	unsigned long addr, found = 0;
	char line[1024], name[256];
	FILE *f = fopen("/proc/modules", "r");

	if (!f)
		return 0;

	while (!found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%255s %*s %*s %*s %*s %lx", name, &addr) == 2 &&
		    !strcmp(name, module))
			found = addr;
	fclose(f);

	return found;
}

static enum placement module_placement(unsigned long addr)
{
	long to_start = labs((long)(addr - kernel_start));
	long to_end = labs((long)(addr - kernel_end));
	long nearest = to_start < to_end ? to_start : to_end;
	long farthest = to_start < to_end ? to_end : to_start;

	if (!addr || !kernel_start || !kernel_end)
		return UNKNOWN;
	if (farthest < BRANCH_RANGE)
		return NEAR;
	if (nearest > BRANCH_RANGE + MARGIN)
		return FAR;

	return BETWEEN;
}

/* A module parameter, or -1. */
static long module_param(const char *module, const char *param)
{
	char path[PATH_MAX];
	long value = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s", module, param);
	f = fopen(path, "r");
	if (!f)
		return -1;
	if (fscanf(f, "%ld", &value) != 1)
		value = -1;
	fclose(f);

	return value;
}

static int open_module(const char *module)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s%s.ko", dir, module);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* 0 or an errno value. */
static int load(const char *module)
{
	int fd = open_module(module);
	int err = 0;

	if (fd < 0)
		return errno;
	if (syscall(SYS_finit_module, fd, "", 0))
		err = errno;
	close(fd);

	return err;
}

static int unload(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK) ? errno : 0;
}

static const char *load_error(int err)
{
	return err == EINVAL ? "a branch or an ADRP is wrong, see the kernel log" :
			       strerror(err);
}

/* Do not go on without test_plts_lib: say why in a way that a user can act on. */
static void load_lib(void)
{
	int err = load(LIB);

	switch (err) {
	case 0:
		return;
	case ENOENT:
		ksft_exit_skip("no %s%s.ko: build the test for this kernel, with KDIR\n",
			       dir, LIB);
	case ENOSYS:
		ksft_exit_skip("the kernel has no CONFIG_MODULES\n");
	case EPERM:
	case EKEYREJECTED:
		ksft_exit_skip("not allowed to load unsigned modules: %s\n", strerror(err));
	case EEXIST:
		ksft_exit_fail_msg("%s is loaded already: unload it and what uses it\n", LIB);
	default:
		ksft_exit_fail_msg("%s does not load: %s\n", LIB, strerror(err));
	}
}

/*
 * The branches of a far module need PLT entries, those of a near one need none, and
 * branches to one symbol share an entry.
 */
static bool plts_fit(const char *module)
{
	static const char * const text[] = {
		"placement unknown", "near", "far", "neither near nor far",
	};
	unsigned long addr = module_address(module);
	enum placement placement = module_placement(addr);
	long branches = module_param(LIB, "branches");
	long via_plt = module_param(LIB, "via_plt");
	long plt_entries = module_param(LIB, "plt_entries");
	long adrps = module_param(LIB, "adrps");

	ksft_print_msg("%s: %s (%#lx, kernel %#lx): %ld of %ld branches through %ld PLT entries\n",
		       module, text[placement], addr, kernel_start, via_plt, branches,
		       plt_entries);
	if (adrps)
		ksft_print_msg("%s: %ld ADRPs, %ld made an ADR, %ld with a veneer\n", module,
			       adrps, module_param(LIB, "patched"),
			       module_param(LIB, "veneers"));

	if (branches < 0 || via_plt < 0 || adrps < 0 || branches + adrps == 0)
		return false;
	if (placement == NEAR)
		return via_plt == 0;
	if (placement == FAR && branches && !via_plt)
		return false;

	/* A few callees: about as few entries, however many calls. */
	return strcmp(module, CALLS) || plt_entries <= branches / 10;
}

static void test_module(const char *module, bool can_unload)
{
	int err = load(module);

	ksft_test_result(!err, "%s: loads, and all its branches and ADRPs are right\n", module);
	if (err) {
		ksft_print_msg("%s: %s\n", module, load_error(err));
		ksft_test_result_skip("%s: PLT entries fit the placement\n", module);
		ksft_test_result_skip("%s: unloads\n", module);
		return;
	}

	ksft_test_result(plts_fit(module), "%s: PLT entries fit the placement\n", module);

	if (!can_unload) {
		ksft_test_result_skip("%s: unloads: no CONFIG_MODULE_UNLOAD\n", module);
		return;
	}
	err = unload(module);
	ksft_test_result(!err, "%s: unloads\n", module);
	if (err)
		ksft_print_msg("%s: %s\n", module, strerror(err));
}

static bool round_trip(int round)
{
	int i, loaded, err = 0;

	for (loaded = 0; loaded < NUM_MODULES && !err; loaded++) {
		err = load(modules[loaded]);
		if (err) {
			ksft_print_msg("round %d: %s: %s\n", round, modules[loaded],
				       load_error(err));
			break;
		}
	}

	for (i = loaded - 1; i >= 0; i--) {
		int unload_err = unload(modules[i]);

		if (unload_err) {
			ksft_print_msg("round %d: %s does not unload: %s\n", round,
				       modules[i], strerror(unload_err));
			err = unload_err;
		}
	}

	return !err;
}

static void test_rounds(bool can_unload)
{
	long good, bad;
	int round;

	if (!can_unload) {
		ksft_test_result_skip("%d rounds: no CONFIG_MODULE_UNLOAD\n", ROUNDS);
		ksft_test_result_skip("exit functions: no CONFIG_MODULE_UNLOAD\n");
		return;
	}

	for (round = 0; round < ROUNDS; round++)
		if (!round_trip(round))
			break;
	ksft_test_result(round == ROUNDS, "%d rounds of loading and unloading all of them\n",
			 ROUNDS);

	good = module_param(LIB, "exit_good");
	bad = module_param(LIB, "exit_bad");
	ksft_print_msg("exit functions: %ld right, %ld wrong\n", good, bad);
	ksft_test_result(good > round && !bad, "branches of .exit.text are right\n");
}

/*
 * Load and unload a module until that has gone well @rounds times, while another
 * process does the same. A load that succeeds means that the init function found
 * all branches right.
 */
static bool compete(const char *module, int rounds)
{
	int err;

	while (rounds) {
		err = load(module);
		if (err == EEXIST || err == EBUSY) {
			/* The other one has it loaded, or is unloading it. */
			usleep(1000);
			continue;
		}
		if (err) {
			ksft_print_msg("%s does not load: %s\n", module, load_error(err));
			break;
		}

		/*
		 * If both load at the same time the kernel may do so once, for both, and
		 * the other one can have unloaded it since, or even be loading it again.
		 */
		err = unload(module);
		if (err && err != ENOENT && err != EBUSY && err != EAGAIN) {
			ksft_print_msg("%s does not unload: %s\n", module, strerror(err));
			break;
		}
		rounds--;
	}
	fflush(stdout);

	return !rounds;
}

/* All modules at once, each by two processes. */
static void test_parallel(int rounds)
{
	int i, status, err, children = 0, good = 0;
	pid_t pid;

	fflush(stdout);
	for (i = 0; i < 2 * NUM_MODULES; i++) {
		pid = fork();
		if (!pid)
			_exit(compete(modules[i / 2], rounds) ? KSFT_PASS : KSFT_FAIL);
		children += pid > 0;
	}
	while (wait(&status) > 0)
		good += WIFEXITED(status) && WEXITSTATUS(status) == KSFT_PASS;

	for (i = 0; i < NUM_MODULES; i++) {
		err = unload(modules[i]);
		if (err != ENOENT)
			ksft_print_msg("%s stays loaded: %s\n", modules[i], strerror(err));
		good -= err != ENOENT;
	}
	ksft_test_result(children == 2 * NUM_MODULES && good == children &&
			 !module_param(LIB, "exit_bad"),
			 "%d rounds of %d processes, two for each module\n", rounds, children);
}

/* The image of a module, for changing it. */
struct image {
	unsigned char *data;
	size_t size;
};

static void read_image(struct image *image, const char *module)
{
	int fd = open_module(module);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		ksft_exit_fail_msg("%s: %s\n", module, strerror(errno));

	image->size = st.st_size;
	image->data = malloc(image->size);
	if (!image->data || read(fd, image->data, image->size) != (ssize_t)image->size)
		ksft_exit_fail_msg("%s: cannot read\n", module);
	close(fd);
}

static Elf64_Shdr *image_section(const struct image *image, const char *name)
{
	Elf64_Ehdr *ehdr = (Elf64_Ehdr *)image->data;
	Elf64_Shdr *shdr = (Elf64_Shdr *)(image->data + ehdr->e_shoff);
	const char *names = (char *)image->data + shdr[ehdr->e_shstrndx].sh_offset;
	int i;

	for (i = 0; i < ehdr->e_shnum; i++)
		if (!strcmp(names + shdr[i].sh_name, name))
			return &shdr[i];

	ksft_exit_fail_msg("no section %s\n", name);
	return NULL;
}

/*
 * A RELA section whose sh_info is no section. The core loader passes over such a
 * section, so this one is not applied, and the module loads.
 */
static void test_sh_info(bool far_beyond)
{
	struct image image;
	unsigned int sh_info;
	int err;

	read_image(&image, SECTIONS);
	sh_info = far_beyond ? 0x7fffff0 : ((Elf64_Ehdr *)image.data)->e_shnum;
	image_section(&image, ".rela.plts.lost")->sh_info = sh_info;

	err = syscall(SYS_init_module, image.data, image.size, "") ? errno : 0;
	if (err)
		ksft_print_msg("%s\n", load_error(err));
	ksft_test_result(!err && module_param(SECTIONS, "lost") == 1,
			 "RELA section with sh_info %#x is passed over\n", sh_info);
	if (!err)
		unload(SECTIONS);
	free(image.data);
}

/* A CALL26 whose symbol index is beyond the symbol table: ENOEXEC. */
static void test_symbol_index(bool far_beyond)
{
	struct image image;
	Elf64_Shdr *relsec, *symtab;
	Elf64_Rela *rela;
	Elf64_Xword index;
	int err;

	read_image(&image, SECTIONS);
	symtab = image_section(&image, ".symtab");
	index = far_beyond ? 0x7ffffff : symtab->sh_size / sizeof(Elf64_Sym);

	relsec = image_section(&image, ".rela.text");
	rela = (Elf64_Rela *)(image.data + relsec->sh_offset);
	while (ELF64_R_TYPE(rela->r_info) != R_AARCH64_CALL26)
		rela++;
	rela->r_info = ELF64_R_INFO(index, R_AARCH64_CALL26);

	err = syscall(SYS_init_module, image.data, image.size, "") ? errno : 0;
	ksft_print_msg("symbol index %#llx: %s\n", (unsigned long long)index, strerror(err));
	ksft_test_result(err == ENOEXEC, "symbol index %#llx is refused with ENOEXEC\n",
			 (unsigned long long)index);
	if (!err)
		unload(SECTIONS);
	free(image.data);
}

static void test_malformed(bool malformed)
{
	if (!malformed) {
		ksft_test_result_skip("malformed modules: --malformed was not given\n");
		return;
	}

	test_sh_info(false);
	test_sh_info(true);
	test_symbol_index(false);
	test_symbol_index(true);
	ksft_test_result(round_trip(0), "the test modules load after malformed ones\n");
}

static void print_help(FILE *to)
{
	fprintf(to,
		"usage: module_plts [--malformed] [--parallel ROUNDS]\n"
		"Check the PLT entries and veneers of arm64 modules: load the test modules, as root.\n"
		"\n"
		"  --malformed  also load modules with section and symbol indices out of range.\n"
		"               A kernel which does not check them oopses; one which does loads\n"
		"               the former without the section concerned and refuses the latter.\n"
		"  --parallel ROUNDS\n"
		"               also load and unload all modules at once as often, each by two\n"
		"               processes that are in each other's way\n"
		"  --help       print this\n"
		"\n"
		"From the kselftest runner: KSELFTEST_MODULE_PLTS_ARGS=--malformed\n");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "malformed", no_argument, NULL, 'm' },
		{ "parallel", required_argument, NULL, 'p' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	bool malformed = false, can_unload;
	int i, opt, err, parallel = 0;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'm':
			malformed = true;
			break;
		case 'p':
			parallel = atoi(optarg);
			if (parallel > 0)
				break;
			fprintf(stderr, "module_plts: --parallel %s: not a number of rounds\n",
				optarg);
			return KSFT_FAIL;
		case 'h':
			print_help(stdout);
			return 0;
		default:
			print_help(stderr);
			return KSFT_FAIL;
		}
	}

	ksft_print_header();
#ifndef __aarch64__
	ksft_exit_skip("only arm64 has these PLT entries\n");
#endif
	if (geteuid())
		ksft_exit_skip("only root can load modules\n");
	find_dir();
	if (access("/sys/module", F_OK))
		ksft_exit_skip("/sys is not mounted\n");
	find_kernel();

	/* Unloading nothing tells whether the kernel can unload. */
	can_unload = unload("test_plts_none") != ENOSYS;
	if ((malformed || parallel) && !can_unload)
		ksft_exit_skip("--malformed and --parallel need CONFIG_MODULE_UNLOAD\n");
	load_lib();

	ksft_set_plan(3 * NUM_MODULES + 2 + (malformed ? 5 : 1) + !!parallel + 1);
	for (i = 0; i < NUM_MODULES; i++)
		test_module(modules[i], can_unload);
	test_rounds(can_unload);
	test_malformed(malformed);
	if (parallel)
		test_parallel(parallel);

	err = unload(LIB);
	if (can_unload)
		ksft_test_result(!err, "%s: unloads\n", LIB);
	else
		ksft_test_result_skip("%s: unloads: no CONFIG_MODULE_UNLOAD\n", LIB);

	ksft_finished();
}
