"""simio sweep: many configurations of a scenario as a table."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from simio.cli.main import INTERRUPTED
from simio.cli.options import (
    COMPLETING,
    case_option,
    collected,
    form_option,
    output_option,
    processes_option,
    scenario_argument,
    tell,
    write,
    write_file,
)
from simio.cli.progress import Progress
from simio.errors import SimioError, did_you_mean, quote

if TYPE_CHECKING or not COMPLETING:
    from rich.console import Console

    from simio.loading import ScenarioFile
    from simio.report import table
    from simio.report.console import printed
    from simio.report.sweep import SweepPrinter
    from simio.sweeps import journal
    from simio.sweeps.effect import without_effect
    from simio.sweeps.outcome import spelt_out
    from simio.sweeps.rows import SweepRow
    from simio.sweeps.space import Space
    from simio.sweeps.sweep import Plan, Workers, check
    from simio.sweeps.sweep import sweep as run_plan
    from simio.sweeps.values import Axis, axis, paired
    from simio.wording import counted


def worker_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of commands that make many runs: who makes them, and whether earlier results count."""
    for option in (
        click.option(
            "--cache/--no-cache", "cached", default=True, help="Reuse results of earlier runs, the default."
        ),
        click.option("--cluster", metavar="ADDRESS", help="Run on this Dask scheduler (tcp://host:port)."),
        processes_option,
    ):
        command = option(command)
    return command


@click.command()
@scenario_argument
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUES", help="Values of a key; all keys are combined.")
@click.option("--pair", "pairs", multiple=True, metavar="KEY=VALUES", help="Values of keys that vary together.")
@case_option("Run only case N of the scenario's own cases.")
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Run N random configurations instead of all.")
@click.option("--lhs/--random", default=True, help="Draw a Latin hypercube (the default) or independent values.")
@click.option("--seed", type=int, default=0, metavar="N", help="Seed of the sample (0).")
@worker_options
@click.option(
    "--measure", "measures", multiple=True, metavar="NAME", help="Add a column, such as 'utilisation of server.pci'."
)
@form_option("--json", "json", "Print the table as JSON.")
@form_option("--csv", "csv", "Print the table as CSV.")
@output_option("Write the table to FILE: .csv, .json or .parquet.")
@click.option("--anew", is_flag=True, help="Discard the rows that an interrupted sweep left beside FILE.")
def sweep(
    scenario: str,
    sets: tuple[str, ...],
    pairs: tuple[str, ...],
    number: int | None,
    sample: int | None,
    lhs: bool,
    seed: int,
    processes: int | None,
    cluster: str | None,
    cached: bool,
    measures: tuple[str, ...],
    form: str | None,
    output: str | None,
    anew: bool,
) -> None:
    """Run many configurations of a scenario, and print or write a table of the results.

    Values are a list, a range, or both, and are combined with the scenario's own cases. With -o, each row is written
    when it is done, and the same command resumes an interrupted sweep.

    \b
    simio sweep s.yaml --set workload.ttcp.size=64KiB..2MiB:x2 --set workload.ttcp.nodelay=true,false
    simio sweep s.yaml --set run.seed=1..40 -o seeds.csv
    simio sweep s.yaml --pair hosts.a.model=x,y --pair hosts.b.model=u,v
    simio sweep s.yaml --set workload.ttcp.window=8KiB..4MiB:log --sample 200 --seed 1
    """
    form = table.form_of(output) if output and not form else form
    if form:
        table.check_form(form)
    if anew and not output:
        raise SimioError("--anew: found no -o FILE; expected the file whose unfinished rows to discard")
    space = _space(sets, pairs, sample, lhs, seed)
    plan = Plan(ScenarioFile(scenario), space, (), None if number is None else number - 1)
    unit, wrong = check(plan)
    for text in wrong:
        tell(text)
    workers = workers_of(processes, cluster, cached)
    measures = spelt_out(measures)
    rows, complete = _run(plan, workers, output, measures, anew)
    _give(plan, rows, complete, unit, measures, form, output)
    if not complete:
        sys.exit(INTERRUPTED)
    _tell_effects(plan, rows, workers)
    if not any(row.outcome for row in rows.values()):
        raise SimioError("none of the configurations could be run")


