# `make run` plays a small tournament, `make test` checks everything. Both set up what they need
# in .venv and are quick when that is done.
#
#   make run     plays configs/quickstart.yaml
#   make quick   lint, types, and every test that takes under a second: for the daily loop
#   make test    lint, types, and all tests
#   make clean   removes .venv and what `make run` wrote
#
# Tests run in parallel, two a core (JOBS=3 means three in all), and then, alone, those that are
# marked `serial`. TESTS="-k clock" passes options to pytest.

PYTHON ?= python3
JOBS ?= auto
TESTS ?=
BIN := .venv/bin
PARALLEL := $(BIN)/pytest --numprocesses $(JOBS) --maxschedchunk 2 $(TESTS)

.PHONY: run test quick static clean

run: .venv/run.stamp
	$(BIN)/pwtourney run configs/quickstart.yaml

test: static
	$(PARALLEL) -m 'not serial'
	$(BIN)/pytest $(TESTS) -m serial --durations 10

quick: static
	$(PARALLEL) -m 'not serial and not slow' --durations 5 --durations-min 1

static: .venv/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf .venv results/quickstart results/languages

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "pwtourney needs Python 3.11 or newer; try make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv

.venv/run.stamp: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[sandbox]'
	touch $@

.venv/test.stamp: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@ .venv/run.stamp
