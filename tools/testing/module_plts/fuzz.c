// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: the input is a seed and then records, see struct record. What
 * they make goes through all checks of check.c, for one layout.
 */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

#define MAX_RECORDS	64
#define MAX_RELAS	2048

/* Bring the fields in range, leaving in place what unit.c writes. */
static void normalise(struct record *r, u32 numsyms, unsigned int *relas)
{
	unsigned int count = r->flags & 0xfff;
	/* Symbols beyond the table are for few. */
	bool wild = r->flags == (RECORD_WILD | 1) || r->flags >> 12 == 0xf;

	r->op %= NR_RECORD_OPS;
	switch (r->op) {
	case RECORD_SECTION:
		r->kind %= NR_RECORD_NAMES;
		r->flags &= SHF_EXECINSTR | 0xf00;
		r->offset %= 0x100000;
		break;
	case RECORD_RELA:
		r->kind %= NR_RECORD_TYPES;
		count = min(max(count, 1u), MAX_RELAS - *relas);
		*relas += count;
		r->flags = count | (wild ? RECORD_WILD : 0);
		r->value %= 1 << 20;
		break;
	case RECORD_SYMBOL:
		r->index %= numsyms;
		break;
	case RECORD_HEADER:
		r->kind %= NR_RECORD_HEADERS;
		r->index %= 64;
		break;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const u32 table_sizes[] = { FEW_SYMBOLS, 40, 1, 6000 };
	struct record records[MAX_RECORDS];
	unsigned int relas = 0;
	struct image img;
	const char *err;
	u32 seed, numsyms;
	size_t i, num;

	if (size < sizeof(seed))
		return -1;
	memcpy(&seed, data, sizeof(seed));
	num = min((size - sizeof(seed)) / sizeof(*records), (size_t)MAX_RECORDS);
	memcpy(records, data + sizeof(seed), num * sizeof(*records));

	numsyms = table_sizes[seed >> 30];
	kernel.module_unload = !(seed >> 29 & 1);
	for (i = 0; i < num && relas < MAX_RELAS; i++)
		normalise(&records[i], numsyms, &relas);

	if (image_from_records(&img, records, i, numsyms))
		return -1;
	err = check_image(&img, seed & 0xffff, 1);
	image_close(&img);
	if (err) {
		fprintf(stderr, "fuzz: %s\n", err);
		abort();
	}
	return 0;
}
