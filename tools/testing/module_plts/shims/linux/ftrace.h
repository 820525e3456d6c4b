/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODULE_PLTS_SHIM_FTRACE_H
#define MODULE_PLTS_SHIM_FTRACE_H

#define NR_FTRACE_PLTS	1

#endif /* MODULE_PLTS_SHIM_FTRACE_H */
