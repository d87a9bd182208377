"""simio calibrate: fits catalogue values to measured rows, and says how well these determine them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console

    from simio.calibration.fitting import Fit
    from simio.calibration.search import Search

INTERRUPTED = 130


@click.command()
@click.argument("studies", nargs=-1, required=True, metavar="STUDY...")
@click.option("--dry-run", is_flag=True, help="Show the changes of datasheets as a diff and write nothing.")
@click.option("--keep", is_flag=True, help="Leave the values as they are: find how well the rows determine them.")
def calibrate(studies: tuple[str, ...], dry_run: bool, keep: bool) -> None:
    """Fit the catalogue's values to measured rows.

    Fits every value that a datasheet marks as fitted to one of these studies, within its bounds, to all measured rows
    of them; held rows and rows with 'fit: false' take no part. Writes value, interval and what is left of the error
    into the datasheets.

    \b
    simio calibrate sgi-hippi/table-1 --dry-run
    simio calibrate linux-fc/buffered linux-fc/mmap linux-fc/raw    values that studies share
    """
    from rich.console import Console

    from simio.calibration.fitting import examine, fit, search_of
    from simio.calibration.problem import prepare
    from simio.calibration.record import changes, check_editable, write

    shown = _Progress()
    problem = prepare(studies, progress=shown.step)
    check_editable(problem)
    search = search_of(problem)
    shown.begin(search)
    try:
        found = (examine if keep else fit)(problem, search)
    except KeyboardInterrupt:
        shown.end()
        click.echo(_best(search, [value.name for value in problem.values], problem.model.texts), err=True)
        sys.exit(INTERRUPTED)
    shown.end()
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    _show(console, found)
    wanted = changes(found)
    if dry_run:
        click.echo("\n" + "\n".join(change.diff for change in wanted), nl=False)
        return
    write(wanted)
    from simio.loading.catalogue import display

    for change in wanted:
        click.echo(f"written: {display(change.file)}")


def _show(console: Console, found: Fit) -> None:
    from rich.table import Table
    from rich.text import Text

    problem, sure = found.problem, found.determination
    model = problem.model
    console.print(Text(", ".join(problem.studies), style="bold"))
    searched = f"{found.starts} starts, {found.evaluations} simulations of all rows" if found.starts else "kept"
    console.print(
        f"{len(model.rows)} rows of {model.runs} independent runs, {len(found.judged)} values; {searched}\n"
    )
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("value", "was", "fitted", "90% interval", "not determined by these rows"):
        table.add_column(heading, justify="right" if heading in ("was", "fitted") else "left", overflow="fold")
    for each in found.judged:
        why = Text("; ".join(each.undetermined), style="yellow")
        table.add_row(each.value.name, each.was, each.text, f"{each.low} to {each.high}", why)
    console.print(table)
    before, after = found.median
    left = f"residual {sure.scale:.1%} on {sure.freedom} degrees of freedom"
    if not found.starts:
        console.print(f"\nmedian error {after:.1%}, {left}")
    elif found.kept:
        console.print(f"\nno values fit better by 2% or more: they stay; median error {after:.1%}, {left}")
    else:
        console.print(f"\nmedian error {before:.1%} before, {after:.1%} now; {left}")
    for value in problem.unused:
        console.print(f"{value.name} is used by no scenario of these studies, and left alone")


def _best(search: Search, names: list[str], texts: object) -> str:
    """What an interrupted search has."""
    if search.best is None or not callable(texts):
        return "interrupted before the first simulation was done; nothing was written"
    told = ", ".join(f"{name} = {text}" for name, text in zip(names, texts(search.best, 3), strict=True))
    return f"interrupted after {search.evaluations} simulations of all rows; nothing was written. Best so far: {told}"


class _Progress:
    """How far a search is, on a terminal's standard error."""

    def __init__(self) -> None:
        self.search: Search | None = None
        self.shown = False

    def begin(self, search: Search) -> None:
        """From now on this search is told."""
        self.search = search

    def step(self) -> None:
        """One case more was simulated."""
        if self.search is None or not sys.stderr.isatty():
            return
        told = f"{self.search.evaluations} simulations of all rows"
        if self.search.best is not None:
            told += f", sum of residuals {self.search.cost:.4g}"
        click.echo(f"\r\033[K{told} (Ctrl-C writes nothing)", nl=False, err=True)
        self.shown = True

    def end(self) -> None:
        """Clear the line."""
        if self.shown:
            click.echo("\r\033[K", nl=False, err=True)
        self.search = None
