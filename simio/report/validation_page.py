"""A validation as one page that needs no other file: statistics, every row, and plots."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from simio.extras import needs
from simio.report.grid import signed
from simio.report.html.text import asset, script_data
from simio.report.html.text import table as html_table
from simio.report.svg import COLOURS
from simio.report.tables import measured_text
from simio.report.validation import (
    HEADINGS,
    INTERRUPTED,
    exempt_texts,
    judged,
    labels,
    overview,
    remark_of,
    simulated_text,
    totals,
)  # fmt: skip
from simio.report.validation_plots import curves_of, row_labels, scattered
from simio.studies.summary import TableSummary
from simio.studies.validation import MISSED, Validation, missed
from simio.wording import counted

RESIDUALS = 3
"""Least number of measured rows of a table for a plot of their errors."""
_STYLE = """
.dim{color:var(--soft)}.red{color:var(--poor)}.green{color:var(--good)}
.plots{display:flex;flex-wrap:wrap;gap:1rem}figure h3{font-size:.9rem;margin:4px 0}
.plots figure{flex:1 1 420px;min-width:min(100%,300px);margin:8px 0}
.rows td:last-child{min-width:19rem}.overview td:last-child{min-width:13rem}
.rows th,.rows .l{overflow-wrap:break-word}
.overview td:first-child{white-space:nowrap}
.contents ul{columns:15rem;margin:4px 0;padding-left:1.2rem}.contents li{break-inside:avoid-column}
.contents>ul>li{font-weight:600;margin-bottom:6px}.contents ul ul{columns:auto;font-weight:400}
h2{scroll-margin-top:8px}h2 .up{font-size:.8rem;font-weight:400;margin-left:8px}
"""
_SCRIPT = """
const dark=matchMedia('(prefers-color-scheme:dark)');
const look=()=>({'font.color':dark.matches?'#e5e9ef':'#1d2530'});
const config={responsive:true,displaylogo:false,displayModeBar:false,showSendToCloud:false,plotlyServerURL:''};
for(const [name,figure] of Object.entries(FIGURES)){
 figure.layout.font={color:look()['font.color']};
 Plotly.newPlot(name,figure.data,figure.layout,config);
}
dark.addEventListener('change',()=>{for(const name of Object.keys(FIGURES))Plotly.relayout(name,look())});
"""


def page(found: Validation) -> str:
    """The page as HTML, with plotly's script in it; it asks for nothing over the network."""
    needs("plotly", "a page")
    from plotly.offline import get_plotlyjs

    figures: dict[str, dict[str, Any]] = {"scatter": _scatter(found)} if scattered(found.tables) else {}
    scatter = "".join(_plot(name, drawn, totals(found), 520) for name, drawn in figures.items())
    sections = [_section(table, f"t{number}", figures) for number, table in enumerate(found.tables)]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="generator" content="simio">'
        f"<title>simio: measured and simulated</title>\n"
        f"<style>{asset('page.css', 'simio.report.html')}{_STYLE}</style></head>\n<body>\n"
        f"<header><h1>Measured and simulated</h1></header>\n<main>\n{_whole(found)}\n"
        f"{_contents(found)}\n{scatter}\n"
        f"{_overview(found)}\n" + "\n".join(sections) + f"\n</main>\n<script>{get_plotlyjs()}</script>\n"
        f"<script>const FIGURES={script_data(figures)};{_SCRIPT}</script>\n</body></html>\n"
    )


def _whole(found: Validation) -> str:
    lines = [f"<p>{escape(totals(found))}. simio {escape(found.version)}, engine {escape(found.engine)}.</p>"]
    lines += [f"<p>{escape(line)}.</p>" for line in exempt_texts(found)]
    if not found.complete:
        lines.append(f'<p class="red">{INTERRUPTED}</p>')
    lines += [f'<p class="red">{escape(failure)}</p>' for failure in found.failures]
    return "\n".join(lines)


def _contents(found: Validation) -> str:
    """Links to the section of each table, by study."""
    studies: dict[str, list[str]] = {}
    for number, table in enumerate(found.tables):
        study, _, name = table.name.partition("/")
        title = escape(table.table.title, quote=True)
        studies.setdefault(study, []).append(f'<li><a href="#t{number}" title="{title}">{escape(name)}</a></li>')
    items = "".join(f"<li>{escape(study)}<ul>{''.join(links)}</ul></li>" for study, links in studies.items())
    return f'<nav class="contents" id="contents" aria-label="Contents"><h2>Contents</h2><ul>{items}</ul></nav>'


def _plot(name: str, figure: dict[str, Any], about: str, height: int) -> str:
    """The element of a figure, with its main number in words."""
    title = figure["layout"].pop("title")
    return (
        f'<figure><h3>{title}</h3><div id="{name}" class="plot" style="height:{height}px" role="img" '
        f'aria-label="{title}" aria-describedby="{name}-about"></div>'
        f'<figcaption id="{name}-about" class="fine">{escape(about)}</figcaption></figure>'
    )


def _overview(found: Validation) -> str:
    """The table of tables."""
    rows = []
    numbers = {table.name: number for number, table in enumerate(found.tables)}
    for table, cells in overview(found):
        if table is None:
            rows.append([f"<strong>{escape(str(cell))}</strong>" for cell in cells])
            continue
        *figures, verdict = cells
        kind = {"green": ' class="green"', "red": ' class="red"'}.get(str(getattr(verdict, "style", "")), "")
        link = f'&ensp;<a href="#t{numbers[table.name]}">{escape(table.name.partition("/")[2])}</a>'
        rows.append([link, *(escape(str(cell)) for cell in figures), f"<span{kind}>{escape(str(verdict))}</span>"])
    return html_table(list(map(escape, HEADINGS)), rows, (0, len(HEADINGS) - 1), "overview")