def workers_of(processes: int | None, cluster: str | None, cached: bool) -> Workers:
    """The workers that these options ask for. Raises SimioError for both processes and a cluster."""
    if cluster and processes:
        raise SimioError("found both --cluster and --processes; expected one of them")
    return Workers(processes, cluster, cached, tell)


def _space(sets: tuple[str, ...], pairs: tuple[str, ...], sample: int | None, lhs: bool, seed: int) -> Space:
    def read(given: tuple[str, str]) -> Axis:
        option, text = given
        return axis(text, option, intervals=sample is not None and option == "--set")

    axes = collected(read, [*(("--set", text) for text in sets), *(("--pair", text) for text in pairs)])
    together = axes[len(sets) :]
    return Space((*axes[: len(sets)], *([paired(together)] if together else [])), sample, lhs, seed)


def _run(
    plan: Plan, workers: Workers, output: str | None, measures: tuple[str, ...], anew: bool
) -> tuple[dict[int, SweepRow], bool]:
    """The rows by number, those of an earlier attempt among them, and whether these are all."""
    with ExitStack() as stack:
        kept: journal.Journal | None = None
        if output:
            kept = stack.enter_context(journal.Journal(journal.beside(output), plan.header(), anew))
            if kept.rows:
                tell(f"{len(kept.rows)} of {counted(len(plan), 'row')} are there already; resuming")
        rows = kept.rows if kept else {}
        progress = stack.enter_context(Progress(len(plan), "runs", len(rows)))
        try:
            for row in run_plan(plan, journal.missing(rows, range(1, len(plan) + 1)), workers):
                if kept:
                    kept.add(row)
                rows[row.number] = row
                progress.step()
                _check_measures(row, measures)
        except KeyboardInterrupt:
            return rows, False
    return rows, True


def _check_measures(row: SweepRow, measures: tuple[str, ...]) -> None:
    """Raise SimioError for a measure that a run does not have."""
    for name in measures:
        if row.outcome and name not in row.outcome.measures:
            known = list(row.outcome.measures)
            near = did_you_mean(name, known)
            raise SimioError(f"--measure: found {quote(name)}; {near or 'expected one of ' + ', '.join(known)}")


def _give(
    plan: Plan,
    rows: dict[int, SweepRow],
    complete: bool,
    unit: str,
    measures: tuple[str, ...],
    form: str | None,
    output: str | None,
) -> None:
    """Print or write the table, and then what stands out in it."""
    ordered = [rows[number] for number in sorted(rows)]
    if not complete:
        where = f"{journal.beside(output)}; the same command resumes" if output else "the output"
        tell(f"interrupted: {len(ordered)} of {counted(len(plan), 'row')} are in {where}")
    if form and complete or form and not output:
        text = table.as_table(table.records(ordered, plan.keys, unit, measures), form, plan.keys)
        if output is None:
            write(None, text if isinstance(text, str) else "")
            return
        write_file(output, text)
        journal.beside(output).unlink(missing_ok=True)
    failed = sum(1 for row in ordered if row.outcome is None)
    cut_off = sum(1 for row in ordered if row.outcome and row.error)
    known = sum(1 for row in ordered if row.outcome and row.outcome.kept)
    total = counted(len(ordered), "configuration")
    total += f", {failed} with an error" * bool(failed) + f", {known} known from earlier runs" * bool(known)
    total += f", {cut_off} cut off" * bool(cut_off)
    total += f", in {output}" if output and complete else ""

    def show(console: Console) -> None:
        printer = SweepPrinter(console, plan.keys, unit)
        if not output:
            printer.rows(ordered, measures)
        console.print(total, markup=False)
        printer.summary(ordered)

    write(None, printed(show))


def _tell_effects(plan: Plan, rows: dict[int, SweepRow], workers: Workers) -> None:
    for name in without_effect(plan, rows, workers):
        tell(f"{name} had no effect on the result")
