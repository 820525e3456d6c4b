/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../../version.h"

#define GFP_KERNEL 0
#define __GFP_NOWARN 0
#define kvcalloc(n, size, flags) allocate(n, size)
