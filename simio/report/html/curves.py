"""Throughput over what varies, with the measured points, as a Plotly figure in plain data."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from simio import units
from simio.description.measured import MeasuredRow
from simio.report.tables import varied_keys
from simio.result.model import CaseResult, ScenarioResult
from simio.sweeps.values import number_of
from simio.wording import figure, in_unit, settings_text, short_names

Figure = dict[str, Any]
"""`data` and `layout`, as Plotly takes them; colours of paper and ink are those of the page. `about` says the
main number in words, for readers who cannot see the figure."""
COLOURS = ("#3b82d6", "#dd7f2a", "#36a06a", "#c94f4f", "#8b67cf", "#a3784e", "#d169a9", "#7d8a99")
"""Colours of lines, readable on light and dark."""
_LOG = 20
"""Ratio of an axis' ends from which on it is logarithmic."""


def plain(text: str) -> str:
    """Text in which Plotly finds no tags."""
    return html.escape(text, quote=False)


def number(text: str) -> float | None:
    """A setting as a number in base units; None for words."""
    found = number_of(text)
    return None if found is None else float(found[0])


def axis_of(result: ScenarioResult) -> str | None:
    """The varied key of the axis: the numeric one of most values, else the first; None if nothing varies."""
    keys = varied_keys(result)
    values = {key: {case.settings[key] for case in result.cases if key in case.settings} for key in keys}
    numeric = [key for key in keys if all(number(text) is not None for text in values[key])]
    return max(numeric or keys[:1], key=lambda key: len(values[key]), default=None)


def curves(result: ScenarioResult) -> Figure | None:
    """A line for each combination of the other keys; None where nothing varies."""
    key = axis_of(result)
    if key is None:
        return None
    others = [other for other in varied_keys(result) if other != key]
    lines: dict[tuple[str, ...], list[CaseResult]] = {}
    for case in result.cases:
        if key in case.settings:
            lines.setdefault(tuple(case.settings.get(other, "") for other in others), []).append(case)
    texts = list(dict.fromkeys(case.settings[key] for cases in lines.values() for case in cases))
    places = {text: number(text) for text in texts}
    numeric = all(place is not None for place in places.values())
    xs: Mapping[str, Any] = places if numeric else {text: plain(text) for text in texts}
    data: list[dict[str, Any]] = []
    for at, (values, cases) in enumerate(lines.items()):
        name = ", ".join(
            f"{short} {value}" for short, value in zip(short_names(others), values, strict=True) if value
        ) or ("as it is" if others else "simulated")
        colour = COLOURS[at % len(COLOURS)]
        data.append(_simulated(result, cases, key, xs, name, colour, numeric))
        data += _measured(result, cases, key, xs, colour, first=not any("measured" in each for each in data))
    for each in data:
        each.pop("measured", None)
    axis = _axis(key, xs, numeric)
    layout = {"xaxis": axis, "yaxis": {"title": {"text": plain(result.unit)}, "rangemode": "tozero"}}
    ends = sorted(result.cases, key=lambda case: case.rate)
    about = " to ".join(f"{_rate(result, case)} ({settings_text(case.settings)})" for case in (ends[0], ends[-1]))
    return {
        "data": data, "layout": {**layout, "showlegend": len(data) > 1, "barmode": "group"}, "about": f"from {about}",
    }  # fmt: skip


def _rate(result: ScenarioResult, case: CaseResult) -> str:
    return f"{figure(in_unit(float(case.rate), result.unit))} {result.unit}"


def _axis(key: str, xs: Mapping[str, Any], numeric: bool) -> dict[str, Any]:
    title = {"title": {"text": plain(key)}}
    if not numeric:
        return {**title, "type": "category"}
    ordered = sorted(xs, key=lambda text: xs[text])
    least, most = xs[ordered[0]], xs[ordered[-1]]
    ticks = {
        "tickmode": "array",
        "tickvals": [xs[text] for text in ordered],
        "ticktext": list(map(plain, ordered)),
    }
    return {**title, **ticks, "type": "log" if least > 0 and most / least >= _LOG else "linear"}


def _simulated(
    result: ScenarioResult,
    cases: list[CaseResult],
    key: str,
    xs: Mapping[str, Any],
    name: str,
    colour: str,
    line: bool,
) -> dict[str, Any]:
    if line:
        cases = sorted(cases, key=lambda case: xs[case.settings[key]])
    rates = [_digits(in_unit(float(case.rate), result.unit)) for case in cases]
    trace: dict[str, Any] = {
        "type": "scatter" if line else "bar", "name": plain(name), "x": [xs[case.settings[key]] for case in cases],
        "y": rates, "hovertext": [_hover(result, case) for case in cases], "hoverinfo": "text",
        "marker": {"color": colour},
    }  # fmt: skip
    if line:
        trace |= {"mode": "lines+markers", "line": {"color": colour, "width": 2}}
    if any(case.half_width for case in cases):
        widths = [in_unit(case.half_width or 0.0, result.unit) for case in cases]
        trace["error_y"] = {"type": "data", "array": list(map(_digits, widths)), "thickness": 1.5, "width": 3}
    return trace


def _hover(result: ScenarioResult, case: CaseResult) -> str:
    lines = (
        f"<b>{plain(_rate(result, case))}</b>, case {case.index + 1}",
        settings_text(case.settings),
        case.limiter.sentence,
    )
    return "<br>".join([lines[0], *map(plain, lines[1:])])


def _measured(
    result: ScenarioResult, cases: list[CaseResult], key: str, xs: Mapping[str, Any], colour: str, first: bool
) -> list[dict[str, Any]]:
    """The measured throughput of these cases, if there is any; ranges as bars about their middle."""
    rows = [(case, row) for case in cases for row in case.measured if row.quantity == "throughput" and row.value]
    if not rows:
        return []
    middles, widths = [], []
    for _, row in rows:
        low, high = measured_range(row, result.unit)
        middles.append(_digits((low + high) / 2))
        widths.append(_digits((high - low) / 2))
    trace: dict[str, Any] = {
        "type": "scatter", "mode": "markers", "name": "measured", "measured": True, "showlegend": first,
        "legendgroup": "measured", "x": [xs[case.settings[key]] for case, _ in rows], "y": middles,
        "marker": {"symbol": "x-thin", "size": 9, "line": {"color": colour, "width": 2.5}},
        "hovertext": [f"measured {plain(row.text)}, case {case.index + 1}" for case, row in rows],
        "hoverinfo": "text",
    }  # fmt: skip
    if any(widths):
        trace["error_y"] = {"type": "data", "array": widths, "thickness": 1.5, "width": 4, "color": colour}
    return [trace]


def measured_range(row: MeasuredRow, unit: str) -> tuple[float, float]:
    """Least and most of a measured throughput, in `unit`."""
    one = float(units.parse(f"1 {row.unit}", "rate"))
    return in_unit(float(row.value or 0) * one, unit), in_unit(float(row.most or 0) * one, unit)


def _digits(value: float) -> float:
    return float(f"{value:.5g}")
