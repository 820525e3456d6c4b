# SPDX-License-Identifier: GPL-2.0-only
# kernel/module/version.c of two kernel trees, held against each other:
# BASE_VERSION=<file> and OURS_VERSION=<file>, with absolute paths.

VERSION_NAMES	:= check_version check_modstruct_version same_magic module_layout \
		   modversion_ext_start modversion_ext_advance
VERSION_CFLAGS	:= -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -Wno-pointer-sign \
		   -fno-strict-aliasing -fsanitize=address,undefined -fno-sanitize=alignment \
		   -fno-sanitize-recover=all -Ishims/version

run-version: $(OUTPUT)/version
	$<

$(OUTPUT)/version: version.c $(OUTPUT)/version_base.o $(OUTPUT)/version_ours.o
	$(CC) $(VERSION_CFLAGS) -o $@ $^

# Copied: next to the internal.h of its tree the file would include that one.
$(OUTPUT)/version_base.c: $(BASE_VERSION)
$(OUTPUT)/version_ours.c: $(OURS_VERSION)
$(OUTPUT)/version_base.c $(OUTPUT)/version_ours.c:
	$(if $<,,$(error BASE_VERSION=<version.c> or OURS_VERSION is missing))
	@mkdir -p $(@D)
	cp $< $@

$(OUTPUT)/version_%.o: $(OUTPUT)/version_%.c version.h $(wildcard shims/version/*.h)
	$(CC) $(VERSION_CFLAGS) $(foreach name,$(VERSION_NAMES),-D$(name)=$*_$(name)) -c -o $@ $<

.PHONY: run-version
