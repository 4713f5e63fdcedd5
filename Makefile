# `make run` plays a small tournament, `make test` checks the project. Both set up what they need
# in .venv and are quick when that is done. Where the checkout cannot be written to, everything is
# kept in the user's cache folder; VENV=DIR and RESULTS=DIR name other places.
#
#   make run     plays configs/quickstart.yaml
#   make quick   lint, types, and the tests that are not marked `slow`: for the daily loop
#   make test    lint, types, and all tests but those marked `thorough`, which run in CI;
#                THOROUGH=1 make test runs these, too, and so does a variable CI
#   make clean   removes .venv and what `make run` wrote
#
# Tests run in parallel, two a core (JOBS=3 means three in all), and then, alone, those that are
# marked `serial`. Every part runs, whatever failed before it, and one sum of all is printed at the
# end. TESTS="-k clock" passes options to pytest.

PYTHON ?= python3
JOBS ?= auto
TESTS ?=
ifeq ($(shell test -w . && echo yes),yes)
VENV ?= .venv
RESULTS ?= results/quickstart
else
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/pwtourney/checkout-$(shell pwd | cksum | cut -d " " -f 1)
VENV ?= $(CACHE)/venv
RESULTS ?= $(CACHE)/quickstart
# whatever the tools keep is kept there too, and nothing next to the sources
export MYPY_CACHE_DIR := $(CACHE)/mypy
export RUFF_CACHE_DIR := $(CACHE)/ruff
export PYTHONPYCACHEPREFIX := $(CACHE)/pycache
export HYPOTHESIS_STORAGE_DIRECTORY := $(CACHE)/hypothesis
TESTS += -o cache_dir='$(CACHE)/pytest'
endif
# bots that may not write next to the sources would compile them at every start
unexport PYTHONDONTWRITEBYTECODE
# in recipes, where a path may have blanks in it
BIN := "$(VENV)"/bin
EXTRAS-run := sandbox
EXTRAS-test := dev
# Most modules of what tests take are never imported: to compile all is half of the installation.
# What bots import is compiled nevertheless: in a sandbox they would do so at every start. So is
# what tests import, once: each of their processes would do so at the first run.
PIP-test := --no-compile
BOTS-test := llvmlite numba numpy
COMPILE-run := true
COMPILE-test := $(BIN)/pytest --collect-only -qq

.PHONY: run test quick clean set-up-run set-up-test

run: set-up-run
	$(BIN)/pwtourney run configs/quickstart.yaml --results "$(RESULTS)"

test quick: set-up-test
	@$(BIN)/python .ci/suite $@ $(JOBS) $(TESTS)

clean:
	rm -rf "$(VENV)" "$(RESULTS)" results/languages

# A target of make cannot have blanks in its name, so the stamps are looked at by the shell.
set-up-run set-up-test: set-up-%:
	@test "$(VENV)/$*.stamp" -nt pyproject.toml -a "$(VENV)/$*.stamp" -nt constraints.txt || { \
	    $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "pwtourney needs Python 3.11 or newer; try make PYTHON=python3.12")' && \
	    { test -x $(BIN)/python || $(PYTHON) -m venv "$(VENV)" || { \
	        echo "there can be no environment in $(VENV); name other places: make VENV=DIR RESULTS=DIR" >&2; false; }; } && \
	    $(BIN)/python -m pip install --quiet $(PIP-$*) --constraint constraints.txt --editable '.[$(EXTRAS-$*)]' && \
	    $(BIN)/python -m compileall -q -x /tests/ pwtourney bots/pwtourney_bots \
	        $(foreach package,$(BOTS-$*),"$(VENV)"/lib/python*/site-packages/$(package)) && \
	    { $(COMPILE-$*) >/dev/null 2>&1 || true; } && \
	    touch "$(VENV)/$*.stamp" "$(VENV)/run.stamp"; }
