"""Simulating rows: only the cases that are needed, on either engine, with other parts, and with faults."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from study_samples import SCENARIO, library

from simio.loading import load
from simio.loading.catalogue import Catalogue, data_root
from simio.running import run_scenario
from simio.studies import rows, simulate
from simio.studies.simulate import CaseValues, collected, needed, unlike


def test_rows_are_what_the_scenario_gives(tmp_path: Path) -> None:
    shelf = library(tmp_path)
    small, held, over = simulate(rows(library=shelf), shelf)
    result = run_scenario(load(shelf.path("packets"), tables=shelf.tables))
    rates = [float(case.rate) / 1e6 for case in result.cases]
    assert [small.value, held.value, over.value] == pytest.approx([rates[0], rates[2], max(rates)])
    assert small.error == pytest.approx(rates[0] / 5 - 1)
    assert held.error is None
    assert over.steps == sum(case.steps for case in result.cases)


def test_only_the_cases_that_rows_need_and_the_longest_first(tmp_path: Path) -> None:
    shelf = library(tmp_path)
    own = rows(["house/sizes"], shelf)
    assert list(needed(own)) == [("packets", 0), ("packets", 2)]
    told = needed(own, lambda row: 10 if row.measured else 50)
    assert list(told.items()) == [(("packets", 2), 50.0), (("packets", 0), 10.0)]
    shared = needed(rows(library=shelf), lambda row: 30 if row.of.over else 4)
    assert set(shared.values()) == {10.0}


def test_other_parts_give_other_values(tmp_path: Path) -> None:
    shelf = library(tmp_path / "library")
    models = tmp_path / "models"
    shutil.copytree(data_root("simio.models"), models)
    card = models / "adapters" / "iris-hippi.yaml"
    text = card.read_text().replace("value: 505 us", "value: 660 us")
    card.write_text(text.replace("interval: [455 us, 560 us]", "interval: [455 us, 700 us]"))
    own = rows(["house/sizes"], shelf)
    before, after = simulate(own, shelf), simulate(own, shelf, parts=Catalogue(models))
    assert after[0].value is not None
    assert before[0].value is not None
    assert 0.8 < after[0].value / before[0].value < 0.95


def test_a_case_that_fails_is_told_and_the_others_have_their_values(tmp_path: Path) -> None:
    stuck = SCENARIO.replace(
        "vary: {workload.blast.size: [4 KiB, 64 KiB, 1 MiB]}",
        "vary: [{workload.blast.size: [4 KiB]}, {workload.blast.size: [64 KiB, 1 MiB], run.step_budget: [9]}]",
    )
    shelf = library(tmp_path, packets=stuck)
    found = simulate(rows(library=shelf), shelf)
    assert found[0].value is not None
    assert not found[0].fault
    assert [each.value for each in found[1:]] == [None, None]
    assert all("raise run.step_budget" in each.fault for each in found[1:])


def test_engines_agree_and_a_difference_is_told(tmp_path: Path) -> None:
    shelf = library(tmp_path)
    both = simulate(rows(["house/sizes"], shelf), shelf, engine="both")
    simpy = simulate(rows(["house/sizes"], shelf), shelf, engine="simpy")
    assert [each.difference for each in both] == ["", ""]
    assert [each.value for each in both] == [each.value for each in simpy]
    case = run_scenario(load(shelf.path("packets"), tables=shelf.tables), cases=[0]).cases[0]
    from simio.sweeps import Task

    told = unlike(Task("packets.yaml", case=2), case, replace(case, end=case.end + 1, steps=0))
    assert told == "packets.yaml, case 3: the engines differ in end, steps"


def test_a_row_is_there_when_all_its_cases_are(tmp_path: Path) -> None:
    shelf = library(tmp_path)
    wanted = rows(library=shelf)
    done = {("packets", index): CaseValues({wanted[2].of: 10.0 * index}) for index in (0, 1)}
    assert [each.row.table for each in collected(wanted, done)] == ["house/sizes"]
    done["packets", 2] = CaseValues({wanted[2].of: 70.0})
    assert collected(wanted, done)[-1].value == 70


def test_an_engine_that_is_none(tmp_path: Path) -> None:
    shelf = library(tmp_path)
    (first, *_) = simulate(rows(["house/sizes"], shelf), shelf, engine="abacus")
    assert first.value is None
    assert "abacus" in first.fault
