"""Throughput of one or several scenarios against a value that they vary, as an SVG that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simio import units
from simio.errors import SimioError, did_you_mean, quote
from simio.report.svg import Picture, Scale
from simio.result.model import CaseResult, ScenarioResult
from simio.sweeps.values import number_of

WIDTH, HEIGHT = 900, 460
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 312, 78, 58
_LINE = 15
"""Least distance of the labels of two lines, in pixels."""
_RATIO = 8
"""The axis is logarithmic if the largest value is at least this many times the least."""
_COLOURS = (
    ("#0b62c4", "#6cb2ff"), ("#c2410c", "#ff9d5c"), ("#0f766e", "#4fd1c0"), ("#7c3aed", "#b794ff"),
    ("#a16207", "#f2c94c"), ("#be185d", "#ff8ac0"),
)  # fmt: skip
"""Colours of each scenario, on light and on dark ground."""
_DASHES = ("", "7 4", "2 4", "10 4 2 4")
_STYLE = """
text{font-size:13px;font-family:system-ui,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1f2937}
.ground{fill:#ffffff}.grid{stroke:#e5e7eb}.axis{stroke:#6b7280}.quiet{fill:#6b7280}.title{font-size:16px}
polyline{fill:none;stroke-width:2.2;stroke-linejoin:round}
"""
_DARK = """
text{fill:#e5e7eb}.ground{fill:#0f172a}.grid{stroke:#293548}.axis{stroke:#94a3b8}.quiet{fill:#94a3b8}
"""


@dataclass(frozen=True)
class Line:
    """Points of one scenario that differ in one value only: that value, the rate, and what limits."""

    name: str
    scenario: int
    number: int
    """Its index among the lines of the scenario."""
    points: tuple[tuple[str, float, str], ...]


def lines(results: Sequence[tuple[str, ScenarioResult]], key: str, unit: str) -> list[Line]:
    """Lines of two points and more over the values of `key`, one for each combination of the other settings.

    `results` are scenarios with their names; rates are shown in `unit`. Raises SimioError if one does not
    vary `key`, or no two of its cases differ in that alone.
    """
    found = []
    for number, (name, result) in enumerate(results):
        varied = sorted({setting for case in result.cases for setting in case.settings})
        if key not in varied:
            near = did_you_mean(key, varied) or f"it varies {', '.join(varied) or 'nothing'}"
            raise SimioError(f"--against: {quote(name)} does not vary {quote(key)}; {near}")
        groups: dict[str, list[tuple[str, float, str]]] = {}
        for case in result.cases:
            if key in case.settings and case.rate:
                rate = float(units.convert(case.rate, "rate", unit))
                point = (case.settings[key], rate, case.limiter.sentence)
                groups.setdefault(_others(case, key), []).append(point)
        kept = {others: points for others, points in groups.items() if len(points) > 1}
        if not kept:
            raise SimioError(f"{quote(name)} has no two cases that differ in {quote(key)} alone and deliver anything")
        for place, (others, points) in enumerate(kept.items()):
            label = f"{name}, {others}" if others else name
            found.append(Line(label, number, place, tuple(sorted(points, key=lambda one: _number(one[0])))))
    return found


def _others(case: CaseResult, key: str) -> str:
    parts = (f"{name.rpartition('.')[2]} {value}" for name, value in case.settings.items() if name != key)
    return ", ".join(parts)


def _number(value: str) -> float:
    """A value on an axis; raises SimioError for one that has no size, such as a name."""
    found = number_of(value)
    if found is None:
        raise SimioError(f"--against: found {quote(value)}; expected a number or a quantity, which an axis can show")
    return float(found[0])


def svg(title: str, drawn: Sequence[Line], key: str, unit: str) -> str:
    """The chart. Each line has its label at its end; the hint of a point is its values and its limit."""
    values = sorted({point[0] for line in drawn for point in line.points}, key=_number)
    ends = _number(values[0]), _number(values[-1])
    across = Scale(*ends, _LEFT + 24, WIDTH - _RIGHT - 16, ends[0] > 0 and ends[1] >= _RATIO * ends[0])
    up = Scale.from_zero(max(rate for line in drawn for _, rate, _ in line.points), HEIGHT - _BOTTOM, _TOP)
    picture = Picture(WIDTH, HEIGHT, title, _style())
    picture.parts.append(f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}" rx="8"/>')
    picture.text(16, 30, title, kind="title")
    picture.text(16, 56, unit, kind="quiet")
    picture.text((_LEFT + WIDTH - _RIGHT) / 2, HEIGHT - 14, key.rpartition(".")[2], "middle", "quiet")
    picture.levels(up, _LEFT, WIDTH - _RIGHT, "quiet", "axis")
    for value in values:
        picture.text(across.place(_number(value)), HEIGHT - _BOTTOM + 20, value, "middle", "quiet")
    for line in drawn:
        colour, dash = line.scenario % len(_COLOURS), _DASHES[line.number % len(_DASHES)]
        points = [(across.place(_number(value)), up.place(rate)) for value, rate, _ in line.points]
        picture.lines(points, kind=f"c{colour}", dash=dash)
        for (x, y), (value, rate, limit) in zip(points, line.points, strict=True):
            hint = f"{line.name}, {value}: {rate:.4g} {unit}; {limit}"
            picture.dot(x, y, kind=f"f{colour}", hint=hint)
    _draw_labels(picture, drawn, up)
    return picture.whole()


def _style() -> str:
    """The look of the chart, with the classes c0, c1, ... of lines and f0, f1, ... of points and labels."""
    light, dark = (
        "".join(f".c{n}{{stroke:{pair[ground]}}}.f{n}{{fill:{pair[ground]}}}\n" for n, pair in enumerate(_COLOURS))
        for ground in (0, 1)
    )
    return f"{_STYLE}{light}@media (prefers-color-scheme: dark){{{_DARK}{dark}}}"


def _draw_labels(picture: Picture, drawn: Sequence[Line], up: Scale) -> None:
    """The name of each line where it ends, moved apart as far as needed."""
    last = -1e9
    for line in sorted(drawn, key=lambda one: up.place(one.points[-1][1])):
        rate = line.points[-1][1]
        last = max(up.place(rate), last + _LINE)
        colour = line.scenario % len(_COLOURS)
        picture.text(WIDTH - _RIGHT + 4, last + 4, f"{rate:.3g}  {line.name}", kind=f"f{colour}")
