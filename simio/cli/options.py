"""Arguments, options and messages that several commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from simio import units
from simio.errors import SimioError
from simio.files import write_whole

COMPLETING = "_SIMIO_COMPLETE" in os.environ
"""Whether a shell asks for completion, which has to be quick: commands then import nothing but their options."""

if TYPE_CHECKING:
    from simio.description.model import Case, Scenario

Given = TypeVar("Given")
Value = TypeVar("Value")
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

scenario_argument: Decorator = click.argument("scenario", type=click.Path())
overrides: Decorator = click.option(
    "--set", "sets", multiple=True, metavar="KEY=VALUE",
    help="Override a value, such as workload.blast.size='64 KiB'.",
)  # fmt: skip
engine_option: Decorator = click.option(
    "--engine", type=click.Choice(["compiled", "simpy"]), help="compiled (the default) or the SimPy reference."
)
json_option: Decorator = click.option("--json", "form", flag_value="json", help="Print everything as JSON.")


def case_option(help_: str) -> Decorator:
    """The option --case."""
    return click.option("--case", "number", type=int, metavar="N", help=help_)


def output_option(help_: str = "Write to FILE, not to the screen.", **more: Any) -> Decorator:
    """The option --output of a file."""
    options = {"metavar": "FILE", **more}
    return click.option("--output", "-o", type=click.Path(dir_okay=False), help=help_, **options)


def case_number(scenario: Scenario, number: int | None) -> int | None:
    """Index of the case that a user calls `number`; raises SimioError if there is none."""
    if number is not None and not 1 <= number <= len(scenario.cases):
        last = len(scenario.cases)
        raise SimioError(f"--case: found {number}; expected a number from 1 to {last}")
    return None if number is None else number - 1


def one_case(scenario: Scenario, number: int | None, of: str = "") -> Case:
    """The case that a user calls `number`, else the first, with a message if there are others."""
    index = case_number(scenario, number)
    if index is None and len(scenario.cases) > 1:
        tell(f"{of}case 1 of {len(scenario.cases)}; --case N for another")
    return scenario.cases[index or 0]


def parsed(option: str, text: str, dimension: str) -> Any:
    """A quantity that an option gives, in base units; raises SimioError if it cannot be read."""
    try:
        return units.parse(text, dimension)
    except units.UnitError as error:
        raise SimioError(f"{option}: found {error.found}; expected {error.expected}") from None


def collected(read: Callable[[Given], Value], items: Iterable[Given]) -> list[Value]:
    """Apply `read` to each item; raises SimioError with all of its errors."""
    found, errors = [], []
    for item in items:
        try:
            found.append(read(item))
        except SimioError as error:
            errors.append(str(error))
    if errors:
        raise SimioError("\n".join(errors))
    return found


def tell(text: str) -> None:
    """Print a message beside the answer, on a line of its own."""
    click.echo(f"simio: {text}", err=True)


def write(output: str | None, text: str | Iterable[str]) -> None:
    """Write a text, or its pieces, to a file, or to the screen if `output` is None."""
    if output is None:
        sys.stdout.writelines([text] if isinstance(text, str) else text)
        sys.stdout.flush()
        return
    write_whole(output, text)
