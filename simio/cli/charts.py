"""simio plot and nomograph: results as pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from simio.cli.options import (
    COMPLETING,
    ScenarioName,
    file_option,
    force_option,
    output_option,
    overrides,
    parsed,
    scenario_argument,
    write,
    write_file,
)  # fmt: skip

if TYPE_CHECKING or not COMPLETING:
    from rich.console import Console
    from rich.text import Text

    from simio.errors import SimioError
    from simio.loading import load
    from simio.report import chart
    from simio.report import nomograph as form
    from simio.report.console import columns, printed
    from simio.running import run_scenario


@click.command()
@click.argument("scenarios", nargs=-1, required=True, metavar="SCENARIO...", type=ScenarioName())
@click.option("--against", "key", required=True, metavar="KEY", help="The varied value on the horizontal axis.")
@output_option("Write the picture to FILE.svg.", required=True, metavar="FILE.svg")
@click.option("--title", metavar="TEXT", help="Title of the picture.")
@overrides
def plot(scenarios: tuple[str, ...], key: str, output: str, title: str | None, sets: tuple[str, ...]) -> None:
    """Draw throughput against a varied value, a line for each combination of the others, of one or more scenarios.

    \b
    simio plot a.yaml b.yaml --against workload.nfs.clients -o clients.svg

    Rates are in the unit of the first. Lines of a single point are left out.
    """
    loaded = [(Path(name).stem, load(name, sets)) for name in scenarios]
    results = [(name, run_scenario(scenario, sets)) for name, scenario in loaded]
    unit = results[0][1].unit
    drawn = chart.lines(results, key, unit)
    write_file(output, chart.svg(title or f"Throughput against {key.rpartition('.')[2]}", drawn, key, unit))


@click.command()
@scenario_argument
@overrides
@click.option(
    "--size", "sizes", multiple=True, metavar="SIZE", help="Size of an object, such as '650 MB'; may be repeated."
)
@file_option("--html", "page", help="Write the nomograph to FILE.")
@force_option
def nomograph(scenario: str, sets: tuple[str, ...], sizes: tuple[str, ...], page: str | None) -> None:
    """Size of an object, rate, and the time that a user waits, for each case.

    With --html, the data-demand nomograph as a web page: size against rate, with lines of equal waiting time.
    """
    wanted = sorted({_size(text) for text in sizes}) or list(form.SIZES)
    result = run_scenario(load(scenario, sets), sets)
    lines = form.cases(result)
    if not lines:
        raise SimioError("nothing is delivered: the waiting time is infinite")
    if page:
        write_file(page, form.page(result.title, lines, wanted))

    def show(console: Console) -> None:
        table = columns("case", "rate", *map(form.sized, wanted))
        for line in lines:
            times = (form.spoken(line.wait(size)) for size in wanted)
            table.add_row(Text(line.name), f"{form.sized(round(line.rate))}/s", *times)
        console.print(Text(f"{result.title}: the time until an object of a size has come\n"))
        console.print(table)

    write(None, printed(show))


def _size(text: str) -> int:
    size = int(parsed("--size", text, "size"))
    if size < 1:
        raise SimioError(f"--size: found {text}; expected a size above zero")
    return size
