"""Throughput of one or several scenarios against a value that they vary, as an SVG that needs nothing else."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import log

from simio.errors import SimioError, did_you_mean, quote
from simio.report.html.curves import measured_range
from simio.report.html.text import shown as escape
from simio.report.svg import Picture, Scale
from simio.result.model import CaseResult, ScenarioResult
from simio.result.request_rate import counts_requests
from simio.sweeps.values import number_of
from simio.wording import counted, figure, in_unit, short_names

WIDTH, PLOT = 900, 420
"""Width of the picture and height of the part with lines, in pixels; the legend is below that."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 74, 62, 62
_LINE = 15
"""Least distance of the values at the ends of two lines, in pixels."""
_ENTRY, _SAMPLE = 20, 44
"""Height of a line of the legend, and width of its sample."""
_LETTER = 7.4
"""Mean width of a character; a little more than that of most fonts."""
_TITLE = 88
"""Characters of a line of the title."""
_RATIO = 8
"""The axis may be logarithmic if the largest value is at least this many times the least."""
_COLOURS = (
    ("#0b62c4", "#6cb2ff"), ("#c2410c", "#ff9d5c"), ("#0f766e", "#4fd1c0"), ("#7c3aed", "#b794ff"),
    ("#a16207", "#f2c94c"), ("#be185d", "#ff8ac0"),
)  # fmt: skip
"""Colours of lines, on light and on dark ground."""
_DASHES = ("", "8 4", "2 4", "10 4 2 4")
_STYLE = """
text{font-size:13px;font-family:system-ui,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1f2937}
.ground{fill:#ffffff}.grid{stroke:#e5e7eb}.axis{stroke:#6b7280}.quiet{fill:#6b7280}.title{font-size:16px}
polyline{fill:none;stroke-width:2.2;stroke-linejoin:round}
.interval{fill:none;stroke-width:1.5}.measured{fill:none;stroke-width:2.2}
"""
_DARK = """
text{fill:#e5e7eb}.ground{fill:#0f172a}.grid{stroke:#293548}.axis{stroke:#94a3b8}.quiet{fill:#94a3b8}
"""


@dataclass(frozen=True)
class ChartPoint:
    """A value on the axis with its rate, half of the rate's confidence interval, what limits, and what was measured.

    `measured` has the ends of each measured range, in the unit of the rate.
    """

    value: str
    rate: float
    limit: str = ""
    half_width: float = 0.0
    measured: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class ChartLine:
    """Points of one scenario that differ in one value only, and what they have in common."""

    name: str
    points: tuple[ChartPoint, ...] = field(default=())


def lines(results: Sequence[tuple[str, ScenarioResult]], key: str, unit: str) -> list[ChartLine]:
    """Lines over the values of `key`, one for each combination of the other settings, if only of a single point.

    `results` are scenarios with their names, which lines have where there are several; rates are in `unit`. Raises
    SimioError if a scenario does not vary `key`, delivers nothing, or has its answer in requests or bytes alone.
    """
    found = []
    for name, result in results:
        if counts_requests(result.unit) != counts_requests(unit):
            raise SimioError(
                f"{quote(name)}: found its answer in {result.unit}; expected one that compares with {unit}, that of "
                f"the first scenario; --set report.unit={quote(unit)} gives all in one unit"
            )
        varied = sorted({setting for case in result.cases for setting in case.settings})
        if key not in varied:
            given = key.partition("=")[0]
            vary = f"it varies {', '.join(varied) or 'nothing'}; --set {given}=VALUES --against {given} does"
            near = did_you_mean(key, varied) or vary
            raise SimioError(f"--against: {quote(name)} does not vary {quote(key)}; {near}")
        cases = [case for case in result.cases if key in case.settings and case.rate]
        if not cases:
            raise SimioError(f"{quote(name)} delivers nothing in any case that sets {quote(key)}")
        others = [other for other in varied if len({case.settings.get(other) for case in cases}) > 1 and other != key]
        groups: dict[str, list[ChartPoint]] = {}
        for case in cases:
            groups.setdefault(_others(case, others), []).append(_point(case, key, unit))
        for label, points in groups.items():
            whole = ", ".join(filter(None, [name if len(results) > 1 else "", label]))
            whole = whole or ("as it is" if others else "simulated")
            found.append(ChartLine(whole, tuple(sorted(points, key=lambda one: _number(one.value)))))
    return found


def _others(case: CaseResult, keys: Sequence[str]) -> str:
    names = zip(short_names(keys), keys, strict=True)
    return ", ".join(f"{name} {case.settings[key]}" for name, key in names if key in case.settings)


def _point(case: CaseResult, key: str, unit: str) -> ChartPoint:
    rows = (row for row in case.measured if row.quantity == "throughput" and row.value)
    half = in_unit(case.half_width or 0.0, unit)
    measured = tuple(measured_range(row, unit) for row in rows)
    return ChartPoint(case.settings[key], in_unit(float(case.rate), unit), case.limiter.sentence, half, measured)


