"""simio bound: what a path can carry at most, without running it."""

from __future__ import annotations

import sys

import click

from simio.cli.options import case_number, overrides, scenario_argument


@click.command()
@scenario_argument
@overrides
@click.option("--case", "number", type=int, metavar="N", help="Only this case, with every limit.")
def bound(scenario: str, sets: tuple[str, ...], number: int | None) -> None:
    """Upper bound on throughput, and what sets it, without running.

    For each resource, credit window and thread: the throughput at which it would be busy all the time.
    """
    from rich.console import Console

    from simio.bound import bound as bound_of
    from simio.loading import load
    from simio.lower import lower
    from simio.report.bounds import lines

    loaded = load(scenario, sets)
    index = case_number(loaded, number)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 160)
    console.print(f"[bold]{loaded.title.replace('[', chr(92) + '[')}[/bold]\n")
    for case in loaded.cases:
        if index not in (None, case.index):
            continue
        unit = case.system.report.unit
        found = bound_of(lower(case.system))
        settings = ", ".join(f"{key} = {value}" for key, value in case.settings.items()) or "this scenario"
        for line in lines(found, settings, unit, all_limits=index is not None):
            console.print(line)
