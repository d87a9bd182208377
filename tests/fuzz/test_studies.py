"""Studies of one's own, mutated: they are fitted and validated to an end, or a message says what is wrong."""

from __future__ import annotations

import os
import random
import signal
from collections import Counter
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from fuzz_bench import ROOT, put
from mutations import mutated

from simio import running
from simio.calibration import groups, problem, search
from simio.cli.main import main
from simio.loading.catalogue import Catalogue

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("SIMIO_EXAMPLES", "20"))
FIRST = int(os.environ.get("SIMIO_FIRST", "0"))
MOST_SECONDS = 60
STEPS = 20_000
"""Steps of a case; some ten are run for each point of a search."""
ADAPTER = "adapters/iris-hippi"
PARTS = (
    ADAPTER, "adapters/wd95-fast-wide", "buses/sgi-hio", "cpus/r4400-150", "hosts/sgi-challenge-l", "hosts/sgi-onyx",
    "kernels/irix-5.2", "links/hippi-800", "memories/challenge-l", "stacks/irix-5.2",
)  # fmt: skip
BOUNDS = {"receive_dma": ["20 MB/s", "320 MB/s"], "receive_cost": ["100 us", "2 ms"]}
SCENARIO = yaml.safe_load("""
title: Raw HIPPI
hosts: {a: {model: hosts/sgi-challenge-l}, b: {model: hosts/sgi-onyx}}
links: [{model: links/hippi-800, between: [a.hippi, b.hippi], length: 10 m}]
workload: {blast: {from: a, to: b, size: 1 KiB, processes: 1, packets: 3}}
vary: {workload.blast.size: [1 KiB, 16 KiB, 64 KiB, 1 MiB], workload.blast.processes: [1, 2]}
measured: lab/raw
""")
TABLE = yaml.safe_load("""
title: Raw HIPPI, by size and processes
source: a notebook
quantity: throughput
unit: MB/s
scenario: raw
tolerance: {median: 8%, worst: 20%}
rows:
  - {where: {workload.blast.size: 1 KiB, workload.blast.processes: 1}, value: 0.8}
  - {where: {workload.blast.size: 1 KiB, workload.blast.processes: 2}, value: 1.1, fit: false}
  - {where: {workload.blast.size: 16 KiB, workload.blast.processes: 1}, value: 11}
  - {where: {workload.blast.size: 16 KiB, workload.blast.processes: 2}, value: [14, 15]}
  - {where: {workload.blast.size: 64 KiB, workload.blast.processes: 1}, value: 28, note: read off a plot}
  - {where: {workload.blast.size: 64 KiB, workload.blast.processes: 2}, value: 33}
  - {where: {workload.blast.size: 1 MiB, workload.blast.processes: 1}, value: 50}
  - {where: {workload.blast.size: 1 MiB, workload.blast.processes: 2}, value: 60}
  - {where: {workload.blast.processes: 1}, over: most, value: 52}
  - {where: {workload.blast.processes: 2}, over: most, value: 61}
""")
NAMES = (["lab/raw"], ["lab/raw"], ["lab/raw"], ["lab"], ["lab", "lab/raw"], ["lab/rwa"])
COMMANDS = (
    ["calibrate", "--dry-run"], ["calibrate", "--dry-run", "--keep"],
    ["validate", "--processes", "1"], ["validate", "--processes", "1", "--json"],
    ["validate", "--cross-validate", "each"], ["validate", "--cross-validate", "2", "--json"],
)  # fmt: skip


