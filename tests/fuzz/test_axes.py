"""Texts for axes, prices and intervals: configurations that can be written again, or a refusal."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simio.errors import SimioError
from simio.sweeps import values
from simio.sweeps.cost import price
from simio.sweeps.space import Space
from simio.sweeps.values import Axis, axis, number_of, paired

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("SIMIO_EXAMPLES", "300"))
many = settings(max_examples=EXAMPLES)

NUMBERS = st.one_of(
    st.integers(0, 70).map(str),
    st.sampled_from(("0", "0.1", "1.5", "1e3", "1e-9", "1_000", "1e99", "1e400", "1e-400", "+5", "-1", "1e999999999",
                     "0e0", "00", "1.", ".5", "9" * 90, "0." + "0" * 60 + "1")),
    st.floats(0, 1e12).map(lambda value: f"{value:g}"),
)  # fmt: skip
UNITS = st.sampled_from(("", "B", "KiB", "kB", "KB", "MiB", "us", "s", "MB/s", "Mbit/s", "m", "%", " ms", "Hz", "x"))
ENDS = st.builds("{}{}".format, NUMBERS, UNITS)
STEPS = st.one_of(
    st.just(""), st.just(":log"), st.builds(":x{}".format, NUMBERS), st.builds(":+{}".format, ENDS),
    st.sampled_from((":", ":x", ":+", ":x1.0000001", ":x1" + "." + "0" * 90 + "1", ":y2")),
)  # fmt: skip
RANGES = st.builds("{}..{}{}".format, ENDS, ENDS, STEPS)
WORDS = st.one_of(
    st.sampled_from(("true", "a", "hosts/x", "[a, b]", "{a: 1}", "'x, y'", "[", "'", "}")),
    st.text(max_size=5),
)
VALUES = st.lists(st.one_of(RANGES, RANGES, ENDS, WORDS), min_size=1, max_size=3).map(",".join)
AXES = st.builds("{}={}".format, st.sampled_from(("a", "a.b", "a", "", " ", "é")), VALUES)


@pytest.fixture(autouse=True)
def bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer values than a user may ask for, and processor time of all examples of a test."""
    monkeypatch.setattr(values, "MOST_VALUES", 500)
    signal.setitimer(signal.ITIMER_VIRTUAL, 10 + EXAMPLES / 20)


def made(text: str, intervals: bool) -> Axis | None:
    with suppress(SimioError):
        return axis(text, "--set", intervals)
    return None


def ends(text: str) -> tuple[Fraction, Fraction, str | None] | None:
    """Both ends of a range that was understood."""
    low, dots, high = text.partition("=")[2].partition("..")
    found = number_of(low), number_of(high.partition(":")[0])
    return (found[0][0], found[1][0], found[0][1]) if dots and found[0] and found[1] else None


@many
@given(AXES, st.booleans())
def test_an_axis_or_a_refusal(text: str, intervals: bool) -> None:
    found = made(text, intervals)
    if found is None:
        return
    assert len(found.points) <= 500
    assert (found.interval is None) == bool(found.points)
    for (value,) in found.points[:50]:
        assert value.strip()


@many
@given(st.builds("a={}..{}{}".format, ENDS, ENDS, STEPS))
def test_values_of_a_range_lie_between_its_ends_and_rise(text: str) -> None:
    found, span = made(text, intervals=False), ends(text)
    if found is None or span is None or found.points == ((text.removeprefix("a="),),):
        return
    low, high, dimension = span
    numbers = [number_of(value) for (value,) in found.points]
    assert all(number is not None and number[1] == dimension for number in numbers)
    told = [number[0] for number in numbers if number]
    assert told[0] == pytest.approx(low, rel=1e-12)
    assert all(one < other for one, other in zip(told, told[1:], strict=False))
    assert told[-1] <= high or told[-1] == pytest.approx(high, rel=1e-12)


@many
@given(
    st.lists(AXES, max_size=4),
    st.lists(AXES, max_size=3),
    st.integers(1, 40),
    st.booleans(),
    st.integers(0, 3),
)
def test_a_sample_of_any_axes(sets: list[str], pairs: list[str], number: int, lhs: bool, seed: int) -> None:
    axes = [found for text in sets if (found := made(text, intervals=True))]
    together = [found for text in pairs if (found := made(text, intervals=False))]
    with suppress(SimioError):
        axes += [paired(together)] if together else []
        space = Space(tuple(axes), number, lhs, seed)
        found = space.configurations()
        assert len(found) == number
        assert axes
        assert found == space.configurations()
        for each in found:
            assert [*each] == [key for one in axes for key in one.keys]
        for one in axes:
            if one.interval:
                inside = [number_of(each[one.name]) for each in found]
                assert all(value and one.interval.dimension == value[1] for value in inside)


@many
@given(
    st.one_of(AXES, st.builds("a={}".format, ENDS), st.builds("a=1/{}".format, UNITS), st.text(max_size=20)),
    ENDS,
)
def test_a_price_or_a_refusal(text: str, value: str) -> None:
    with suppress(SimioError):
        assert isinstance(price(text).of(value), float)
