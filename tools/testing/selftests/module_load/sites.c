// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read the text of a loaded module through /proc/kcore. Each call site of the
 * function tracer, which the module's file lists, must look as one that is not
 * traced. Prints their number and a hash of all text but for addresses, to hold
 * two kernels against each other; text of init functions is gone by then.
 */
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
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
static unsigned char **texts;	/* of the sections that have been read */

#define fail(format, ...)	errx(1, "%s: " format, module, ##__VA_ARGS__)

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

/* What is in there is not what the file has */
static bool is_made_by_loader(const char *name)
{
	return !strcmp(name, ".plt") || !strcmp(name, ".text.ftrace_trampoline");
}

/* Where section I is, or 0 if it is there no longer */
static uint64_t address_of(unsigned int i)
{
	char path[256];
	unsigned long long address = 0;
	FILE *in;

	if (!strncmp(name_of(i), ".init", 5))
		return 0;
	snprintf(path, sizeof(path), "/sys/module/%s/sections/%s", module, name_of(i));
	in = fopen(path, "r");
	if (!in || fscanf(in, "%llx", &address) != 1)
		fail("no address in %s", path);
	fclose(in);
	return address;
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

/* The text of section I, as it is loaded; NULL if it has none, or has none any longer */
static unsigned char *text_of(unsigned int i)
{
	const Elf64_Shdr *shdr = &sections[i];

	if (!(shdr->sh_flags & SHF_ALLOC) || !(shdr->sh_flags & SHF_EXECINSTR) ||
	    !shdr->sh_size || is_made_by_loader(name_of(i)))
		return NULL;
	if (!texts[i] && address_of(i)) {
		texts[i] = malloc(shdr->sh_size);
		read_kernel(address_of(i), texts[i], shdr->sh_size);
	}
	return texts[i];
}

static void need(unsigned int i, uint64_t offset, size_t size)
{
	if (offset + size > sections[i].sh_size)
		fail("%s+%#" PRIx64 " is outside", name_of(i), offset);
}

/*
 * The site whose first NOP, as the compiler made them, is at OFFSET of section I.
 * The address of ftrace_nop_ops differs from kernel to kernel: forget it here.
 */
static void check(unsigned int i, uint64_t offset, uint64_t ops)
{
	unsigned char *at = texts[i] + offset;
	uint32_t insn[3] = {};

	need(i, offset, (ops ? 8 : 0) + 2 * sizeof(*insn));
	if (ops) {
		if (memcmp(at, &ops, sizeof(ops)))
			fail("%s+%#" PRIx64 ": literal is not ftrace_nop_ops", name_of(i), offset);
		memset(at, 0, sizeof(ops));
		at += sizeof(ops);
		offset += sizeof(ops);
	}
	memcpy(insn, at, sizeof(insn[0]));
	if (ops && insn[0] == BTI_C) {
		at += sizeof(*insn);
		offset += sizeof(*insn);
	}
	need(i, offset, 2 * sizeof(*insn));
	memcpy(insn, at, 2 * sizeof(*insn));
	if (insn[0] != MOV_X9_X30 || insn[1] != NOP)
		fail("%s+%#" PRIx64 ": %08x %08x", name_of(i), offset, insn[0], insn[1]);
}

/* Forget what relocation has stored, which depends on where symbols are */
static void forget(unsigned int i, const Elf64_Rela *rela)
{
	unsigned int type = ELF64_R_TYPE(rela->r_info);
	size_t size = type == R_AARCH64_ABS64 || type == R_AARCH64_PREL64 ? 8 : 4;

	need(i, rela->r_offset, size);
	memset(texts[i] + rela->r_offset, 0, size);
}

int main(int argc, char **argv)
{
	uint64_t hash = 14695981039346656037UL, ops, size = 0;
	unsigned int sites = 0, gone = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: sites MODULE FILE.ko\n");
		return 2;
	}
	module = argv[1];
	read_file(argv[2]);
	ops = symbol("ftrace_nop_ops");
	texts = calloc(num_sections, sizeof(*texts));

	for (unsigned int i = 1; i < num_sections; i++) {
		Elf64_Shdr *shdr = &sections[i];
		Elf64_Rela *rela = (void *)(file + shdr->sh_offset);
		Elf64_Sym *syms = (void *)(file + sections[shdr->sh_link].sh_offset);
		bool lists_sites;

		if (shdr->sh_type != SHT_RELA)
			continue;
		lists_sites = !strcmp(name_of(shdr->sh_info), SITES);
		for (size_t j = 0; j < shdr->sh_size / sizeof(*rela); j++) {
			Elf64_Sym *sym = &syms[ELF64_R_SYM(rela[j].r_info)];

			if (!lists_sites) {
				if (text_of(shdr->sh_info))
					forget(shdr->sh_info, &rela[j]);
			} else if (text_of(sym->st_shndx)) {
				check(sym->st_shndx, sym->st_value + rela[j].r_addend, ops);
				sites++;
			} else {
				gone++;
			}
		}
	}

	for (unsigned int i = 1; i < num_sections; i++) {
		if (!text_of(i))
			continue;
		for (size_t j = 0; j < sections[i].sh_size; j++)
			hash = (hash ^ texts[i][j]) * 1099511628211UL;
		size += sections[i].sh_size;
	}
	printf("%s: %u call sites, %u of init functions, %" PRIu64 " bytes of text, hash %016" PRIx64
	       "\n", module, sites, gone, size, hash);
	return 0;
}
