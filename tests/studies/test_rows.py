"""Rows of studies: what belongs to a study, and the cases that predict a row."""

from __future__ import annotations

from pathlib import Path

import pytest
from study_samples import SCENARIO, SIZES, library

from simio.errors import SimioError
from simio.studies import rows


def test_a_row_has_the_case_that_predicts_it_and_a_sum_has_all_of_its(tmp_path: Path) -> None:
    small, held, over = rows(library=library(tmp_path))
    assert (small.table, small.scenario, small.cases, small.measured, small.unit) == (
        "house/sizes", "packets", (0,), 5, "MB/s",
    )  # fmt: skip
    assert (held.case, held.measured) == (2, None)
    assert (over.cases, over.quantity, over.note) == ((0, 1, 2), "throughput", "<b>read</b> off a plot")
    assert small.name == "packets: workload.blast.size = 4 KiB: throughput"


def test_a_study_is_a_folder_or_a_table(tmp_path: Path) -> None:
    shelf = library(tmp_path)
    assert shelf.chosen(["house"]) == ["house/sizes", "house/whole"]
    assert [row.table for row in rows(["house/whole"], shelf)] == ["house/whole"]


def test_all_unknown_names_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(SimioError) as caught:
        rows(["house/size", "elsewhere", "house"], library(tmp_path))
    assert str(caught.value) == (
        "no study 'house/size'; did you mean 'house/sizes'?\nno study 'elsewhere'; there are house"
    )


def test_a_table_that_its_scenario_does_not_list_loses_no_row_in_silence(tmp_path: Path) -> None:
    shelf = library(tmp_path, packets=SCENARIO.replace("[house/sizes, house/whole]", "house/whole"))
    with pytest.raises(SimioError) as caught:
        rows(library=shelf)
    assert str(caught.value) == (
        "house/sizes: 2 of 2 rows are in no scenario; it names packets, "
        "which must list 'house/sizes' under 'measured'"
    )


def test_a_scenario_that_is_not_there_and_a_row_twice(tmp_path: Path) -> None:
    shelf = library(tmp_path / "a", sizes=SIZES.replace("scenario: packets", "scenario: parcels"))
    with pytest.raises(SimioError, match="no scenario 'parcels' in "):
        rows(["house/sizes"], shelf)
    twice = SIZES + "  - {where: {workload.blast.size: 4096 B}, value: 6}\n"
    with pytest.raises(SimioError, match="more than one row for packets: workload.blast.size = 4 KiB: throughput"):
        rows(["house/sizes"], library(tmp_path / "b", sizes=twice))
