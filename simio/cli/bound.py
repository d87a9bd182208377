"""simio bound: what a path can carry at most, without running it."""

from __future__ import annotations

import sys

import click

from simio.cli.options import case_number, overrides, scenario_argument

SHOWN = 6
"""Limits listed beside the tightest one."""


@click.command()
@scenario_argument
@overrides
@click.option("--case", "number", type=int, metavar="N", help="Only this case, with every limit.")
def bound(scenario: str, sets: tuple[str, ...], number: int | None) -> None:
    """Upper bound on throughput, and what sets it, without running.

    For each resource, credit window and thread: the throughput at which it would be busy all the time.
    """
    from rich.console import Console
    from rich.table import Table

    from simio.bound import bound as bound_of
    from simio.loading import load
    from simio.lower import lower
    from simio.report.alike import merged
    from simio.report.data import in_unit

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
        if found.tightest is None:
            console.print(f"{settings}: no bound, since the amount of work depends on the run", markup=False)
            continue
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 2), show_header=False)
        limits = merged(
            found.limits, lambda limit: limit.name, lambda limit: limit.kind, lambda limit: limit.time
        )
        for name, limit in limits[: None if index is not None else SHOWN]:
            rate = found.rate(limit)
            if rate is not None:
                table.add_row(f"{in_unit(float(rate), unit):.4g} {unit}", name, limit.kind)
        console.print(
            f"{settings}: at most {in_unit(float(found.rate() or 0), unit):.4g} {unit}", markup=False
        )
        console.print(table)
