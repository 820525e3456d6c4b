# SPDX-License-Identifier: GPL-2.0-only
#
# The measuring modules, which are made on request:
#
#   make KDIR=<kernel build directory> [PROFILES="wlan drm ..." | PROFILES=all]

generator := $(src)/../gen_profile.py
profiles := $(PROFILES)
ifneq ($(filter all,$(PROFILES)),)
profiles := $(shell $(PYTHON3) $(generator) --list)
ifeq ($(profiles),)
$(error $(generator) lists no profiles: is there $(or $(PYTHON3),a PYTHON3)?)
endif
endif
obj-m += $(profiles:%=plts_%.o)

quiet_cmd_profile = GEN     $@
      cmd_profile = $(PYTHON3) $(generator) --kdir $(abspath $(objtree)) \
			--profile $* --out $@

$(profiles:%=$(obj)/plts_%.S): $(obj)/plts_%.S: $(generator) $(objtree)/Module.symvers FORCE
	$(call if_changed,profile)

targets += $(profiles:%=plts_%.S)
clean-files := plts_*.S
