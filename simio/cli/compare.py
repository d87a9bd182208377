"""simio compare: what differs between two runs, and which change caused how much of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from simio.cli.options import case_number, overrides, tell, write

if TYPE_CHECKING:
    from simio.description.model import Case, Scenario
    from simio.explaining.model import Contrast

_SIDE = "Override a value in {} only; where there is one scenario, this is what sets it apart."


@click.command()
@click.argument("first", metavar="SCENARIO", type=click.Path())
@click.argument("second", metavar="[OTHER]", type=click.Path(), required=False)
@overrides
@click.option("--a", "of_a", multiple=True, metavar="KEY=VALUE", help=_SIDE.format("A"))
@click.option("--b", "of_b", multiple=True, metavar="KEY=VALUE", help=_SIDE.format("B"))
@click.option("--case-a", type=int, metavar="N", help="The case of A, and not the first.")
@click.option("--case-b", type=int, metavar="N", help="The case of B, and not that of A.")
@click.option("--json", "form", flag_value="json", help="Print everything as JSON.")
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False), metavar="FILE", help="Write there, not to the screen."
)
def compare(
    first: str,
    second: str | None,
    sets: tuple[str, ...],
    of_a: tuple[str, ...],
    of_b: tuple[str, ...],
    case_a: int | None,
    case_b: int | None,
    form: str | None,
    output: str | None,
) -> None:
    """What differs between two runs, and which change caused how much of it.

    \b
    simio compare a.yaml b.yaml                                two scenarios
    simio compare s.yaml --b workload.ftp.buffer='60 KiB'      one, as it is and changed
    simio compare s.yaml --case-a 1 --case-b 3                 two of its cases
    """
    from simio.errors import SimioError
    from simio.explaining.contrast import contrast
    from simio.loading import load
    from simio.report import contrasted

    if second is None and not (of_a or of_b) and case_b is None:
        raise SimioError(
            "found one scenario and nothing that sets A and B apart; expected another scenario, --a, --b or --case-b"
        )
    a, b = load(first, (*sets, *of_a)), load(second or first, (*sets, *of_b))
    one, other = _chosen(a, b, case_a, case_b)
    title = a.title if a.title == b.title else f"A: {a.title}\nB: {b.title}"
    from simio.cli.run import Progress

    with Progress(0) as progress:

        def step(_: int, total: int) -> None:
            progress.total = total
            progress.step()

        found = contrast(one, other, title, progress=step)
    write(output, contrasted.as_json(found) if form else _text(found, to_file=output is not None))
    if not found.complete:
        sys.exit(130)


def _chosen(a: Scenario, b: Scenario, case_a: int | None, case_b: int | None) -> tuple[Case, Case]:
    """The two cases; B's is that of A if there is one of this number and no other is asked for."""
    first = case_number(a, case_a) or 0
    same = case_b is None and first < len(b.cases)
    second = first if same else case_number(b, case_b) or 0
    if len(a.cases) > 1 and case_a is None:
        tell(f"A is case {first + 1} of {len(a.cases)}; --case-a N for another")
    return a.cases[first], b.cases[second]


def _text(found: Contrast, to_file: bool) -> str:
    from rich.console import Console

    from simio.report.contrasted import show

    console = Console(highlight=False, width=160 if to_file or not sys.stdout.isatty() else None)
    with console.capture() as capture:
        show(console, found)
    return "".join(line.rstrip() + "\n" for line in capture.get().splitlines())
