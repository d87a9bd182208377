"""Rows that are as good as the best: the cheapest or smallest of them is named, and the others beside it."""

from __future__ import annotations

import pytest

from simio.report.table import frame
from simio.sweeps.optimize import Goal
from simio.sweeps.outcome import SweepOutcome
from simio.sweeps.rows import SweepRow
from simio.sweeps.ties import as_good, ties_text


def row(number: int, count: str, rate: float, **more: float) -> SweepRow:
    measures = {"throughput": rate, **{name.replace("_", " "): value for name, value in more.items()}}
    return SweepRow(number, {"disks.d.count": count}, SweepOutcome(measures, "", ""))


def less(row: SweepRow) -> float:
    return -(row.throughput or 0.0)


def test_the_fewest_parts_win_among_what_is_as_good():
    rows = [row(1, "3", 150), row(2, "8", 206.0), row(3, "4", 206.1), row(4, "10", 206.4)]
    found = as_good(rows, less)
    assert [each.settings["disks.d.count"] for each in found] == ["4", "8", "10"]
    assert ties_text(found, ["disks.d.count"]) == "as good within 0.5%: disks.d.count = 8, 10"
    assert ties_text(as_good(rows[:1], less), ["disks.d.count"]) == ""


def test_the_interval_decides_where_a_run_is_random():
    wide = [row(1, "2", 190, half_width=20), row(2, "5", 206, half_width=10)]
    assert as_good(wide, less)[0].number == 1
    narrow = [row(1, "2", 205.8, half_width=0.01), row(2, "5", 206, half_width=0.01)]
    assert [each.number for each in as_good(narrow, less)] == [2]


def test_the_cheapest_wins_and_the_front_has_no_noise():
    rows = [row(1, "4", 206.0, cost=5), row(2, "5", 206.4, cost=4), row(3, "6", 206.5, cost=9)]
    goal = Goal()
    assert goal.chosen(rows)[0].number == 2
    assert [each.number for each in goal.front(rows)] == [2]
    assert Goal("cost", maximise=False).chosen(rows)[0].number == 2


def test_tables_in_python_have_numbers():
    pytest.importorskip("pandas")
    rows = [
        SweepRow(
            number,
            {"disks.d.count": str(number), "size": size, "on": "true", "name": "x"},
            SweepOutcome({"throughput": 1.0}, "", ""),
        )
        for number, size in ((1, "64 KiB"), (2, "1MiB"))
    ]
    found = frame(rows, ["disks.d.count", "size", "on", "name"], "MB/s")
    assert found["disks.d.count"].tolist() == [1, 2]
    assert found["disks.d.count"].dtype.kind == "i"
    assert found["size"].tolist() == ["64 KiB", "1MiB"]
    assert found["size (B)"].tolist() == [65536.0, 1048576.0]
    assert found["on"].tolist() == [True, True]
    assert found["name"].tolist() == ["x", "x"]


def test_the_interval_of_another_measure_decides_where_it_is_the_goal():
    time, half = "mean of reads: block (s)", "half interval: mean of reads: block (s)"

    def timed(number: int, count: str, mean: float, width: float) -> SweepRow:
        measures = {"throughput": 1.0, "half width": 1.0, time: mean, half: width}
        return SweepRow(number, {"disks.d.count": count}, SweepOutcome(measures, "", ""))

    goal = Goal(time, maximise=False)
    wide = goal.chosen([timed(1, "4", 0.01164, 0.0003), timed(2, "8", 0.01146, 0.0003)])
    assert [each.number for each in wide] == [1, 2]
    assert ties_text(wide, ["disks.d.count"], time) == "as good within the confidence interval: disks.d.count = 8"
    sure = goal.chosen([timed(1, "4", 0.01148, 1e-6), timed(2, "8", 0.01146, 1e-6)])
    assert [each.number for each in sure] == [2]
