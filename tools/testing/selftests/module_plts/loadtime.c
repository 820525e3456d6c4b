// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure how long modules take to load: prints CSV, "module,phase,ns".
 *
 *   total  CPU time of finit_module(), which includes the module's init function
 *   wall   its wall clock time
 *   plan   module_frob_arch_sections(), with --trace
 *   apply  all calls of apply_relocate_add(), with --trace
 *   enums  putting the values of enums into the formats of trace events, with
 *          --trace. It cannot be traced itself, like all of kernel/trace/: it is the
 *          time in the notifiers that trace_event_sem is held, taken right behind
 *          event_mutex.
 *
 * The CPU time is the figure to compare: the wall clock time includes the waiting
 * for RCU grace periods. Take the median of some rounds: if the load gives way to
 * another thread, the scheduler may charge a part of it to that one. With --trace
 * each module is loaded once more, before the timed loads, so that tracing adds
 * nothing to them.
 *
 * Runs as the only program of an initramfs too, for QEMU with -icount shift=0,
 * where a nanosecond is an instruction.
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
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TRACING "/sys/kernel/tracing/"

enum { PLAN, APPLY, ENUMS, NUM_PHASES };

static const struct phase {
	const char *name;
	const char *function;
} phases[NUM_PHASES] = {
	[PLAN] = { "plan", "module_frob_arch_sections" },
	[APPLY] = { "apply", "apply_relocate_add" },
	[ENUMS] = { "enums", "blocking_notifier_call_chain_robust" },
};

/* What is traced in the notifiers: the locks around enums, and what ends others. */
static const char * const locks[] = {
	"mutex_lock", "down_write", "up_write", "mutex_unlock",
};

/* Whether the function of each phase can be traced. */
static bool traced[NUM_PHASES];

/* Something went wrong, and was reported. */
static bool failed;

struct module {
	char *path;
	char *params;
	char name[NAME_MAX + 1];
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "loadtime: %s: %s\n", what, why);
	failed = true;
}

static bool write_file(const char *path, int flags, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags);
	ssize_t len = strlen(text);
	bool written;

	if (fd < 0)
		return false;
	written = write(fd, text, len) == len;
	close(fd);

	return written;
}

static void stop_tracing(void)
{
	write_file(TRACING "current_tracer", 0, "nop");
	write_file(TRACING "tracing_on", 0, "1");
	write_file(TRACING "options/funcgraph-tail", 0, "0");
	write_file(TRACING "options/funcgraph-abstime", 0, "0");
	write_file(TRACING "set_graph_function", O_TRUNC, "");
	write_file(TRACING "set_ftrace_pid", O_TRUNC, "");
	write_file(TRACING "set_ftrace_filter", O_TRUNC, "");
}

static bool start_tracing(void)
{
	char pid[16];
	bool any = false;
	unsigned int i;

	if (access(TRACING "current_tracer", F_OK) &&
	    mount("tracefs", TRACING, "tracefs", 0, NULL)) {
		fail("cannot mount tracefs on " TRACING,
		     errno == ENOENT ? "no sysfs on /sys, or no CONFIG_FTRACE" :
		     errno == ENODEV ? "the kernel has no CONFIG_FTRACE" : strerror(errno));
		return false;
	}
	if (access(TRACING "set_ftrace_filter", F_OK)) {
		fail("no function can be traced", "the kernel has no CONFIG_DYNAMIC_FTRACE");
		return false;
	}

	/* The file takes one name a write. */
	for (i = 0; i < NUM_PHASES; i++) {
		traced[i] = write_file(TRACING "set_ftrace_filter", any ? O_APPEND : O_TRUNC,
				       phases[i].function);
		if (traced[i])
			any = true;
		else
			fail(phases[i].function,
			     "not traceable: the kernel has no CONFIG_FUNCTION_TRACER, or inlined it");
	}
	if (!any)
		return false;
	for (i = 0; traced[ENUMS] && i < sizeof(locks) / sizeof(*locks); i++)
		traced[ENUMS] = write_file(TRACING "set_ftrace_filter", O_APPEND, locks[i]);
	/* Locks are of interest in the notifiers only. */
	for (i = 0; i < NUM_PHASES; i++)
		write_file(TRACING "set_graph_function", i ? O_APPEND : O_TRUNC,
			   phases[i].function);

	snprintf(pid, sizeof(pid), "%d", getpid());
	write_file(TRACING "set_ftrace_pid", O_TRUNC, pid);
	write_file(TRACING "options/funcgraph-tail", 0, "1");
	write_file(TRACING "options/funcgraph-abstime", 0, "1");
	if (!write_file(TRACING "current_tracer", 0, "function_graph")) {
		fail("no function can be timed",
		     "the kernel has no CONFIG_FUNCTION_GRAPH_TRACER");
		stop_tracing();
		return false;
	}
	/* From now on only while a load is traced: the calls traced take longer. */
	write_file(TRACING "current_tracer", 0, "nop");

	return true;
}

