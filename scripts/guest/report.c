// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's part of scripts/report: load modules in the order given and print for
 * each "report: load NAME WALL CPU ERRNO", in nanoseconds. If it fails, each line
 * that the kernel logged meanwhile follows as "report: says NAME LINE". As the first
 * process it prints how long the kernel took to get here, and becomes /init.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef MODULE_INIT_COMPRESSED_FILE
#define MODULE_INIT_COMPRESSED_FILE 4
#endif

/*
 * Nanoseconds since the machine was switched on: the architected counter, which
 * QEMU starts at 0, and unlike the clocks of the kernel runs from its first
 * instruction on.
 */
static unsigned long long power_on_ns(void)
{
	unsigned long long ticks, hz;

	asm volatile("isb\n\tmrs %0, cntvct_el0\n\tmrs %1, cntfrq_el0"
		     : "=r" (ticks), "=r" (hz) : : "memory");

	return ticks / hz * 1000000000 + ticks % hz * 1000000000 / hz;
}

static unsigned long long now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* A read of /dev/kmsg gives one record: numbers, a semicolon, the line, more lines. */
static void print_log(int log, const char *name)
{
	char record[8192], *line;
	ssize_t len;

	while ((len = read(log, record, sizeof(record) - 1)) > 0) {
		record[len] = '\0';
		line = strchr(record, ';');
		if (line)
			printf("report: says %s %.*s\n", name, (int)strcspn(line + 1, "\n"),
			       line + 1);
	}
}

static int load_file(const char *path, int log)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	const char *suffix = strrchr(name, '.');
	unsigned long long wall, cpu;
	int fd, flags = 0, err;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "report: cannot open %s: %s\n", path, strerror(errno));
		return -1;
	}
	if (suffix && strcmp(suffix, ".ko"))
		flags |= MODULE_INIT_COMPRESSED_FILE;
	lseek(log, 0, SEEK_END);

	wall = now(CLOCK_MONOTONIC_RAW);
	cpu = now(CLOCK_THREAD_CPUTIME_ID);
	err = syscall(SYS_finit_module, fd, "", flags) ? errno : 0;
	cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
	wall = now(CLOCK_MONOTONIC_RAW) - wall;

	printf("report: load %s %llu %llu %d\n", name, wall, cpu, err);
	if (err)
		print_log(log, name);
	close(fd);

	return 0;
}

/* One finit_module() that fails at once: traced and not, the difference is a trace's cost. */
static unsigned long long call_ns(void)
{
	unsigned long long start = now(CLOCK_THREAD_CPUTIME_ID);
	int i;

	for (i = 0; i < 100; i++)
		syscall(SYS_finit_module, -1, "", 0);

	return (now(CLOCK_THREAD_CPUTIME_ID) - start) / 100;
}

int main(int argc, char **argv)
{
	int i, log;

	if (getpid() == 1) {
		printf("report: first %llu\n", power_on_ns());
		fflush(stdout);
		execl("/init", "/init", NULL);
		perror("report: /init");
		return 1;
	}

	log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	printf("report: call %llu\n", call_ns());
	printf("report: start %llu\n", power_on_ns());
	for (i = 1; i < argc; i++)
		if (load_file(argv[i], log))
			return 1;
	printf("report: end %llu\n", power_on_ns());

	return 0;
}
