"""A validation as one page that needs nothing else: statistics, every row, and plots."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from simio.report.svg import COLOURS
from simio.report.validation import labels, measured_text, remark_of, simulated_text, verdict_text
from simio.report.validation_plots import curves_of, row_labels, scattered
from simio.studies.summary import Errors, TableSummary, Verdict, errors, percent
from simio.studies.validation import MISSED, Validation, missed

RESIDUALS = 3
"""A table with so many measured rows gets a plot of their errors."""
_STYLE = """
:root{color-scheme:light dark;--line:#8885;--dim:#6e7781;--red:#c92a2a;--green:#2b8a3e;--back:#fff;--ink:#1f2328}
@media (prefers-color-scheme:dark){:root{--dim:#9aa4ae;--red:#ff8787;--green:#69db7c;--back:#0d1117;--ink:#e6edf3}}
body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:1100px;padding:1rem}
body{background:var(--back);color:var(--ink)}
h1{font-size:1.5rem}h2{font-size:1.2rem;margin-top:2.5rem}.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.9rem}
td,th{padding:.2rem .7rem;text-align:left;border-bottom:1px solid var(--line)}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.dim{color:var(--dim)}.red{color:var(--red)}
.green{color:var(--green)}tr.study td{font-weight:600}.plots{display:flex;flex-wrap:wrap;gap:1rem}
.plot{flex:1 1 420px;min-width:min(100%,300px);height:340px}a{color:inherit}summary{cursor:pointer}
"""
_SCRIPT = """
const dark=matchMedia('(prefers-color-scheme:dark)');
const look=()=>({'font.color':dark.matches?'#e6edf3':'#1f2328'});
const config={responsive:true,displaylogo:false,showSendToCloud:false,plotlyServerURL:''};
for(const [name,figure] of Object.entries(FIGURES)){
 figure.layout.font={color:look()['font.color']};
 Plotly.newPlot(name,figure.data,figure.layout,config);
}
dark.addEventListener('change',()=>{for(const name of Object.keys(FIGURES))Plotly.relayout(name,look())});
"""


def page(found: Validation) -> str:
    """The page as HTML, with plotly's script in it; it asks for nothing over the network."""
    from plotly.offline import get_plotlyjs

    figures: dict[str, dict[str, Any]] = {"scatter": _scatter(found)}
    sections = [_section(table, f"t{number}", figures) for number, table in enumerate(found.tables)]
    data = json.dumps(figures, allow_nan=False).replace("<", "\\u003c")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>simio: measured and simulated</title><style>{_STYLE}</style></head>\n<body>\n"
        f"<h1>Measured and simulated</h1>\n{_whole(found)}\n"
        '<div id="scatter" class="plot" style="height:520px"></div>\n'
        f'<div class="wide">{_overview(found)}</div>\n'
        + "\n".join(sections)
        + f"\n<script>{get_plotlyjs()}</script>\n"
        f"<script>const FIGURES={data};{_SCRIPT}</script>\n</body></html>\n"
    )


def _whole(found: Validation) -> str:
    judged = [row for row in found.rows if row.error is not None]
    held = sum(row.row.of.held for row in found.rows)
    anomalies = sum(bool(row.row.of.anomaly) for row in found.rows)
    told = [
        f"<p>{len(judged)} measured rows, {sum(map(missed, judged))} of them off by more than 10%; {held} held rows "
        f"predicted; {len(found.fitted)} fitted values in the parts used, {len(found.unsourced)} without a source. "
        f"simio {escape(found.version)}, engine {escape(found.engine)}.</p>"
    ]
    if anomalies:
        told.append(
            f"<p>{anomalies} rows believed to be anomalies of the measurement count in all statistics, and not "
            f"against the bar for the worst.</p>"
        )
    if not found.complete:
        told.append('<p class="red">Interrupted: only what was finished is shown.</p>')
    told += [f'<p class="red">{escape(failure)}</p>' for failure in found.failures]
    return "\n".join(told)


