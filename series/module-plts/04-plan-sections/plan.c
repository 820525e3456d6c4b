// SPDX-License-Identifier: GPL-2.0-only

/*
 * Plan one RELA section: group its branches, add their number to @branches,
 * and return how many entries it needs of the PLT section that goes with its
 * target section, or -ENOEXEC.
 */
static int plan_rela_section(const Elf_Shdr *symsec, Elf_Rela *rela, int num,
			     Elf64_Word dstidx, Elf_Shdr *dstsec,
			     unsigned long *branches)
{
	Elf_Sym *syms = (void *)symsec->sh_addr;
	int slice;

	if (!branches_have_symbols(rela, num, symsec->sh_size / sizeof(*syms)))
		return -ENOEXEC;

	slice = partition_branch_plt_relas(syms, rela, num, dstidx);
	if (slice)
		sort(rela, slice, sizeof(*rela), cmp_rela, NULL);

	*branches += slice;
	return count_plts(syms, rela, num, dstidx, dstsec);
}
