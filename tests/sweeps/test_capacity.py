"""The search for the largest load that keeps promises, and its curve."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from types import SimpleNamespace

import pytest
from one_observation import MS, result

from simio.errors import SimioError
from simio.report import console, knee
from simio.report.capacity import show
from simio.result.model import LoadUse
from simio.sweeps.capacity import Capacity
from simio.sweeps.conditions import condition
from simio.units import parse


class System:
    """A single server: the time is 1 ms / (1 - load / 100), and beyond 100 the line grows."""

    def __init__(self) -> None:
        self.tried: list[str] = []

    def run(self, texts: Sequence[str], factor: int) -> list[SimpleNamespace]:
        self.tried += texts
        loads = [float(parse(text, "request_rate")) if "/" in text else float(text) for text in texts]
        return [result(MS / (1 - load / 100)) if load < 100 else result(0, grows=1.0) for load in loads]


def searched(
    start: int, dimension: str | None = "request_rate", until: str = "mean of reads < 4 ms", **more
) -> Capacity:
    found = Capacity([condition(until)], System().run, Fraction(start), dimension, **more)
    found.search()
    return found


def test_no_promise_is_found_to_hold_by_the_largest_of_a_few_times() -> None:
    # No load keeps it; of fewer than 100 requests the 99% lies about as low as their median.
    def run(texts: Sequence[str], factor: int) -> list[SimpleNamespace]:
        loads = [float(parse(text, "request_rate")) for text in texts]
        return [result(5 * MS if load >= 10 else 3 * MS, count=round(20 * load) if load > 1 else 0) for load in loads]

    found = Capacity([condition("p99 of reads < 4 ms")], run, Fraction(40), "request_rate")
    found.search()
    assert found.most is None
    assert {load.text for load in found.loads} == {"40 /s", "20 /s", "10 /s"}


def test_an_end_that_more_replications_take_away_is_looked_for_again() -> None:
    # One replication each says that 50 /s holds; more of them, that only 20 /s does.
    def run(texts: Sequence[str], factor: int) -> list[SimpleNamespace]:
        loads = [float(parse(text, "request_rate")) for text in texts]
        return [result((3 if load <= (60 if factor == 1 else 20) else 5) * MS, width=2.0 * MS) for load in loads]

    found = Capacity([condition("mean of reads < 4 ms")], run, Fraction(50), "request_rate")
    found.search()
    assert found.most is not None
    assert found.most.value <= 25


@pytest.mark.parametrize("start", [1, 60, 75, 76, 1000])
def test_the_answer_is_the_largest_load_within_the_share_wherever_it_begins(start: int) -> None:
    found = searched(start)
    assert found.most is not None
    assert found.least_bad is not None
    # 1 ms / (1 - load) is 4 ms at three quarters.
    assert found.most.value < 75 <= found.least_bad.value
    assert found.least_bad.value <= found.most.value * Fraction(102, 100)


def test_counts_are_found_exactly() -> None:
    found = searched(3, None)
    assert (found.most.value, found.least_bad.value) == (74, 75)
    assert all(load.value.denominator == 1 for load in found.loads)


def test_a_line_that_grows_keeps_no_promise() -> None:
    found = searched(10, until="mean of reads < 100 s")
    assert 95 < found.most.value < 100 <= found.least_bad.value


def test_ends_of_the_user_are_kept() -> None:
    found = searched(10, ends=(None, Fraction(50)))
    assert (found.most.value, found.least_bad) == (50, None)
    found = searched(200, ends=(Fraction(90), None))
    assert (found.most, found.least_bad.value) == (None, 90)


def test_nothing_is_run_twice() -> None:
    system = System()
    found = Capacity([condition("mean of reads < 4 ms")], system.run, Fraction(5), "request_rate")
    found.search()
    assert len(system.tried) == len(set(system.tried)) == len(found.loads)


def test_promises_that_always_hold_are_told() -> None:
    free = Capacity(
        [condition("mean of reads < 4 ms")], lambda texts, factor: [result(1) for _ in texts], Fraction(1), None
    )
    with pytest.raises(SimioError, match="no end was found"):
        free.search()


def served(load: float, time: float = 1 * MS) -> SimpleNamespace:
    """A result in which 10 requests a second are served for each user, up to 100."""
    found = result(time)
    found.loads = (LoadUse("reads", min(10 * load, 100), min(10 * load, 100), users=1, think=1),)
    return found


def promised(run, *texts: str, start: int = 2, **more) -> Capacity:
    search = Capacity([condition(text) for text in texts], run, Fraction(start), None, **more)
    search.search()
    return search


def test_a_load_may_be_too_small_for_a_promise_of_more() -> None:
    def run(texts: Sequence[str], _factor: int) -> list[SimpleNamespace]:
        return [served(float(text), float(text) * MS) for text in texts]

    between = promised(run, "mean of reads < 8 ms", "served of reads > 30 /s")
    assert (between.most.value, between.least_bad.value) == (7, 8)
    assert between.too_small.value == 2
    # Four users ask for 40 a second, whose mean is too long already.
    none = promised(run, "mean of reads < 4 ms", "served of reads > 60 /s")
    assert (none.most, none.too_small.value, none.least_bad.value) == (None, 3, 4)
    # More than 100 a second are never served, so that all loads are too large.
    assert promised(run, "served of reads > 200 /s").most is None


def test_a_promise_of_more_may_be_broken_by_a_load_that_is_too_large() -> None:
    def run(texts: Sequence[str], _factor: int) -> list[SimpleNamespace]:
        return [served(20 / float(text)) for text in texts]

    found = promised(run, "served of reads > 30 /s", start=20)
    assert (found.most.value, found.least_bad.value) == (6, 7)


def test_a_load_that_cannot_be_run_leaves_what_is_known() -> None:
    def run(texts: Sequence[str], _factor: int) -> list[SimpleNamespace | SimioError]:
        return [result(1 * MS) if int(text) < 300 else SimioError("no room") for text in texts]

    found = promised(run, "mean of reads < 4 ms")
    assert (found.most.value, found.least_bad, list(found.refused)) == (256, None, ["512"])
    with pytest.raises(SimioError, match="no room"):
        promised(run, "mean of reads < 4 ms", start=400)


def test_no_promise_holds_where_some_are_lost() -> None:
    def run(texts: Sequence[str], _factor: int) -> list[SimpleNamespace]:
        found = [result(1 * MS) for _ in texts]
        for text, each in zip(texts, found, strict=True):
            each.loads = (LoadUse("d", float(text), min(float(text), 50), lost=max(float(text) - 50, 0)),)
        return found

    assert promised(run, "mean of reads < 4 ms").most.value == 50


def test_few_times_are_told() -> None:
    few = promised(lambda texts, _: [result(MS, count=20) for _ in texts], "p99 of reads < 4 ms", ends=(None, 2))
    text = console.printed(partial(show, search=few, key="workload.reads.processes", complete=True))
    assert "at 2 chance decides: a run has 10 times of reads, and p99 takes 100" in text


def noisy(width: float, tried: list[tuple[str, int]], seeds: int = 2) -> Capacity:
    """A time in ms as long as the load is large, of which replications make the interval narrower."""

    def run(texts: Sequence[str], factor: int) -> list[SimpleNamespace]:
        tried.extend((text, factor) for text in texts)
        found = [result(float(text) * MS, width=width * MS / factor) for text in texts]
        for each in found:
            each.seeds = tuple(range(seeds * factor))
        return found

    search = Capacity([condition("mean of reads < 400 ms")], run, Fraction(150), None)
    search.search()
    return search


def test_loads_whose_interval_has_the_limit_are_uncertain() -> None:
    tried: list[tuple[str, int]] = []
    found = noisy(4, tried)
    # Intervals are 1 ms wide in the end.
    assert found.most.value in (398, 399)
    low, high = found.uncertain
    assert 396 <= low.value <= 400 <= high.value <= 404
    good, bad = found.interval
    assert good.value < 400 < bad.value
    assert good.sure
    assert bad.sure


def test_the_search_ends_where_chance_decides() -> None:
    tried: list[tuple[str, int]] = []
    found = noisy(200, tried)
    # Both ends are uncertain, and four times the replications leave intervals of 50 ms.
    assert found.least_bad.value - found.most.value > 10
    assert {factor for _, factor in tried} == {1, 2, 4}
    assert len(tried) < 20


def test_replications_that_help_are_added_where_chance_decides() -> None:
    tried: list[tuple[str, int]] = []
    wide, narrow = noisy(60, tried), noisy(60, [], seeds=1)
    assert any(factor > 1 for _, factor in tried)
    # One run each has no replications to add.
    assert {load.factor for load in narrow.loads} == {1}
    assert wide.least_bad.value - wide.most.value < narrow.least_bad.value - narrow.most.value


def test_the_knee_is_where_power_is_largest() -> None:
    # Of one exponential server, half of the load.
    def run(texts: Sequence[str], _factor: int) -> list[SimpleNamespace]:
        found = System().run(texts, 1)
        for text, each in zip(texts, found, strict=True):
            each.rate = Fraction(text)
        return found

    search = Capacity([condition("mean of reads < 10 ms")], run, Fraction(50), None)
    search.search()
    search.complete((0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7))
    assert 45 <= search.knee.value <= 55


def test_loads_for_the_curve_are_run_where_none_is_near() -> None:
    search = searched(75)
    before = len(search.loads)
    search.complete()
    values = sorted(load.value for load in search.loads)
    assert len(values) > before
    assert values[0] < 20
    most = search.most.value
    search.complete()
    assert sorted(load.value for load in search.loads) == values
    assert search.most.value == most


def test_the_curve_is_drawn_with_limit_answer_and_knee() -> None:
    search = searched(1)
    search.complete()
    text = knee.drawn(search, "workload.reads.arrivals.rate")
    assert text.splitlines()[0] == "mean of reads, ms"
    assert "rate from 0 to " in text
    assert all(sign in text for sign in "●┄░")
    picture = knee.svg(search, "workload.reads.arrivals.rate", "a title")
    assert "promise: mean of reads &lt; 4 ms" in picture
    assert "line grows" in picture
    assert ">workload.reads.arrivals.rate, /s<" in picture
    assert picture.count("<circle") >= 4
    assert knee.drawn(Capacity(search.conditions, System().run, Fraction(1), None), "x") == ""


def test_a_promise_of_none_is_drawn_up_to_what_was_seen() -> None:
    def run(texts: Sequence[str], _factor: int) -> list[SimpleNamespace]:
        found = System().run(["1"] * len(texts), 1)
        for text, each in zip(texts, found, strict=True):
            late = max(int(text) - 8, 0)
            each.tallies = (
                SimpleNamespace(name="video late", owner="video", what="late", unit="frames", value=late),
            )
        return found

    search = Capacity([condition("late = 0")], run, Fraction(1), None)
    search.search()
    assert search.most.value == 8
    rows = knee.drawn(search, "workload.video.streams").splitlines()
    assert rows[0] == "late"
    assert rows[1].lstrip().startswith("8 │")
    assert "▲" not in "".join(rows)
    assert "streams from 0 to 16" in rows[-1]
