"""Throughput of one or several scenarios against a value that they vary, as an SVG that needs nothing else."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log2, log10

from simio import units
from simio.errors import SimioError, did_you_mean, quote
from simio.result.model import CaseResult, ScenarioResult

WIDTH, HEIGHT = 900, 460
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 312, 78, 58
_LINE = 15
"""Least distance of the labels of two lines."""
_RATIO = 8
"""From so many times the least value on, values stand on a logarithmic axis."""
_COLOURS = (
    ("#0b62c4", "#6cb2ff"), ("#c2410c", "#ff9d5c"), ("#0f766e", "#4fd1c0"), ("#7c3aed", "#b794ff"),
    ("#a16207", "#f2c94c"), ("#be185d", "#ff8ac0"),
)  # fmt: skip
"""Of each scenario, on light and on dark ground."""
_DASHES = ("", "7 4", "2 4", "10 4 2 4")
_STYLE = """
text { font: 13px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2937 }
.ground { fill: #ffffff } .grid { stroke: #e5e7eb } .axis { stroke: #6b7280 } .quiet { fill: #6b7280 }
.title { font-size: 16px; font-weight: 600 } path { fill: none; stroke-width: 2.2; stroke-linejoin: round }
"""
_DARK = """
text { fill: #e5e7eb } .ground { fill: #0f172a } .grid { stroke: #293548 } .axis { stroke: #94a3b8 }
.quiet { fill: #94a3b8 }
"""


@dataclass(frozen=True)
class Line:
    """Points of one scenario that differ in one value only: what that value was, the rate, and what limited it."""

    name: str
    scenario: int
    number: int
    """Its place among the lines of the scenario, from 0 on."""
    points: tuple[tuple[str, float, str], ...]


def lines(results: Sequence[tuple[str, ScenarioResult]], key: str, unit: str) -> list[Line]:
    """Lines of two points and more over the values of `key`, one for each combination of the other settings.

    `results` are scenarios with what to call them; rates are told in `unit`. Raises SimioError where one does not
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
    told = (f"{name.rpartition('.')[2]} {value}" for name, value in case.settings.items() if name != key)
    return ", ".join(told)


def _number(value: str) -> float:
    """What a value is on an axis; raises SimioError for one that has no size, such as a name."""
    for dimension in ("", *units.DIMENSIONS):
        try:
            return float(units.parse(value, dimension)) if dimension else float(value)
        except (ValueError, units.UnitError):
            continue
    raise SimioError(f"--against: {quote(value)} is no number or quantity, so that it has no place on an axis")


def svg(title: str, drawn: Sequence[Line], key: str, unit: str) -> str:
    """The chart. Each line is labelled at its end; a point tells its values and what limited it when pointed at."""
    values = sorted({point[0] for line in drawn for point in line.points}, key=_number)
    across = _Across([_number(value) for value in values])
    step, top = _scale(max(rate for line in drawn for _, rate, _ in line.points))

    def height(rate: float) -> float:
        return HEIGHT - _BOTTOM - rate / top * (HEIGHT - _TOP - _BOTTOM)

    parts = [f'<text class="title" x="16" y="30">{html.escape(title)}</text>']
    parts += _grid(values, across, step, top, height)
    parts.append(
        f'<text class="quiet" x="{(_LEFT + WIDTH - _RIGHT) / 2}" y="{HEIGHT - 14}" text-anchor="middle">'
        f"{html.escape(key.rpartition('.')[2])}</text>"
    )
    parts.append(f'<text class="quiet" x="16" y="56">{html.escape(unit)}</text>')
    for line in drawn:
        spots = [(across.at(_number(value)), height(rate)) for value, rate, _ in line.points]
        parts += _drawn(line, spots, unit)
    parts += _labels(drawn, height)
    colours = "".join(
        f".c{n} {{ stroke: {light} }} .f{n} {{ fill: {light} }}\n" for n, (light, _) in enumerate(_COLOURS)
    )
    dark = "".join(f".c{n} {{ stroke: {dark} }} .f{n} {{ fill: {dark} }}\n" for n, (_, dark) in enumerate(_COLOURS))
    style = f"{_STYLE}{colours}@media (prefers-color-scheme: dark) {{{_DARK}{dark}}}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img"><title>{html.escape(title)}</title><style>{style}</style>'
        f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}" rx="8"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


class _Across:
    """Where values stand from left to right."""

    def __init__(self, values: Sequence[float]) -> None:
        self.least, self.most = values[0], values[-1]
        self.log = self.least > 0 and self.most >= _RATIO * self.least

    def at(self, value: float) -> float:
        """The place of a value, in pixels."""
        low, high, here = (log2(each) if self.log else each for each in (self.least, self.most, value))
        return _LEFT + 24 + (here - low) / ((high - low) or 1) * (WIDTH - _LEFT - _RIGHT - 40)


def _scale(most: float) -> tuple[float, float]:
    """A round step of four to eight, and the multiple of it that an axis goes to."""
    rough = most / 5
    power = 10.0 ** floor(log10(rough))
    step = next(power * each for each in (1, 2, 2.5, 5, 10) if power * each >= rough)
    return step, step * ceil(most * 1.02 / step)


def _grid(
    values: Sequence[str], across: _Across, step: float, top: float, height: Callable[[float], float]
) -> list[str]:
    found = []
    for number in range(round(top / step) + 1):
        y = height(number * step)
        kind = "grid" if number else "axis"
        found.append(f'<line class="{kind}" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        found.append(
            f'<text class="quiet" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{number * step:g}</text>'
        )
    for value in values:
        place = f'x="{across.at(_number(value)):.1f}" y="{HEIGHT - _BOTTOM + 20}" text-anchor="middle"'
        found.append(f'<text class="quiet" {place}>{html.escape(value)}</text>')
    return found


def _drawn(line: Line, spots: Sequence[tuple[float, float]], unit: str) -> list[str]:
    colour = line.scenario % len(_COLOURS)
    dash = _DASHES[line.number % len(_DASHES)]
    way = " L".join(f"{x:.1f},{y:.1f}" for x, y in spots)
    found = [f'<path class="c{colour}" d="M{way}"' + (f' stroke-dasharray="{dash}"' if dash else "") + "/>"]
    for (x, y), (value, rate, limit) in zip(spots, line.points, strict=True):
        told = html.escape(f"{line.name}, {value}: {rate:.4g} {unit}; {limit}")
        found.append(f'<circle class="f{colour}" cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{told}</title></circle>')
    return found


def _labels(drawn: Sequence[Line], height: Callable[[float], float]) -> list[str]:
    """The name of each line where it ends, moved apart as far as it takes."""
    found, last = [], -1e9
    for line in sorted(drawn, key=lambda one: height(one.points[-1][1])):
        end = height(line.points[-1][1])
        last = max(end, last + _LINE)
        rate = f"{line.points[-1][1]:.3g}"
        found.append(
            f'<text class="f{line.scenario % len(_COLOURS)}" x="{WIDTH - _RIGHT + 4}" y="{last + 4:.1f}">'
            f"{rate}  {html.escape(line.name)}</text>"
        )
    return found
