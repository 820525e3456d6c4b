// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read the text of a loaded module through /proc/kcore. Each call site of the
 * function tracer, which the module's file lists, must look as one that is not
 * traced. Prints their number and a hash of all text, so that two kernels, or
 * two loads, can be held against each other; text of the init functions is gone.
 */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOP		0xd503201f
#define BTI_C		0xd503245f
#define MOV_X9_X30	0xaa1e03e9
#define SITES		"__patchable_function_entries"

static const char *module;
static char *file;
static Elf64_Shdr *sections;
static unsigned int num_sections;
static const char *names;

static void __attribute__((format(printf, 1, 2), noreturn)) fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "sites: %s: ", module);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	exit(1);
}

static void read_file(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	Elf64_Ehdr *ehdr;

	if (fd < 0 || fstat(fd, &st))
		fail("cannot read %s", path);
	file = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		fail("cannot map %s", path);
	ehdr = (void *)file;
	sections = (void *)(file + ehdr->e_shoff);
	num_sections = ehdr->e_shnum;
	names = file + sections[ehdr->e_shstrndx].sh_offset;
	close(fd);
}

static const char *name_of(unsigned int i)
{
	return names + sections[i].sh_name;
}

/* Where section I is, or 0 if it is there no longer */
static uint64_t address_of(unsigned int i)
{
	char path[256];
	uint64_t address = 0;
	FILE *in;

	snprintf(path, sizeof(path), "/sys/module/%s/sections/%s", module, name_of(i));
	in = fopen(path, "r");
	if (!in || fscanf(in, "%" SCNx64, &address) != 1)
		fail("no address in %s", path);
	fclose(in);
	return strncmp(name_of(i), ".init", 5) ? address : 0;
}

/* Memory, as far as there is any */
static void read_kernel(uint64_t address, void *to, size_t size)
{
	static Elf64_Phdr *phdr;
	static Elf64_Ehdr ehdr;
	static int fd = -1;

	if (fd < 0) {
		fd = open("/proc/kcore", O_RDONLY);
		if (pread(fd, &ehdr, sizeof(ehdr), 0) != sizeof(ehdr))
			fail("cannot read /proc/kcore");
		phdr = calloc(ehdr.e_phnum, sizeof(*phdr));
		pread(fd, phdr, ehdr.e_phnum * sizeof(*phdr), ehdr.e_phoff);
	}
	for (unsigned int i = 0; i < ehdr.e_phnum; i++) {
		uint64_t offset = address - phdr[i].p_vaddr;

		if (phdr[i].p_type != PT_LOAD || offset >= phdr[i].p_memsz)
			continue;
		if (pread(fd, to, size, phdr[i].p_offset + offset) == (ssize_t)size)
			return;
	}
	fail("cannot read %zu bytes at %#llx", size, (unsigned long long)address);
}

static uint64_t symbol(const char *wanted)
{
	char line[512], name[256];
	unsigned long long address;
	FILE *in = fopen("/proc/kallsyms", "r");

	while (in && fgets(line, sizeof(line), in)) {
		if (sscanf(line, "%llx %*c %255s", &address, name) == 2 && !strcmp(name, wanted)) {
			fclose(in);
			return address;
		}
	}
	if (in)
		fclose(in);
	return 0;
}

/* The site whose first NOP, as the compiler made them, is at ADDRESS */
static void check(uint64_t address, uint64_t ops)
{
	uint32_t insn[3];
	uint64_t literal;

	if (ops) {
		read_kernel(address, &literal, sizeof(literal));
		if (literal != ops)
			fail("%#llx: literal %#llx, not ftrace_nop_ops",
			     (unsigned long long)address, (unsigned long long)literal);
		address += sizeof(literal);
	}
	read_kernel(address, insn, sizeof(insn));
	if (ops && insn[0] == BTI_C)
		memmove(insn, insn + 1, 2 * sizeof(*insn));
	if (insn[0] != MOV_X9_X30 || insn[1] != NOP)
		fail("%#llx: %08x %08x", (unsigned long long)address, insn[0], insn[1]);
}

int main(int argc, char **argv)
{
	unsigned int sites = 0, gone = 0;
	uint64_t hash = 14695981039346656037UL, ops, size = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: sites MODULE FILE.ko\n");
		return 2;
	}
	module = argv[1];
	read_file(argv[2]);
	ops = symbol("ftrace_nop_ops");

	for (unsigned int i = 1; i < num_sections; i++) {
		Elf64_Shdr *shdr = &sections[i];
		Elf64_Rela *rela = (void *)(file + shdr->sh_offset);

		if ((shdr->sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) == (SHF_ALLOC | SHF_EXECINSTR) &&
		    shdr->sh_size && address_of(i)) {
			unsigned char *text = malloc(shdr->sh_size);

			read_kernel(address_of(i), text, shdr->sh_size);
			for (size_t j = 0; j < shdr->sh_size; j++)
				hash = (hash ^ text[j]) * 1099511628211UL;
			size += shdr->sh_size;
			free(text);
		}

		if (shdr->sh_type != SHT_RELA || strcmp(name_of(shdr->sh_info), SITES))
			continue;
		for (size_t j = 0; j < shdr->sh_size / sizeof(*rela); j++) {
			Elf64_Sym *sym = (void *)(file + sections[shdr->sh_link].sh_offset);
			uint64_t base;

			sym += ELF64_R_SYM(rela[j].r_info);
			base = address_of(sym->st_shndx);
			if (base)
				check(base + sym->st_value + rela[j].r_addend, ops);
			sites += !!base;
			gone += !base;
		}
	}
	printf("%s: %u call sites, %u of init functions, %llu bytes of text, hash %016llx\n", module,
	       sites, gone, (unsigned long long)size, (unsigned long long)hash);
	return 0;
}
