"""Plots of a promise over the load: on a terminal in characters, and as an SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simio import units
from simio.report import chart
from simio.report.html.text import shown as escape
from simio.report.svg import Picture, Scale
from simio.sweeps.capacity import Capacity, TriedLoad
from simio.sweeps.conditions import Requirement
from simio.wording import figure

WIDTH, HEIGHT = 900, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 40, 78, 340
_COLUMNS, _ROWS = 60, 11
_RATIO = 20
"""Ratio of the ends of an axis of times from which on it is logarithmic."""


@dataclass(frozen=True)
class LoadCurve:
    """The points of a search: load, value of the first promise and half of its interval; growing lines are apart.

    Loads and values are in the units `across` and `unit`, which the axes have beside their names.
    """

    points: Sequence[tuple[float, float, float]]
    growing: Sequence[float]
    limit: float
    across: str
    unit: str
    answer: float | None
    knee: tuple[float, float] | None

    @classmethod
    def of(cls, search: Capacity) -> LoadCurve:
        """The curve of a search that has run."""
        first = search.conditions[0]
        scale, unit = _scale(first)
        apart, across = _scale_of_loads(search)
        loads = sorted(search.loads, key=lambda load: load.value)
        growing = [load for load in loads if any(each.grows for each in load.result.loads)]

        def point(load: TriedLoad) -> tuple[float, float, float]:
            seen = first.seen(load.result)
            return float(load.value) / apart, seen.value / scale, seen.half_width / scale

        knee = search.knee
        return cls(
            [point(load) for load in loads if load not in growing],
            [float(load.value) / apart for load in growing],
            first.limit / scale,
            across,
            unit,
            float(search.most.value) / apart if search.most else None,
            point(knee)[:2] if knee else None,
        )

    @property
    def most(self) -> float:
        """The largest value on the axis: somewhat above the limit, however high points go, unless that is zero."""
        if not self.limit:
            return max([1.0, *(value for _, value, _ in self.points)])
        return max([self.limit * 1.25, *(min(value, 2.5 * self.limit) for _, value, _ in self.points)])

    @property
    def least(self) -> float:
        """The smallest value on the axis; zero unless it is logarithmic."""
        values = [value for _, value, _ in self.points if value > 0]
        smallest = min([*values, self.limit], default=0.0)
        return smallest / 1.3 if smallest > 0 and self.most / smallest >= _RATIO else 0.0


def _scale(first: Requirement) -> tuple[float, str]:
    """The size of the unit of the axis in base units, and its name."""
    if first.dimension == "time":
        text = units.format_quantity(max(round(first.limit), 1), "time").rpartition(" ")[2]
        return float(units.parse(f"1 {text}", "time")), text
    if first.dimension == "share":
        return 0.01, "%"
    if first.dimension == "rate":
        return 1e6, "MB/s"
    return 1.0, {"request_rate": "/s"}.get(first.dimension, "")


def _scale_of_loads(search: Capacity) -> tuple[float, str]:
    """The size of the unit of the loads in base units, and its name: that of the largest; of a count, none."""
    if search.dimension is None:
        return 1.0, ""
    unit = max(search.loads, key=lambda load: load.value).text.partition(" ")[2]
    return float(units.parse(f"1 {unit}", search.dimension)), unit


def drawn(search: Capacity, key: str) -> str:
    """The curve in characters; empty where there are fewer than three points."""
    curve = LoadCurve.of(search)
    if len(curve.points) < 3:
        return ""
    most_x = max([*(x for x, _, _ in curve.points), *curve.growing])
    across = Scale(0.0, most_x, 0, _COLUMNS - 1)
    up = Scale(curve.least, curve.most, _ROWS - 1, 0, logarithmic=curve.least > 0)
    rows = [[" "] * _COLUMNS for _ in range(_ROWS)]
    limit = round(up.place(curve.limit))
    rows[limit] = ["┄"] * _COLUMNS
    for x in curve.growing:
        for row in rows:
            row[round(across.place(x))] = "░"
    for x, y, _ in curve.points:
        rows[round(up.place(y))][round(across.place(x))] = "▲" if y > curve.most else "●"
    if curve.knee:
        rows[round(up.place(curve.knee[1]))][round(across.place(curve.knee[0]))] = "◆"
    labels = {0: curve.most, limit: curve.limit, _ROWS - 1: curve.least}
    first = search.conditions[0]
    lines = [f"{first.quantity}, {curve.unit}".rstrip(", ")]
    for number, row in enumerate(rows):
        label = f"{labels[number]:.3g}" if number in labels else ""
        lines.append(f"{label:>8} │{''.join(row).rstrip()}")
    name = key.rpartition(".")[2]
    last = max(search.loads, key=lambda load: load.value).text
    lines.append(f"{'':>8} └{'─' * _COLUMNS}")
    lines.append(
        f"{'':>9}{name} from 0 to {last}; ┄ limit"
        + "; ◆ knee" * bool(curve.knee)
        + "; ░ line grows" * bool(curve.growing)
    )
    return "\n".join(lines)


def svg(search: Capacity, key: str, title: str) -> str:
    """The curve with intervals, limit, answer and knee, as a picture that needs nothing else."""
    curve = LoadCurve.of(search)
    first = search.conditions[0]
    most_x = max([*(x for x, _, _ in curve.points), *curve.growing])
    across = Scale.from_zero(most_x, _LEFT, WIDTH - _RIGHT)
    up = Scale(curve.least, curve.most, _BOTTOM, _TOP, logarithmic=curve.least > 0)
    answer = f"{search.most.text} is the most for {first.text}" if search.most else "no load holds"
    picture = Picture(WIDTH, HEIGHT, title, chart.style(), about=answer)
    picture.parts.append(f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}" rx="8"/>')
    picture.text(16, 30, title, kind="title")
    picture.text(16, _TOP - 20, f"{first.quantity}, {curve.unit}".rstrip(", "), kind="quiet")
    picture.levels(up, _LEFT, WIDTH - _RIGHT, "quiet", "axis")
    for tick in across.ticks():
        picture.line(across.place(tick), _BOTTOM, across.place(tick), _BOTTOM + 5)
        picture.text(across.place(tick), _BOTTOM + 20, f"{tick:g}", "middle", "quiet")
    picture.text((_LEFT + WIDTH - _RIGHT) / 2, _BOTTOM + 42, f"{key}, {curve.across}".rstrip(", "), "middle", "quiet")
    for x in curve.growing:
        picture.area(across.place(x) - 5, _TOP, across.place(x) + 5, _BOTTOM)
        picture.text(across.place(x), _TOP - 6, "line grows", "middle", "quiet")
    picture.line(_LEFT, up.place(curve.limit), WIDTH - _RIGHT, up.place(curve.limit), "c1 interval")
    picture.text(_LEFT + 8, up.place(curve.limit) - 7, f"promise: {first.text}", kind="f1")
    _points(picture, curve, across, up)
    if curve.answer is not None:
        x = across.place(curve.answer)
        picture.line(x, _TOP, x, _BOTTOM, "c2 interval")
        picture.text(x - 8, _TOP + 14, search.most.text if search.most else "", "end", "f2")
    if curve.knee:
        x, y = across.place(curve.knee[0]), up.place(curve.knee[1])
        picture.parts.append(f'<path class="f3 point" d="M{x - 7:.1f} {y:.1f}l7 -7l7 7l-7 7z"/>')
        picture.text(x - 10, y - 10, "knee", "end", "f3")
    return picture.whole()


def _points(picture: Picture, curve: LoadCurve, across: Scale, up: Scale) -> None:
    """The line with its intervals; a point above the axis is a triangle at its top."""
    if len(curve.points) > 1:
        picture.lines([(across.place(x), up.place(y)) for x, y, _ in curve.points], kind="c0")
    for x, y, half in curve.points:
        place, hint = across.place(x), f"{x:.6g}: {figure(y)} {curve.unit}"
        if y > curve.most:
            shape = f"M{place - 5:.1f} {_TOP + 4}h10l-5 -9z"
            picture.parts.append(f'<path class="f0 point" d="{shape}"><title>{escape(hint)}</title></path>')
            continue
        if half:
            ends = up.place(max(y - half, curve.least)), up.place(min(y + half, curve.most))
            picture.line(place, ends[0], place, ends[1], "c0 interval")
        picture.dot(place, up.place(y), kind="f0", hint=hint)
