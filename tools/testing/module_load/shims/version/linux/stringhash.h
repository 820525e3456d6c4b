/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../../version.h"

#define full_name_hash(salt, name, len) hash(name, len)
