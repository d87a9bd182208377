"""A case over simulated time: throughput, use, queues and levels, as Plotly figures in plain data."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from simio.report.html.curves import COLOURS, Figure, plain
from simio.result.alike import told_apart
from simio.result.model import CaseResult, ResourceUse
from simio.result.recorded import Level
from simio.wording import figure, grouped, in_unit

MOST = len(COLOURS)
"""Largest number of lines of a plot; the busiest or longest are kept."""
_UNITS = ((10**12, "s"), (10**9, "ms"), (10**6, "us"), (10**3, "ns"))
STRETCHES = 128
"""Number of intervals that a run is divided into for means of shares."""
_NEAR = 3
"""A bound is drawn where it is less than this many times the mean."""
Item = TypeVar("Item")
Line = tuple[Sequence[int], Sequence[float]]
"""Instants in ps and the values up to, or at, each."""


def timelines(case: CaseResult, unit: str) -> dict[str, Figure]:
    """Plots by title, without those that are empty."""
    rows = case.timeline
    if len(rows.times) < 2:
        return {}
    found = {}
    if len(case.progress.times) > 1:
        levels = _levels(case, unit)
        title = f"Throughput ({unit})"
        about = "; ".join(str(level["name"]) for level in levels)
        found[title] = _plot(case, [("delivered", _throughput(case, unit))], about, levels)
    uses = sorted(case.resources, key=lambda use: -use.utilisation)
    busy = [use for use in uses if use.utilisation > 0 and use.name in rows.resources]
    about = f"busiest: {busy[0].name}, {busy[0].utilisation:.1%}" if busy else ""
    lines = [
        (name, _means(case, rows.resources[use.name], 100))
        for name, use in _most(busy, _name, told_apart(busy, case.bonds))
    ]
    found["Utilisation (%)"] = _plot(case, lines, about)
    uses = sorted(uses, key=lambda use: -use.mean_line)
    waited = [use for use in uses if use.name in rows.lines]
    about = f"longest line: {waited[0].name}, mean {waited[0].mean_line:.3g}" if waited else ""
    lines = [(name, _means(case, rows.lines[use.name])) for name, use in _most(waited, _name)]
    found["Waiting for a resource (threads)"] = _plot(case, lines, about)
    for what, kind in dict.fromkeys((level.what, level.unit) for level in rows.levels):
        same = [level for level in rows.levels if (level.what, level.unit) == (what, kind)]
        lines = [(name, (rows.times, level.values)) for name, level in _most(same, _name)]
        title = "Queues and buffers" if what == "level" else what.capitalize()
        about = f"{same[0].name}: from {min(same[0].values):,} to {max(same[0].values):,} {kind}"
        found[f"{title} ({kind})"] = _plot(case, lines, about)
    return {title: figure for title, figure in found.items() if figure["data"]}


def _throughput(case: CaseResult, unit: str) -> Line:
    """Rates over the intervals of the run's progress."""
    times, totals = case.progress.times, case.progress.totals
    rates = [
        in_unit((after - before) * 10**12 / (until - since), unit)
        for since, until, before, after in zip(times, times[1:], totals, totals[1:], strict=False)
    ]
    return times, [*rates[:1], *rates]


def _levels(case: CaseResult, unit: str) -> list[dict[str, Any]]:
    """The mean over the measured span and, where it is near, the bound, as level lines."""
    scale, _ = _unit_of(case)
    span = case.throughput
    mean = in_unit(float(span.rate), unit)
    levels = [("mean of the measured span", mean, (span.since, span.until), "dash")]
    if case.bound is not None and (bound := in_unit(float(case.bound), unit)) < _NEAR * mean:
        levels.append(("bound", bound, (0, span.until), "dot"))
    return [
        {
            "type": "scatter", "mode": "lines", "name": plain(f"{name}: {figure(value)} {unit}"),
            "x": [float(f"{time / scale:.6g}") for time in times], "y": [float(f"{value:.5g}")] * 2,
            "line": {"color": COLOURS[at + 1], "width": 1.5, "dash": dash}, "hoverinfo": "name",
        }
        for at, (name, value, times, dash) in enumerate(levels)
    ]  # fmt: skip


def _means(case: CaseResult, values: Sequence[float], scale: float = 1) -> Line:
    """Means over intervals of equal length, but for the last, of a row or more."""
    times = case.timeline.times
    ends = _ends(len(times), STRETCHES)
    begins = [0, *(end + 1 for end in ends)]
    means = [
        scale * sum(values[begin : end + 1]) / (end + 1 - begin) for begin, end in zip(begins, ends, strict=False)
    ]
    return [0, *(times[end] for end in ends)], [*means[:1], *means]


def _ends(rows: int, stretches: int) -> list[int]:
    """The last row of each interval."""
    step = -(-rows // stretches)
    return [*range(step - 1, rows - 1, step), rows - 1]


def _name(item: ResourceUse | Level) -> str:
    return item.name


def _most(
    items: Sequence[Item], name: Callable[[Item], str], *keys: Callable[[Item], Hashable]
) -> list[tuple[str, Item]]:
    """The first of each group of alike items, up to `MOST` of them."""
    return [(label, group[0]) for label, group in grouped(items, name, *keys)][:MOST]


def _unit_of(case: CaseResult) -> tuple[int, str]:
    """The unit of simulated time on an axis, in ps, and its name."""
    return next((each for each in _UNITS if case.end >= each[0]), _UNITS[-1])


def _plot(
    case: CaseResult, lines: Sequence[tuple[str, Line]], about: str, more: Sequence[dict[str, Any]] = ()
) -> Figure:
    scale, unit = _unit_of(case)
    data: list[dict[str, Any]] = [
        {
            "type": "scatter", "mode": "lines", "name": plain(name),
            "x": [float(f"{time / scale:.6g}") for time in times],
            "y": [float(f"{value:.4g}") for value in values],
            "line": {"color": COLOURS[at % MOST], "width": 1.5, "shape": "vh"},
        }
        for at, (name, (times, values)) in enumerate(lines)
    ]  # fmt: skip
    since, until = (time / scale for time in (case.throughput.since, case.throughput.until))
    span = {
        "type": "rect", "xref": "x", "yref": "paper", "x0": since, "x1": until, "y0": 0, "y1": 1,
        "line": {"width": 0}, "fillcolor": "rgba(128,140,160,0.10)", "layer": "below",
    }  # fmt: skip
    layout = {
        "xaxis": {"title": {"text": f"simulated time ({unit}); shaded: the measured span"}},
        "yaxis": {"rangemode": "tozero"},
        "shapes": [span], "showlegend": len(lines) + len(more) > 1,
    }  # fmt: skip
    return {"data": [*data, *more], "layout": layout, "about": about}
