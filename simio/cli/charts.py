"""simio plot and nomograph: results as pictures."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simio.cli.main import INTERRUPTED
from simio.cli.options import (
    COMPLETING,
    ScenarioName,
    collected,
    file_option,
    force_option,
    output_option,
    overrides,
    parsed,
    scenario_argument,
    tell,
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
    from simio.report.render import form_of, rendered
    from simio.result.model import ScenarioResult
    from simio.running import run_scenario
    from simio.sweeps.values import Axis, axis
    from simio.worth import as_worth


@click.command()
@click.argument("scenarios", nargs=-1, required=True, metavar="SCENARIO...", type=ScenarioName())
@click.option("--against", "key", required=True, metavar="KEY", help="Varied value on the horizontal axis.")
@output_option("Write the picture to FILE: .svg, .png or .pdf.", required=True)
@click.option("--title", metavar="TEXT", help="Title of the picture; by default that of the scenario.")
@click.option(
    "--set", "sets", multiple=True, metavar="KEY=VALUES",
    help="Override a value, or vary it: disks.d.count=1..8, run.seed=1,2,3.",
)  # fmt: skip
def plot(scenarios: tuple[str, ...], key: str, output: str, title: str | None, sets: tuple[str, ...]) -> None:
    """Draw throughput against a varied value, for one or more scenarios.

    Each combination of the other varied values is a line. All rates are in the unit of the first scenario. Crosses
    are measured values, bars are intervals.

    \b
    simio plot a.yaml b.yaml --against workload.nfs.clients -o clients.svg
    simio plot a.yaml --set disks.d.count=1..8 --against disks.d.count -o disks.png
    """
    form_of(output)
    axes = collected(lambda text: axis(text, "--set"), sets)
    results: list[tuple[str, ScenarioResult]] = []
    for name in scenarios:
        results.append((Path(name).stem, _varied(name, axes)))
        if not results[-1][1].complete:
            break
    unit = results[0][1].unit
    drawn = chart.lines(results, key, unit)
    title = title or chart.described(results, key)
    write_file(output, rendered(output, chart.svg(title, drawn, key, unit), *chart.size(title, drawn)))
    if not results[-1][1].complete:
        tell(f"interrupted: only what had been run by then is in {output}")
        sys.exit(INTERRUPTED)


def _varied(name: str, axes: Sequence[Axis]) -> ScenarioResult:
    """The result of a scenario over all combinations of the axes, whose values are settings of its cases.

    Where they take long, all processors run them. An interrupt leaves the combinations that are done, or the only one
    as far as it had come, with `complete` False.
    """
    chosen = [
        {
            key: text
            for one, point in zip(axes, values, strict=True)
            for key, text in zip(one.keys, point, strict=True)
        }
        for values in product(*(one.points for one in axes))
    ]
    done: dict[int, ScenarioResult] = {}
    complete = True
    for number, result in as_worth([partial(_combination, name, settings) for settings in chosen]):
        complete = result.complete
        if complete or not done:
            done[number] = result
        if not complete:
            break
    found = [
        replace(case, settings={**chosen[number], **case.settings})
        for number, result in sorted(done.items())
        for case in result.cases
    ]
    cases = tuple(replace(case, index=index) for index, case in enumerate(found))
    return replace(result, cases=cases, complete=complete)


def _combination(name: str, settings: Mapping[str, str]) -> ScenarioResult:
    sets = [f"{key}={text}" for key, text in settings.items()]
    return run_scenario(load(name, sets), sets)


@click.command()
@scenario_argument
@overrides
@click.option(
    "--size", "sizes", multiple=True, metavar="SIZE", help="Size of an object, such as '650 MB'; may be repeated."
)
@file_option("--html", "page", help="Write the nomograph to FILE.")
@force_option
def nomograph(scenario: str, sets: tuple[str, ...], sizes: tuple[str, ...], page: str | None) -> None:
    """Compute how long a user waits for an object of a given size, at the rate of each case.

    --html draws the data-demand nomograph: size against rate, with lines of equal waiting time.

    \b
    simio nomograph linux-fc-raw --size '650 MB' --size '4 GB'
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
        for note in form.notes(result):
            console.print(note, style="yellow", markup=False)

    write(None, printed(show))
    if not result.complete:
        tell("interrupted: the rates are those of what had been run by then")
        sys.exit(INTERRUPTED)


def _size(text: str) -> int:
    size = int(parsed("--size", text, "size"))
    if size < 1:
        raise SimioError(f"--size: found {text}; expected a size above zero")
    return size