struct traced_call {
	const char *name;	/* of the function */
	int len;		/* of its name */
	unsigned long long ns;	/* that it took */
	unsigned long long end;	/* time of its end, in steps of 1000 ns */
};

/*
 * A line for a function's end is "1.234567 |  0) + 12.345 us   |  name();" or, if
 * anything else was traced meanwhile, the same with "} /" "* name *" "/". The time in
 * front is that of its end, but of its begin in the first form. Lines for a begin
 * have no duration.
 */
static bool parse_line(char *line, struct traced_call *call)
{
	char *took = strchr(line, ')'), *bar = took ? strchr(took, '|') : NULL, *unit, *rest;
	unsigned long long seconds;
	double us;

	if (!bar)
		return false;
	took += strcspn(took, "0123456789|");
	if (took >= bar)
		return false;
	us = strtod(took, &unit);
	if (strncmp(unit, " us", 3))
		return false;
	call->ns = us * 1000 + 0.5;

	seconds = strtoull(line, &rest, 10);
	if (*rest != '.')
		return false;
	call->end = seconds * 1000000000 + strtoull(rest + 1, NULL, 10) * 1000;
	if (strstr(bar, "();"))
		call->end += call->ns;

	call->name = bar + strcspn(bar, "abcdefghijklmnopqrstuvwxyz_");
	call->len = strspn(call->name, "abcdefghijklmnopqrstuvwxyz_");

	return true;
}

static bool is_call_of(const struct traced_call *call, const char *function)
{
	return !strncmp(call->name, function, call->len) && !function[call->len];
}

static void print_trace(const struct module *module)
{
	unsigned long long ns[NUM_PHASES] = {}, taken = 0;
	FILE *f = fopen(TRACING "trace", "r");
	struct traced_call call;
	bool mutex = false;
	char line[1024];
	unsigned int i;

	if (!f) {
		fail(TRACING "trace", strerror(errno));
		return;
	}

	while (fgets(line, sizeof(line), f)) {
		if (!parse_line(line, &call))
			continue;
		if (is_call_of(&call, phases[PLAN].function))
			ns[PLAN] += call.ns;
		if (is_call_of(&call, phases[APPLY].function))
			ns[APPLY] += call.ns;
		if (taken && is_call_of(&call, "up_write"))
			ns[ENUMS] += call.end - call.ns - taken;
		taken = mutex && is_call_of(&call, "down_write") ? call.end : 0;
		mutex = is_call_of(&call, "mutex_lock");
	}
	fclose(f);

	for (i = 0; i < NUM_PHASES; i++) {
		if (!traced[i])
			continue;
		if (ns[i] || i == ENUMS)
			printf("%s,%s,%llu\n", module->name, phases[i].name, ns[i]);
		else
			fail(module->name, "its load left no trace");
	}
}

static unsigned long long now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Load @module from @fd; print how long that took if @timed. */
static bool load_module(const struct module *module, int fd, bool timed)
{
	unsigned long long cpu, wall;
	long ret;

	wall = now(CLOCK_MONOTONIC_RAW);
	cpu = now(CLOCK_THREAD_CPUTIME_ID);
	ret = syscall(SYS_finit_module, fd, module->params, 0);
	cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
	wall = now(CLOCK_MONOTONIC_RAW) - wall;

	if (ret) {
		fail(module->path, errno == ENOENT ? "it needs another module loaded first" :
						     strerror(errno));
		return false;
	}
	if (timed) {
		printf("%s,total,%llu\n", module->name, cpu);
		printf("%s,wall,%llu\n", module->name, wall);
	}

	return true;
}

static bool unload_module(const struct module *module)
{
	if (!syscall(SYS_delete_module, module->name, O_NONBLOCK))
		return true;

	fail(module->name, errno == ENOSYS ? "the kernel has no CONFIG_MODULE_UNLOAD" :
			   errno == EBUSY ? "it cannot be unloaded, so not be loaded again" :
					    strerror(errno));
	return false;
}

static void measure(const struct module *module, unsigned long rounds, bool trace, bool keep)
{
	int fd = open(module->path, O_RDONLY | O_CLOEXEC);
	char buf[4096];
	bool loaded;

	if (fd < 0) {
		fail(module->path, strerror(errno));
		return;
	}

	/* The first load must not be the one which waits for the storage. */
	while (read(fd, buf, sizeof(buf)) > 0)
		;

	if (trace) {
		write_file(TRACING "current_tracer", 0, "function_graph");
		write_file(TRACING "trace", O_TRUNC, "");
		loaded = load_module(module, fd, false);
		write_file(TRACING "tracing_on", 0, "0");
		if (loaded)
			print_trace(module);
		write_file(TRACING "current_tracer", 0, "nop");
		write_file(TRACING "tracing_on", 0, "1");
		if (!loaded || !unload_module(module))
			goto out;
	}

	while (rounds-- && load_module(module, fd, true))
		if ((rounds || !keep) && !unload_module(module))
			break;
out:
	close(fd);
}