def _section(table: TableSummary, name: str, figures: dict[str, dict[str, Any]]) -> str:
    """A table: its source, its plots, which are put into `figures`, and its rows."""
    plots = []
    for kind, figure in (("curve", _curve(table)), ("errors", _residuals(table))):
        if figure:
            figures[f"{name}-{kind}"] = figure
            height = figure["layout"].pop("height", 340)
            plots.append(_plot(f"{name}-{kind}", figure, _worst(table), height))
    source = ", ".join(str(value) for value in table.table.source.values())
    return (
        f'<h2 id="{name}">{escape(table.name)}: {escape(table.table.title)}'
        '<a class="up" href="#contents">contents</a></h2>\n'
        f"<p class=dim>{escape(source)}; scenario {escape(', '.join(table.table.scenarios))}</p>\n"
        f"<p>{escape(table.table.notes)}</p>\n<div class=plots>{''.join(plots)}</div>\n"
        f"<details{'' if plots else ' open'}><summary>{counted(len(table.rows), 'row')}</summary>"
        f"{_rows(table)}</details>"
    )


def _worst(table: TableSummary) -> str:
    """The row of the largest error, in words."""
    judged_rows = [row for row in table.rows if row.error is not None]
    if not judged_rows:
        return "no row has an error: nothing measured is known"
    names = row_labels(judged_rows)
    error, name = max(
        ((row.error or 0.0, name) for row, name in zip(judged_rows, names, strict=True)), key=lambda one: abs(one[0])
    )
    largest = signed(error, table.table.points)
    return f"largest error of {counted(len(judged_rows), 'measured row')}: {largest}, {name}"


def _breakable(text: str) -> str:
    """Text as HTML that may go on in the next line within a key path or the name of a model."""
    return re.sub(r"([./_])(?=\w)", r"\1<wbr>", escape(text))


def _rows(table: TableSummary) -> str:
    named = labels(table.rows) if table.rows else []
    head = [*(_breakable(heading) for heading, _ in named), "simulated", "measured", "error", "note"]
    rows = []
    for index, row in enumerate(table.rows):
        cells = [cells[index] for _, cells in named] + [
            simulated_text(row),
            measured_text(row.row.of),
            judged(row).plain,
        ]
        cells.append(row.fault or row.difference or remark_of(row))
        kind = ' class="red"' if missed(row) or row.value is None else ""
        shown = [*map(_breakable, cells[: len(named)]), *map(escape, cells[len(named) :])]
        rows.append([f"<span{kind}>{cell}</span>" if kind else cell for cell in shown])
    return html_table(head, rows, (*range(len(named)), len(head) - 1), "rows")


def _layout(title: str, **more: Any) -> dict[str, Any]:
    """The layout of a figure; `_plot` takes the title out, and shows it above."""
    grid = {"gridcolor": "rgba(128,128,128,.25)", "zerolinecolor": "rgba(128,128,128,.6)", "automargin": True}
    axes = {axis: {**grid, **more.pop(axis, {})} for axis in ("xaxis", "yaxis")}
    clear = "rgba(0,0,0,0)"
    return {
        "title": escape(title),
        "paper_bgcolor": clear, "plot_bgcolor": clear, "modebar": {"bgcolor": clear},
        "margin": {"l": 50, "r": 15, "t": 14, "b": 40}, "legend": {"orientation": "h", "y": -0.2}, **axes, **more,
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
    x = {"type": kind, "tickvals": [x for x, _ in ticks], "ticktext": [escape(text) for _, text in ticks]}
    title = f"{curves.unit} over {curves.axis}: lines simulated, points measured"
    return {"data": data, "layout": _layout(title, xaxis=x, yaxis={"rangemode": "tozero"})}


def _residuals(table: TableSummary) -> dict[str, Any] | None:
    """Errors of the rows, the first on top, with the band of `MISSED`."""
    measured = [row for row in table.rows if row.error is not None]
    if len(measured) < RESIDUALS:
        return None
    names = [f"{label} " for label in row_labels(measured)]
    bars = {
        "type": "bar", "orientation": "h", "y": list(range(len(measured))), "x": [row.error for row in measured],
        "marker": {"color": [COLOURS[3] if missed(row) else COLOURS[0] for row in measured]},
        "text": [signed(row.error or 0, row.row.of.points) for row in measured],
        "hovertext": [escape(remark_of(row)) for row in measured],
    }  # fmt: skip
    y = {"tickvals": bars["y"], "ticktext": [escape(name) for name in names], "autorange": "reversed"}
    return {
        "data": [bars],
        "layout": _layout(
            "error of each measured row", xaxis={"tickformat": "+.0%"}, yaxis=y, shapes=[_band()],
            height=max(170, 90 + 22 * len(measured)),
        ),
    }  # fmt: skip


def _band() -> dict[str, Any]:
    return {
        "type": "rect", "x0": -MISSED, "x1": MISSED, "yref": "paper", "y0": 0, "y1": 1,
        "fillcolor": "rgba(128,128,128,.15)", "line": {"width": 0}, "layer": "below",
    }  # fmt: skip


def _scatter(found: Validation) -> dict[str, Any]:
    """Simulated over measured rates of all tables, with the band of `MISSED`."""
    groups = scattered(found.tables)
    data: list[dict[str, Any]] = [
        {"type": "scatter", "mode": "markers", "name": escape(study),
         "x": [point[0] for point in points], "y": [point[1] for point in points],
         "text": [escape(f"{row.row.table}, {row.row.name}: {signed(row.error or 0)}") for *_, row in points],
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
