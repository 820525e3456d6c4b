/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODULE_PLTS_SHIM_PREFETCH_H
#define MODULE_PLTS_SHIM_PREFETCH_H

#define prefetchw(x)	__builtin_prefetch(x, 1)

#endif /* MODULE_PLTS_SHIM_PREFETCH_H */
