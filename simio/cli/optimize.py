"""simio optimize: the best values of some keys, for what they cost."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from simio.cli.options import scenario_argument, tell, write
from simio.cli.workers import worker_options, workers_of

if TYPE_CHECKING:
    from simio.sweeps.cost import Prices
    from simio.sweeps.optimize import Goal, Search
    from simio.sweeps.sweep import Plan


@click.command()
@scenario_argument
@click.option("--vary", "ranges", multiple=True, required=True, metavar="KEY=RANGE", help="Values to choose from.")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Override a value.")
@click.option("--case", "number", type=int, metavar="N", help="This of the scenario's own cases.")
@click.option("--cost", "costs", multiple=True, metavar="KEY=PRICE", help="Price of a value: 100, 2/MiB, a:5,b:9.")
@click.option("--prices", type=click.Path(), metavar="FILE", help="Prices of the catalogue's parts, as YAML.")
@click.option("--budget", type=float, metavar="COST", help="Only what costs at most so much.")
@click.option("--at-least", metavar="RATE", help="Only what carries so much, such as '80 MB/s'.")
@click.option("--maximise", metavar="MEASURE", help="What to bring up (throughput).")
@click.option("--minimise", metavar="MEASURE", help="What to bring down, such as cost or time.")
@click.option("--runs", type=click.IntRange(1), default=500, metavar="N", help="At most so many runs (500).")
@click.option("--seed", type=int, default=0, metavar="N", help="Seed of the search.")
@worker_options
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False), metavar="FILE",
    help="Write all that was run there: .csv, .json or .parquet.",
)  # fmt: skip
def optimize(
    scenario: str,
    ranges: tuple[str, ...],
    sets: tuple[str, ...],
    number: int | None,
    costs: tuple[str, ...],
    prices: str | None,
    budget: float | None,
    at_least: str | None,
    maximise: str | None,
    minimise: str | None,
    runs: int,
    seed: int,
    processes: int | None,
    cluster: str | None,
    cached: bool,
    output: str | None,
) -> None:
    """Find the values of some keys that carry most, or are best by another measure.

    All combinations are run where there are at most --runs; else a seeded search looks for the best. With prices,
    the Pareto front shows what more money buys.

    \b
    simio optimize s.yaml --vary workload.ttcp.window=8KiB..4MiB
    simio optimize s.yaml --vary disks.d.count=1..12 --cost disks.d.count=900 --budget 6000
    simio optimize s.yaml --vary disks.d.model=a,b --prices prices.yaml --minimise cost --at-least '40 MB/s'
    """
    from simio.cli.progress import Progress
    from simio.report import table
    from simio.sweeps.optimize import Search
    from simio.sweeps.sweep import check

    form = table.form_of(output) if output else ""
    table.check_form(form)
    known = _prices(costs, prices)
    plan = _plan(scenario, ranges, sets, number, known)
    goal = _goal(maximise, minimise, budget, at_least, known)
    unit, wrong = check(plan)
    _check_one_case(plan)
    for text in wrong:
        tell(text)
    complete = True
    with Progress(runs) as progress:
        search = Search(plan, goal, known, workers_of(processes, cluster, cached), runs, seed, progress.step)
        progress.total = min(runs, search.number or runs)
        try:
            search.run()
        except KeyboardInterrupt:
            complete = False
    _give(search, unit, complete)
    if output:
        from simio.files import write_whole

        more = ["cost"] if known else []
        write_whole(output, table.as_table(table.records(search.rows, plan.keys, unit, more), form))
    if not complete:
        sys.exit(130)
    if goal.best(search.rows) is None:
        from simio.errors import SimioError

        errors = dict.fromkeys(row.error for row in search.rows if row.error)
        raise SimioError("none of them is good: " + ("; ".join(list(errors)[:3]) or "none carries enough"))


def _plan(scenario: str, ranges: tuple[str, ...], sets: tuple[str, ...], number: int | None, prices: Prices) -> Plan:
    from simio.errors import SimioError
    from simio.loading import ScenarioFile
    from simio.sweeps.space import Space
    from simio.sweeps.sweep import Plan
    from simio.sweeps.values import axis

    errors, axes = [], []
    for text in ranges:
        try:
            axes.append(axis(text, "--vary", intervals=True))
        except SimioError as error:
            errors.append(str(error))
    if errors:
        raise SimioError("\n".join(errors))
    keys = [key for each in axes for key in each.keys]
    for price in prices.settings:
        if price.key not in keys:
            raise SimioError(f"--cost {price.key}: found no --vary of this key")
    # As a sample, so that configurations of intervals can be looked at before the search.
    return Plan(ScenarioFile(scenario), Space(tuple(axes), sample=50), sets, None if number is None else number - 1)


def _check_one_case(plan: Plan) -> None:
    from simio.errors import SimioError

    if len(plan.cases) > 1:
        raise SimioError(
            f"{plan.source.path}: found {len(plan.cases)} cases; expected one: choose it with --case, "
            "or --set what it varies"
        )


def _prices(costs: tuple[str, ...], path: str | None) -> Prices:
    from simio.errors import SimioError
    from simio.sweeps.cost import Prices, price, price_list

    errors, found = [], []
    for text in costs:
        try:
            found.append(price(text))
        except SimioError as error:
            errors.append(str(error))
    if errors:
        raise SimioError("\n".join(errors))
    return Prices(tuple(found), price_list(path) if path else {})


def _goal(
    maximise: str | None, minimise: str | None, budget: float | None, at_least: str | None, prices: Prices
) -> Goal:
    from simio import units
    from simio.errors import SimioError
    from simio.sweeps.optimize import COST, Goal

    if maximise and minimise:
        raise SimioError("found both --maximise and --minimise; expected one of them")
    if not prices and (budget is not None or COST in (maximise, minimise)):
        raise SimioError("found no prices; expected --cost or --prices")
    try:
        least = float(units.parse(at_least, "rate")) if at_least else None
    except units.UnitError as error:
        raise SimioError(f"--at-least: found {error.found}; expected {error.expected}") from None
    return Goal(minimise or maximise or "throughput", minimise is None, budget, least)


def _give(search: Search, unit: str, complete: bool) -> None:
    """The best, how sure that is, and the Pareto front."""
    from rich.console import Console

    from simio.report.optimum import show

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 160)
    with console.capture() as capture:
        show(console, search, unit, complete)
    write(None, "".join(line.rstrip() + "\n" for line in capture.get().splitlines()))