def _overview(found: Validation) -> str:
    """The table of tables."""
    verdicts = {name: verdict for verdict in found.verdicts for name in verdict.tables}
    heads = ("rows", "held", "median", "90%", "worst", "bars", "fitted", "without a source")
    lines = [f"<tr><th>table</th>{''.join(f'<th class=n>{head}</th>' for head in heads)}<th></th></tr>"]
    study = ""
    for number, table in enumerate(found.tables):
        own, _, short = table.name.partition("/")
        if own != study:
            study = own
            rows = [row for each in found.tables if each.name.startswith(f"{own}/") for row in each.rows]
            held = sum(row.row.of.held for row in rows)
            lines.append(
                f"<tr class=study><td>{escape(own)}</td>{_numbers(errors(rows), held)}<td colspan=4></td></tr>"
            )
        bars = table.table.tolerance
        told = _judgement(table, verdicts.get(table.name))
        lines.append(
            f'<tr><td>&ensp;<a href="#t{number}">{escape(short)}</a></td>{_numbers(table.errors, table.held)}'
            f"<td class=n>{f'{percent(bars.median)}, {percent(bars.worst)}' if bars else ''}</td>"
            f"<td class=n>{len(table.fitted_here)} of {len(table.fitted)}</td>"
            f"<td class=n>{len(table.unsourced)}</td><td>{told}</td></tr>"
        )
    return f"<table>{''.join(lines)}</table>"


def _judgement(table: TableSummary, verdict: Verdict | None) -> str:
    """Whether a table is inside its tolerance, as HTML."""
    told = verdict_text(table, verdict)
    kind = {"green": ' class="green"', "red": ' class="red"'}.get(str(told.style), "")
    return f"<span{kind}>{escape(told.plain)}</span>"


def _numbers(found: Errors | None, held: int) -> str:
    cells = ["0", str(held), "", "", ""]
    if found and found.worst.error is not None:
        cells = [
            str(found.rows),
            str(held),
            f"{found.median:.1%}",
            f"{found.ninety:.1%}",
            _signed(found.worst.error),
        ]
    return "".join(f"<td class=n>{cell}</td>" for cell in cells)


def _section(table: TableSummary, name: str, figures: dict[str, dict[str, Any]]) -> str:
    """A table: where it is from, its plots, which go into `figures`, and its rows."""
    plots = []
    for kind, figure in (("curve", _curve(table)), ("errors", _residuals(table))):
        if figure:
            figures[f"{name}-{kind}"] = figure
            height = figure["layout"].pop("height", 340)
            plots.append(f'<div id="{name}-{kind}" class="plot" style="height:{height}px"></div>')
    source = ", ".join(str(value) for value in table.table.source.values())
    return (
        f'<h2 id="{name}">{escape(table.name)}: {escape(table.table.title)}</h2>\n'
        f"<p class=dim>{escape(source)}; scenario {escape(', '.join(table.table.scenarios))}</p>\n"
        f"<p>{escape(table.table.notes)}</p>\n<div class=plots>{''.join(plots)}</div>\n"
        f"<details{'' if plots else ' open'}><summary>{len(table.rows)} rows</summary>"
        f"<div class=wide>{_rows(table)}</div></details>"
    )


def _rows(table: TableSummary) -> str:
    columns = labels(table.rows).columns if table.rows else ()
    heads = "".join(f"<th>{escape(heading)}</th>" for heading, _ in columns)
    lines = [
        f"<tr>{heads}<th class=n>simulated</th><th class=n>measured</th><th class=n>error</th><th>note</th></tr>"
    ]
    for index, row in enumerate(table.rows):
        cells = "".join(f"<td>{escape(cells[index])}</td>" for _, cells in columns)
        value = simulated_text(row)
        error = "predicted" if row.row.of.held else "not simulated"
        error = error if row.error is None else _signed(row.error)
        red = ' class="red"' if missed(row) or row.value is None else ""
        remark = row.fault or row.difference or remark_of(row)
        lines.append(
            f"<tr{red}>{cells}<td class=n>{escape(value)}</td><td class=n>{escape(measured_text(row))}</td>"
            f"<td class=n>{error}</td><td>{escape(remark)}</td></tr>"
        )
    return f"<table>{''.join(lines)}</table>"


def _signed(error: float) -> str:
    return f"{round(error, 3) + 0.0:+.1%}"


def _layout(title: str, **more: Any) -> dict[str, Any]:
    grid = {"gridcolor": "rgba(128,128,128,.25)", "zerolinecolor": "rgba(128,128,128,.6)", "automargin": True}
    axes = {axis: {**grid, **more.pop(axis, {})} for axis in ("xaxis", "yaxis")}
    clear = "rgba(0,0,0,0)"
    return {
        "title": {"text": escape(title), "font": {"size": 13}, "x": 0, "xref": "container"},
        "paper_bgcolor": clear, "plot_bgcolor": clear, "modebar": {"bgcolor": clear},
        "margin": {"l": 50, "r": 15, "t": 60, "b": 40}, "legend": {"orientation": "h", "y": -0.2}, **axes, **more,
    }  # fmt: skip


