// SPDX-License-Identifier: GPL-2.0-only

static bool is_branch_rela(const Elf_Rela *rela)
{
	u32 type = ELF64_R_TYPE(rela->r_info);

	return type == R_AARCH64_CALL26 || type == R_AARCH64_JUMP26;
}

static bool branch_rela_needs_plt(Elf64_Sym *syms, Elf64_Rela *rela,
				  Elf64_Word dstidx)
{
	return is_branch_rela(rela) &&
	       syms[ELF64_R_SYM(rela->r_info)].st_shndx != dstidx;
}
