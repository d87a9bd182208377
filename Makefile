# `make run` sets simio up and answers two published cases; `make test` sets it up, and runs lint, types, every unit and
# every scenario; `make check` runs what takes longer: both engines, random programs, fuzzing, browsers, documents.
# `make docs` makes a site of the documents. `make validate` simulates every measured row and fails where a table is outside its tolerance.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SET_UP := $(VENV)/.set-up
SET_UP_TEST := $(VENV)/.set-up-test
PEERS := .venv-peers
# One more than there are CPUs, as some tests wait for browsers, servers and clocks.
WORKERS = $(shell $(BIN)/python -c 'import os; print(os.cpu_count() + 1)')

.PHONY: run test check validate lint types engine docs speed bench clean

run: $(SET_UP)
	$(BIN)/simio run scenarios/training-drives.yaml
	$(BIN)/simio run scenarios/sgi-hippi-raw.yaml
	$(BIN)/simio run scenarios/linux-fc-raw.yaml

test: $(SET_UP_TEST) lint types engine
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m 'not slow'

check: $(SET_UP_TEST) engine
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m slow

# It is compiled once before the tests, and not by each worker.
engine: $(SET_UP_TEST)
	$(BIN)/python -c 'from simio.engines.native import entry; entry()'

# The documents as a site with search, in build/site.
docs: $(SET_UP_TEST)
	$(BIN)/mkdocs build --strict

validate: $(SET_UP)
	$(BIN)/simio validate

lint: $(SET_UP_TEST)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(SET_UP_TEST)
	$(BIN)/mypy

# The version before and this one in turns: a loss of more than 15% fails.
speed: $(SET_UP_TEST)
	$(BIN)/python benchmarks/turns.py --short

bench: $(SET_UP_TEST) $(PEERS)/.ns3 $(PEERS)/.simgrid
	$(BIN)/python benchmarks/turns.py
	$(BIN)/python benchmarks/tcp.py
	$(BIN)/python benchmarks/scenarios.py
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/peers/run.py --peers $(PEERS)
	$(BIN)/python benchmarks/engines.py
	$(BIN)/python benchmarks/many.py --processes 2
	$(BIN)/python benchmarks/sweep.py

clean:
	rm -rf $(VENV) $(PEERS) build *.egg-info

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "simio needs Python 3.11 or later")'
	$(PYTHON) -m venv $(VENV)

$(SET_UP): $(VENV)/bin/python setup.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(SET_UP_TEST): $(VENV)/bin/python setup.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $(SET_UP) $@

# Other simulators, to compare with. One that cannot be installed is left out, and tried again the next time.
$(PEERS)/bin/python:
	$(PYTHON) -m venv $(PEERS)

# 310 MB: the libraries alone, since the Python binding is not used and its dependencies have to be compiled.
$(PEERS)/.ns3: $(PEERS)/bin/python
	-$(PEERS)/bin/python -m pip install --quiet --no-deps 'ns3 >= 3.44' && touch $@

# There is no wheel: it is compiled, which takes 20 minutes of one core.
$(PEERS)/.simgrid: $(PEERS)/bin/python
	@(command -v cmake && echo '#include <boost/version.hpp>' | g++ -E -x c++ -) > /dev/null 2>&1 || \
	    echo "SimGrid needs cmake, g++ and the headers of boost (Debian: apt-get install cmake g++ libboost-dev)"
	-$(PEERS)/bin/python -m pip install --quiet 'pybind11 < 3' setuptools wheel && \
	    $(PEERS)/bin/python -m pip install --quiet --no-deps --no-build-isolation 'simgrid >= 4.1' && touch $@
