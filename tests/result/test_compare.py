"""Measured rows beside a case of round numbers: each quantity, ranges, and what is told at the end."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from simio.description.measured import QUANTITIES, MeasuredRow, PooledRow
from simio.errors import RunError
from simio.result.compare import check_observations, comparisons, pooled_comparisons, summary
from simio.result.model import CaseResult, Limiter, ResourceUse, ScenarioResult, StreamRate, Throughput
from simio.result.quantities import simulated_value
from simio.result.recorded import Observation, Timeline

MS = 10**9


def row(quantity: str, value: float | None, unit: str, of: str = "", upper: float | None = None) -> MeasuredRow:
    """A measured row; a value of None is held."""
    exact = None if value is None else Fraction(str(value))
    most = None if upper is None else Fraction(str(upper))
    return MeasuredRow("study", "table", exact, str(value), value is None, unit, "", quantity, of, most)


def case(*rows: MeasuredRow) -> CaseResult:
    """80 MB/s in all by three streams of 20, 30 and 31 MB/s; 5 ms a block; a's CPUs a quarter busy."""
    observation = Observation("reader: block", "ps", 4, 5.0 * MS, 1, 2, 3, 4, 5)
    other = Observation("writer: whole block", "ps", 4, 7.0 * MS, 1, 2, 3, 4, 5)
    levels = Observation("reader: level", "bytes", 4, 9.0, 1, 2, 3, 4, 5)
    return CaseResult(
        index=0, settings={}, status="done", end=10**12, throughput=Throughput(8 * 10**7, 0, 10**12, 9),
        rate=Fraction(8 * 10**7), half_width=None, bound=None, bound_by="",
        streams=tuple(StreamRate(f"reader: d{n}", Fraction(rate * 10**6)) for n, rate in enumerate((20, 30, 31))),
        limiter=Limiter("none", "", 0.0, ""), resources=(ResourceUse("a.cpu", 2, False, 0.25, 0.0, 0, 0, 0),),
        containers=(), threads=(), observations=(observation, other, levels), timeline=Timeline((), {}, ()),
        measured=rows, hash="", seeds=(1,), events=0, steps=0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("measured", "simulated", "error"),
    [
        (row("throughput", 100, "MB/s"), 80, -0.2),
        (row("throughput", 640, "Mbit/s"), 640, 0),
        (row("stream", 30, "MB/s"), 27, -0.1),
        (row("latency", 4, "ms", "reader: block"), 5, 0.25),
        (row("latency", 4000, "us", "reader: block"), 5000, 0.25),
        (row("latency", 7, "ms", "whole block"), 7, 0),
        (row("p50", 4, "ps", "reader: block"), 2, -0.5),
        (row("p99", 4, "ps", "reader: block"), 4, 0),
        (row("requests", 5, "IOPS", "reader: block"), 4, -0.2),
        (row("cpu", 20, "%", "a"), 25, 0.25),
        (row("cpu", 20, "%", "idle"), 0, -1),
        (row("throughput", 70, "MB/s", upper=90), 80, 0),
        (row("throughput", 80, "MB/s", upper=90), 80, 0),
        (row("throughput", 40, "MB/s", upper=64), 80, 0.25),
        (row("throughput", 100, "MB/s", upper=120), 80, -0.2),
        (row("throughput", None, "MB/s"), 80, None),
    ],
)
def test_measured_values_beside_simulated_ones(measured: MeasuredRow, simulated: float, error: float | None) -> None:
    (found,) = comparisons(case(measured))
    assert found.simulated == pytest.approx(simulated)
    assert found.error == (None if error is None else pytest.approx(error))


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_of_a_host_or_name_that_is_not_there_nothing_is_simulated(quantity: str) -> None:
    units = {"rate": "MB/s", "request_rate": "IOPS", "time": "ms", "share": "%", "count": "1"}
    found = simulated_value(case(), row(quantity, 1, units[QUANTITIES[quantity]], "nothing"))
    assert (found or 0) == (80 if quantity == "throughput" else 0)


def test_what_was_never_observed_has_no_error() -> None:
    (found,) = comparisons(case(row("latency", 4, "ms", "nothing")))
    assert (found.simulated, found.error) == (None, None)


NAMES = ["reader: block", "writer: block", "writer: flush"]


@pytest.mark.parametrize("of", ["flush", "writer: block", "writer: flush"])
def test_a_latency_is_of_one_observation(of: str) -> None:
    check_observations([row("latency", 1, "ms", of)], NAMES)


@pytest.mark.parametrize(
    ("of", "message"),
    [
        (
            "block",
            "study/table: a latency of block may be of 'reader: block', 'writer: block'; name one in 'of'",
        ),
        ("", "a latency may be of 'reader: block', 'writer: block', 'writer: flush'"),
        ("lock", "no observation for latency of lock; there are 'reader: block', 'writer: block'"),
    ],
)
def test_a_latency_of_none_or_of_several_is_refused(of: str, message: str) -> None:
    with pytest.raises(RunError, match=message):
        check_observations([row("latency", 1, "ms", of)], NAMES)
    check_observations([row("cpu", 1, "%", of)], NAMES)


def test_the_summary_counts_all_quantities() -> None:
    rows = (
        row("throughput", 100, "MB/s"), row("cpu", 20, "%", "a"), row("stream", 27, "MB/s"),
        row("throughput", None, "MB/s"), row("latency", 4, "ms", "nothing"),
    )  # fmt: skip
    result = ScenarioResult("", "", "", (), "", "MB/s", (case(*rows),), {}, ("a: b",))
    found = summary(result)
    assert found is not None
    assert (found.rows, found.held, found.missing, found.fitted) == (3, 1, 1, 1)
    assert found.median == pytest.approx(0.2)
    assert found.worst.row.label == "cpu of a"


def pooled(*rates: int, over: str, measured: float | None = 30, indices: tuple[int, ...] = ()) -> ScenarioResult:
    """Cases of these rates in MB/s, and a row over those with the indices, or all."""
    cases = tuple(replace(case(), index=number, rate=Fraction(rate * 10**6)) for number, rate in enumerate(rates))
    told = replace(row("throughput", measured, "MB/s"), over=over)
    over_cases = PooledRow(told, indices or tuple(range(len(rates))), {"size": "1 B"})
    return ScenarioResult("", "", "", (), "", "MB/s", cases, {}, (), pooled=(over_cases,))


@pytest.mark.parametrize(("over", "simulated"), [("mean", 40), ("median", 20), ("most", 90)])
def test_rows_over_several_cases(over: str, simulated: float) -> None:
    (found,) = pooled_comparisons(pooled(10, 20, 90, over=over))
    assert found.simulated == pytest.approx(simulated)
    assert found.error == pytest.approx(simulated / 30 - 1)
    assert found.settings == {"size": "1 B"}


def test_a_row_over_cases_needs_all_of_them() -> None:
    assert pooled_comparisons(pooled(10, 20, over="mean", indices=(0, 1, 2))) == []
    (found,) = pooled_comparisons(pooled(10, 20, 90, over="mean", indices=(0, 1)))
    assert found.simulated == pytest.approx(15)


def test_the_summary_counts_rows_over_several_cases() -> None:
    found = summary(pooled(10, 20, 90, over="most"))
    assert found is not None
    assert (found.rows, found.held) == (1, 0)
    assert found.worst.row.label == "largest throughput"
    assert summary(pooled(10, 20, over="most", measured=None)) is None
