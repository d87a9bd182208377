"""simio calibrate: fits catalogue values to measured rows, and shows how well these determine them."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from simio.cli.main import INTERRUPTED
from simio.cli.options import COMPLETING, write
from simio.cli.progress import Line
from simio.extras import needs

if TYPE_CHECKING or not COMPLETING:
    from rich.console import Console
    from rich.text import Text

    from simio.calibration import record
    from simio.calibration.fitting import Fit, examine, fit, search_of
    from simio.calibration.problem import FitProblem, prepare
    from simio.calibration.record import changes, check_editable
    from simio.calibration.search import BestPoint
    from simio.loading.catalogue import display
    from simio.report.console import columns, printed
    from simio.studies.own import with_own
    from simio.wording import counted


@click.command()
@click.argument("studies", nargs=-1, required=True, metavar="STUDY...")
@click.option("--dry-run", is_flag=True, help="Show the changes of the datasheets as a diff; write nothing.")
@click.option("--keep", is_flag=True, help="Keep the values; compute how well the rows determine them.")
@click.option(
    "--starts",
    type=click.IntRange(1, 20),
    default=3,
    show_default=True,
    help="Number of starting points: the present values, and the best points of a Latin hypercube.",
)
def calibrate(studies: tuple[str, ...], dry_run: bool, keep: bool, starts: int) -> None:
    """Fit values of the catalogue to measured rows.

    Fits, within its bounds, every value that a datasheet marks as fitted to one of the studies. Withheld rows and
    rows with 'fit: false' take no part. Writes value, interval and remaining error to the datasheets. With tables of
    your own (./mine.yaml, or a folder), the values come from the datasheets in the folder of your scenarios whose
    source names the table.

    \b
    simio calibrate ./mine.yaml --dry-run                           a table of your own
    simio calibrate sgi-hippi/table-1 --dry-run                     a published table
    simio calibrate linux-fc/buffered linux-fc/mmap linux-fc/raw    several tables that share values
    """
    needs("scipy", "simio calibrate")
    line = Line()
    searches: list[BestPoint] = []

    def progress() -> None:
        for search in searches:
            so_far = f", sum of residuals {search.cost:.4g}" if search.best is not None else ""
            line.show(f"{_simulations(search.evaluations)}{so_far} (Ctrl-C writes nothing)")

    library, names = with_own(studies)
    problem = prepare(names, library, progress=progress)
    check_editable(problem)
    search = search_of(problem, descents=starts)
    searches.append(search)
    try:
        found = (examine if keep else fit)(problem, search)
    except KeyboardInterrupt:
        line.clear()
        click.echo(_best(search, problem), err=True)
        sys.exit(INTERRUPTED)
    line.clear()
    write(None, printed(partial(_show, found=found)))
    wanted = changes(found)
    if dry_run:
        click.echo("\n" + "\n".join(change.diff for change in wanted), nl=False)
        return
    record.write(wanted)
    for change in wanted:
        click.echo(f"written: {display(change.file)}")


def _show(console: Console, found: Fit) -> None:
    problem, sure = found.problem, found.determination
    model = problem.model
    console.print(Text(", ".join(problem.studies), style="bold"))
    searched = f"{counted(found.starts, 'start')}, {_simulations(found.evaluations)}" if found.starts else "kept"
    rows, runs = counted(len(model.rows), "row"), counted(model.runs, "independent run")
    console.print(f"{rows} of {runs}, {counted(len(found.judged), 'value')}; {searched}\n")
    table = columns("value", "was", "fitted", "90% interval", "not determined by these rows", left=(0, 3, 4))
    for each in found.judged:
        why = Text("; ".join(each.undetermined), style="yellow")
        table.add_row(each.value.name, each.was, each.text, f"{each.low} to {each.high}", why)
    console.print(table)
    before, after = found.median
    left = f"residual {sure.scale:.1%} on {sure.freedom} degrees of freedom"
    if not found.starts:
        console.print(f"\nmedian error {after:.1%}, {left}")
    elif found.kept:
        console.print(f"\nno values fit better by 2% or more, so they are kept; median error {after:.1%}, {left}")
    else:
        console.print(f"\nmedian error {before:.1%} before, {after:.1%} now; {left}")
    for value in problem.unused:
        console.print(f"{value.name} is used by no scenario of these studies and is kept")


def _simulations(number: int) -> str:
    return f"{counted(number, 'simulation')} of all rows"


def _best(search: BestPoint, problem: FitProblem) -> str:
    """The message after an interrupt, with the best values so far."""
    if search.best is None:
        return "interrupted before the first simulation was done; nothing was written"
    texts = zip(problem.values, problem.model.texts(search.best, 3), strict=True)
    best = ", ".join(f"{value.name} = {text}" for value, text in texts)
    return f"interrupted after {_simulations(search.evaluations)}; nothing was written. Best so far: {best}"
