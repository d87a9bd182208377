"""An answer on the page: the HTML and figures of a report, in colours that suit light and dark."""

from __future__ import annotations

from typing import Any

from simio.explore.session import CaseAnswer
from simio.report.html import cases
from simio.report.html.curves import COLOURS, Figure, curves, number, plain
from simio.report.html.distributions import distributions
from simio.report.html.timelines import timelines
from simio.result.model import CaseResult, ScenarioResult

_LOOK: dict[str, Any] = {
    "paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)", "height": 330, "showlegend": True,
    "font": {"color": "#7c8898", "size": 12, "family": "system-ui, 'Segoe UI', Arial, 'DejaVu Sans', sans-serif"},
    "margin": {"l": 54, "r": 14, "t": 12, "b": 46},
    "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
    "uirevision": "kept",
}  # fmt: skip
_AXIS = {"gridcolor": "rgba(128,140,160,0.25)", "zerolinecolor": "rgba(128,140,160,0.25)", "automargin": True}
SHOWN = 2
"""Timelines on the page: throughput and utilisation; a report has the others."""


def parts(answer: CaseAnswer) -> dict[str, str]:
    """HTML by the element that it goes into; names in it are escaped."""
    return {
        "answer": cases.summary(answer.result, answer.graph, answer.unit),
        "uses": cases.uses(answer.result),
        "records": cases.records(answer.result, answer.unit),
    }


def curve_figure(result: ScenarioResult, now: str) -> Figure:
    """The curve with what was measured, and the value `now` chosen marked on it."""
    figure = curves(result)
    if figure is None:
        return empty()
    line = figure["data"][0]
    here = number(now) if line["x"] and not isinstance(line["x"][0], str) else plain(now)
    if here in line["x"] and line["type"] == "scatter":
        at = line["x"].index(here)
        figure["data"].append(
            {
                "type": "scatter", "mode": "markers", "name": "now", "x": [here], "y": [line["y"][at]],
                "marker": {"size": 15, "symbol": "circle-open", "color": COLOURS[1], "line": {"width": 3}},
                "hoverinfo": "skip",
            }
        )  # fmt: skip
    return _looking(figure)


def empty() -> Figure:
    """An empty figure."""
    hidden = {"visible": False}
    figure = _looking({"data": [], "layout": {"xaxis": hidden, "yaxis": hidden}})
    figure.pop("about")
    return figure


def timeline_figures(case: CaseResult, unit: str) -> dict[str, Figure]:
    """The first timelines by title; under a load, the distribution of times as well."""
    shown = dict(list(timelines(case, unit).items())[:SHOWN])
    if case.loads:
        shown |= dict(list(distributions(case).items())[:1])
    return {title: _looking(figure) for title, figure in shown.items()}


def _looking(figure: Figure) -> Figure:
    layout = figure["layout"]
    axes = {name: {**_AXIS, **layout.get(name, {})} for name in ("xaxis", "yaxis")}
    return {"data": figure["data"], "layout": {**_LOOK, **layout, **axes}, "about": figure.get("about", "")}
