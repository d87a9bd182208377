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
from simio.extras import needs
from simio.result.model import CaseResult, ScenarioResult

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

CONFIG = {"displaylogo": False, "showSendToCloud": False, "displayModeBar": False}
"""Plotly's settings: nothing that would upload the picture."""
SIZES = tuple(10**power for power in range(6, 11))
"""Default sizes of objects, in bytes."""
WAITS = (
    (Fraction(1, 1000), "1 ms"), (Fraction(1, 100), "10 ms"), (Fraction(1, 10), "0.1 s"), (Fraction(1), "1 s"),
    (Fraction(10), "10 s"), (Fraction(60), "1 min"), (Fraction(600), "10 min"), (Fraction(3600), "1 h"),
    (Fraction(86400), "1 day"),
)  # fmt: skip
"""The lines of equal waiting time: seconds and label."""
_UNITS = (
    (86400, "days"),
    (3600, "h"),
    (60, "min"),
    (1, "s"),
    (Fraction(1, 10**3), "ms"),
    (Fraction(1, 10**6), "us"),
)
_PLOT, _AXIS, _ENTRY = 500, 64, 19
"""Heights in pixels: of the plot, of what stands below its lower axis, and of an entry of the legend."""
_GREY = "#94a3b8"
_INK, _GROUND, _GRID = "#1f2937", "#ffffff", "#e5e7eb"
_COLOURS = (
    "#2a78d6", "#d9581f", "#0f9d76", "#8a5cf0", "#b7791f", "#d6408f", "#1597b8", "#6b8e23", "#c0392b", "#7f8c9b",
)  # fmt: skip
"""Colours of cases; each is visible on light and on dark ground."""
_DASHES = ("solid", "dash", "dashdot", "longdash")
"""Dashes of cases, the next one where the colours come again."""
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="simio"><title>{title}</title><style>
:root {{ color-scheme: light dark }}
body {{ margin: 0 auto; max-width: 1100px; padding: 12px; background: #fff; color: #1f2937;
  font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif }}
