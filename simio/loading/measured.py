"""Measured tables: reading them, and finding the case of a scenario that each row belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from os.path import isfile
from pathlib import Path

from .. import units
from ..description.model import MeasuredRow, MeasuredTable
from ..errors import ScenarioError, did_you_mean, quote
from .catalogue import display
from .context import Context
from .datasheet import value_text
from .faults import FaultList, join, node_text, place_of
from .keypaths import lookup
from .vary import canonical, described
from .yamltree import Node, parse_yaml, read_file

_KEYS = ("title", "source", "quantity", "unit", "scenario", "notes", "rows")
_ROW_KEYS = ("where", "value", "note", "text")


@dataclass(frozen=True)
class TableRow:
    """A row as read: what was measured, and the settings that tell the case."""

    row: MeasuredRow
    where: dict[str, Node]
    node: Node
    path: str


@dataclass(frozen=True)
class Table:
    """A measured table with its rows."""

    table: MeasuredTable
    rows: tuple[TableRow, ...]


def table_names(root: Path) -> list[str]:
    """The names of the tables under a folder, study/table, sorted."""
    return sorted(f"{path.parent.name}/{path.stem}" for path in root.glob("*/*.yaml"))


def read_table(path: Path, name: str) -> Table:
    """The table in a file; ScenarioError with all that is wrong with it."""
    root = parse_yaml(read_file(path), display(path))
    faults = FaultList()
    top = faults.mapping(root, "", f"a table with the keys {', '.join(_KEYS)}")
    faults.raise_any()
    faults.unknown_keys(root, _KEYS, "")
    said: dict[str, str] = {}
    for key in ("title", "quantity", "unit", "scenario", "notes"):
        if key in top:
            said[key] = faults.text(top[key], key) or ""
        elif key in ("title", "quantity", "unit"):
            faults.add(key, "nothing", "a text", "this key is required", root.place)
    if said.get("unit") and units.dimension_of(said["unit"]) is None:
        hint = did_you_mean(said["unit"], units.units_of("rate"))
        faults.add("unit", quote(said["unit"]), "a unit such as 'MB/s'", hint, top["unit"].place)
    for key in ("source", "rows"):
        if key not in top:
            faults.add(
                key,
                "nothing",
                "a text or mapping" if key == "source" else "a list",
                "this key is required",
                root.place,
            )
    study, _, short = name.rpartition("/")
    rows = _rows(faults, top.get("rows"), (study, short), said.get("unit", ""))
    faults.raise_any()
    return Table(
        MeasuredTable(
            name,
            said["title"],
            _source(top["source"]),
            said["quantity"],
            said["unit"],
            said.get("notes", "").strip(),
            len(rows),
        ),
        tuple(rows),
    )


def _source(node: Node) -> dict[str, str]:
    if node.kind == "map":
        return {key: value_text(item) for key, item in node.entries.items()}
    return {"document": value_text(node)}


def _rows(faults: FaultList, node: Node | None, name: tuple[str, str], unit: str) -> list[TableRow]:
    if node is not None and node.kind != "list":
        faults.add("rows", node_text(node), "a list of rows", place=node.place)
    rows = []
    for index, item in enumerate(node.elements if node is not None else ()):
        path = join("rows", index)
        entry = faults.mapping(item, path, "a row with where and value")
        faults.unknown_keys(item, _ROW_KEYS, path)
        if item.kind != "map":
            continue
        for key in ("where", "value"):
            if key not in entry:
                faults.add(join(path, key), "nothing", "a value", "this key is required", item.place)
        where = (
            faults.mapping(entry["where"], f"{path}.where", "a mapping of key paths to values")
            if "where" in entry
            else {}
        )
        value, held = _value(faults, entry["value"], f"{path}.value") if "value" in entry else (None, False)
        text, note = (value_text(entry[key]).strip() if key in entry else "" for key in ("text", "note"))
        row = MeasuredRow(
            *name, value, text or (value_text(entry["value"]) if "value" in entry else ""), held, unit, note
        )
        rows.append(TableRow(row, where, item, path))
    return rows


def _value(faults: FaultList, node: Node, path: str) -> tuple[Fraction | None, bool]:
    if node.value == "held":
        return None, True
    if isinstance(node.value, int | float) and not isinstance(node.value, bool) and node.value > 0:
        # The text rather than the float, so that 0.32 stays 8/25.
        return (Fraction(node.text) if isinstance(node.value, float) else Fraction(node.value)), False
    faults.add(
        path, node_text(node), "a number above zero in the unit of the table, or 'held'", place=node.place
    )
    return None, False


def read_tables(ctx: Context, node: Node | None, root: Path) -> list[Table]:
    """The tables that ``measured`` names; ``root`` is the folder of the studies."""
    found = []
    for index, item in enumerate([] if node is None else node.elements if node.kind == "list" else [node]):
        path = "measured" if node is item else join("measured", index)
        name = ctx.faults.text(item, path, "the name of a table, as study/table")
        if name is None:
            continue
        own = name.startswith(("./", "../", "/"))
        file = ctx.folder / name if own else root / f"{name}.yaml"
        if not own and name not in table_names(root):
            ctx.faults.unknown(path, name, table_names(root), item.place, "table")
            continue
        if not isfile(file):
            said = f"{quote(name)}, which is not a file"
            ctx.faults.add(path, said, "a table as study/table, or a file", place=item.place)
            continue
        try:
            found.append(read_table(file, name.removesuffix(".yaml")))
        except ScenarioError as error:
            ctx.faults.extend(error.faults)
    return found


def assign_rows(
    ctx: Context,
    tables: Sequence[Table],
    trees: Sequence[Node],
    settings: Sequence[dict[str, str]],
    strict: bool,
) -> list[tuple[MeasuredRow, ...]]:
    """The measured rows of each case.

    A row belongs to the one case whose tree has the row's values.  With ``strict`` a row without a case is
    a fault; a scenario that the command line changed may well leave rows without one.
    """
    found: list[list[MeasuredRow]] = [[] for _ in trees]
    values: dict[str, list[object]] = {}
    for row in (row for table in tables for row in table.rows):
        cases = set(range(len(trees)))
        for key, node in row.where.items():
            if key not in values:
                values[key] = [_meaning(tree, key) for tree in trees]
            wanted = canonical(node)
            cases = {case for case in cases if values[key][case] == wanted}
        if len(cases) == 1:
            found[cases.pop()].append(row.row)
        elif strict:
            _unassigned(ctx, row, values, settings, len(cases))
    return [tuple(rows) for rows in found]


def _meaning(tree: Node, key: str) -> object:
    node = lookup(tree, key.split("."))
    return None if node is None else canonical(node)


def _unassigned(
    ctx: Context,
    row: TableRow,
    values: dict[str, list[object]],
    settings: Sequence[dict[str, str]],
    number: int,
) -> None:
    path = f"{row.path}.where"
    where = row.node.entries.get("where", row.node)
    varied = list(dict.fromkeys(key for case in settings for key in case))
    unknown = [key for key in row.where if all(value is None for value in values[key])]
    if unknown:
        for key in unknown:
            place = place_of(where, key)
            ctx.faults.unknown(
                join(path, key), key, varied, place, "key, which the scenario does not vary or give"
            )
        return
    said = described({key: value_text(node) for key, node in row.where.items()})
    if number:
        told = f"{said}, which {number} cases have"
        missing = [key for key in varied if key not in row.where]
        hint = f"tell {', '.join(missing)} too" if missing else ""
        ctx.faults.add(path, told, "the settings of one case", hint, where.place)
        return
    apart = [key for key, node in row.where.items() if canonical(node) not in values[key]]
    hint = ""
    if apart:
        known = list(dict.fromkeys(case[apart[0]] for case in settings if apart[0] in case))
        hint = f"{apart[0]} varies over {', '.join(known)}" if known else f"no case has this {apart[0]}"
    ctx.faults.add(path, f"{said}, which no case has", "the settings of one case", hint, where.place)
