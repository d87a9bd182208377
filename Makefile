# `make run` sets simio up and answers two published cases; `make test` sets it up and runs every check.
# `make validate` simulates every measured row and fails where a table is outside its tolerance.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SET_UP := $(VENV)/.set-up
SET_UP_TEST := $(VENV)/.set-up-test

.PHONY: run test validate lint types bench clean

run: $(SET_UP)
	$(BIN)/simio run scenarios/sgi-hippi-raw.yaml
	$(BIN)/simio run scenarios/linux-fc-raw.yaml

test: $(SET_UP_TEST) lint types
	$(BIN)/python -m pytest -n auto

validate: $(SET_UP)
	$(BIN)/simio validate

lint: $(SET_UP_TEST)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(SET_UP_TEST)
	$(BIN)/mypy

bench: $(SET_UP)
	$(BIN)/python benchmarks/engines.py
	$(BIN)/python benchmarks/tcp.py
	$(BIN)/python benchmarks/scenarios.py

clean:
	rm -rf $(VENV) build *.egg-info

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "simio needs Python 3.11 or later")'
	$(PYTHON) -m venv $(VENV)

$(SET_UP): $(VENV)/bin/python setup.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(SET_UP_TEST): $(VENV)/bin/python setup.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $(SET_UP) $@
