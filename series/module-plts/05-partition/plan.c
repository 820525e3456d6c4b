// SPDX-License-Identifier: GPL-2.0-only

/*
 * Move the branches that may need a PLT entry to the front of @rela and return
 * how many there are, or -ENOEXEC.
 *
 * Only branches to another section count. Those within a section cannot be
 * helped: if it outgrows a branch's range, so does the way to its PLT.
 */
static int partition_branch_relas(const Elf_Shdr *symsec, Elf_Rela *rela,
				  int num, Elf64_Word dstidx)
{
	const Elf_Sym *syms = (void *)symsec->sh_addr;
	u64 numsyms = symsec->sh_size / sizeof(*syms);
	int i, front = 0;

	for (i = 0; i < num; i++) {
		u32 symbol;

		if (!is_branch_rela(&rela[i]))
			continue;

		symbol = symbol_index(rela[i].r_info);
		if (symbol >= numsyms)
			return -ENOEXEC;

		if (syms[symbol].st_shndx == dstidx)
			continue;

		swap(rela[i], rela[front]);
		front++;
	}

	return front;
}

/*
 * Plan one RELA section: group its branches, add their number to @branches,
 * and return how many entries it needs of the PLT section that goes with its
 * target section, or -ENOEXEC.
 */
static int plan_rela_section(const Elf_Shdr *symsec, Elf_Rela *rela, int num,
			     Elf64_Word dstidx, Elf_Shdr *dstsec,
			     unsigned long *branches)
{
	int slice = partition_branch_relas(symsec, rela, num, dstidx);

	if (slice < 0)
		return slice;

	if (slice)
		sort(rela, slice, sizeof(*rela), cmp_rela, NULL);

	*branches += slice;
	return count_plts((void *)symsec->sh_addr, rela, num, dstidx, dstsec);
}
