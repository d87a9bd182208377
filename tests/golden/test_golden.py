"""Same scenario, seed and version: the same JSON, byte by byte, on either engine and in any number of processes."""

from __future__ import annotations

import json

import pytest
from golden_runs import HASHES, RUNS, digest, one, spread

KEPT = json.loads(HASHES.read_text())


def test_every_run_has_a_hash() -> None:
    assert sorted(KEPT) == sorted(RUNS)


@pytest.mark.parametrize("engine", ["compiled", "simpy"])
@pytest.mark.parametrize("name", RUNS)
def test_json_is_what_it_was(name: str, engine: str) -> None:
    told = "results changed; if that is right, run python tests/golden/golden_runs.py"
    assert digest(one(name, engine)) == KEPT[name], told


@pytest.mark.parametrize("processes", [1, 2])
def test_any_number_of_processes(processes: int) -> None:
    assert digest(spread("disk-queue", processes)) == KEPT["disk-queue"]


def test_another_seed_is_another_result(monkeypatch: pytest.MonkeyPatch) -> None:
    first = one("disk-queue")
    monkeypatch.setitem(RUNS, "disk-queue", (*RUNS["disk-queue"], "run.seed=7"))
    assert [case.rate for case in one("disk-queue").cases] != [case.rate for case in first.cases]
