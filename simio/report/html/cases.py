"""The table of all cases, and each case in full: answer, wiring, use of everything, timelines, distributions."""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx

from simio.report.alike import grouped, merged
from simio.report.data import in_unit
from simio.report.html.text import quantity, shown, table
from simio.report.html.topology import topology
from simio.report.terminal import FAIR, GOOD, rate_text, short_names, span_text, spread_texts, varied_keys
from simio.result.compare import Comparison, comparisons, pooled_comparisons
from simio.result.model import CaseResult, ResourceUse, ScenarioResult

BUSY, HALF = 0.9, 0.6
"""Shares from which a bar is red and yellow."""


def overview(result: ScenarioResult) -> str:
    """A row for each case: settings, throughput, what was measured, the error, the limit."""
    keys = varied_keys(result)
    measured = any(row.quantity == "throughput" for case in result.cases for row in case.measured)
    head = ["case", *map(shown, short_names(keys)), f"simulated, {shown(result.unit)}"]
    head += ["measured", "error"] if measured else []
    rows = []
    for case in result.cases:
        cells = [f'<a href="#case" data-case="{case.index}">{case.index + 1}</a>']
        cells += [shown(case.settings.get(key, "")) for key in keys]
        cells.append(f"<b>{shown(rate_text(case, result.unit))}</b>")
        if measured:
            compared = [row for row in comparisons(case) if row.row.quantity == "throughput"]
            cells += [
                ", ".join(_measured(row, result.unit) for row in compared),
                ", ".join(map(_error, compared)),
            ]
        name = {"none": "in turns ({})", "wait": "{} waits"}.get(case.limiter.kind, "{}").format(case.limiter.name)
        rows.append([*cells, shown(name), f"{case.limiter.busy:.0%}"])
    return table([*head, "limit", "busy"], rows, left=(len(head),), kind="cases") + _others(result) + _pooled(result)


def _measured(row: Comparison, unit: str) -> str:
    text = row.row.text
    return shown(
        text if row.row.held or row.row.unit == unit or text.endswith(row.row.unit) else f"{text} {row.row.unit}"
    )


def _error(row: Comparison) -> str:
    if row.error is None:
        return "predicted" if row.row.held else "not simulated"
    size = abs(row.error)
    kind = "good" if size <= GOOD else "fair" if size <= FAIR else "poor"
    return f'<span class="{kind}">{round(row.error, 3) + 0.0:+.1%}</span>'


def _others(result: ScenarioResult) -> str:
    """Measured quantities beside throughput."""
    rows = [
        [str(case.index + 1), shown(row.row.label), *_compared(row)]
        for case in result.cases
        for row in comparisons(case)
        if row.row.quantity != "throughput"
    ]
    return table(["case", "quantity", "simulated", "measured", "error"], rows, left=(1,)) if rows else ""


def _pooled(result: ScenarioResult) -> str:
    """What was measured over several cases."""
    compared = pooled_comparisons(result)
    keys = list(dict.fromkeys(key for row in compared for key in row.settings))
    rows = [
        [*(shown(row.settings.get(key, "")) for key in keys), shown(row.row.label), *_compared(row)]
        for row in compared
    ]
    head = [*map(shown, short_names(keys)), "over cases", "simulated", "measured", "error"]
    return table(head, rows, left=(len(keys),)) if rows else ""


def _compared(row: Comparison) -> list[str]:
    simulated = "none" if row.simulated is None else f"{row.simulated:.4g} {row.row.unit}"
    return [shown(simulated), _measured(row, ""), _error(row)]


# --- one case --------------------------------------------------------------------------------------------


def detail(case: CaseResult, graph: nx.Graph, unit: str, plots: Iterable[str]) -> str:
    """All about one case; `plots` are the elements that its timelines are drawn in."""
    settings = ", ".join(f"{key} = {value}" for key, value in case.settings.items())
    first = f'<p class="settings">{shown(settings)}</p>' if settings else ""
    return "".join([first, summary(case, graph, unit), uses(case), *plots, records(case, unit)])


