// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of modules, plain or as xz, zstd or gzip have compressed them.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

static const char *decompressor(const u8 *magic)
{
	if (!memcmp(magic, "\xfd\x37\x7a\x58\x5a", 6))
		return "xz";
	if (!memcmp(magic, "\x28\xb5\x2f\xfd", 4))
		return "zstd";
	if (!memcmp(magic, "\x1f\x8b", 2))
		return "gzip";
	return NULL;
}

/* Replace @fd by the read end of a pipe from the decompressor. */
static const char *decompress(int fd, const char *program, pid_t *child, int *out)
{
	int ends[2];

	if (pipe(ends))
		return strerror(errno);
	*child = fork();
	if (*child < 0)
		return strerror(errno);
	if (!*child) {
		dup2(fd, STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		/* What it says of a bad file is said by the caller, in one line. */
		if (freopen("/dev/null", "w", stderr))
			execlp(program, program, "-dcq", NULL);
		_exit(127);
	}
	close(ends[1]);
	*out = ends[0];
	return NULL;
}

static const char *read_all(int fd, u8 **bytes, size_t *len)
{
	size_t room = 1 << 20;
	ssize_t got = 1;

	*len = 0;
	*bytes = malloc(room);
	while (*bytes && got > 0) {
		got = read(fd, *bytes + *len, room - *len);
		*len += got > 0 ? got : 0;
		if (*len == room) {
			room *= 2;
			*bytes = realloc(*bytes, room);
		}
	}
	if (!*bytes)
		abort();
	return got < 0 ? strerror(errno) : NULL;
}

/**
 * read_file() - read a module's file, decompressed if it is not plain
 * @path: the file
 * @bytes: contents, to be freed also after an error
 * @len: their length
 *
 * Return: NULL, or what went wrong.
 */
const char *read_file(const char *path, u8 **bytes, size_t *len)
{
	int out, status = 0, fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *program, *err;
	u8 magic[6] = {};
	pid_t child = 0;

	*bytes = NULL;
	if (fd < 0)
		return strerror(errno);
	if (pread(fd, magic, sizeof(magic), 0) < 0) {
		err = strerror(errno);
		close(fd);
		return err;
	}
	out = fd;
	program = decompressor(magic);
	err = program ? decompress(fd, program, &child, &out) : NULL;
	if (!err)
		err = read_all(out, bytes, len);
	if (out != fd)
		close(out);
	close(fd);
	if (child > 0 && (waitpid(child, &status, 0) < 0 || status) && !err)
		err = failure("cannot decompress it with %s", program);
	return err;
}
