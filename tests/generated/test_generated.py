"""Generated scenarios: a rate at most its bound, one limit for run and explain, and a word where nothing came."""

from __future__ import annotations

from pathlib import Path

import generator
import pytest
import today
from agree import Maker, tried

CHUNK = 50
EXPLAINED = 25
"""One scenario in this many is explained, too."""


def wrong(seeds: range, folder: Path, make: Maker = generator.scenario) -> list[str]:
    found = ((seed, *tried(seed, folder, seed % EXPLAINED == EXPLAINED - 1, make)) for seed in seeds)
    return [f"{seed}: {what}" for seed, _, what in found if what]


def test_a_few_scenarios_keep_what_every_answer_promises(tmp_path: Path) -> None:
    assert wrong(range(20), tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1000, CHUNK))
def test_scenarios_keep_what_every_answer_promises(first: int, tmp_path: Path) -> None:
    assert wrong(range(first, first + CHUNK), tmp_path) == []


def test_a_few_scenarios_of_today_keep_it(tmp_path: Path) -> None:
    found = [tried(seed, tmp_path, make=today.scenario) for seed in range(8)]
    assert [what for _, what in found if what] == []
    assert [kind for kind, _ in found].count("result") > 5


@pytest.mark.slow
def test_scenarios_of_today_keep_it(tmp_path: Path) -> None:
    assert wrong(range(50, 75), tmp_path, today.scenario) == []


@pytest.mark.parametrize("seed", [2561, 2849])
def test_scenarios_that_once_broke_a_law(seed: int, tmp_path: Path) -> None:
    # Writes that the cache has taken when the run is cut off; a share of writes that flush four pieces each.
    assert tried(seed, tmp_path) == ("result", "")


def test_most_scenarios_run(tmp_path: Path) -> None:
    kinds = [tried(seed, tmp_path)[0] for seed in range(40)]
    assert kinds.count("result") > 30
