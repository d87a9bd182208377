"""The largest load that keeps promises: the search, conditions, and the command."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from loads_bench import ran, written

from simio.cli.main import main
from simio.errors import SimioError
from simio.report import knee
from simio.result.model import Limiter, LoadUse, ResourceUse, TallyValue
from simio.result.recorded import Observation
from simio.sweeps.capacity import Capacity
from simio.sweeps.conditions import check_counted, check_named, condition
from simio.sweeps.constraints import broken, seen_in
from simio.sweeps.outcome import measures_of
from simio.units import parse

MS = 10**9


def result(time: float, width: float = 0.0, grows: float = 0.0, count: int = 200) -> SimpleNamespace:
    seen = Observation("reads: block", "ps", count, time, 0, int(time), 0, int(time), 0, (width, width, 0.0, width))
    return SimpleNamespace(
        observations=(seen,), loads=(LoadUse("reads", 10, 10 - grows, grows),), resources=(), streams=(), tallies=(),
        rate=Fraction(10), half_width=None, seeds=(1, 2), limiter=Limiter("none", "d", 0.5, "d is busy"),
    )  # fmt: skip


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


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("mean of reads < 5 ms", True),
        ("mean of reads <= 4 ms", True),
        ("mean of reads > 4 ms", False),
        ("p50 of reads: block >= 4 ms", True),
        ("p99.9 of reads < 1 ms", True),
        ("p95 of reads < 1 ms", True),
        ("median of reads = 4 ms", True),
        ("served of reads > 9 /s", True),
        ("late of video = 0", True),
        ("drops = 0", True),
    ],
)
def test_conditions(text: str, holds: bool) -> None:
    assert condition(text).holds(result(4 * MS)) is holds


def test_counts_of_a_workload_are_found_by_its_name() -> None:
    late = TallyValue("video", "late", "frames", 3), TallyValue("film", "late", "frames", 4)
    found = SimpleNamespace(**{**vars(result(1)), "tallies": late})
    assert not condition("late of video = 0").holds(found)
    assert condition("late of video = 3").holds(found)
    assert condition("late = 7").holds(found)
    assert condition("late of radio = 0").holds(found)
    measures = {each.name: float(each.value) for each in late}
    for text, value in (("late of video = 0", 3), ("late = 0", 7), ("late of radio = 0", 0)):
        assert seen_in(condition(text), measures).value == value


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("late of video = 0", None),
        ("late = 0", None),
        ("p99 of reads < 5 ms", None),
        ("throughput > 1 MB/s", None),
        ("lates = 0", "'lates = 0': found 'lates'; did you mean 'late'?"),
        ("late of radio = 0", "found 'late of radio'; did you mean 'late of video'?"),
        ("p98 of reads < 5", "found 'p98 of reads'; expected one of mean, median, p50"),
        ("p99 < 5 ms", "found 'p99' of nothing; expected the name of what it is of, as in 'p99 of reader < 20 ms'"),
        ("utilisation < 70%", "found 'utilisation' of nothing"),
    ],
)
def test_a_count_that_nothing_keeps_is_refused(text: str, told: str | None) -> None:
    def check() -> None:
        check_counted([condition(text)], [TallyValue("video", "late", "frames", 0)])

    if told is None:
        check()
        return
    with pytest.raises(SimioError) as error:
        check()
    assert told in str(error.value)


def test_times_that_nothing_has_are_refused_before_a_run() -> None:
    marks = [SimpleNamespace(name=name, unit=unit) for name, unit in (("reads: block", "ps"), ("reads", "bytes"))]
    program = SimpleNamespace(tallies=(), marks=marks, guests=())
    check_named([condition("p99 of reads < 5 ms"), condition("most of reads: block < 5 ms")], program)
    for text, told in (
        ("p99 of reeds < 5 ms", "did you mean 'reads'?"),
        ("p99 of x < 1 s", "there are 'reads: block'"),
    ):
        with pytest.raises(SimioError, match="found no times of ") as error:
            check_named([condition(text)], program)
        assert told in str(error.value)


def test_conditions_are_the_same_on_what_a_sweep_keeps(tmp_path: Path) -> None:
    case = ran(tmp_path, "{rate: 60 /s}", "run.until=3 s")
    measures = measures_of(case)
    for text in (
        "mean of reads < 1 s", "p50 of reads < 1 s", "p95 of reads: block < 1 s", "p99.9 of reads < 1 s",
        "most of reads < 1 s", "utilisation of d < 50%", "served of reads > 1 /s", "throughput > 1 MB/s",
    ):  # fmt: skip
        wanted, found = condition(text).seen(case), seen_in(condition(text), measures)
        assert found.value == pytest.approx(wanted.value, rel=1e-9), text
        assert found.half_width == pytest.approx(wanted.half_width, rel=1e-9), text
    assert broken(condition("p50 of reads < 1 s"), measures) == 0
    assert broken(condition("p50 of reads < 1 ps"), measures) > 0
    assert broken(condition("p50 of reads < 1 s"), {**measures, "growth of reads (/s)": 2.0}) > 0
    with pytest.raises(SimioError, match="did you mean 'reads: block'"):
        seen_in(condition("p99 of raeds: block < 1 s"), measures)


def test_the_cheapest_that_keeps_a_promise_is_found(tmp_path: Path, own_results: None) -> None:
    # One at a time, 150 a second are too many.
    path = written(tmp_path, "{rate: 150 /s}", "until: 3 s")
    more = ["--vary", "workload.reads.depth=1,16,32", "--cost", "workload.reads.depth=100", "--minimise", "cost"]
    args = ["optimize", str(path), "--processes", "1", *more]
    promised = ran(tmp_path, "{rate: 150 /s}", "workload.reads.depth=16", "run.until=3 s").observations[0].p90 / MS
    done = CliRunner().invoke(main, [*args, "--until", f"p90 of reads < {promised + 1:.1f} ms"])
    assert done.exit_code == 0, done.output
    assert "workload.reads.depth = 16" in done.output
    assert "p90 of reads is " in done.output
    done = CliRunner().invoke(main, [*args, "--until", "p90 of reads < 10 us"])
    assert done.exit_code == 2
    assert "none carries enough and keeps what was promised" in done.stderr


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


def test_without_arrivals_users_grow(tmp_path: Path) -> None:
    done = capacity(tmp_path, "--until", "mean of reads < 25 ms", "--json", arrivals="")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["load"] == "workload.reads.processes"
    assert 2 <= int(found["most"]) < int(found["broken_at"]) < 10


def test_a_picture_is_written(tmp_path: Path) -> None:
    picture = tmp_path / "knee.svg"
    done = capacity(tmp_path, "--until", "p90 of reads < 40 ms", "--to", "60 /s", "--plot", str(picture))
    assert done.exit_code == 0, done.output
    assert picture.read_text().startswith("<svg")
    done = capacity(tmp_path, "--until", "p90 of reads < 40 ms", "--plot", "knee.txt")
    assert "expected a name that ends in .svg, .png or .pdf" in done.stderr
