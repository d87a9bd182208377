"""Arguments and options that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from simio.description.model import Scenario

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

scenario_argument: Decorator = click.argument("scenario", type=click.Path())
overrides: Decorator = click.option(
    "--set",
    "sets",
    multiple=True,
    metavar="KEY=VALUE",
    help="Override a value, such as workload.blast.size='64 KiB'.",
)


def case_number(scenario: Scenario, number: int | None) -> int | None:
    """Index of the case that a user calls `number`; raises SimioError if there is none."""
    from simio.errors import SimioError

    if number is not None and not 1 <= number <= len(scenario.cases):
        last = len(scenario.cases)
        raise SimioError(f"--case: found {number}; expected a number from 1 to {last}")
    return None if number is None else number - 1


def tell(text: str) -> None:
    """A message beside the answer, on a line of its own."""
    click.echo(f"simio: {text}", err=True)


def write(output: str | None, text: str | Iterable[str]) -> None:
    """Write a text, or its pieces, to a file, or to the screen where `output` is None."""
    if output is None:
        sys.stdout.writelines([text] if isinstance(text, str) else text)
        sys.stdout.flush()
        return
    from simio.files import write_whole

    write_whole(output, text)
