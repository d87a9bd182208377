"""`simio models`: the catalogue of parts, and every value of a part with its source."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from simio.cli.complete import parts
from simio.cli.options import COMPLETING, write
from simio.description.sheets import CATEGORIES

if TYPE_CHECKING or not COMPLETING:
    from rich.text import Text

    from simio.description.quantities import quantity_of
    from simio.loading import catalogue
    from simio.loading.datasheet import CatalogueEntry, ValueEntry
    from simio.loading.parts import value_as_text
    from simio.loading.problems import field_named
    from simio.report.console import FittedTable, columns, listing, printed
    from simio.wording import counted

_GAP = "  "
_WIDEST = 80


class _PartOrCommand(click.Group):
    """`simio models PART` shows the part, as `simio models show PART` does."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The subcommand, or `show` for the name of anything else."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            return "show", self.commands["show"], args
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The subcommands and the parts."""
        return [*super().shell_complete(ctx, incomplete), *parts(ctx, self.params[0], incomplete)]


@click.group(cls=_PartOrCommand, invoke_without_command=True, subcommand_metavar="[show] [PART]")
@click.option("--class", "category", type=click.Choice(list(CATEGORIES)), help="Only parts of this class.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def models(ctx: click.Context, category: str | None, as_json: bool) -> None:
    """List the parts of the catalogue, or print every value of one PART with its source.

    A PART is a name from the list, a word that names or titles contain, or a datasheet of your own such as
    ./my-disk.yaml. The list counts the values that were fitted to measurements, and those that are assumed, without a
    measurement.

    \b
    simio models --class disk            the disks
    simio models disks/fc-15k-2002       one disk, value by value
    simio models 100g                    the parts with this in their name or title
    """
    if ctx.invoked_subcommand is not None:
        if category or as_json:
            raise click.UsageError("--class and --json of the list do not go with a subcommand", ctx)
        return
    _list(catalogue.names(category), as_json)


def _list(names: Sequence[str], as_json: bool) -> None:
    """The parts of these names, each with the numbers of its values."""
    entries = [catalogue.sheet(name) for name in names]
    if as_json:
        click.echo(json.dumps([_summary(entry) for entry in entries], indent=2, ensure_ascii=False))
        return
    if sys.stdout.isatty():
        write(None, listing([(entry.name, entry.title, _counts(entry)) for entry in entries]))
        return
    rows = []
    for entry in entries:
        counts = _summary(entry)
        numbers = (str(counts[key]) for key in ("values", "fitted", "assumed"))
        rows.append((entry.name, entry.kind, entry.title, *numbers))
    _print(("part", "kind", "title", "values", "fitted", "assumed"), rows, numbers=3)


@models.command("show")
@click.argument("part", shell_complete=parts)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(part: str, as_json: bool) -> None:
    """Print every value of a PART with its basis and source, or list the parts with a word in their name or title.

    \b
    simio models show disks/fc-15k-2002
    """
    if part in CATEGORIES.values():
        category = next(name for name, folder in CATEGORIES.items() if folder == part)
        click.get_current_context().invoke(models, category=category, as_json=as_json)
        return
    named = [name for name in catalogue.names() if name.partition("/")[2] == part]
    if not named and "/" not in part and (matching := catalogue.matching(part)):
        _list(matching, as_json)
        return
    entry = catalogue.sheet(named[0] if len(named) == 1 else part)
    if as_json:
        click.echo(json.dumps(_datasheet(entry), indent=2, ensure_ascii=False))
        return
    click.echo(f"{entry.name}: {entry.title}")
    click.echo(f"{entry.category} of kind {entry.kind}\n")
    if entry.notes:
        click.echo(f"{click.wrap_text(' '.join(entry.notes.split()), _width())}\n")
    values = _datasheet(entry)["values"]
    rows = [(key, value["value"], _basis(value), " ".join(value["source"].split())) for key, value in values.items()]
    _print(("value", "is", "basis", "source"), rows)
    if entry.parts:
        click.echo("\nparts")
        for name, model in _parts(entry):
            click.echo(f"{_GAP}{name:<16} {model}")


def _counts(entry: CatalogueEntry) -> str:
    counts = _summary(entry)
    return (
        f"{entry.kind}; {counted(counts['values'], 'value')}, {counts['fitted']} fitted, {counts['assumed']} assumed"
    )


def _summary(entry: CatalogueEntry) -> dict[str, Any]:
    bases = Counter(value.basis for value in entry.values.values())
    return {
        "name": entry.name, "class": entry.category, "kind": entry.kind, "title": entry.title,
        "values": len(entry.values), "fitted": bases["fitted"], "assumed": bases["assumed"],
    }  # fmt: skip


def _datasheet(entry: CatalogueEntry) -> dict[str, Any]:
    return {
        "name": entry.name, "class": entry.category, "kind": entry.kind, "title": entry.title, "notes": entry.notes,
        "values": {key: _value(entry, key, value) for key, value in entry.values.items()}, "parts": entry.parts,
    }  # fmt: skip


def _value(entry: CatalogueEntry, key: str, value: ValueEntry) -> dict[str, Any]:
    quantity = quantity_of(field_named(type(entry.sheet), key))
    data: dict[str, Any] = {"value": value.text, "basis": value.basis, "source": value.source}
    for name, ends in (("interval", value.interval), ("bounds", value.bounds)):
        if ends is not None:
            data[name] = [value_as_text(end, quantity.dimension if quantity else None) for end in ends]
    return data


def _basis(value: dict[str, Any]) -> str:
    ends = value.get("interval")
    return f"{value['basis']}, {ends[0]} to {ends[1]}" if ends else str(value["basis"])


def _parts(entry: CatalogueEntry) -> list[tuple[str, str]]:
    found = []
    for key, part in entry.parts.items():
        if key in ("buses", "adapters"):
            found += [(f"{key}.{name}", _model(item)) for name, item in part.items()]
        else:
            found.append((key, _model(part)))
    return found


def _model(part: Any) -> str:
    if not isinstance(part, dict):
        return str(part)
    return f"{part['model']} on {part['bus']}" if "bus" in part else str(part["model"])


# --- tables ------------------------------------------------------------------------------------------------


def _width() -> int:
    return shutil.get_terminal_size((100, 24)).columns


def _print(headings: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> None:
    """A ruled table on a terminal; elsewhere one row a line, in columns, for `grep` and the like.

    The last `numbers` columns are aligned to the right.
    """
    if sys.stdout.isatty():
        write(None, printed(lambda console: console.print(table(headings, rows, numbers))))
        return
    # One long cell must not push the next column out of sight in all rows.
    lengths = [[len(row[number]) for row in (headings, *rows)] for number in range(len(headings))]
    widths = [max(length for length in column if length <= max(_WIDEST, column[0])) for column in lengths]
    for row in (headings, *rows):
        cells = [
            cell.rjust(width) if number >= len(headings) - numbers else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo(_GAP.join(cells).rstrip())


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> FittedTable:
    """A table of plain text (no markup) with the last `numbers` columns aligned to the right."""
    made = columns(*headings, left=range(len(headings) - numbers))
    for row in rows:
        made.add_row(*(Text(cell) for cell in row))
    return made
