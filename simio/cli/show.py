"""`simio show`: what a scenario is made of, its wiring, and the program it becomes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from simio.cli.options import (
    COMPLETING,
    case_number,
    case_option,
    output_option,
    overrides,
    scenario_argument,
    write,
    write_file,
)  # fmt: skip

if TYPE_CHECKING or not COMPLETING:
    from simio.cli.overview import overview
    from simio.description.model import Case, Scenario
    from simio.loading import load
    from simio.lower import lower
    from simio.program.listing import listing
    from simio.report.wiring.mermaid import mermaid
    from simio.report.wiring.picture import image, page
    from simio.topology import wire

_PICTURES = (".html", ".htm", ".png", ".svg", ".pdf")


@click.command()
@scenario_argument
@overrides
@click.option("--graph", is_flag=True, help="Print the wiring, as Mermaid text or as a picture.")
@click.option("--program", is_flag=True, help="Print the steps of the program that the engine executes.")
@click.option("--no-numbers", is_flag=True, help="Leave out the numbers of the steps, to compare two programs.")
@case_option("Number of the case; the first by default.")
@click.option("--format", "form", type=click.Choice(["mermaid", "html"]), help="Format of --graph.")
@output_option("Write to FILE; a picture if it ends in .html, .svg, .png or .pdf.")
def show(
    scenario: str,
    sets: tuple[str, ...],
    graph: bool,
    program: bool,
    no_numbers: bool,
    number: int | None,
    form: str | None,
    output: str | None,
) -> None:
    """Print the parts, the wiring or the program of a scenario, without a run.

    \b
    simio show s.yaml                           hosts, links, workloads and cases
    simio show s.yaml --graph -o wiring.html    a picture of the wiring
    simio show s.yaml --program --case 2        the steps of the second case
    """
    if graph and program:
        raise click.UsageError("--graph and --program exclude each other")
    if no_numbers and not program:
        raise click.UsageError("--no-numbers goes with --program")
    if form and not graph:
        raise click.UsageError("--format goes with --graph")
    picture = graph and _is_picture(form, output)
    loaded = load(scenario, sets)
    case = loaded.cases[case_number(loaded.cases, number) or 0]
    if picture:
        assert output is not None
        _draw(case, output)
        return
    text = _text(loaded, case, graph, program, numbers=not no_numbers)
    write(output, text)


def _is_picture(form: str | None, output: str | None) -> bool:
    """True if a picture is wanted; raises UsageError for a form that does not fit the file."""
    suffix = Path(output).suffix.lower() if output else ""
    if form == "html" and suffix not in (".html", ".htm"):
        raise click.UsageError("--format html needs --output FILE.html")
    if form == "mermaid" and suffix in _PICTURES:
        raise click.UsageError(f"--format mermaid is text; {suffix} is a picture")
    return suffix in _PICTURES


def _text(scenario: Scenario, case: Case, graph: bool, program: bool, numbers: bool) -> str:
    if program:
        return listing(lower(case.system), numbers)
    if graph:
        return mermaid(wire(case.system))
    return overview(scenario, case)


def _draw(case: Case, output: str) -> None:
    graph = wire(case.system)
    write_file(output, page(graph) if Path(output).suffix.lower() in (".html", ".htm") else image(graph, output))
