// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the loader made of the branches and ADRPs of a module: decoded here, from
 * the instruction encodings of the Arm Architecture Reference Manual and not with
 * the kernel's own encoder and decoder, which the code under test uses.
 *
 * Other test modules call this one. It is loaded first and unloaded last, so it
 * can also tell how their exit functions fared.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/cpufeature.h>
#include <linux/module.h>
#include <linux/sizes.h>

#include "plts.h"

#define PAGE_4K(addr)	((addr) & ~(SZ_4K - 1UL))

/* What was found in the module which was loaded last. */
static unsigned int branches, via_plt, plt_entries, adrps, patched, veneers;
module_param(branches, uint, 0444);
MODULE_PARM_DESC(branches, "B and BL checked");
module_param(via_plt, uint, 0444);
MODULE_PARM_DESC(via_plt, "of them, those which lead through a PLT entry");
module_param(plt_entries, uint, 0444);
MODULE_PARM_DESC(plt_entries, "PLT entries which they lead through");
module_param(adrps, uint, 0444);
MODULE_PARM_DESC(adrps, "ADRPs checked");
module_param(patched, uint, 0444);
MODULE_PARM_DESC(patched, "of them, those which were made an ADR");
module_param(veneers, uint, 0444);
MODULE_PARM_DESC(veneers, "of them, those which lead through a veneer");

/* And in all modules so far. */
static unsigned int exit_good, exit_bad;
module_param(exit_good, uint, 0444);
MODULE_PARM_DESC(exit_good, "exit functions which found their branches right");
module_param(exit_bad, uint, 0444);
MODULE_PARM_DESC(exit_bad, "exit functions which did not");

static u32 insn_at(unsigned long addr)
{
	return le32_to_cpup((__le32 *)addr);
}

/* B or BL, which differ in bit 31. */
static bool is_b(u32 insn)
{
	return (insn & 0x7c000000) == 0x14000000;
}

static unsigned long b_target(unsigned long addr)
{
	return addr + sign_extend64((u64)insn_at(addr) << 2, 27);
}

/* The byte offset of an ADR, which is the page offset of an ADRP. */
static s64 adr_imm(u32 insn)
{
	return sign_extend64((insn >> 5 & 0x7ffff) << 2 | (insn >> 29 & 3), 20);
}

static bool is_adr(u32 insn)
{
	return (insn & 0x9f000000) == 0x10000000;
}

static bool is_adrp(u32 insn)
{
	return (insn & 0x9f000000) == 0x90000000;
}

static unsigned long adrp_target(unsigned long addr)
{
	return PAGE_4K(addr) + adr_imm(insn_at(addr)) * SZ_4K;
}

/* ADD Rd, Rd, #imm12 of the register of @adrp. */
static bool is_add_for(u32 insn, u32 adrp)
{
	u32 rd = adrp & 0x1f;

	return (insn & 0xffc003ff) == (0x91000000 | rd << 5 | rd);
}

static bool erratum_at(unsigned long addr)
{
	return cpus_have_final_cap(ARM64_WORKAROUND_843419) && addr % SZ_4K >= 0xff8;
}

/*
 * The ADRP and ADD at @addr, a slot of the PLT of @mod: what they compute, or 0
 * if they are none or if the ADRP must not stand there.
 */
static unsigned long slot_value(const struct module *mod, unsigned long addr)
{
	if (!within_module(addr, mod) || !within_module(addr + 11, mod))
		return 0;
	if (!is_adrp(insn_at(addr)) || !is_add_for(insn_at(addr + 4), insn_at(addr)))
		return 0;
	if (erratum_at(addr))
		return 0;

	return adrp_target(addr) + (insn_at(addr + 4) >> 10 & 0xfff);
}

/* Whether a branch before @site to the same target leads to the entry @to as well. */
static bool shares_entry(const struct plts_site *first, const struct plts_site *site,
			 unsigned long to)
{
	const struct plts_site *prev = site;

	while (prev-- > first)
		if (prev->target == site->target && prev->kind != PLTS_ADRP &&
		    b_target(prev->place) == to)
			return true;

	return false;
}

static bool branch_right(const struct module *mod, const struct plts_site *first,
			 const struct plts_site *site)
{
	u32 insn = insn_at(site->place);
	unsigned long to;

	branches++;
	if (!is_b(insn) || insn >> 31 != site->kind)
		return false;

	to = b_target(site->place);
	if (to == site->target)
		return true;

	/* The PLT entry: ADRP x16, ADD x16, BR x16. */
	via_plt++;
	if (!shares_entry(first, site, to))
		plt_entries++;
	return slot_value(mod, to) == site->target &&
	       (insn_at(to) & 0x1f) == 16 && insn_at(to + 8) == 0xd61f0200;
}

static bool adrp_right(const struct module *mod, const struct plts_site *site)
{
	unsigned long page = PAGE_4K(site->target), to;
	u32 insn = insn_at(site->place);

	adrps++;
	if (is_adrp(insn))
		return adrp_target(site->place) == page && !erratum_at(site->place);

	if (!erratum_at(site->place))
		return false;

	if (is_adr(insn)) {
		patched++;
		return site->place + adr_imm(insn) == page;
	}

	/* The veneer: ADRP, ADD and B to behind the instruction it stands for. */
	if (!is_b(insn) || insn >> 31)
		return false;

	veneers++;
	to = b_target(site->place);
	return slot_value(mod, to) == page && is_b(insn_at(to + 8)) &&
	       !(insn_at(to + 8) >> 31) && b_target(to + 8) == site->place + 4;
}

/**
 * plts_check_sites() - check where the branches and ADRPs of a module lead
 * @mod: the module, being initialised
 * @first: its table of sites
 * @end: the end of that table
 *
 * Context: the init function of @mod, when its .init.text is still there.
 * Return: 0, or -EINVAL after one line in the log for each wrong site.
 */
int plts_check_sites(const struct module *mod, const struct plts_site *first,
		     const struct plts_site *end)
{
	const struct plts_site *site;
	int ret = 0;

	branches = 0;
	via_plt = 0;
	plt_entries = 0;
	adrps = 0;
	patched = 0;
	veneers = 0;

	for (site = first; site < end; site++) {
		bool right = site->kind == PLTS_ADRP ? adrp_right(mod, site) :
						       branch_right(mod, first, site);

		if (right)
			continue;

		pr_err("%s: instruction %08x at %pS does not lead to %pS\n",
		       mod->name, insn_at(site->place), (void *)site->place,
		       (void *)site->target);
		ret = -EINVAL;
	}

	return ret;
}
EXPORT_SYMBOL_GPL(plts_check_sites);

/**
 * plts_check_value() - check what some branches or ADRPs of a module computed
 * @mod: the module
 * @what: says which ones
 * @got: the value they gave
 * @want: the right value
 *
 * Return: 0, or -EINVAL after one line in the log.
 */
int plts_check_value(const struct module *mod, const char *what, u64 got, u64 want)
{
	if (got == want)
		return 0;

	pr_err("%s: %s: got %#llx, expected %#llx\n", mod->name, what, got, want);
	return -EINVAL;
}
EXPORT_SYMBOL_GPL(plts_check_value);

/**
 * plts_exit_checked() - count the exit function of a module
 * @good: whether the branches of its .exit.text gave the right results
 */
void plts_exit_checked(bool good)
{
	if (good)
		exit_good++;
	else
		exit_bad++;
}
EXPORT_SYMBOL_GPL(plts_exit_checked);

MODULE_DESCRIPTION("Decode the branches and ADRPs of the module PLT test modules");
MODULE_LICENSE("GPL");
