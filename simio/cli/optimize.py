"""simio optimize: the best values of some keys, and their cost."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from simio.cli.main import INTERRUPTED
from simio.cli.options import (
    COMPLETING,
    case_option,
    check_one_case,
    collected,
    output_option,
    overrides,
    parsed,
    scenario_argument,
    tell,
    write,
    write_file,
)  # fmt: skip
from simio.cli.progress import Progress
from simio.cli.sweep import worker_options, workers_of
from simio.errors import SimioError

if TYPE_CHECKING or not COMPLETING:
    from simio.loading import ScenarioFile
    from simio.lower import lower
    from simio.report import table
    from simio.report.console import printed
    from simio.report.optimum import show
    from simio.result.request_rate import counts_requests
    from simio.sweeps.conditions import Requirement, check_dimension, check_named, condition
    from simio.sweeps.constraints import told
    from simio.sweeps.cost import Prices, price, price_list
    from simio.sweeps.optimize import Goal, Search
    from simio.sweeps.rows import SweepRow
    from simio.sweeps.space import Space
    from simio.sweeps.sweep import Plan, check
    from simio.sweeps.ties import COST
    from simio.sweeps.values import axis
    from simio.wording import figure, in_unit, settings_text

NONE = "none carries enough and keeps what was promised"


@click.command()
@scenario_argument
@click.option("--vary", "ranges", multiple=True, required=True, metavar="KEY=RANGE", help="Possible values of a key.")
@overrides
@case_option("Run only case N of the scenario's own cases.")
@click.option("--cost", "costs", multiple=True, metavar="KEY=PRICE", help="Price of a value: 100, 2/MiB, a:5,b:9.")
@click.option("--prices", type=click.Path(), metavar="FILE", help="YAML file with prices of parts of the catalogue.")
@click.option("--budget", type=float, metavar="COST", help="Ignore configurations above this cost.")
@click.option("--at-least", metavar="RATE", help="Ignore configurations below this throughput, such as '80 MB/s'.")
@click.option("--until", "promises", multiple=True, metavar="PROMISE", help="Ignore configurations that break it.")
@click.option("--maximise", metavar="MEASURE", help="Quantity to maximise (throughput).")
@click.option("--minimise", metavar="MEASURE", help="Quantity to minimise, such as cost or time.")
@click.option("--runs", type=click.IntRange(1), default=500, metavar="N", help="Largest number of runs (500).")
@click.option("--seed", type=int, default=0, metavar="N", help="Seed of the search (0).")
@worker_options
@output_option("Write the rows of all runs to FILE: .csv, .json or .parquet.")
def optimize(
    scenario: str,
    ranges: tuple[str, ...],
    sets: tuple[str, ...],
    number: int | None,
    costs: tuple[str, ...],
    prices: str | None,
    budget: float | None,
    at_least: str | None,
    promises: tuple[str, ...],
    maximise: str | None,
    minimise: str | None,
    runs: int,
    seed: int,
    processes: int | None,
    cluster: str | None,
    cached: bool,
    output: str | None,
) -> None:
    """Find the values of some keys that give the highest throughput, or the best of another measure.

    All combinations are run if there are at most --runs; otherwise a seeded search looks for the best. With prices,
    the Pareto front shows what each further expense gains.

    \b
    simio optimize s.yaml --vary workload.ttcp.window=8KiB..4MiB
    simio optimize s.yaml --vary disks.d.count=1..12 --cost disks.d.count=900 --budget 6000
    simio optimize s.yaml --vary disks.d.model=a,b --prices prices.yaml --minimise cost --at-least '40 MB/s'
    simio optimize s.yaml --vary disks.d.count=1..12 --cost disks.d.count=9 --minimise cost --until 'p99 of a < 20 ms'
    """
    form = table.form_of(output) if output else ""
    table.check_form(form)
    known = _prices(costs, prices)
    plan = _plan(scenario, ranges, sets, number, known)
    conditions = tuple(collected(condition, promises))
    goal = _goal(maximise, minimise, budget, known, conditions)
    unit, wrong = check(plan)
    goal = replace(goal, least=_least(at_least, unit, conditions))
    check_one_case(plan.source.path, plan.cases)
    if conditions:
        check_named(conditions, lower(plan.source.scenario(sets, only=plan.only or 0).cases[0].system))
    for text in wrong:
        tell(text)
    complete = True
    with Progress(runs, "runs") as progress:
        search = Search(plan, goal, known, workers_of(processes, cluster, cached), runs, seed, progress.step)
        progress.total = min(runs, search.number or runs)
        try:
            search.run()
        except KeyboardInterrupt:
            complete = False
    write(None, printed(partial(show, search=search, unit=unit, complete=complete)))
    if prices and search.runs and len(search.rows) == search.runs and not any(map(_cost, search.rows)):
        tell(f"{prices} has no price of any part of these configurations: all cost nothing")
    if output:
        more = ["cost"] if known else []
        write_file(output, table.as_table(table.records(search.rows, plan.keys, unit, more), form, plan.keys))
    if not complete:
        sys.exit(INTERRUPTED)
    if goal.best(search.rows) is None:
        errors = dict.fromkeys(row.error for row in search.rows if row.error)
        raise SimioError(
            "no configuration qualifies: " + ("; ".join(list(errors)[:3]) or NONE + _nearest(search, unit))
        )


def _cost(row: SweepRow) -> float:
    return row.value(COST) or 0.0


def _nearest(search: Search, unit: str) -> str:
    """The configuration that misses what was asked for by least, and what it has of that; '' where none was run."""
    ran = [row for row in search.rows if row.outcome]
    if not ran:
        return ""
    row = min(ran, key=lambda each: (search.goal.value(each), each.number))
    assert row.outcome
    seen = [told(search.goal.conditions, row.outcome.measures)] if search.goal.conditions else []
    if search.goal.least:
        seen.append(f"throughput is {figure(in_unit(row.throughput or 0.0, unit))} {unit}")
    return f"; the nearest has {settings_text(row.settings)}: {'; '.join(seen)}" if seen else ""


def _plan(scenario: str, ranges: tuple[str, ...], sets: tuple[str, ...], number: int | None, prices: Prices) -> Plan:
    axes = collected(lambda text: axis(text, "--vary", intervals=True), ranges)
    keys = [key for each in axes for key in each.keys]
    for price in prices.settings:
        if price.key not in keys:
            raise SimioError(f"--cost {price.key}: found no --vary of this key")
    # As a sample, so that configurations of intervals can be looked at before the search.
    return Plan(ScenarioFile(scenario), Space(tuple(axes), sample=50), sets, None if number is None else number - 1)


def _prices(costs: tuple[str, ...], path: str | None) -> Prices:
    return Prices(tuple(collected(price, costs)), price_list(path) if path else {})


def _goal(
    maximise: str | None,
    minimise: str | None,
    budget: float | None,
    prices: Prices,
    conditions: tuple[Requirement, ...],
) -> Goal:
    if maximise and minimise:
        raise SimioError("found both --maximise and --minimise; expected one of them")
    if not prices and (budget is not None or COST in (maximise, minimise)):
        raise SimioError("found no prices; expected --cost or --prices")
    return Goal(minimise or maximise or "throughput", minimise is None, budget, None, conditions)


def _least(at_least: str | None, unit: str, conditions: tuple[Requirement, ...]) -> float | None:
    """The least throughput, in bytes or requests a second as rows have it by `unit`; refuses the other."""
    dimension = "request_rate" if counts_requests(unit) else "rate"
    for each in conditions:
        if each.what == "rate" or (each.name == "throughput" and not each.what):
            check_dimension(each, dimension)
    return float(parsed("--at-least", at_least, dimension)) if at_least else None
