# `make run` plays a small tournament, `make test` checks everything. Both set up what they need
# in .venv and are quick when that is done.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test clean

run: .venv/run.stamp
	$(BIN)/pwtourney run configs/quickstart.yaml

test: .venv/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest

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
