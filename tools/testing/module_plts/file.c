// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of modules, plain or as xz, zstd or gzip have compressed them.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

/*
 * As the kernel does, take the first stream, whatever follows it, and windows of any
 * size: zstd copies what follows if it is told to, else it calls that an error.
 */
static const struct packer {
	size_t length;
	char magic[8];
	const char *name;
	char *argv[5];		/* none: the kernel has no such modules */
} packers[] = {
	{ 6, "\xfd\x37zXZ", "xz", { "xz", "-dcq", "--single-stream" } },
	{ 4, "\x28\xb5\x2f\xfd", "zstd", { "zstd", "-dcqf", "--long=31" } },
	{ 3, "\x1f\x8b\x08", "gzip", { "gzip", "-dcq" } },
	{ 4, "\x04\x22\x4d\x18", "lz4" },
	{ 4, "\x02\x21\x4c\x18", "lz4" },
	{ 3, "BZh", "bzip2" },
	{ 4, "\x89LZO", "lzop" },
	{ 4, "LZIP", "lzip" },
	{ 3, "\x5d", "lzma" },
};

static const struct packer *find_packer(const u8 *bytes)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(packers); i++)
		if (!memcmp(bytes, packers[i].magic, packers[i].length))
			return &packers[i];

	return NULL;
}

/* Have @out read what the decompressor makes of @fd; what it says goes to @log. */
static const char *decompress(int fd, const struct packer *packer, FILE *log, pid_t *child,
			      int *out)
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
		dup2(fileno(log), STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		execvp(packer->name, packer->argv);
		dprintf(STDERR_FILENO, "cannot be run: %s\n", strerror(errno));
		_exit(127);
	}
	close(ends[1]);
	*out = ends[0];
	return NULL;
}

/* What a decompressor that has failed says of it: the first line that says anything. */
static const char *last_words(const struct packer *packer, int status, FILE *log)
{
	char line[256], *text;
	size_t len;

	if (WIFSIGNALED(status))
		return failure("%s died of signal %d", packer->name, WTERMSIG(status));
	rewind(log);
	while (fgets(line, sizeof(line), log)) {
		for (len = strlen(line); len && isspace(line[len - 1]); len--)
			;
		line[len] = '\0';
		text = line;
		if (!strncmp(text, packer->name, strlen(packer->name)))
			text += strlen(packer->name) + strspn(text + strlen(packer->name), ": ");
		if (len)
			return failure("cannot be decompressed, %s: %s", packer->name, text);
	}
	return failure("cannot be decompressed, %s: exit status %d", packer->name,
		       WEXITSTATUS(status));
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

static const char *unpack(int fd, const struct packer *packer, u8 **bytes, size_t *len)
{
	FILE *log = tmpfile();
	pid_t child = 0;
	int out = -1, status;
	const char *err;

	if (!log)
		return strerror(errno);
	if (!packer->argv[0])
		err = failure("compressed with %s: only xz, zstd and gzip are known",
			      packer->name);
	else
		err = decompress(fd, packer, log, &child, &out);
	if (!err) {
		err = read_all(out, bytes, len);
		close(out);
		/* A status of 2 warns, of what follows the stream. */
		if (waitpid(child, &status, 0) < 0)
			err = strerror(errno);
		else if (!err && status && !(WIFEXITED(status) && WEXITSTATUS(status) == 2))
			err = last_words(packer, status, log);
	}
	fclose(log);
	return err;
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
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const struct packer *packer;
	u8 magic[8] = {};
	const char *err;

	*bytes = NULL;
	if (fd < 0)
		return strerror(errno);
	if (pread(fd, magic, sizeof(magic), 0) < 0) {
		err = strerror(errno);
	} else {
		packer = find_packer(magic);
		err = packer ? unpack(fd, packer, bytes, len) : read_all(fd, bytes, len);
	}
	close(fd);
	return err;
}

const char *read_module(const char *path, struct image *img)
{
	const char *err;
	size_t len;
	u8 *bytes;

	err = read_file(path, &bytes, &len);
	if (!err)
		err = image_open(img, bytes, len);
	free(bytes);
	return err;
}

void print_name(FILE *to, const char *name)
{
	for (; *name; name++)
		if (iscntrl((u8)*name) || *name == '\\')
			fprintf(to, "\\%03o", (u8)*name);
		else
			putc(*name, to);
}

void complain(const char *tool, const char *path, const char *why)
{
	fprintf(stderr, "%s: ", tool);
	print_name(stderr, path);
	fprintf(stderr, ": %s\n", why);
}
