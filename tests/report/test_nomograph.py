"""The data-demand nomograph: waiting times, what stands at the axes, and where lines and points lie."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from simio.report.nomograph import RatedCase, figure, page, sized, spoken

MB, GB = 10**6, 10**9
LINES = [RatedCase("1: disk", Fraction(5 * MB)), RatedCase("2: stripe <of> six", Fraction(50 * MB))]


@pytest.mark.parametrize(
    ("size", "seconds"), [(MB, Fraction(1, 5)), (GB, 200), (5 * MB, 1), (1, Fraction(1, 5 * MB))]
)
def test_waiting_is_size_over_rate(size: int, seconds: Fraction) -> None:
    assert LINES[0].wait(size) == seconds


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (Fraction(1, 5 * 10**6), "0.2 us"), (Fraction(1, 5), "200 ms"), (Fraction(1), "1 s"),
        (Fraction(599, 10), "59.9 s"), (Fraction(90), "1.5 min"), (Fraction(5400), "1.5 h"),
        (Fraction(86400 * 3), "3 days"),
    ],
)  # fmt: skip
def test_times_are_told_in_a_fitting_unit(seconds: Fraction, said: str) -> None:
    assert spoken(seconds) == said


@pytest.mark.parametrize(
    ("size", "said"), [(1, "1 B"), (1500, "1.5 kB"), (MB, "1 MB"), (650 * MB, "650 MB"), (10 * GB, "10 GB")]
)
def test_sizes_are_told_in_decimal_units(size: int, said: str) -> None:
    assert sized(size) == said


def test_axes_have_a_decade_more_than_there_is_on_each_side() -> None:
    layout = figure(LINES, [MB, GB]).layout
    assert tuple(layout.xaxis.range) == (5, 10)
    assert tuple(layout.xaxis.ticktext) == ("100 kB", "1 MB", "10 MB", "100 MB", "1 GB", "10 GB")
    assert tuple(layout.yaxis.range) == (5, 9)
    assert tuple(layout.yaxis.ticktext) == ("100 kB/s", "1 MB/s", "10 MB/s", "100 MB/s", "1 GB/s")
    assert layout.xaxis.type == layout.yaxis.type == "log"


def test_a_case_is_a_level_line_with_a_point_for_each_size() -> None:
    *_, line, _ = figure(LINES, [MB, GB]).data
    assert line.name == "1: disk"
    assert set(line.y) == {5e6}
    assert list(line.x) == [1e5, 1e6, 1e9, 1e10]
    assert list(line.hovertext) == ["", "1 MB in 200 ms", "1 GB in 3.33 min", ""]


def test_lines_of_equal_time_go_from_edge_to_edge_where_size_is_rate_times_time() -> None:
    seconds = {
        "1 ms": 0.001, "10 ms": 0.01, "0.1 s": 0.1, "1 s": 1, "10 s": 10, "1 min": 60, "10 min": 600, "1 h": 3600,
        "1 day": 86400,
    }  # fmt: skip
    equal = {line.name: line for line in figure(LINES, [MB, GB]).data if line.name[1:2] != ":"}
    # From 100 kB to 10 GB, and from 100 kB/s to 1 GB/s.
    assert equal.keys() == seconds.keys()
    for name, time in seconds.items():
        for x, y in zip(equal[name].x, equal[name].y, strict=True):
            assert x / y == pytest.approx(time)
            at_edge = [value == pytest.approx(edge) for value, edges in ((x, (1e5, 1e10)), (y, (1e5, 1e9)))
                       for edge in edges]  # fmt: skip
            assert any(at_edge)


def test_a_time_that_nobody_in_the_picture_waits_has_no_line() -> None:
    names = [line.name for line in figure([RatedCase("1", Fraction(50 * GB))], [MB]).data]
    assert "1 ms" in names
    assert "1 s" not in names


def test_the_page_loads_nothing_and_shows_names_as_they_are() -> None:
    text = page("Disks & <stripes>", LINES, [MB])
    assert "<title>Disks &amp; &lt;stripes&gt;</title>" in text
    assert "stripe \\u003cof\\u003e six" not in text
    assert not re.search(r"<(?:script|link|img)[^>]+(?:src|href)=", text)


def test_every_line_of_time_is_labelled_within_the_picture() -> None:
    drawn = figure(LINES, [MB, GB])
    across, up = drawn.layout.xaxis.range, drawn.layout.yaxis.range
    times = [line.name for line in drawn.data if line.name[1:2] != ":"]
    assert [label.text for label in drawn.layout.annotations] == times
    for label in drawn.layout.annotations:
        assert across[0] <= label.x <= across[1] + 1e-9
        assert up[0] <= label.y <= up[1] + 1e-9


def test_the_legend_has_room_below_however_many_cases_there_are() -> None:
    lines = [RatedCase(str(n), Fraction(MB + n)) for n in range(30)]
    few, many = (figure(lines[:cases], [MB]).layout for cases in (2, 30))
    assert many.height - many.margin.b == few.height - few.margin.b
    assert many.margin.b - few.margin.b >= 28 * 15
