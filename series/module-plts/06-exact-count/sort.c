// SPDX-License-Identifier: GPL-2.0-only

static int compare_symbols(const void *a, const void *b)
{
	u32 x = symbol_index(((const Elf_Rela *)a)->r_info);
	u32 y = symbol_index(((const Elf_Rela *)b)->r_info);

	return x < y ? -1 : x > y;
}

/* Sort @rela by symbol index, and return how many symbols there are. */
static int sort_by_symbol(Elf_Rela *rela, unsigned int num)
{
	unsigned int i, symbols = num > 0;

	sort(rela, num, sizeof(*rela), compare_symbols, NULL);

	for (i = 1; i < num; i++)
		symbols += compare_symbols(&rela[i - 1], &rela[i]) != 0;

	return symbols;
}
