# SPDX-License-Identifier: GPL-2.0-only
# Thin entry points; the work is in scripts/. Everything made is under build/.

ifdef KDIR
BASE := $(KDIR)
endif
# A base that was asked for; else each command has its default
CHOSEN := $(if $(BASE),'$(BASE)')
BASE ?= 6.12
SECONDS ?= 60

own_bases := $(filter test test-all fuzz,$(MAKECMDGOALS))
ifneq ($(and $(filter command,$(origin BASE) $(origin KDIR)),$(own_bases)),)
$(error make $(firstword $(own_bases)) has bases of its own: leave out BASE and KDIR)
endif

help:
	@echo 'make bench          load time of modules: sorting all, the base, either series, both;'
	@echo '                    how planning grows; other ways to plan; each step'
	@echo 'make test           tests on 6.12, and boots of 6.1; under 30 minutes'
	@echo 'make check          what a maintainer does before taking the series, on each step'
	@echo 'make series         the patches, in build/series/<version>/module-plts/ and module-load/'
	@echo 'make patches        the same within a minute or two, to read: of few files, and without a compiler'
	@echo
	@echo 'make report         where the time goes when a stock kernel loads modules'
	@echo 'make bench-real     a stock kernel built without and with each series: its modules'
	@echo 'make test-all       all bases and the whole corpus too'
	@echo 'make corpus         every module of a distribution kernel, on the host'
	@echo 'make fuzz           libFuzzer on the host, SECONDS=60'
	@echo 'make coverage       what of module-plts.c the tests on the host reach'
	@echo
	@echo 'BASE=6.12 (default), 6.1, mainline or the path of a kernel tree'
	@echo 'KDIR=<path>         the same as BASE=<path>; the tree is not written to'
	@echo 'Tests have bases of their own; check does 6.12 and mainline, bench-real 6.1 (default).'
	@echo 'Results are in build/results/, logs in build/log/.'

# What needs no kernel first, then the table, how planning grows, other ways to plan, and each step:
# all that the cover letters have
bench: deps
	@scripts/growth --native '$(BASE)'
	@scripts/bench '$(BASE)'
	@scripts/growth '$(BASE)'
	@scripts/peers '$(BASE)'
	@scripts/bench --per-step '$(BASE)'

# To read, without what builds a kernel
patches:
	@scripts/deps --reading
	@scripts/series --part '$(BASE)'

series corpus report: deps
	@scripts/$@ '$(BASE)'

# Debian's modules load on what the compiler and pahole of the same Debian make: 6.1 on Debian 12
bench-real:
	@scripts/deps dwarves
	@scripts/$@ $(CHOSEN)

test: deps-test
	@scripts/test

test-all: deps-test deps-check
	@scripts/deps dwarves
	@scripts/test --all

# Each step is booted in test-all, or by scripts/check --boot
check: deps-check
	@scripts/check $(CHOSEN)

fuzz: deps-test
	@$(MAKE) -s -C tools/testing/module_plts OUTPUT=$(CURDIR)/build/host fuzz SECONDS=$(SECONDS)

coverage: deps
	@$(MAKE) -s -C tools/testing/module_plts OUTPUT=$(CURDIR)/build/host coverage

deps:
	@scripts/deps

# libFuzzer is in clang's runtime; any version will do, this one is in Debian 12 and 13
deps-test:
	@scripts/deps clang-19 libclang-rt-19-dev

# Mail; the documentation; what checkpatch.pl reads SPDX lines with
deps-check:
	@scripts/deps clang-19 b4 git-email libmailtools-perl python3-sphinx \
		python3-sphinx-rtd-theme python3-yaml python3-git python3-ply

clean:
	rm -rf build

.PHONY: help bench bench-real series patches corpus report check test test-all fuzz coverage deps deps-test \
	deps-check clean