h1 {{ font-size: 1.15rem; margin: 8px 4px 4px }} p {{ margin: 4px; color: #6b7280; font-size: .9rem }}
@media (prefers-color-scheme: dark) {{ body {{ background: #0f172a; color: #e5e7eb }} p {{ color: #94a3b8 }} }}
</style></head><body><h1>{title}</h1>
<p>How long a user waits: along a dotted line all waits are equal; what lies below it takes longer.</p>
{picture}</body></html>
"""
_SCRIPT = """
const scheme = matchMedia('(prefers-color-scheme: dark)');
function shade() {
  const [ink, ground, grid] = scheme.matches ? ['#e5e7eb', '#0f172a', '#293548'] : ['#1f2937', '#ffffff', '#e5e7eb'];
  const change = {'font.color': ink, paper_bgcolor: ground, plot_bgcolor: ground,
                  'xaxis.gridcolor': grid, 'yaxis.gridcolor': grid};
  const picture = document.getElementById('{plot_id}');
  picture.layout.annotations.forEach((_, at) => { change[`annotations[${at}].bgcolor`] = ground; });
  Plotly.relayout(picture, change);
}
scheme.addEventListener('change', shade);
shade();
"""


@dataclass(frozen=True)
class RatedCase:
    """A line of the nomograph: a name, and a rate in bytes a second."""

    name: str
    rate: Fraction

    def wait(self, size: int) -> Fraction:
        """Seconds until `size` bytes have come."""
        return size / self.rate


def cases(result: ScenarioResult) -> list[RatedCase]:
    """The cases of a result that deliver something, named by their settings."""
    return [RatedCase(_name(case), case.bytes_rate) for case in result.cases if case.rate]


def notes(result: ScenarioResult) -> list[str]:
    """A remark on each case whose rate is what its load asks for, or is below that: a path may carry another rate."""
    found = []
    for case in result.cases:
        growing = [load.sentence for load in case.loads if load.grows]
        if growing:
            found.append(f"case {case.index + 1}: {'; '.join(growing)}")
        elif case.rate and case.limiter.kind == "load":
            found.append(
                f"case {case.index + 1}: the rate is that of the load, not the most that the path carries. "
                + case.limiter.sentence
            )
    return found


def _name(case: CaseResult) -> str:
    settings = ", ".join(f"{key.rpartition('.')[2]} {value}" for key, value in case.settings.items())
    return f"{case.index + 1}: {settings}" if settings else f"{case.index + 1}"


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


def figure(lines: Sequence[RatedCase], sizes: Sequence[int]) -> Figure:
    """The nomograph as a Plotly figure; the hint of a point has the case, the size and the time."""
    needs("plotly", "a nomograph")
    import plotly.graph_objects as go

    decades = _decades(sizes), _decades([line.rate for line in lines])
    picture = go.Figure(layout={"colorway": _COLOURS})
    for seconds, label in WAITS:
        _equal(picture, go, seconds, label, *decades)
    for number, line in enumerate(lines):
        _level(picture, go, line, sizes, decades[0], _DASHES[number // len(_COLOURS) % len(_DASHES)])
    legend = {
        "title": {"text": "case"}, "orientation": "v", "x": 0, "xanchor": "left", "y": 0, "yref": "container",
        "yanchor": "bottom", "bgcolor": "rgba(0,0,0,0)", "maxheight": 1.0,
    }  # fmt: skip
    below = _AXIS + _ENTRY * (len(lines) + 1)
    picture.update_layout(
        height=_PLOT + below, margin={"l": 82, "r": 20, "t": 20, "b": below}, legend=legend,
        plot_bgcolor=_GROUND, paper_bgcolor=_GROUND, font={"color": _INK}, showlegend=True,
        xaxis=_axis("size of the object", decades[0], ""), yaxis=_axis("rate", decades[1], "/s"),
    )  # fmt: skip
    return picture


def page(title: str, lines: Sequence[RatedCase], sizes: Sequence[int]) -> str:
    """The nomograph as a web page that needs nothing else, as wide as its window, light or dark as its reader is."""
    inside: str = figure(lines, sizes).to_html(
        include_plotlyjs=True, full_html=False, config={**CONFIG, "responsive": True}, div_id="nomograph",
        default_width="100%", post_script=_SCRIPT,
    )  # fmt: skip
    return _PAGE.format(title=html.escape(title), picture=inside)


def _decades(values: Sequence[int | Fraction]) -> tuple[int, int]:
    """The powers of ten that an axis goes from and to: a decade more than the values on each side."""
    return floor(log10(min(values))) - 1, ceil(log10(max(values))) + 1


def _axis(title: str, decades: tuple[int, int], after: str) -> dict[str, Any]:
    powers = range(decades[0], decades[1] + 1)
    labels = [sized(10**power) + after if power >= 0 else "" for power in powers]
    return {
        "type": "log", "title": {"text": title}, "range": list(decades),
        "tickvals": [10.0**power for power in powers], "ticktext": labels,
        "gridcolor": _GRID, "showline": True, "linecolor": _GREY,
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
            x=[10**first, 10**last], y=[10 ** (first - shift), 10 ** (last - shift)], mode="lines", name=label,
            line={"color": _GREY, "width": 1, "dash": "dot"}, hoverinfo="skip", showlegend=False,
        )
    )  # fmt: skip
    # On a ground of its own, since levels may pass behind it.
    picture.add_annotation(
        x=last, y=last - shift, text=label, showarrow=False, xanchor="right", yanchor="middle", xshift=-2,
        bgcolor=_GROUND, borderpad=1, font={"size": 12},
    )  # fmt: skip


def _level(picture: Any, go: Any, line: RatedCase, sizes: Sequence[int], across: tuple[int, int], dash: str) -> None:
    """A case: a level line, with a point for each size."""
    rate = float(line.rate)
    xs = [10.0 ** across[0], *map(float, sizes), 10.0 ** across[1]]
    hints = [f"{sized(size)} in {spoken(line.wait(size))}" for size in sizes]
    picture.add_trace(
        go.Scatter(
            x=xs, y=[rate] * len(xs), mode="lines+markers", name=html.escape(line.name, quote=False),
            line={"dash": dash},
            marker={"size": [0, *[8] * len(sizes), 0], "opacity": 1, "line": {"width": 0}},
            hovertext=["", *hints, ""], hoverinfo="name+text",
        )
    )  # fmt: skip