def _curve(table: TableSummary) -> dict[str, Any] | None:
    """Lines simulated, points measured, over a setting."""
    curves = curves_of(table)
    if curves is None:
        return None
    data: list[dict[str, Any]] = []
    for number, curve in enumerate(curves.curves):
        colour = COLOURS[number % len(COLOURS)]
        common = {"line": {"color": colour}, "legendgroup": str(number)}
        data.append(
            {"type": "scatter", "mode": "lines+markers", "name": escape(curve.name), **common,
             "marker": {"color": colour, "size": 4, "symbol": "circle-open"},
             "x": [point.x for point in curve.points], "y": [point.simulated for point in curve.points]}
        )  # fmt: skip
        known = [point for point in curve.points if point.low is not None and point.high is not None]
        middle = [((point.low or 0) + (point.high or 0)) / 2 for point in known]
        half = [((point.high or 0) - (point.low or 0)) / 2 for point in known]
        data.append(
            {"type": "scatter", "mode": "markers", "name": "measured", "showlegend": False, **common,
             "marker": {"color": colour, "size": 8}, "x": [point.x for point in known], "y": middle,
             "error_y": {"type": "data", "array": half, "visible": any(half)}}
        )  # fmt: skip
    ticks = curves.ticks()
    kind = "log" if curves.logarithmic else "linear"
    x = {"type": kind, "tickvals": [x for x, _ in ticks], "ticktext": [escape(told) for _, told in ticks]}
    title = f"{curves.unit} over {curves.axis}: lines simulated, points measured"
    return {"data": data, "layout": _layout(title, xaxis=x, yaxis={"rangemode": "tozero"})}


def _residuals(table: TableSummary) -> dict[str, Any] | None:
    """Errors of the rows, the first on top, with the band of `MISSED`."""
    judged = [row for row in table.rows if row.error is not None]
    if len(judged) < RESIDUALS:
        return None
    told = [f"{label} " for label in row_labels(judged)]
    bars = {
        "type": "bar", "orientation": "h", "y": list(range(len(judged))), "x": [row.error for row in judged],
        "marker": {"color": [COLOURS[3] if missed(row) else COLOURS[0] for row in judged]},
        "text": [_signed(row.error or 0) for row in judged],
        "hovertext": [escape(remark_of(row)) for row in judged],
    }  # fmt: skip
    y = {"tickvals": bars["y"], "ticktext": [escape(label) for label in told], "autorange": "reversed"}
    return {
        "data": [bars],
        "layout": _layout(
            "error of each measured row", xaxis={"tickformat": "+.0%"}, yaxis=y, shapes=[_band("x")],
            height=max(340, 80 + 20 * len(judged)),
        ),
    }  # fmt: skip


def _band(axis: str) -> dict[str, Any]:
    across = "y" if axis == "x" else "x"
    return {
        "type": "rect", f"{axis}0": -MISSED, f"{axis}1": MISSED, f"{across}ref": "paper", f"{across}0": 0,
        f"{across}1": 1, "fillcolor": "rgba(128,128,128,.15)", "line": {"width": 0}, "layer": "below",
    }  # fmt: skip


def _scatter(found: Validation) -> dict[str, Any]:
    """Simulated over measured rates of all tables, with the band of `MISSED`."""
    groups = scattered(found.tables)
    data: list[dict[str, Any]] = [
        {"type": "scatter", "mode": "markers", "name": escape(study),
         "x": [point[0] for point in points], "y": [point[1] for point in points],
         "text": [escape(f"{row.row.table}, {row.row.name}: {_signed(row.error or 0)}") for *_, row in points],
         "marker": {"color": COLOURS[number % len(COLOURS)],
                    "symbol": ["circle" if missed(row) else "circle-open" for *_, row in points]}}
        for number, (study, points) in enumerate(groups)
    ]  # fmt: skip
    values = [value for _, points in groups for point in points for value in point[:2] if value > 0]
    ends = [min(values, default=1) / 1.3, max(values, default=1) * 1.3]
    for side, name in ((1 - MISSED, "10% less"), (1, "equal"), (1 + MISSED, "10% more")):
        line = {"color": "rgba(128,128,128,.7)", "width": 1, "dash": "solid" if side == 1 else "dot"}
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": name,
                "x": ends,
                "y": [end * side for end in ends],
                "line": line,
            }
        )
    title = "simulated over measured rates, MB/s; filled: off by more than 10%"
    log = {"type": "log", "dtick": 1}
    return {"data": data, "layout": _layout(title, xaxis=log, yaxis=log)}
