"""simio explain: where the time of a unit of work goes, what limits, and what would be gained."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from simio.cli.options import case_number, overrides, scenario_argument, tell, write

if TYPE_CHECKING:
    from simio.description.model import Case
    from simio.explaining.model import CausalProfile, Waterfall


@click.command()
@scenario_argument
@overrides
@click.option("--case", "number", type=int, metavar="N", help="Explain this case, and not the first.")
@click.option("--json", "form", flag_value="json", help="Print everything as JSON.")
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False), metavar="FILE", help="Write there, not to the screen."
)
def explain(scenario: str, sets: tuple[str, ...], number: int | None, form: str | None, output: str | None) -> None:
    """Where the time goes, what limits, and what would be gained.

    Each component is made 10% faster, twice as fast, and free, and the case is run again: that tells what limits, and
    what limits next. Windows, timers and queues are changed as well. The time of one unit of work is followed through
    the run, stage by stage.
    """
    from simio.loading import load
    from simio.report import explained

    loaded = load(scenario, sets)
    index = case_number(loaded, number)
    if index is None and len(loaded.cases) > 1:
        tell(f"case 1 of {len(loaded.cases)}; --case N for another")
    case = loaded.cases[index or 0]
    found, profile = explanation(case, loaded.title)
    if form:
        text = explained.as_json(found, profile, loaded.title)
    else:
        text = _text(found, profile, loaded.title, to_file=output is not None)
    write(output, text)
    if profile is None or not profile.complete:
        sys.exit(130)


def explanation(case: Case, title: str) -> tuple[Waterfall | None, CausalProfile | None]:
    """The waterfall and the profile, or what there is of them when the user interrupts."""
    from simio.cli.run import Progress
    from simio.errors import RunError
    from simio.explaining import profile as profile_of
    from simio.explaining import waterfall
    from simio.explaining.stages import Traced

    found, traced = None, None
    try:
        try:
            traced = Traced(case)
            found = waterfall(case, traced=traced)
        except RunError as error:
            # The case itself may run all the same; if it does not, the profile says so.
            tell(f"the time of a unit is not told: {error}")
        with Progress(0) as progress:

            def step(_: int, total: int) -> None:
                progress.total = total
                progress.step()

            return found, profile_of(case, title, progress=step, traced=traced)
    except KeyboardInterrupt:
        return found, None


def _text(found: Waterfall | None, profile: CausalProfile | None, title: str, to_file: bool) -> str:
    from rich.console import Console

    from simio.report.explained import show

    console = Console(highlight=False, width=160 if to_file or not sys.stdout.isatty() else None)
    with console.capture() as capture:
        show(console, found, profile, title)
    return "".join(line.rstrip() + "\n" for line in capture.get().splitlines())