def _number(value: str) -> float:
    """A value on an axis; raises SimioError for one that has no size, such as a name."""
    found = number_of(value)
    if found is None:
        raise SimioError(f"--against: found {quote(value)}; expected a number or a quantity, which an axis can show")
    return float(found[0])


def size(title: str, drawn: Sequence[ChartLine]) -> tuple[int, int]:
    """Width and height of the chart in pixels."""
    return WIDTH, _head(title) + PLOT + _ENTRY * len(_legend(drawn)) + 10


def svg(title: str, drawn: Sequence[ChartLine], key: str, unit: str) -> str:
    """The chart, with a legend below it. The hint of a point is its values and its limit."""
    points = [point for line in drawn for point in line.points]
    values = sorted({point.value for point in points}, key=_number)
    ends = _number(values[0]), _number(values[-1])
    top, bottom = _head(title) + _TOP - 24, _head(title) + PLOT - _BOTTOM
    across = Scale(*ends, _LEFT + 24, WIDTH - _RIGHT - 8, _logarithmic([_number(value) for value in values]))
    most = max(max(point.rate + point.half_width, *(high for _, high in point.measured), 0) for point in points)
    up = Scale.from_zero(most, bottom, top)
    width, height = size(title, drawn)
    picture = Picture(width, height, title, style(), about=_about(drawn, unit))
    picture.parts.append(f'<rect class="ground" width="{width}" height="{height}" rx="8"/>')
    for number, part in enumerate(_wrapped(title)):
        picture.text(16, 30 + 21 * number, part, kind="title")
    picture.text(16, top - 14, unit, kind="quiet")
    picture.text((_LEFT + WIDTH - _RIGHT) / 2, bottom + 42, key, "middle", "quiet")
    picture.levels(up, _LEFT, WIDTH - _RIGHT, "quiet", "axis")
    _draw_ticks(picture, values, across, bottom)
    for number, line in enumerate(drawn):
        _draw_line(picture, line, number, across, up, unit)
    _draw_ends(picture, drawn, across, up)
    _draw_legend(picture, drawn, _head(title) + PLOT)
    return picture.whole()


def _logarithmic(values: Sequence[float]) -> bool:
    """Decide whether values that span some range stand more evenly on a logarithmic axis."""
    if values[0] <= 0 or values[-1] < _RATIO * values[0]:
        return False
    apart = [after - before for before, after in pairwise(values)]
    ratios = [log(after / before) for before, after in pairwise(values)]
    return max(ratios) / min(ratios) <= max(apart) / min(apart)


def _wrapped(title: str) -> list[str]:
    return textwrap.wrap(title, _TITLE) or [""]


def _head(title: str) -> int:
    """Height of the title in pixels."""
    return 24 + 21 * len(_wrapped(title))


def _about(drawn: Sequence[ChartLine], unit: str) -> str:
    """The main number of each line in words."""
    told = []
    for line in drawn:
        best = max(line.points, key=lambda point: point.rate)
        told.append(f"{line.name}: at most {figure(best.rate)} {unit}, at {best.value}")
    return "; ".join(told)


def style() -> str:
    """The look of the chart, with the classes c0, c1, ... of lines and f0, f1, ... of points and labels."""
    light, dark = (
        "".join(f".c{n}{{stroke:{pair[ground]}}}.f{n}{{fill:{pair[ground]}}}\n" for n, pair in enumerate(_COLOURS))
        for ground in (0, 1)
    )
    return f"{_STYLE}{light}@media (prefers-color-scheme: dark){{{_DARK}{dark}}}"


