/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODULE_LOAD_MODULE_H
#define MODULE_LOAD_MODULE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../../../version.h"

typedef int32_t s32;
typedef uint32_t u32;
typedef Elf64_Shdr Elf_Shdr;

#define MODULE_NAME_LEN (64 - sizeof(unsigned long))

struct modversion_info {
	unsigned long crc;
	char name[MODULE_NAME_LEN];
};

struct module;
struct kernel_param;
struct kernel_symbol;
struct tracepoint;

#define EXPORT_SYMBOL(symbol) extern char symbol##_is_exported
#define BUG() __builtin_trap()
#define BUG_ON(condition) ((condition) ? BUG() : (void)0)
#define preempt_disable() ((void)0)
#define preempt_enable() ((void)0)
#define scoped_guard(lock)

#define pr_debug(...) ((void)0)
#define pr_warn(...) report(__VA_ARGS__)
#define pr_warn_once(...) report(__VA_ARGS__)
#define strcmp counted_strcmp

#endif
