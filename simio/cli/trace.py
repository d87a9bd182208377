"""simio trace: a timeline of everything that happens in a run, for Perfetto or chrome://tracing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from simio.cli.options import case_number, overrides, scenario_argument, tell

if TYPE_CHECKING:
    from simio.description.model import Case, Scenario
    from simio.engines.outcome import Outcome
    from simio.result.activity import Activity

MOST = 5_000_000
"""Spans that may be asked for; more would be a file that no viewer opens."""


@click.command()
@scenario_argument
@overrides
@click.option("--case", "number", type=int, metavar="N", help="Which case; the first one if not given.")
@click.option("--from", "since", metavar="TIME", help="Keep what happens from here on, such as '10 ms'.")
@click.option("--until", metavar="TIME", help="Stop here.")
@click.option(
    "--spans",
    type=click.IntRange(1, MOST),
    metavar="N",
    help="Stop when so many have been kept; 250000 if not given.",
)
@click.option(
    "--engine",
    type=click.Choice(["compiled", "simpy"]),
    help="compiled (the default) or the SimPy reference.",
)
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False), default="trace.json", metavar="FILE", show_default=True,
    help="Write there.",
)  # fmt: skip
def trace(
    scenario: str,
    sets: tuple[str, ...],
    number: int | None,
    since: str | None,
    until: str | None,
    spans: int | None,
    engine: str | None,
    output: str,
) -> None:
    """Write what every resource and thread does, and who waits for what, as a timeline in simulated time.

    Open the file in https://ui.perfetto.dev or chrome://tracing.

    \b
    simio trace s.yaml -o s.json
    simio trace s.yaml --case 3 --from 10ms --until 12ms
    """
    from simio.loading import load
    from simio.result.activity import MOST as USUAL
    from simio.result.activity import AbortedActivity, observe

    first, last = _time("--from", since) or 0, _time("--until", until)
    if last is not None and last <= first:
        raise click.UsageError("--until is not after --from")
    loaded = load(scenario, sets)
    index = case_number(loaded, number)
    if index is None and len(loaded.cases) > 1:
        tell(f"case 1 of {len(loaded.cases)}; --case N for another")
    case = loaded.cases[index or 0]
    try:
        activity, outcome = observe(case.system, first, last, spans or USUAL, engine, tell)
    except AbortedActivity as error:
        _write(loaded, case, error.activity, error.outcome, output)
        raise
    _write(loaded, case, activity, outcome, output)


def _time(option: str, text: str | None) -> int | None:
    from simio import units
    from simio.errors import SimioError

    try:
        return None if text is None else int(units.parse(text, "time"))
    except units.UnitError as error:
        raise SimioError(f"{option}: found {error.found}; expected {error.expected}") from None


def _write(loaded: Scenario, case: Case, activity: Activity, outcome: Outcome, output: str) -> None:
    """Write the trace and tell how much it holds."""
    from simio import units
    from simio.files import write_whole
    from simio.program.digest import program_hash
    from simio.report.trace import chrome
    from simio.version import VERSION

    about = {
        "title": loaded.title, "case": case.index + 1, "settings": dict(case.settings), "simio": VERSION,
        "hash": program_hash(activity.program), "seed": case.system.run.seed,
    }  # fmt: skip
    write_whole(output, chrome(activity, outcome, about))
    since, end = (units.format_quantity(time, "time") for time in (activity.since, activity.end))
    count = len(activity.held) + len(activity.passed)
    click.echo(f"{output}: {count:,} spans from {since} to {end}")
    if not count:
        tell("nothing happens there")
    if activity.full:
        tell("that is all that was to be kept, and the run goes on; --from, --until and --spans set what is kept")
    if activity.program.guests:
        tell("what processes written in Python do is not in it")
