"""The data-demand nomograph: how long a user waits for an object of a size, at the rates that cases give.

On logarithmic axes of size and rate, points of equal waiting time lie on straight lines, since time = size / rate;
the throughput of a configuration is a level line that crosses them.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

from simio import units
from simio.result.model import CaseResult, ScenarioResult
from simio.wiring.picture import CONFIG

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

SIZES = tuple(10**power for power in range(6, 11))
"""Sizes of objects in bytes for which waiting times are told, where no others are asked for."""
WAITS = (
    (Fraction(1, 1000), "1 ms"), (Fraction(1, 100), "10 ms"), (Fraction(1, 10), "0.1 s"), (Fraction(1), "1 s"),
    (Fraction(10), "10 s"), (Fraction(60), "1 min"), (Fraction(600), "10 min"), (Fraction(3600), "1 h"),
    (Fraction(86400), "1 day"),
)  # fmt: skip
"""The lines of equal waiting time, in seconds, and what is written at them."""
_UNITS = (
    (86400, "days"),
    (3600, "h"),
    (60, "min"),
    (1, "s"),
    (Fraction(1, 10**3), "ms"),
    (Fraction(1, 10**6), "us"),
)
_WIDTH, _HEIGHT = 1000, 640
_GREY = "#94a3b8"
_INK = "#1f2937"


@dataclass(frozen=True)
class Case:
    """A line of the nomograph: what it is called, and its rate in bytes a second."""

    name: str
    rate: Fraction

    def wait(self, size: int) -> Fraction:
        """Seconds until `size` bytes have come."""
        return size / self.rate


def cases(result: ScenarioResult) -> list[Case]:
    """The cases of a result that deliver something, called after the settings in which they differ."""
    return [Case(_name(case), case.rate) for case in result.cases if case.rate]


def _name(case: CaseResult) -> str:
    told = ", ".join(f"{key.rpartition('.')[2]} {value}" for key, value in case.settings.items())
    return f"{case.index + 1}: {told}" if told else f"{case.index + 1}"


def spoken(seconds: Fraction) -> str:
    """A waiting time with three digits, in the largest unit of which it is one or more."""
    length, unit = next((each for each in _UNITS if seconds >= each[0]), _UNITS[-1])
    return f"{float(seconds / length):.3g} {unit}"


def sized(size: int) -> str:
    """A size in decimal units, as disks and networks are sold."""
    for power, unit in ((12, "TB"), (9, "GB"), (6, "MB"), (3, "kB")):
        if size >= 10**power:
            return units.format_quantity(size, "size", unit)
    return units.format_quantity(size, "size", "B")


def figure(title: str, lines: Sequence[Case], sizes: Sequence[int]) -> Figure:
    """The nomograph as a Plotly figure; hovering over a point tells the case, the size and the time."""
    import plotly.graph_objects as go

    decades = _decades(sizes), _decades([line.rate for line in lines])
    picture = go.Figure()
    for seconds, label in WAITS:
        _equal(picture, go, seconds, label, *decades)
    for line in lines:
        _level(picture, go, line, sizes, decades[0])
    picture.update_layout(
        title={"text": html.escape(title, quote=False)}, width=_WIDTH, height=_HEIGHT, plot_bgcolor="white",
        font={"color": _INK}, xaxis=_axis("size of the object", decades[0], ""),
        yaxis=_axis("rate", decades[1], "/s"), legend={"title": {"text": "case"}},
    )  # fmt: skip
    return picture


def page(title: str, lines: Sequence[Case], sizes: Sequence[int]) -> str:
    """The nomograph as a web page that needs nothing else."""
    text: str = figure(title, lines, sizes).to_html(include_plotlyjs=True, config=CONFIG, div_id="nomograph")
    return text.replace("<head>", f"<head><title>{html.escape(title)}</title>", 1)


def _decades(values: Sequence[int | Fraction]) -> tuple[int, int]:
    """The powers of ten that an axis goes from and to: a decade more than the values on each side."""
    return floor(log10(min(values))) - 1, ceil(log10(max(values))) + 1


def _axis(title: str, decades: tuple[int, int], after: str) -> dict[str, Any]:
    powers = range(decades[0], decades[1] + 1)
    told = [sized(10**power) + after if power >= 0 else "" for power in powers]
    return {
        "type": "log", "title": {"text": title}, "range": list(decades),
        "tickvals": [10.0**power for power in powers], "ticktext": told,
        "gridcolor": "#e5e7eb", "showline": True, "linecolor": _GREY,
    }  # fmt: skip


def _equal(
    picture: Any, go: Any, seconds: Fraction, label: str, across: tuple[int, int], up: tuple[int, int]
) -> None:
    """The line of one waiting time, from edge to edge, if it passes the picture."""
    shift = log10(seconds)
    first, last = max(across[0], up[0] + shift), min(across[1], up[1] + shift)
    if first >= last:
        return
    picture.add_trace(
        go.Scatter(
            x=[10**first, 10**last], y=[10 ** (first - shift), 10 ** (last - shift)], mode="lines+text", name=label,
            text=["", label], textposition="bottom left", line={"color": _GREY, "width": 1, "dash": "dot"},
            hoverinfo="skip", showlegend=False,
        )
    )  # fmt: skip


def _level(picture: Any, go: Any, line: Case, sizes: Sequence[int], across: tuple[int, int]) -> None:
    """A case: a level line, with a point for each size."""
    rate = float(line.rate)
    xs = [10.0 ** across[0], *map(float, sizes), 10.0 ** across[1]]
    told = [f"{sized(size)} in {spoken(line.wait(size))}" for size in sizes]
    picture.add_trace(
        go.Scatter(
            x=xs, y=[rate] * len(xs), mode="lines+markers", name=html.escape(line.name, quote=False),
            marker={"size": [0, *[8] * len(sizes), 0]}, hovertext=["", *told, ""], hoverinfo="name+text",
        )
    )  # fmt: skip
