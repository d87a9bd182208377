"""Distributions of times: cumulative ones and histograms of a case, as Plotly figures in plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simio import units
from simio.report.html.curves import COLOURS, Figure, plain
from simio.result.distribution import cumulative
from simio.result.model import CaseResult
from simio.result.recorded import Observation

MS = 1e9
MOST = len(COLOURS)
"""Lines of a plot; those of most values are kept."""


def distributions(case: CaseResult) -> dict[str, Figure]:
    """Plots by title: the share that took at most as long, and how many took how long; none without times."""
    times = [each for each in case.observations if each.unit == "ps" and len(each.distribution.counts) > 1]
    shown = sorted(times, key=lambda each: -each.count)[:MOST]
    if not shown:
        return {}
    about = "; ".join(map(_about, shown))
    return {
        "Cumulative distribution of times (%)": _figure(
            [_cumulative(*each) for each in enumerate(shown)], "%", about
        ),
        "Histogram of times (%)": _figure([_histogram(*each) for each in enumerate(shown)], "% of all", about),
    }


def _about(seen: Observation) -> str:
    texts = [units.format_quantity(value, "time") for value in (seen.p50, seen.p99, seen.p999)]
    return f"{seen.name}: median {texts[0]}, 99% {texts[1]}, 99.9% {texts[2]}"


def _figure(data: Sequence[dict[str, Any]], axis: str, about: str) -> Figure:
    layout = {
        "xaxis": {"title": {"text": "ms"}, "type": "log", "tickformat": "~g"},
        "yaxis": {"title": {"text": axis}, "rangemode": "tozero"},
        "showlegend": True,
    }
    return {"data": list(data), "layout": layout, "about": about}


def _cumulative(at: int, seen: Observation) -> dict[str, Any]:
    values, shares = cumulative(seen)
    return _line(at, seen, values, [100 * share for share in shares])


def _histogram(at: int, seen: Observation) -> dict[str, Any]:
    """Each bin's share, drawn as level from edge to edge."""
    spread = seen.distribution
    shares = [100 * count / seen.count for count in spread.counts]
    line = _line(at, seen, list(spread.edges), [*shares, shares[-1]])
    line["line"]["shape"] = "hv"
    return line


def _line(at: int, seen: Observation, edges: Sequence[int], values: Sequence[float]) -> dict[str, Any]:
    # A logarithmic axis has no zero.
    points = [(edge, value) for edge, value in zip(edges, values, strict=True) if edge > 0]
    return {
        "type": "scatter", "mode": "lines", "name": plain(seen.name),
        "x": [float(f"{edge / MS:.5g}") for edge, _ in points], "y": [float(f"{value:.5g}") for _, value in points],
        "line": {"color": COLOURS[at], "width": 2},
    }  # fmt: skip