def _look(number: int) -> tuple[int, str]:
    """Colour and dash of a line; both differ from those of the line before, and 24 lines have no two alike."""
    return number % len(_COLOURS), _DASHES[(number + number // 12) % len(_DASHES)]


def _draw_ticks(picture: Picture, values: Sequence[str], across: Scale, bottom: float) -> None:
    """A mark for each value, and its text where that has room; the first and the last have."""
    places = {value: across.place(_number(value)) for value in values}

    def half(value: str) -> float:
        return _LETTER * len(value) / 2 + 5

    last = values[-1]
    edge = -1e9
    for value in values:
        picture.line(places[value], bottom, places[value], bottom + 5)
        fits = places[value] - half(value) >= edge and places[value] + half(value) <= places[last] - half(last)
        if fits or value == last:
            picture.text(places[value], bottom + 20, value, "middle", "quiet")
            edge = places[value] + half(value)


def _draw_line(picture: Picture, line: ChartLine, number: int, across: Scale, up: Scale, unit: str) -> None:
    colour, dash = _look(number)
    places = [(across.place(_number(point.value)), up.place(point.rate)) for point in line.points]
    if len(places) > 1:
        picture.lines(places, kind=f"c{colour}", dash=dash)
    for (x, y), point in zip(places, line.points, strict=True):
        if point.half_width:
            ends = up.place(point.rate - point.half_width), up.place(point.rate + point.half_width)
            _draw_interval(picture, x, *ends, colour)
        known = "".join(f"; measured {_range(low, high)} {unit}" for low, high in point.measured)
        hint = f"{line.name}, {point.value}: {figure(point.rate)} {unit}{known}; {point.limit}"
        _draw_point(picture, x, y, number, hint)
        for low, high in point.measured:
            _draw_measured(picture, x, up.place(low), up.place(high), colour)


def _draw_point(picture: Picture, x: float, y: float, number: int, hint: str = "") -> None:
    """A mark whose shape differs where colours come again: a circle, a square, a diamond."""
    colour, _ = _look(number)
    shape = number // len(_COLOURS) % 3
    if shape == 0:
        picture.dot(x, y, kind=f"f{colour}", hint=hint)
        return
    path = f"M{x - 4:.1f} {y - 4:.1f}h8v8h-8z" if shape == 1 else f"M{x - 6:.1f} {y:.1f}l6 -6l6 6l-6 6z"
    inner = f"<title>{escape(hint)}</title>" if hint else ""
    picture.parts.append(f'<path class="f{colour} point" d="{path}">{inner}</path>')


def _range(low: float, high: float) -> str:
    return figure(low) if low == high else f"{figure(low)} to {figure(high)}"


def _draw_interval(picture: Picture, x: float, low: float, high: float, colour: int) -> None:
    """A bar with caps between two heights."""
    picture.parts.append(f'<path class="c{colour} interval" d="M{x - 4:.1f} {low:.1f}h8m-4 0V{high:.1f}m-4 0h8"/>')


def _draw_measured(picture: Picture, x: float, low: float, high: float, colour: int) -> None:
    """A cross at a measured value, or a bar over a measured range with one in its middle."""
    if low != high:
        _draw_interval(picture, x, low, high, colour)
    y = (low + high) / 2
    picture.parts.append(f'<path class="c{colour} measured" d="M{x - 5:.1f} {y - 5:.1f}l10 10m0 -10l-10 10"/>')


def _draw_ends(picture: Picture, drawn: Sequence[ChartLine], across: Scale, up: Scale) -> None:
    """The last rate of each line that reaches the end of the axis, moved apart as far as needed."""
    last = -1e9
    ends = [(line.points[-1], number) for number, line in enumerate(drawn) if len(line.points) > 1]
    for point, number in sorted(ends, key=lambda end: up.place(end[0].rate)):
        if across.place(_number(point.value)) >= across.end - 1:
            last = max(up.place(point.rate), last + _LINE)
            picture.text(across.end + 12, last + 4, figure(point.rate, 3), kind=f"f{_look(number)[0]}")


Entry = tuple[int, str, int]
"""A line's number (-1 for what marks mean), its text, and its left edge in pixels."""


def _legend(drawn: Sequence[ChartLine]) -> list[list[Entry]]:
    """The lines of the legend: as many entries side by side as have room, cut only where one alone has not."""
    entries = [(number, line.name) for number, line in enumerate(drawn)]
    if any(point.measured for line in drawn for point in line.points):
        entries.append((-1, "measured"))
    if len(entries) == 1 and entries[0][1] == "simulated":
        return []
    most = int((WIDTH - 32 - _SAMPLE) / _LETTER)
    rows: list[list[Entry]] = []
    room = 0.0
    for number, name in entries:
        text = name if len(name) <= most else f"{name[: most - 1]}…"
        needed = _SAMPLE + _LETTER * len(text) + 20
        if needed > room:
            rows.append([])
            room = WIDTH - 16.0
        rows[-1].append((number, text, round(WIDTH - room)))
        room -= needed
    return rows


def _draw_legend(picture: Picture, drawn: Sequence[ChartLine], top: float) -> None:
    """A sample of each line, with its mark, and what it means."""
    for row, entries in enumerate(_legend(drawn)):
        y = top + _ENTRY * row
        for number, text, x in entries:
            middle = x + (_SAMPLE - 10) / 2
            if number < 0:
                picture.parts.append(
                    f'<path class="axis measured" d="M{middle - 5:.1f} {y - 5:.1f}l10 10m0 -10l-10 10"/>'
                )
            else:
                colour, dash = _look(number)
                if len(drawn[number].points) > 1:
                    picture.lines([(x, y), (x + _SAMPLE - 10, y)], kind=f"c{colour}", dash=dash)
                _draw_point(picture, middle, y, number)
            picture.text(x + _SAMPLE - 4, y + 4, text)


def described(results: Sequence[tuple[str, ScenarioResult]], key: str) -> str:
    """The title of a chart: that of the scenario, or what several have in common."""
    if len(results) == 1:
        return results[0][1].title
    return f"Throughput of {counted(len(results), 'scenario')} over {key.rpartition('.')[2]}"
