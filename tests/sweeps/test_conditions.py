"""Conditions on a result, and on what a sweep keeps of one."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from loads_bench import ran
from one_observation import MS, result

from simio.errors import SimioError
from simio.result.model import ResourceUse, TallyValue
from simio.sweeps.conditions import check_counted, check_named, condition
from simio.sweeps.constraints import broken, seen_in
from simio.sweeps.outcome import measures_of


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
    assert broken(condition("p50 of reads < 1 s"), {**measures, "loss of reads (/s)": 2.0}) > 0
    with pytest.raises(SimioError, match="did you mean 'reads: block'"):
        seen_in(condition("p99 of raeds: block < 1 s"), measures)


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