/* Section .modinfo of a module's file: strings that end with '\0'. NULL if there is none. */
static const char *find_modinfo(const char *file, size_t size, size_t *len)
{
	const Elf64_Ehdr *ehdr = (const void *)file;
	const Elf64_Shdr *sec, *names;
	unsigned int i;

	if (ehdr->e_shentsize != sizeof(*sec) || ehdr->e_shoff > size ||
	    ehdr->e_shnum > (size - ehdr->e_shoff) / sizeof(*sec) ||
	    ehdr->e_shstrndx >= ehdr->e_shnum)
		return NULL;

	sec = (const void *)(file + ehdr->e_shoff);
	names = &sec[ehdr->e_shstrndx];
	for (i = 1; i < ehdr->e_shnum; i++) {
		size_t name = names->sh_offset + sec[i].sh_name;

		if (name > size || size - name < sizeof(".modinfo") ||
		    strcmp(file + name, ".modinfo"))
			continue;
		if (sec[i].sh_offset > size || sec[i].sh_size > size - sec[i].sh_offset ||
		    !sec[i].sh_size || file[sec[i].sh_offset + sec[i].sh_size - 1])
			return NULL;
		*len = sec[i].sh_size;
		return file + sec[i].sh_offset;
	}

	return NULL;
}

/* Return: NULL, or why the kernel's name for the module in @file is not known. */
static const char *find_name(struct module *module, const char *file, size_t size)
{
	const char *info, *end;
	size_t len = 0;

	if (size < sizeof(Elf64_Ehdr) || memcmp(file, ELFMAG, SELFMAG) ||
	    file[EI_CLASS] != ELFCLASS64)
		return "not a 64-bit ELF file; a compressed module has to be unpacked";

	info = find_modinfo(file, size, &len);
	for (end = info + len; info && info < end; info += strlen(info) + 1) {
		if (strncmp(info, "name=", strlen("name=")))
			continue;
		info += strlen("name=");
		if (!*info || strlen(info) >= sizeof(module->name))
			break;
		snprintf(module->name, sizeof(module->name), "%s", info);
		return NULL;
	}

	return "not a module: it has no name= in .modinfo";
}

/* Split "path.ko:params"; what the kernel calls the module is in the file. */
static bool parse_module(struct module *module, char *arg)
{
	const char *why;
	struct stat st;
	void *file;
	char *p;
	int fd;

	module->path = arg;
	module->params = "";
	p = strstr(arg, ".ko:");
	if (p) {
		p[3] = '\0';
		module->params = p + 4;
	}

	fd = open(module->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		fail(arg, strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	file = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file == MAP_FAILED) {
		fail(arg, st.st_size ? strerror(errno) : "empty, or no file");
		return false;
	}
	why = find_name(module, file, st.st_size);
	munmap(file, st.st_size);
	if (why)
		fail(arg, why);

	return !why;
}

static void print_help(FILE *to)
{
	fprintf(to,
		"usage: loadtime [--rounds N] [--keep] [--trace] MODULE.ko[:params]...\n"
		"Load modules in this order, as root, and print CSV: module,phase,ns\n"
		"\n"
		"  --rounds N  time N loads of each, unloading it in between (1)\n"
		"  --keep      leave each loaded, for others which need it\n"
		"  --trace     trace one more load of each: phases plan, apply, enums\n"
		"  --help      print this\n");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "rounds", required_argument, NULL, 'r' },
		{ "keep", no_argument, NULL, 'k' },
		{ "trace", no_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	bool keep = false, trace = false;
	unsigned long rounds = 1;
	struct module module;
	char *end;
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'r':
			rounds = strtoul(optarg, &end, 10);
			if (*end || !rounds || rounds > 1000000) {
				fail(optarg, "not a number of rounds");
				return 1;
			}
			break;
		case 'k':
			keep = true;
			break;
		case 't':
			trace = true;
			break;
		case 'h':
			print_help(stdout);
			return 0;
		default:
			print_help(stderr);
			return 1;
		}
	}
	if (optind == argc) {
		print_help(stderr);
		return 1;
	}

	if (trace)
		trace = start_tracing();
	printf("module,phase,ns\n");
	for (; optind < argc; optind++)
		if (parse_module(&module, argv[optind]))
			measure(&module, rounds, trace, keep);
	if (trace)
		stop_tracing();

	return failed;
}
