/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The little of the kernel that the files under test use.  Nothing here decides
 * anything: what a test controls is in struct kernel_state, and what computes is
 * in kernel.c, where unit.c can get at it.
 */
#ifndef MODULE_PLTS_SHIM_KERNEL_H
#define MODULE_PLTS_SHIM_KERNEL_H

#include <endian.h>
#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define SZ_32			0x20
#define SZ_64			0x40
#define SZ_4K			0x1000
#define SZ_64K			0x10000
#define SZ_1M			0x00100000
#define SZ_2M			0x00200000
#define SZ_128M			0x08000000
#define SZ_2G			0x80000000
#define S16_MIN			INT16_MIN
#define S16_MAX			INT16_MAX
#define U16_MAX			UINT16_MAX
#define S32_MIN			INT32_MIN
#define S32_MAX			INT32_MAX
#define U32_MAX			UINT32_MAX
#define L1_CACHE_BYTES		64

#define cpu_to_le32(x)		htole32(x)
#define le32_to_cpu(x)		le32toh(x)
#define le32_to_cpup(p)		le32toh(*(const __le32 *)(p))

#define ALIGN(x, a)		({ typeof(x) a_ = (a); ((x) + a_ - 1) & -a_; })
#define ALIGN_DOWN(x, a)	((x) & -(typeof(x))(a))
#define DIV_ROUND_UP(n, d)	({ typeof(d) d_ = (d); ((n) + d_ - 1) / d_; })
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define ffz(x)			((unsigned long)__builtin_ctzl(~(x)))
#define min(a, b)		\
	({ typeof(a) a_ = (a); typeof(b) b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b)		\
	({ typeof(a) a_ = (a); typeof(b) b_ = (b); a_ > b_ ? a_ : b_; })
#define swap(a, b)		\
	do { typeof(a) *a_ = &(a), *b_ = &(b), tmp_ = *a_; *a_ = *b_; *b_ = tmp_; } while (0)

#define noinline		__attribute__((__noinline__))
#define fallthrough		__attribute__((__fallthrough__))

/* True for a macro that expands to 1; one that is not defined gives its own name. */
#define TEXT_OF(x)		#x
#define IS_ENABLED(CONFIG_x)	(TEXT_OF(CONFIG_x)[0] == '1')

/**
 * struct kernel_state - what the tests control and watch in place of a kernel
 * @erratum_843419: the CPU has the erratum, so the workaround is on
 * @module_unload: CONFIG_MODULE_UNLOAD; off, exit sections are laid out as init
 * @debug: pr_debug() prints, as with dynamic debug
 * @warnings: WARN_ON() conditions that were true
 * @copies: calls of aarch64_insn_copy(), which writes to code that is read-only
 * @messages: lines printed
 * @last_message: the last line printed
 */
struct kernel_state {
	bool erratum_843419;
	bool module_unload;
	bool debug;
	unsigned int warnings;
	unsigned int copies;
	unsigned int messages;
	char last_message[256];
};

extern struct kernel_state kernel;

#define __aligned(x)		__attribute__((aligned(x)))
#define __printf(a, b)		__attribute__((format(printf, a, b)))

__printf(1, 2)
void kernel_print(const char *fmt, ...);

#ifndef pr_fmt
#define pr_fmt(fmt)		fmt
#endif
#define pr_err(fmt, ...)	kernel_print(pr_fmt(fmt), ##__VA_ARGS__)
#define pr_debug(fmt, ...)	\
	do { if (kernel.debug) kernel_print(pr_fmt(fmt), ##__VA_ARGS__); } while (0)

#define WARN_ON(condition)	\
	({ bool warn_ = (condition); kernel.warnings += warn_; warn_; })
#define WARN_ON_ONCE(condition)	WARN_ON(condition)

#define ARM64_WORKAROUND_843419	1
#define cpus_have_final_cap(cap)	\
	((cap) == ARM64_WORKAROUND_843419 && kernel.erratum_843419)
#define cpus_have_const_cap(cap)	cpus_have_final_cap(cap)

#endif /* MODULE_PLTS_SHIM_KERNEL_H */
