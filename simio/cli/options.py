"""Arguments, options and messages that several commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sized
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from simio import units
from simio.errors import SimioError, quote
from simio.files import check_output, write_output

COMPLETING = "_SIMIO_COMPLETE" in os.environ
"""True if a shell asks for completion, which has to be quick: commands then import nothing but their options."""

if TYPE_CHECKING:
    from simio.description.model import Case, Scenario

Given = TypeVar("Given")
Value = TypeVar("Value")
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class ScenarioName(click.Path):
    """A scenario file, or the name of a ready scenario, which becomes its file."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The file that the text names."""
        from simio.loading.ready import located

        return located(str(super().convert(value, param, ctx)))

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Files, and the ready scenarios whose names begin so."""
        from simio.loading.ready import ready_names

        ready = [CompletionItem(name) for name in ready_names() if name.startswith(incomplete)]
        return [*super().shell_complete(ctx, param, incomplete), *ready]


scenario_argument: Decorator = click.argument("scenario", type=ScenarioName())
overrides: Decorator = click.option(
    "--set", "sets", multiple=True, metavar="KEY=VALUE",
    help="Override a value, such as workload.blast.size='64 KiB'; may be repeated.",
)  # fmt: skip
engine_option: Decorator = click.option(
    "--engine",
    type=click.Choice(["compiled", "simpy"]),
    help="Engine: compiled (the default) or the SimPy reference.",
)
processes_option: Decorator = click.option(
    "--processes", type=click.IntRange(1, 1024), metavar="N", help="Number of processes; one for each CPU by default."
)


def form_option(flag: str, form: str, help_: str) -> Decorator:
    """An option that prints the answer in another form; no two of a command go together."""

    def only_one(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:
        if wanted and (other := ctx.params.get("form")):
            both = " and ".join(sorted((flag, f"--{other}")))
            raise click.UsageError(f"found {both}; expected one of them")
        ctx.params["form"] = form if wanted else ctx.params.get("form")

    return click.option(flag, is_flag=True, expose_value=False, callback=only_one, help=help_)


json_option: Decorator = form_option("--json", "json", "Print everything as JSON.")


def case_option(help_: str) -> Decorator:
    """The option --case."""
    return click.option("--case", "number", type=int, metavar="N", help=help_)


def output_option(help_: str = "Write to FILE instead of the screen.", **more: Any) -> Decorator:
    """The options --output of a file, and --force for every file that the command writes."""
    output, force = file_option("--output", "-o", help=help_, **more), force_option

    def both(command: Callable[..., Any]) -> Callable[..., Any]:
        return output(force(command))

    return both


def file_option(*names: str, **more: Any) -> Decorator:
    """An option of a file to write. What must not be replaced is refused before the command begins."""
    options = {"metavar": "FILE", **more}
    return click.option(*names, type=click.Path(dir_okay=False), callback=_checked, **options)


def _checked(ctx: click.Context, _param: click.Parameter, path: str | None) -> str | None:
    if path is not None and not ctx.resilient_parsing:
        if path in ("", "-"):
            raise SimioError(f"cannot write {quote(path)}: expected the name of a file, such as 'answer.txt'")
        check_output(path, forced(ctx))
    return path


def folder_option(*names: str, **more: Any) -> Decorator:
    """An option of a folder for pictures. One with pictures in it is refused without --force."""
    options = {"metavar": "DIR", **more}
    return click.option(*names, type=click.Path(), callback=_without_pictures, **options)


def _without_pictures(ctx: click.Context, _param: click.Parameter, folder: str | None) -> str | None:
    if folder is None or ctx.resilient_parsing or not os.path.exists(folder):
        return folder
    if not os.path.isdir(folder):
        raise SimioError(f"cannot write pictures to {quote(folder)}, which is no folder")
    if forced(ctx):
        return folder
    there = [name for name in os.listdir(folder) if name.endswith((".svg", ".png"))]
    if there:
        raise SimioError(f"cannot write pictures into {quote(folder)}: it has some; --force replaces them")
    return folder


def forced(ctx: click.Context | None = None) -> bool:
    """True if --force is given."""
    return bool((ctx or click.get_current_context()).meta.get(_FORCE))


def _keep_force(ctx: click.Context, _param: click.Parameter, given: bool) -> None:
    ctx.meta[_FORCE] = given


_FORCE = "simio.force"
force_option: Decorator = click.option(
    "--force", is_flag=True, is_eager=True, expose_value=False, callback=_keep_force,
    help="Replace an existing file even if it is no report of simio.",
)  # fmt: skip


def case_number(cases: Sized, number: int | None, option: str = "--case") -> int | None:
    """Index of the case that a user calls `number` by this option; raises SimioError if there is none."""
    if number is not None and not 1 <= number <= len(cases):
        raise SimioError(f"{option}: found {number}; expected a number from 1 to {len(cases)}")
    return None if number is None else number - 1


def check_one_case(path: str, cases: Sized) -> None:
    """Raise SimioError where a command that takes one case of a file finds several."""
    if len(cases) > 1:
        raise SimioError(
            f"{path}: found {len(cases)} cases; expected one: choose it with --case, or --set what it varies"
        )


def one_case(scenario: Scenario, number: int | None, of: str = "") -> Case:
    """The case that a user calls `number`, else the first, with a message if there are others."""
    index = case_number(scenario.cases, number)
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
    write_file(output, text)


def write_file(path: str, content: str | bytes | Iterable[str]) -> None:
    """Write a file that an option names; with --force also over another one."""
    write_output(path, content, forced())
