"""The table of all cases, and each case in full: answer, wiring, use of everything, timelines, distributions."""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx

from simio.report import casetables, tables
from simio.report.html.text import grid_table, shown
from simio.report.tables import rate_text
from simio.report.terminal import span_text, spread_texts
from simio.report.wiring.inline import topology
from simio.result.fairness import fairness
from simio.result.model import CaseResult, ScenarioResult
from simio.wording import figure, in_unit, settings_text

LIMITS = ("resource", "thread", "lock")
"""Kinds of limits that a part is; of the others the busiest part is outlined."""


def overview(result: ScenarioResult) -> str:
    """A row for each case, with a link to it; below that the measured quantities beside throughput."""
    links = [f'<a href="#case" data-case="{case.index}">{case.index + 1}</a>' for case in result.cases]
    others = [
        grid_table(grid) for grid in (tables.others(result), tables.pooled(result), tables.profiled(result)) if grid
    ]
    return grid_table(tables.cases(result), "cases", links) + "".join(others)


def detail(case: CaseResult, graph: nx.Graph, unit: str, plots: Iterable[str]) -> str:
    """All about one case; `plots` are the elements that its timelines are drawn in."""
    first = f'<p class="settings">{shown(settings_text(case.settings))}</p>' if case.settings else ""
    return "".join([first, summary(case, graph, unit), uses(case), *plots, records(case, unit)])


def summary(case: CaseResult, graph: nx.Graph, unit: str) -> str:
    """The answer, and the wiring coloured by use."""
    buttons = '<button data-format="png">PNG</button><button data-format="svg">SVG</button>'
    return (
        f'{answer(case, unit)}<figure data-file="wiring"><div class="wide" tabindex="0">{topology(graph, case)}</div>'
        f'{_legend(case)}<div class="save">{buttons}</div></figure>'
    )


def uses(case: CaseResult) -> str:
    """The utilisation of every resource that was used."""
    used = (use for use in case.resources if use.seizes or use.utilisation)
    return f"<h3>Use of everything</h3>{grid_table(casetables.resources(used, case.bonds), 'uses')}"


def records(case: CaseResult, unit: str) -> str:
    """Streams, distributions and totals, and what it takes to run the same again."""
    parts = []
    if len(case.streams) > 1:
        parts.append(f"<h3>Streams</h3>{grid_table(casetables.streams(case, unit))}")
        if shared := fairness(case.streams):
            parts.append(f"<p>{shared.sentence}.</p>")
    if case.observations:
        parts.append(f"<h3>Observations</h3>{grid_table(casetables.observations(case))}")
    if case.tallies:
        if (spent := casetables.profiles(case)).rows:
            parts.append(f"<h3>CPU time by class</h3>{grid_table(spent)}")
        parts.append(f"<h3>Totals</h3>{grid_table(casetables.tallies(case))}")
    if case.wear:
        parts.append(f"<h3>Writes to flash</h3>{grid_table(casetables.wear(case, unit))}")
    return "".join([*parts, f'<p class="fine">{shown(_identity(case))}</p>'])


def answer(case: CaseResult, unit: str) -> str:
    """The throughput in large type, what limits it, and the bound."""
    notes = [span_text(case), *spread_texts(case), *(load.sentence for load in case.loads if not load.grows)]
    warnings = "".join(f'<p class="warn">{shown(note)}</p>' for note in case.notes)
    bound = ""
    if case.bound is not None:
        value = f"{figure(in_unit(float(case.bound), unit))} {unit}"
        bound = f"<p>Bound <b>{shown(value)}</b>, set by {shown(case.bound_by)}</p>"
    return (
        f'<div class="answer"><p class="rate">{shown(rate_text(case, unit))} <span>{shown(unit)}</span></p>'
        f'<div><p class="limit">{shown(case.limiter.sentence)}</p>{warnings}{bound}'
        f'<p class="fine">{shown("; ".join(notes))}</p></div></div>'
    )


def _identity(case: CaseResult) -> str:
    seeds = f"seed {case.seeds[0]}" if len(case.seeds) == 1 else f"seeds {case.seeds[0]} to {case.seeds[-1]}"
    return f"program {case.hash}; {seeds}; {case.events:,} events, {case.steps:,} steps"


def _legend(case: CaseResult) -> str:
    outlined = "what limits" if case.limiter.kind in LIMITS else "the busiest"
    shades = "".join(f'<i class="u{shade}"></i>' for shade in range(11))
    return f'<figcaption class="legend">idle {shades} always busy <span class="key">{outlined}</span></figcaption>'
