# SPDX-License-Identifier: GPL-2.0-only
# Thin entry points; the work is in scripts/. Everything made is under build/.

BASE ?= 6.12
SECONDS ?= 60
ifdef KDIR
BASE := $(KDIR)
endif

help:
	@echo 'make bench          load time of modules: sorting all, the base, this series'
	@echo 'make test           all tests of the default base, under 30 minutes'
	@echo 'make series         the patches, in build/series/<version>/'
	@echo
	@echo 'BASE=6.12 (default), 6.1, mainline or the path of a kernel tree'
	@echo 'KDIR=<path>         the same as BASE=<path>; the tree is not written to'
	@echo 'Results are in build/results/, logs in build/log/.'

bench: deps
	@scripts/bench '$(BASE)' $(BENCH_ARGS)

test: deps
	@scripts/test

series: deps
	@scripts/series '$(BASE)'

deps:
	@scripts/deps

clean:
	rm -rf build

.PHONY: help bench test series deps clean
