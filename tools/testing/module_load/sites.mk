# SPDX-License-Identifier: GPL-2.0-only
# Call sites of ftrace: OURS_FTRACE=<file> is kernel/trace/ftrace.c, OURS_ARM64_FTRACE=<file>
# that of arch/arm64/kernel/, with CALL_OPS, OURS_INSN=<file> asm/insn.h; absolute paths.

SITES_CFLAGS	:= -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare \
		   -fno-strict-aliasing -Ishims/sites -Ishims/sites/linux -I. -I$(OUTPUT)
SITES_PARTS	:= $(addprefix $(OUTPUT)/sites_,sort.inc code.inc ops.inc nop.inc insn.h)

run-sites: $(OUTPUT)/sites
	$<

$(OUTPUT)/sites: $(OUTPUT)/sites.o $(OUTPUT)/sites_tree.o $(OUTPUT)/asan/ktap.o
	$(CC) $(SITES_CFLAGS) $(SANITIZE) -o $@ $^

$(OUTPUT)/sites.o: sites.c sites.h $(wildcard shims/sites/*.h)
	@mkdir -p $(@D)
	$(CC) $(SITES_CFLAGS) $(SANITIZE) -I../module_plts -c -o $@ $<

# What it executes is counted.
$(OUTPUT)/sites_tree.o: sites_tree.c sites.h $(SITES_PARTS) $(wildcard shims/sites/*.h)
	@mkdir -p $(@D)
	$(CC) $(SITES_CFLAGS) -fsanitize-coverage=trace-pc -c -o $@ $<

$(OUTPUT)/sites_sort.inc: CUT = --behind ftrace_cmp_ips --to ftrace_sort_ips
$(OUTPUT)/sites_code.inc: CUT = --behind ftrace_modify_code --to ftrace_init_code
$(OUTPUT)/sites_ops.inc: CUT = --behind ftrace_rec_set_ops --to ftrace_rec_set_nop_ops
$(OUTPUT)/sites_nop.inc: CUT = --behind ftrace_modify_call --to ftrace_init_nop
$(OUTPUT)/sites_sort.inc: $(OURS_FTRACE)
$(OUTPUT)/sites_code.inc $(OUTPUT)/sites_ops.inc $(OUTPUT)/sites_nop.inc: $(OURS_ARM64_FTRACE)
$(OUTPUT)/sites_insn.h: $(OURS_INSN)

$(OUTPUT)/sites_%.inc: $(CSOURCE)
	$(if $(filter %.c,$^),,$(error OURS_FTRACE=<ftrace.c> or OURS_ARM64_FTRACE is missing))
	@mkdir -p $(@D)
	$(CSOURCE) $(filter %.c,$^) $(CUT) >$@ || { rm -f $@; exit 1; }

$(OUTPUT)/sites_insn.h:
	$(if $<,,$(error OURS_INSN=<insn.h> is missing))
	@mkdir -p $(@D)
	cp $< $@

.PHONY: run-sites
