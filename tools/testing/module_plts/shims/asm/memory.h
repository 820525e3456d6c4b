/* SPDX-License-Identifier: GPL-2.0-only */
/* MODULES_VSIZE is part of the configuration that a variant is compiled for. */
#ifndef MODULE_PLTS_SHIM_ASM_MEMORY_H
#define MODULE_PLTS_SHIM_ASM_MEMORY_H

#include <linux/kernel.h>

#endif
