// SPDX-License-Identifier: GPL-2.0-only

/*
 * The last entry, if it leads to @dst. A live patch is relocated again each time
 * that a module it patches is loaded; any of its entries may be from the last time.
 */
static struct plt_entry *find_plt_entry(const struct module *mod,
					const struct mod_plt_sec *pltsec,
					const Elf_Shdr *sechdrs, u64 dst)
{
	struct plt_entry *plts = plt_entries(pltsec, sechdrs);
	int slot = pltsec->plt_num_entries;

	while (slot--) {
		if (plt_entry_leads_to(&plts[slot], dst))
			return &plts[slot];
		if (mod->state == MODULE_STATE_UNFORMED)
			break;
	}

	return NULL;
}

/* The PLT of a module that is no longer being formed is read-only. */
static void store_plt_entry(const struct module *mod, struct plt_entry *plt,
			    struct plt_entry entry)
{
	if (mod->state == MODULE_STATE_UNFORMED)
		*plt = entry;
	else
		aarch64_insn_copy(plt, &entry, sizeof(entry));
}
