# A fresh Debian 12 needs only `make` (apt-get install make): what else is missing, each target
# installs by itself, from Debian's own packages (tools/packages.txt). The rest is CMake and Ninja.

PREFIX ?= /usr/local
DESTDIR ?=
BUILD := build
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

NEED := tools/install-packages
CONFIGURED := test -f $(BUILD)/build.ninja
CONFIGURED_WITH_TESTS := $(CONFIGURED) && grep -qs ALLOT_TESTS:BOOL=ON $(BUILD)/CMakeCache.txt

.PHONY: all build run tour test fuzz fuzz-planted soak soak-long bench lint format install clean help
.DEFAULT_GOAL := build

all: build

build: ## build the command; it is then build/allot
	@$(NEED) build
	@$(CONFIGURED) || cmake --preset default
	@cmake --build $(BUILD) --target allot

run: build ## show allot at work: five hosts on this machine, and jobs that compete
	@tools/demo

tour: build ## show the laboratory: check, play and simulate
	@$(NEED) figures || echo "There will be no picture."
	@tools/tour

test: ## build and run the tests
	@$(NEED) build test figures
	@which node npm chromium >/dev/null || $(NEED) page || echo "The pages will not be tried in a browser."
	@$(CONFIGURED_WITH_TESTS) || cmake --preset default -DALLOT_TESTS=ON
	@cmake --build $(BUILD)
	@ctest --test-dir $(BUILD) --output-on-failure -j$$((3 * $$(nproc))) --no-tests=error -LE 'soak|bench'

TIME ?= 60
BUILD_FUZZ = $(NEED) build test && \
    { $(CONFIGURED_WITH_TESTS) || cmake --preset default -DALLOT_TESTS=ON; } && \
    cmake --build $(BUILD) --target fuzz

fuzz: ## run each fuzz target for TIME=60 seconds, and show what it has reached
	@$(BUILD_FUZZ)
	@tools/fuzz $(TIME)

fuzz-planted: ## remove checks, one at a time, and let the fuzz targets find what is missing
	@$(BUILD_FUZZ)
	@tools/fuzz-planted

# `make soak` takes up to an hour on two cores, `make soak-long` several hours.
SOAK = $(NEED) build test && \
    { $(CONFIGURED_WITH_TESTS) || cmake --preset default -DALLOT_TESTS=ON; } && \
    cmake --build $(BUILD) && \
    ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -j2

soak: ## run the long tests (an hour)
	@$(SOAK) -L '^soak$$'

soak-long: ## run the longest tests (several hours)
	@$(SOAK) -L '^soak-long$$'

bench: build ## measure the simulator and the limits, and compare the checker with SPIN and the locks with Redis and etcd
	@$(NEED) bench
	@$(NEED) rivals || echo "Not every comparison can be made."
	@cmake --build $(BUILD) --target bench_simulator bench_scale bench_locks
	@missed=0; $(BUILD)/bench_simulator || missed=1; echo; bench/run || missed=1; echo; \
	    bench/limits || missed=1; echo; \
	    $(BUILD)/bench_scale || missed=1; echo; \
	    $(BUILD)/bench_locks || missed=1; exit $$missed

# The objects of the lint build are empty: clang-tidy looks at the files, and Ninja knows what changed since the last time.
lint: $(BUILD)/lint/build.ninja ## check the layout (clang-format) and the code (clang-tidy)
	@find src tests bench \( -name '*.hpp' -o -name '*.cpp' \) -print0 | \
	    xargs -0 --no-run-if-empty clang-format --dry-run --Werror
	@ninja -C $(BUILD)/lint -t targets all | sed -n 's/: CXX_COMPILER__.*//p' | \
	    xargs ninja -C $(BUILD)/lint -k 0 | { grep --line-buffered -v " warnings generated" || true; }

$(BUILD)/lint/build.ninja: .clang-tidy CMakePresets.json
	@$(NEED) build test lint
	@rm -rf $(BUILD)/lint
	@cmake --preset lint

format: ## lay the code out as `make lint` wants it
	@$(NEED) lint
	@find src tests bench \( -name '*.hpp' -o -name '*.cpp' \) -print0 | xargs -0 --no-run-if-empty clang-format -i

install: build ## install under PREFIX (/usr/local), inside DESTDIR if that is set
	@DESTDIR='$(DESTDIR)' cmake --install $(BUILD) --prefix '$(PREFIX)'

clean: ## remove everything that was built
	@rm -rf $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18
