"""A result as one small SVG: throughput over what varies, or of each case, or the utilisation of one case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simio.report import chart
from simio.report.html.curves import axis_of, measured_range, number
from simio.report.svg import Picture, Scale
from simio.report.tables import rate_text, varied_keys
from simio.result.alike import told_apart
from simio.result.model import ScenarioResult
from simio.wording import in_unit, lock_marked, merged, short_names

MOST = 24
"""Bars in a picture; of more, the first ones."""
_ROW, _LEFT, _RIGHT, _HEAD = 22, 330, 110, 64
_NAME = 42
"""Characters of a name."""


@dataclass(frozen=True)
class NamedBar:
    """A bar: a name, a length, that length as text, and the ends of each measured range."""

    name: str
    length: float
    text: str
    measured: tuple[tuple[float, float], ...] = ()


def picture_of(result: ScenarioResult) -> str:
    """The picture of a result; empty where there is nothing to draw."""
    cases = [case for case in result.cases if case.rate]
    if len(result.cases) > 1:
        key = axis_of(result) if cases else None
        if key and all(number(case.settings[key]) is not None for case in cases if key in case.settings):
            drawn = chart.lines([("", result)], key, result.unit)
            if any(len(line.points) > 1 for line in drawn):
                return chart.svg(result.title, drawn, key, result.unit)
        return bars(result.title, _of_cases(result), result.unit)
    if len(result.cases) == 1:
        used = sorted(
            (use for use in result.cases[0].resources if use.seizes or use.utilisation),
            key=lambda use: -use.utilisation,
        )
        apart = told_apart(used, result.cases[0].bonds)
        alike = merged(used, lambda use: use.name, lambda use: use.lock, apart)
        rows = [
            NamedBar(lock_marked(name, use.lock), 100 * use.utilisation, f"{use.utilisation:.1%}")
            for name, use in alike
        ]
        return bars(result.title, rows, "utilisation, %", 100.0) if rows else ""
    return ""


def bars(title: str, rows: Sequence[NamedBar], axis: str, most: float | None = None) -> str:
    """Level bars from zero to the longest or to `most`, with names and values; crosses are what was measured."""
    shown, left_out = rows[:MOST], len(rows) - MOST
    longest = max(max(bar.length, *(high for _, high in bar.measured), 0.0) for bar in shown)
    height = _HEAD + _ROW * (len(shown) + (left_out > 0)) + 44
    right, bottom = chart.WIDTH - _RIGHT, height - 40.0
    across = Scale(0.0, most, _LEFT, right) if most else Scale.from_zero(longest or 1.0, _LEFT, right)
    top = max(shown, key=lambda bar: bar.length)
    picture = Picture(chart.WIDTH, height, title, chart.style(), about=f"most: {top.name}, {top.text}")
    picture.parts.append(f'<rect class="ground" width="{chart.WIDTH}" height="{height}" rx="8"/>')
    picture.text(16, 30, _cut(title, 88), kind="title")
    for tick in across.ticks():
        picture.line(across.place(tick), _HEAD - 14, across.place(tick), bottom, "grid" if tick else "axis")
        picture.text(across.place(tick), bottom + 17, f"{tick:g}", "middle", "quiet")
    picture.text((_LEFT + right) / 2, bottom + 34, axis, "middle", "quiet")
    for at, bar in enumerate(shown):
        _draw(picture, bar, _HEAD + _ROW * at, across)
    if left_out > 0:
        picture.text(_LEFT - 10, _HEAD + _ROW * len(shown), f"and {left_out} more", "end", "quiet")
    return picture.whole()


def _draw(picture: Picture, bar: NamedBar, y: float, across: Scale) -> None:
    picture.text(_LEFT - 10, y + 4, _cut(bar.name, _NAME), "end")
    picture.parts.append(
        f'<rect class="f0" x="{_LEFT}" y="{y - 7:.1f}" width="{across.place(bar.length) - _LEFT:.1f}" height="14"/>'
    )
    ends = [across.place(bar.length)]
    for low, high in bar.measured:
        x = across.place((low + high) / 2)
        ends.append(across.place(high))
        picture.line(across.place(low), y, across.place(high), y)
        picture.parts.append(f'<path class="c1 measured" d="M{x - 5:.1f} {y - 5:.1f}l10 10m0 -10l-10 10"/>')
    picture.text(max(ends) + 8, y + 4, bar.text)


def _of_cases(result: ScenarioResult) -> list[NamedBar]:
    """The throughput of each case, named by what varies."""
    keys = varied_keys(result)
    names = list(zip(short_names(keys), keys, strict=True))
    found = []
    for case in result.cases:
        settings = ", ".join(f"{name} {case.settings[key]}" for name, key in names if key in case.settings)
        rows = (row for row in case.measured if row.quantity == "throughput" and row.value)
        measured = tuple(measured_range(row, result.unit) for row in rows)
        rate = in_unit(float(case.rate), result.unit)
        found.append(NamedBar(f"{case.index + 1}: {settings}", rate, rate_text(case, result.unit), measured))
    return found


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
