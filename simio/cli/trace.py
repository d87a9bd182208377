"""simio trace: a timeline of everything that happens in a run, for Perfetto or chrome://tracing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from simio import units
from simio.cli.main import INTERRUPTED
from simio.cli.options import (
    COMPLETING,
    case_option,
    engine_option,
    one_case,
    output_option,
    overrides,
    parsed,
    scenario_argument,
    tell,
    write_file,
)  # fmt: skip
from simio.cli.progress import Progress
from simio.version import VERSION

if TYPE_CHECKING or not COMPLETING:
    from simio.description.model import Case, Scenario
    from simio.engines.outcome import Outcome
    from simio.loading import load
    from simio.observing import AbortedActivity, InterruptedActivity, observe
    from simio.program.digest import program_hash
    from simio.report.trace import chrome
    from simio.result.activity import MOST as USUAL
    from simio.result.activity import Activity
    from simio.wording import counted

MOST = 5_000_000
"""Largest number of spans; no viewer opens a larger file."""
FIRST_LOOK = 20_000
"""Spans where no option says which are wanted."""


@click.command()
@scenario_argument
@overrides
@case_option("Number of the case; the first by default.")
@click.option("--from", "since", metavar="TIME", help="Begin at this simulated time, such as '10 ms'.")
@click.option("--until", metavar="TIME", help="End at this simulated time.")
@click.option("--spans", type=click.IntRange(1, MOST), metavar="N", help="Write at most N spans.")
@engine_option
@output_option("Write to FILE.", default="trace.json", show_default=True)
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
    """Write a timeline of every resource and thread in simulated time, with the waits of threads.

    Open the file in https://ui.perfetto.dev or chrome://tracing. The timeline has the first 20,000 spans of the run,
    or with --from or --until at most 250,000 of that time; --spans sets another number.

    \b
    simio trace s.yaml -o s.json
    simio trace s.yaml --case 3 --from 10ms --until 12ms
    """
    first = int(parsed("--from", since, "time")) if since is not None else 0
    last = int(parsed("--until", until, "time")) if until is not None else None
    if last is not None and last <= first:
        raise click.UsageError("--until is not after --from")
    loaded = load(scenario, sets)
    case = one_case(loaded, number)
    usual = FIRST_LOOK if since is None and until is None else USUAL
    try:
        with Progress():
            activity, outcome = observe(case.system, first, last, spans or usual, engine, tell)
    except InterruptedActivity as error:
        tell("interrupted: the trace is of the time until then")
        _write(loaded, case, error.activity, error.outcome, output)
        sys.exit(INTERRUPTED)
    except AbortedActivity as error:
        _write(loaded, case, error.activity, error.outcome, output)
        raise
    _write(loaded, case, activity, outcome, output)


def _write(loaded: Scenario, case: Case, activity: Activity, outcome: Outcome, output: str) -> None:
    """Write the trace and print how much it holds."""
    about = {
        "title": loaded.title, "case": case.index + 1, "settings": dict(case.settings), "simio": VERSION,
        "hash": program_hash(activity.program), "seed": case.system.run.seed,
    }  # fmt: skip
    write_file(output, chrome(activity, outcome, about))
    since, end = (units.format_quantity(time, "time") for time in (activity.since, activity.end))
    count = len(activity.held) + len(activity.passed)
    click.echo(f"{output}: {counted(count, 'span')} from {since} to {end}")
    if not count:
        tell("nothing happens in this time")
    if activity.full:
        tell(f"the trace ends after {counted(count, 'span')}, before the run does; see --from, --until, --spans")
    if activity.program.guests:
        tell("processes written in Python are left out")
