"""simio nomograph: how long a user waits for an object of a size."""

from __future__ import annotations

import sys

import click

from simio.cli.options import overrides, scenario_argument


@click.command()
@scenario_argument
@overrides
@click.option(
    "--size",
    "sizes",
    multiple=True,
    metavar="SIZE",
    help="Size of an object, such as '650 MB'; may be given again.",
)
@click.option("--html", "page", type=click.Path(dir_okay=False), metavar="FILE", help="Write the nomograph there.")
def nomograph(scenario: str, sets: tuple[str, ...], sizes: tuple[str, ...], page: str | None) -> None:
    """Size of an object, rate, and the time that a user waits, for each case.

    With --html, the data-demand nomograph as a web page: size against rate, with lines of equal waiting time.
    """
    from rich.console import Console
    from rich.table import Table

    from simio.errors import SimioError
    from simio.files import write_whole
    from simio.loading import load
    from simio.report import nomograph as form
    from simio.running import run_scenario

    wanted = sorted({_size(text) for text in sizes}) or list(form.SIZES)
    result = run_scenario(load(scenario, sets), sets)
    lines = form.cases(result)
    if not lines:
        raise SimioError("nothing is delivered, so that whoever waits, waits for ever")
    if page:
        write_whole(page, form.page(result.title, lines, wanted))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("case")
    table.add_column("rate", justify="right")
    for size in wanted:
        table.add_column(form.sized(size), justify="right")
    for line in lines:
        times = (form.spoken(line.wait(size)) for size in wanted)
        table.add_row(line.name, f"{form.sized(round(line.rate))}/s", *times)
    console = Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else 160)
    console.print(f"{result.title}: the time until an object of a size has come\n")
    console.print(table)


def _size(text: str) -> int:
    from simio import units
    from simio.errors import SimioError

    try:
        size = int(units.parse(text, "size"))
    except units.UnitError as error:
        raise SimioError(f"--size: found {error.found}; expected {error.expected}") from None
    if size < 1:
        raise SimioError(f"--size: found {text}; expected a size above zero")
    return size
