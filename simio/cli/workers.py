"""Options of commands that make many runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from simio.cli.options import tell

if TYPE_CHECKING:
    from simio.sweeps.sweep import Workers


def worker_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Who runs them, and whether results of earlier runs count."""
    for option in (
        click.option("--cache/--no-cache", "cached", default=True, help="Take results of earlier runs."),
        click.option("--cluster", metavar="ADDRESS", help="Run on the Dask scheduler there (tcp://host:port)."),
        click.option("--processes", type=click.IntRange(1), metavar="N", help="Processes; one a CPU by default."),
    ):
        command = option(command)
    return command


def workers_of(processes: int | None, cluster: str | None, cached: bool) -> Workers:
    """Who runs, from these options."""
    from simio.errors import SimioError
    from simio.sweeps.sweep import Workers

    if cluster and processes:
        raise SimioError("found both --cluster and --processes; expected one of them")
    return Workers(processes, cluster, cached, tell)
