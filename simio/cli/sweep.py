"""simio sweep: many configurations of a scenario as a table."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from simio.cli.options import scenario_argument, tell, write
from simio.cli.workers import worker_options, workers_of

if TYPE_CHECKING:
    from simio.sweeps.journal import Journal
    from simio.sweeps.rows import Row
    from simio.sweeps.space import Space
    from simio.sweeps.sweep import Plan, Workers


@click.command()
@scenario_argument
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUES", help="Values of a key; all are combined.")
@click.option("--pair", "pairs", multiple=True, metavar="KEY=VALUES", help="Keys that vary together.")
@click.option("--case", "number", type=int, metavar="N", help="Only this of the scenario's own cases.")
@click.option("--sample", type=click.IntRange(1), metavar="N", help="N random configurations in place of all.")
@click.option("--lhs/--random", default=True, help="Sample as a Latin hypercube (the default), or freely.")
@click.option("--seed", type=int, default=0, metavar="N", help="Seed of the sample.")
@worker_options
@click.option("--measure", "measures", multiple=True, metavar="NAME", help="One more column.")
@click.option("--json", "form", flag_value="json", help="Print the table as JSON.")
@click.option("--csv", "form", flag_value="csv", help="Print the table as CSV.")
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False), metavar="FILE",
    help="Write the table there: .csv, .json or .parquet.",
)  # fmt: skip
@click.option("--anew", is_flag=True, help="Discard what an interrupted sweep left beside FILE.")
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
    """Run many configurations of a scenario, and print or write a table of them.

    Values are a list, a range, or both; the scenario's own cases are combined with them. With -o, rows are kept as
    they finish, and the same command goes on where it was interrupted.

    \b
    simio sweep s.yaml --set workload.ttcp.size=64KiB..2MiB:x2 --set workload.ttcp.nodelay=true,false
    simio sweep s.yaml --set run.seed=1..40 -o seeds.csv
    simio sweep s.yaml --pair hosts.a.model=x,y --pair hosts.b.model=u,v
    simio sweep s.yaml --set workload.ttcp.window=8KiB..4MiB:log --sample 200 --seed 1
    """
    from simio.errors import SimioError
    from simio.loading import ScenarioFile
    from simio.report import table
    from simio.sweeps.sweep import Plan, check

    form = table.form_of(output) if output and not form else form
    if form:
        table.check_form(form)
    if anew and not output:
        raise SimioError("--anew: found no file; expected -o FILE, whose unfinished rows it discards")
    plan = Plan(
        ScenarioFile(scenario), _space(sets, pairs, sample, lhs, seed), (), None if number is None else number - 1
    )
    unit, wrong = check(plan)
    for text in wrong:
        tell(text)
    workers = workers_of(processes, cluster, cached)
    rows, complete = _run(plan, workers, output, measures, anew)
    _give(plan, rows, complete, unit, measures, form, output)
    if not complete:
        sys.exit(130)
    _tell_effects(plan, rows, workers)
    if not any(row.outcome for row in rows.values()):
        raise SimioError("none of the configurations could be run")


def _space(sets: tuple[str, ...], pairs: tuple[str, ...], sample: int | None, lhs: bool, seed: int) -> Space:
    from simio.errors import SimioError
    from simio.sweeps.space import Space
    from simio.sweeps.values import axis, paired

    errors: list[str] = []
    axes = []
    for option, texts in (("--set", sets), ("--pair", pairs)):
        found = []
        for text in texts:
            try:
                found.append(axis(text, option, intervals=sample is not None and option == "--set"))
            except SimioError as error:
                errors.append(str(error))
        if option == "--set":
            axes += found
        elif found and not errors:
            axes.append(paired(found))
    if errors:
        raise SimioError("\n".join(errors))
    return Space(tuple(axes), sample, lhs, seed)


def _run(
    plan: Plan, workers: Workers, output: str | None, measures: tuple[str, ...], anew: bool
) -> tuple[dict[int, Row], bool]:
    """The rows by number, those of an earlier attempt among them, and whether these are all."""
    from contextlib import ExitStack

    from simio.cli.progress import Progress
    from simio.sweeps import journal
    from simio.sweeps.sweep import sweep as run

    with ExitStack() as stack:
        kept: Journal | None = None
        if output:
            kept = stack.enter_context(journal.Journal(journal.beside(output), plan.header(), anew))
            if kept.rows:
                tell(f"{len(kept.rows)} of {len(plan)} rows are there already; going on")
        rows = kept.rows if kept else {}
        progress = stack.enter_context(Progress(len(plan), len(rows)))
        try:
            for row in run(plan, journal.missing(rows, range(1, len(plan) + 1)), workers):
                if kept:
                    kept.add(row)
                rows[row.number] = row
                progress.step()
                _check_measures(row, measures)
        except KeyboardInterrupt:
            return rows, False
    return rows, True


def _check_measures(row: Row, measures: tuple[str, ...]) -> None:
    """Tell of measures that a run does not have, as soon as there is one."""
    from simio.errors import SimioError, did_you_mean, quote

    for name in measures:
        if row.outcome and name not in row.outcome.measures:
            known = list(row.outcome.measures)
            near = did_you_mean(name, known)
            raise SimioError(f"--measure: found {quote(name)}; {near or 'expected one of ' + ', '.join(known)}")


def _give(
    plan: Plan,
    rows: dict[int, Row],
    complete: bool,
    unit: str,
    measures: tuple[str, ...],
    form: str | None,
    output: str | None,
) -> None:
    """Print or write the table, and then what stands out in it."""
    from rich.console import Console

    from simio.files import write_whole
    from simio.report import table
    from simio.report.sweep import Sheet
    from simio.sweeps import journal

    ordered = [rows[number] for number in sorted(rows)]
    if not complete:
        left = f"{journal.beside(output)}; the same command goes on" if output else "what is printed"
        tell(f"interrupted: {len(ordered)} of {len(plan)} rows are in {left}")
    if form and complete or form and not output:
        told = table.as_table(table.records(ordered, plan.keys, unit, measures), form)
        if output is None:
            write(None, told if isinstance(told, str) else "")
            return
        write_whole(output, told)
        journal.beside(output).unlink(missing_ok=True)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 160)
    failed = sum(1 for row in ordered if row.outcome is None)
    kept = sum(1 for row in ordered if row.outcome and row.outcome.kept)
    told_of = [f"{failed} with an error"] * bool(failed) + [f"{kept} known from earlier runs"] * bool(kept)
    sheet = Sheet(console, plan.keys, unit)
    with console.capture() as capture:
        if not output:
            sheet.rows(ordered, measures)
        of = f"{len(ordered)} configurations" + "".join(f", {each}" for each in told_of)
        console.print(of + (f", in {output}" if output and complete else ""), markup=False)
        sheet.summary(ordered)
    write(None, "".join(line.rstrip() + "\n" for line in capture.get().splitlines()))


def _tell_effects(plan: Plan, rows: dict[int, Row], workers: Workers) -> None:
    from simio.sweeps.effect import without_effect

    for name in without_effect(plan, rows, workers):
        tell(f"{name} had no effect on the result")
