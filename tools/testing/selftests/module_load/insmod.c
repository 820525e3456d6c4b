// SPDX-License-Identifier: GPL-2.0-only
/* Load a module; busybox has no finit_module(), and so none of its flags. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: insmod FILE [FLAGS], see linux/module.h for them\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY);
	if (fd < 0) {
		perror(argv[1]);
		return 2;
	}
	if (syscall(SYS_finit_module, fd, "", argc > 2 ? atoi(argv[2]) : 0)) {
		printf("refused, %s\n", strerror(errno));
		return 1;
	}
	printf("loads\n");
	return 0;
}
