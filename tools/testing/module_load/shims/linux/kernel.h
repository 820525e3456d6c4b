/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The little of the kernel that the code under test uses. Nothing here decides
 * anything: what a test controls and counts is in struct kernel_state, and what
 * computes is in kernel.c.
 */
#ifndef MODULE_LOAD_SHIM_KERNEL_H
#define MODULE_LOAD_SHIM_KERNEL_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;

#define BITS_PER_LONG		64
#define U16_MAX			UINT16_MAX
#define U32_MAX			UINT32_MAX

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define min(a, b)		\
	({ typeof(a) a_ = (a); typeof(b) b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b)		\
	({ typeof(a) a_ = (a); typeof(b) b_ = (b); a_ > b_ ? a_ : b_; })
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define swap(a, b)		\
	do { typeof(a) *a_ = &(a), *b_ = &(b), tmp_ = *a_; *a_ = *b_; *b_ = tmp_; } while (0)
#define container_of(ptr, type, member)	\
	((type *)((char *)(ptr) - offsetof(type, member)))

#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define noinline		__attribute__((__noinline__))
#define noinline_for_stack	noinline
#define __maybe_unused		__attribute__((__unused__))
#define __printf(a, b)		__attribute__((format(printf, a, b)))

/* Powers of two; nothing is asked of 0. */
#define ilog2(n)		(BITS_PER_LONG - 1 - __builtin_clzl(n))
#define roundup_pow_of_two(n)	(2UL << ilog2(2 * (n) - 1) >> 1)

/**
 * struct kernel_state - what the tests control and watch in place of a kernel
 * @run: number of this run; WARN_ON_ONCE() warns again in the next one
 * @warnings: warnings of this run
 * @locked: locks that are held
 * @unlocked: calls of what needs a lock while none was held
 * @fail_every: each allocation whose number it divides fails, if it is not 0
 * @fail_index: allocations that can be large fail
 * @allocations: made or failed in this run
 * @index_bytes: allocated in this run by functions for what can be large
 * @bytes: that string functions have gone through
 */
struct kernel_state {
	unsigned int run;
	unsigned int warnings;
	int locked;
	unsigned int unlocked;
	unsigned long fail_every;
	bool fail_index;
	unsigned long allocations;
	unsigned long index_bytes;
	unsigned long bytes;
};

extern struct kernel_state kernel;

#define WARN_ON_ONCE(condition)				\
({							\
	static unsigned int run_;			\
	bool warn_ = (condition);			\
							\
	kernel.warnings += warn_ && run_ != kernel.run;	\
	run_ = warn_ ? kernel.run : run_;		\
	warn_;						\
})
#define WARN_ON(condition)	\
	({ bool warn_ = (condition); kernel.warnings += warn_; warn_; })

struct mutex { int unused; };
struct rw_semaphore { int unused; };

#define mutex_lock(lock)	((void)(lock), kernel.locked++)
#define mutex_unlock(lock)	((void)(lock), kernel.locked--)
#define down_write(lock)	((void)(lock), kernel.locked++)
#define up_write(lock)		((void)(lock), kernel.locked--)
#define lockdep_assert_held(lock)	\
	((void)(lock), kernel.unlocked += !kernel.locked)
#define cond_resched()		do { } while (0)

#endif /* MODULE_LOAD_SHIM_KERNEL_H */