def summary(case: CaseResult, graph: nx.Graph, unit: str) -> str:
    """The answer, and the wiring coloured by use."""
    buttons = '<button data-format="png">PNG</button><button data-format="svg">SVG</button>'
    return (
        f'{answer(case, unit)}<figure data-file="wiring"><div class="wide">{topology(graph, case)}</div>'
        f'{_legend()}<div class="save">{buttons}</div></figure>'
    )


def uses(case: CaseResult) -> str:
    """How busy everything was."""
    return f"<h3>Use of everything</h3>{_resources(case.resources)}"


def records(case: CaseResult, unit: str) -> str:
    """Streams, distributions and counts, and what it takes to run the same again."""
    parts = []
    if len(case.streams) > 1:
        parts.append(f"<h3>Streams</h3>{_streams(case, unit)}")
    if case.observations:
        parts.append(f"<h3>Observations</h3>{_observations(case)}")
    if case.tallies:
        parts.append(f"<h3>Counted in all</h3>{_tallies(case)}")
    return "".join([*parts, f'<p class="fine">{shown(_identity(case))}</p>'])


def answer(case: CaseResult, unit: str) -> str:
    """The throughput in large type, what limits it, and the bound."""
    told = [span_text(case), *spread_texts(case)]
    bound = ""
    if case.bound is not None:
        value = f"{in_unit(float(case.bound), unit):.4g} {unit}"
        bound = f"<p>Bound <b>{shown(value)}</b>, set by {shown(case.bound_by)}</p>"
    return (
        f'<div class="answer"><p class="rate">{shown(rate_text(case, unit))} <span>{shown(unit)}</span></p>'
        f'<div><p class="limit">{shown(case.limiter.sentence)}</p>{bound}'
        f'<p class="fine">{shown("; ".join(told))}</p></div></div>'
    )


def _identity(case: CaseResult) -> str:
    seeds = f"seed {case.seeds[0]}" if len(case.seeds) == 1 else f"seeds {case.seeds[0]} to {case.seeds[-1]}"
    return f"program {case.hash}; {seeds}; {case.events:,} events, {case.steps:,} steps"


def _legend() -> str:
    shades = "".join(f'<i class="u{shade}"></i>' for shade in range(11))
    return f'<figcaption class="legend">idle {shades} always busy <span class="key">what limits</span></figcaption>'


def _resources(uses: tuple[ResourceUse, ...]) -> str:
    """Bars, busiest first and locks last; like ones as one line."""
    used = [use for use in sorted(uses, key=lambda use: (use.lock, -use.utilisation)) if use.seizes]
    rows = []
    for name, use in merged(used, lambda use: use.name, lambda use: use.lock):
        share = use.utilisation
        kind = "poor" if share >= BUSY else "fair" if share >= HALF else "good"
        bar = f'<div class="bar"><i class="{kind}" style="width:{100 * share:.1f}%"></i></div>'
        rows.append(
            [
                f"{shown(name)}{' (lock)' if use.lock else ''}",
                bar,
                f"{share:.1%}",
                f"{use.mean_line:.2f}",
                str(use.longest_line),
            ]
        )
    return table(["resource", "utilisation", "", "waiting, mean", "most"], rows, left=(0, 1), kind="uses")


def _streams(case: CaseResult, unit: str) -> str:
    rows = []
    for name, streams in grouped(case.streams, lambda stream: stream.name):
        rates = [in_unit(float(stream.rate), unit) for stream in streams]
        rows.append([shown(name), *(f"{rate:.4g}" for rate in (sum(rates) / len(rates), min(rates), max(rates)))])
    return table(["stream", f"mean {shown(unit)}", "least", "most"], rows)


def _observations(case: CaseResult) -> str:
    rows = [
        [shown(row.name), str(row.count)]
        + [quantity(value, row.unit) for value in (round(row.mean), row.least, row.p50, row.p90, row.p99, row.most)]
        for row in case.observations
    ]
    return table(["observation", "count", "mean", "least", "median", "90%", "99%", "most"], rows)


def _tallies(case: CaseResult) -> str:
    rows = []
    for name, same in grouped(case.tallies, lambda tally: tally.name):
        values = [tally.value for tally in same]
        told = (round(sum(values) / len(values)), min(values), max(values))
        rows.append([shown(name), *(quantity(value, same[0].unit) for value in told)])
    return table(["counted", "mean", "least", "most"], rows)
