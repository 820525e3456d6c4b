/* SPDX-License-Identifier: GPL-2.0-only */
/* What the functions that sort and write call sites take from other headers of the kernel */
#ifndef MODULE_LOAD_SITES_KERNEL_H
#define MODULE_LOAD_SITES_KERNEL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32, __le32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define CONFIG_MODULES 1
#define CONFIG_DYNAMIC_FTRACE_WITH_ARGS 1
#define CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS 1

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define BUILD_BUG_ON(condition) ((void)0)
#define BIT(nr) (1UL << (nr))
#define ALIGN_DOWN(x, a) ((x) & ~((a) - 1UL))
#define IS_ALIGNED(x, a) (!((x) & ((a) - 1UL)))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define ilog2(n) (63 - (n ? __builtin_clzl(n) : 64))
#define cpu_to_le32(x) (x)
#define le32_to_cpup(p) (*(p))
#define AARCH64_INSN_SIZE 4
#define AARCH64_BREAK_FAULT 0

enum module_state { MODULE_STATE_LIVE, MODULE_STATE_COMING, MODULE_STATE_GOING,
		    MODULE_STATE_UNFORMED };

struct module {
	enum module_state state;
	unsigned long start, end;
};

#define within_module(addr, mod) ((addr) >= (mod)->start && (addr) < (mod)->end)

struct dyn_ftrace {
	unsigned long ip;
};

struct ftrace_ops;

#endif
