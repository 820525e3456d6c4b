// SPDX-License-Identifier: GPL-2.0-only

/* Planning reads the symbols of branches, so they must be in the table. */
static bool branches_have_symbols(const Elf64_Rela *rela, int num, u64 numsyms)
{
	int i;

	for (i = 0; i < num; i++) {
		if (is_branch_rela(&rela[i]) &&
		    ELF64_R_SYM(rela[i].r_info) >= numsyms)
			return false;
	}

	return true;
}