class House:
    """A catalogue in which two values are fitted to a table, a scenario and the table, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.models, self.tables, self.scenarios = folder / "models", folder / "tables", folder / "scenarios"
        (self.tables / "lab").mkdir(parents=True)
        self.scenarios.mkdir()
        for name in PARTS:
            path = self.models / f"{name}.yaml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(ROOT / "models" / f"{name}.yaml")
        self.sheet: Any = yaml.safe_load((ROOT / "models" / f"{ADAPTER}.yaml").read_text())
        for each in self.sheet["values"].values():
            if each["basis"] == "fitted":
                each |= {"basis": "assumed", "source": "a guess"}
        for key, bounds in BOUNDS.items():
            own = {"basis": "fitted", "source": "lab/raw", "bounds": bounds, "interval": list(bounds)}
            self.sheet["values"][key] = {"value": self.sheet["values"][key]["value"], **own}
        (self.models / f"{ADAPTER}.yaml").unlink()
        self.parts = Catalogue(self.models)
        self.stamp = 0

    def write(self, sheet: str | bytes, scenario: str | bytes, table: str | bytes) -> None:
        path = put(self.models / f"{ADAPTER}.yaml", sheet)
        # The catalogue reads a file again where its time has changed.
        self.stamp += 1
        os.utime(path, ns=(0, self.stamp))
        put(self.scenarios / "raw.yaml", scenario)
        put(self.tables / "lab" / "raw.yaml", table)

    def root(self, package: str) -> Path:
        return self.tables if package == "simio.validation" else self.scenarios


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    """The house is all that there is; runs and searches are short."""
    made = House(tmp_path)
    monkeypatch.chdir(tmp_path)
    rows, scenarios = (import_module(name) for name in ("simio.studies.rows", "simio.loading.scenario"))
    monkeypatch.setattr(rows, "data_root", made.root)
    monkeypatch.setattr(scenarios, "data_root", made.root)
    for module in (problem, groups, scenarios):
        monkeypatch.setattr(module, "catalogue", lambda: made.parts)
    for name, value in (("SCREENED", 1), ("DESCENTS", 2), ("MOST_STEPS", 2), ("POLISH", (1.0,))):
        monkeypatch.setattr(search, name, value)
    execute = running.execute

    def shortly(program: Any, options: Any, *more: Any) -> Any:
        return execute(program, replace(options, budget=min(options.budget, STEPS)), *more)

    monkeypatch.setattr(running, "execute", shortly)
    return made


def invoked(*arguments: str) -> Any:
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_study_as_it_is_has_an_answer(house: House, command: list[str]) -> None:
    house.write(*(yaml.safe_dump(tree, sort_keys=False) for tree in (house.sheet, SCENARIO, TABLE)))
    done = invoked(*command, "lab/raw")
    assert done.exit_code in ((0, 1) if command[0] == "validate" else (0,)), done.output
    assert "lab/raw" in done.stdout


def test_a_datasheet_with_aliases_is_refused_before_the_search(house: House) -> None:
    values = house.sheet["values"]
    values["receive_cost"]["interval"] = values["receive_cost"]["bounds"]
    house.write(*(yaml.safe_dump(tree, sort_keys=False) for tree in (house.sheet, SCENARIO, TABLE)))
    done = invoked("calibrate", "--dry-run", "lab/raw")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "iris-hippi.yaml:73:15: found an alias; expected a value of its own" in done.stderr


def test_mutated_studies_have_an_answer_or_a_message(house: House) -> None:
    ends: Counter[tuple[str, int]] = Counter()
    for seed in range(FIRST, FIRST + EXAMPLES):
        rng = random.Random(seed)
        trees = [house.sheet, SCENARIO, TABLE]
        texts: list[str | bytes] = [yaml.safe_dump(tree, sort_keys=False) for tree in trees]
        chosen = rng.choice((0, 1, 2, 2, 2))
        texts[chosen] = mutated(rng, trees[chosen], trees)
        house.write(*texts)
        arguments = [*rng.choice(COMMANDS), *rng.choice(NAMES)]
        done = invoked(*arguments)
        said = (seed, arguments, done.stderr)
        assert done.exit_code in (0, 2) or (done.exit_code == 1 and arguments[0] == "validate"), said
        assert "Traceback" not in done.stderr, said
        assert done.exit_code != 2 or done.stderr.strip(), said
        ends[arguments[0], done.exit_code] += 1
    print(dict(ends))
    assert {0, 2} <= {status for _, status in ends}
