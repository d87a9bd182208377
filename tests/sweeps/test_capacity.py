"""The largest load that keeps promises: the search, conditions, and the command."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from loads_bench import written

from simio.cli.main import main
from simio.errors import SimioError
from simio.result.model import LoadUse, Observation, ResourceUse
from simio.sweeps.capacity import Capacity
from simio.sweeps.conditions import condition
from simio.units import parse

MS = 10**9


def result(time: float, width: float = 0.0, grows: float = 0.0) -> SimpleNamespace:
    seen = Observation("reads: block", "ps", 100, time, 0, int(time), 0, 0, 0, (width, width, 0.0, 0.0))
    return SimpleNamespace(
        observations=(seen,), loads=(LoadUse("reads", 10, 10 - grows, grows),), resources=(), streams=(), tallies=(),
        rate=Fraction(0), half_width=None,
    )  # fmt: skip


class System:
    """A single server: the time is 1 ms / (1 - load / 100), and beyond 100 the line grows."""

    def __init__(self) -> None:
        self.tried: list[str] = []

    def run(self, texts: Sequence[str]) -> list[SimpleNamespace]:
        self.tried += texts
        loads = [float(parse(text, "request_rate")) if "/" in text else float(text) for text in texts]
        return [result(MS / (1 - load / 100)) if load < 100 else result(0, grows=1.0) for load in loads]


def searched(
    start: int, dimension: str | None = "request_rate", until: str = "mean of reads < 4 ms", **more
) -> Capacity:
    found = Capacity([condition(until)], System().run, Fraction(start), dimension, **more)
    found.search()
    return found


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
    free = Capacity([condition("mean of reads < 4 ms")], lambda texts: [result(1) for _ in texts], Fraction(1), None)
    with pytest.raises(SimioError, match="no end was found"):
        free.search()


def test_loads_whose_interval_has_the_limit_are_uncertain() -> None:
    def run(texts: Sequence[str]) -> list[SimpleNamespace]:
        return [result(float(text) * MS, width=2.5 * MS) for text in texts]

    found = Capacity([condition("mean of reads < 40 ms")], run, Fraction(10), None)
    found.search()
    low, high = found.uncertain
    assert (low.value, high.value) == (38, 42) or 38 <= low.value <= 39 <= high.value <= 42
    assert found.most.value == 39


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("mean of reads < 5 ms", True),
        ("mean of reads <= 4 ms", True),
        ("mean of reads > 4 ms", False),
        ("p50 of reads: block >= 4 ms", True),
        ("median of reads = 4 ms", True),
        ("served of reads > 9 /s", True),
        ("late of video = 0", True),
        ("drops = 0", True),
    ],
)
def test_conditions(text: str, holds: bool) -> None:
    assert condition(text).holds(result(4 * MS)) is holds


def test_shares_of_parts() -> None:
    use = ResourceUse("a.cpu", 2, False, 0.7, 0, 0, 0, 0)
    found = SimpleNamespace(**{**vars(result(1)), "resources": (use,)})
    assert condition("utilisation of a.cpu < 70.1%").holds(found)
    assert not condition("utilisation of a.cpu < 70 %").holds(found)
    with pytest.raises(SimioError, match="found no resource 'a.cp'; did you mean 'a.cpu'"):
        condition("utilisation of a.cp < 70%").holds(found)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("p99 of reads", "expected a condition such as"),
        ("p99 of reads < soon", "found the limit 'soon'; expected a number or a quantity"),
        ("p99 of reads < 20", "expected a time such as"),
        ("p99 of reads < 20 MB", "expected a time such as"),
        ("p99 of raeds < 20 ms", "did you mean 'reads'"),
        ("throughput < 20 ms", "expected a rate such as"),
    ],
)
def test_mistakes_in_conditions(text: str, told: str) -> None:
    with pytest.raises(SimioError) as error:
        condition(text).holds(result(4 * MS))
    assert told in str(error.value)


def capacity(folder: Path, *more: str, arrivals: str = "{rate: 60 /s}"):
    path = written(folder, arrivals, "until: 3 s")
    return CliRunner().invoke(main, ["capacity", str(path), "--processes", "1", *more])


def test_the_command_finds_a_rate(tmp_path: Path) -> None:
    done = capacity(tmp_path, "--until", "p90 of reads < 40 ms", "--within", "20", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["load"] == "workload.reads.arrivals.rate"
    most, bad = (float(parse(found[key], "request_rate")) for key in ("most", "broken_at"))
    assert 40 < most < bad <= 1.2 * most < 300
    assert all(load["holds"] == (load["seen"]["p90 of reads"]["value"] < 40 * MS) for load in found["loads"])


def test_the_first_line_is_the_answer(tmp_path: Path) -> None:
    done = capacity(tmp_path, "--until", "p90 of reads < 40 ms", "--to", "30 /s")
    first, second, third, *_ = done.stdout.splitlines()
    assert first == "30 /s   is the most for p90 of reads < 40 ms"
    assert second.startswith("at 30 /s: p90 of reads is ")
    assert third == "no larger load was tried, so it may be more"


def test_a_promise_that_never_holds_is_an_error_with_what_was_seen(tmp_path: Path) -> None:
    done = capacity(tmp_path, "--until", "p90 of reads < 1 ms", "--from", "40 /s")
    assert done.exit_code == 2
    assert "hold at none of the loads that were tried, down to 40 /s" in done.stderr


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--until", "p90 of reads < 4 m"), "'p90 of reads < 4 m'"),
        (("--until", "throughput > 1 MB/s", "--load", "workload.reads.rate"), "found no value there"),
        (("--until", "throughput > 1 MB/s", "--load", "workload.reads.pattern"), "found 'random'; expected a number"),
        (("--until", "throughput > 1 MB/s", "--from", "4 ms"), "--from: found '4 ms'; expected a value in the unit"),
        (("--until", "throughput > 1 MB/s", "--case", "2"), "--case: found 2; expected a number from 1 to 1"),
        ((), "Missing option '--until'"),
    ],
)
def test_mistakes_of_the_command(tmp_path: Path, more: tuple[str, ...], told: str) -> None:
    done = capacity(tmp_path, *more)
    assert done.exit_code == 2
    assert told in done.stderr


def test_without_arrivals_a_load_has_to_be_named(tmp_path: Path) -> None:
    done = capacity(tmp_path, "--until", "throughput > 1 MB/s", arrivals="")
    assert "found no workload with arrivals; expected --load with the key of what grows" in done.stderr
