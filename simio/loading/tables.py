"""Reading one measured table: its quantities, units and rows."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from simio import units
from simio.description.measured import (
    COUNTED,
    OF,
    OVER,
    PERCENT,
    POINTS,
    QUANTITIES,
    MeasuredRow,
    MeasuredTable,
    Tolerance,
)
from simio.description.quantities import Flag, NonBlankText, Quantity, Values
from simio.errors import ScenarioError, did_you_mean, quote
from simio.loading.catalogue import display
from simio.loading.measuredvalues import measured_value
from simio.loading.problems import ProblemList, join, node_text, place_of
from simio.loading.vary import canonical
from simio.loading.yamltree import Node, parse_yaml, value_text
from simio.reading import read_file

_KEYS = ("title", "source", "quantity", "unit", "scenario", "errors", "tolerance", "notes", "rows")
_REMARKS = ("text", "note", "anomaly", "missed")
RECORDS = "blind"
"""The folder beside the documents that has records of predictions, and no tables."""
VALUES = "values"
"""The folder beside the documents with errors of assumed values, and no tables."""
_EXAMPLES = {"rate": "MB/s", "request_rate": "kIOPS", "time": "us", "share": PERCENT, "count": COUNTED}
_SHOWN = 12
"""Quantities of a result file that a message lists."""
_OWN_UNITS = {PERCENT: "share", COUNTED: "count"}
"""Dimensions of the units that are no quantity of a scenario."""


_Text = Annotated[str, NonBlankText()]
_Percentage = Annotated[Fraction, Quantity("share")]


class _WrittenTolerance(Values):
    """The limits of a table as written."""

    median: _Percentage
    worst: _Percentage
    group: _Text = ""


class _WrittenRow(Values):
    """A row as written; values that may be any scalar are read from their nodes."""

    where: dict[str, Any]
    value: Any = None
    file: _Text = ""
    quantity: Annotated[str, NonBlankText("a quantity", tuple(QUANTITIES), "quantity")] = ""
    of: _Text = ""
    over: Annotated[str, NonBlankText("a way to sum up cases", tuple(OVER), "way to sum up cases")] = ""
    unit: _Text = ""
    scenario: _Text = ""
    which: _Text = ""
    fit: Flag = True
    note: Any = None
    anomaly: Any = None
    missed: Any = None
    text: Any = None


@dataclass(frozen=True)
class TableRow:
    """A row with the settings of its case, and the scenario if it names one."""

    row: MeasuredRow
    where: dict[str, Node]
    node: Node
    path: str
    scenario: str = ""

    @cached_property
    def meanings(self) -> dict[str, object]:
        """The settings in a form to compare, see `simio.loading.vary.canonical`."""
        return {key: canonical(node) for key, node in self.where.items()}


class Table(NamedTuple):
    """A measured table with its rows."""

    table: MeasuredTable
    rows: tuple[TableRow, ...]


class _Heading(NamedTuple):
    """The values of a table that hold for all its rows."""

    study: str
    table: str
    quantity: str
    unit: str
    scenarios: tuple[str, ...]
    folder: Path
    points: bool


def table_names(root: Path) -> list[str]:
    """The names of the tables under a folder, study/table, sorted."""
    apart = (RECORDS, VALUES)
    names = (f"{path.parent.name}/{path.stem}" for path in root.glob("*/*.yaml") if path.parent.name not in apart)
    return sorted(names)


def own_name(path: Path) -> str:
    """The name of a table in a folder of the user's own."""
    return f"./{path.stem}"


def read_table(path: Path, name: str) -> Table:
    """The table in a file. Raises ScenarioError with all that is wrong with it."""
    root = parse_yaml(read_file(path), display(path))
    problems = ProblemList()
    top = problems.mapping(root, "", f"a table with the keys {', '.join(_KEYS)}")
    problems.raise_any()
    problems.unknown_keys(root, _KEYS, "")
    heads: dict[str, str] = {}
    for key in ("title", "quantity", "unit", "notes"):
        if key in top:
            heads[key] = problems.text(top[key], key) or ""
        elif key != "notes":
            problems.add(key, "nothing", "a text", "this key is required", root.place)
    quantity = heads.get("quantity", "")
    known = not quantity or _known_quantity(problems, quantity, top["quantity"], "quantity")
    if heads.get("unit") and quantity and known:
        _fitting_unit(problems, heads["unit"], quantity, top["unit"], "unit")
    for key in ("source", "rows"):
        if key not in top:
            what = "a text or mapping" if key == "source" else "a list"
            problems.add(key, "nothing", what, "this key is required", root.place)
    study, _, short = name.rpartition("/")
    unit, named = heads.get("unit", ""), _scenarios(problems, top.get("scenario"))
    points = "errors" in top and _in_points(problems, top["errors"])
    heading = _Heading(study, short, quantity, unit, named, path.parent, points)
    rows = _rows(problems, top.get("rows"), heading)
    tolerance = _tolerance(problems, top["tolerance"]) if "tolerance" in top else None
    problems.raise_any()
    source, notes = _source(top["source"]), heads.get("notes", "").strip()
    table = MeasuredTable(
        name, heads["title"], source, quantity, unit, notes, len(rows), named, tolerance, points=points
    )
    return Table(table, tuple(rows))


def _known_quantity(problems: ProblemList, quantity: str, node: Node, path: str) -> bool:
    if quantity in QUANTITIES:
        return True
    problems.unknown(path, quantity, QUANTITIES, node.place, "quantity")
    return False


def _fitting_unit(problems: ProblemList, unit: str, quantity: str, node: Node, path: str) -> bool:
    """True if a unit is one of the quantity's dimension; if not, it is noted."""
    dimension = QUANTITIES[quantity]
    actual = _OWN_UNITS.get(unit) or units.dimension_of(unit)
    if actual == dimension:
        return True
    expected = f"a unit for {quantity} such as '{_EXAMPLES[dimension]}'"
    near = (
        did_you_mean(unit, units.units_of(dimension))
        if dimension not in _OWN_UNITS.values() and actual is None
        else ""
    )
    problems.add(path, quote(unit), expected, near, node.place)
    return False


def _scenarios(problems: ProblemList, node: Node | None) -> tuple[str, ...]:
    """The scenarios that a table is for: a name, or a list of them."""
    items = [] if node is None else node.elements if node.kind == "list" else [node]
    names = (
        problems.text(item, "scenario" if item is node else join("scenario", index), "the name of a scenario")
        for index, item in enumerate(items)
    )
    return tuple(name for name in names if name)


def _tolerance(problems: ProblemList, node: Node) -> Tolerance | None:
    """The limits of a table, and the group that they are for."""
    read = problems.read(_WrittenTolerance, node, "tolerance", node.place)
    return Tolerance(read.median, read.worst, read.group) if read else None


def _in_points(problems: ProblemList, node: Node) -> bool:
    """True if errors are differences in percentage points; another way is noted."""
    if problems.text(node, "errors") not in (POINTS, None):
        hint = "without this key, errors are relative to what was measured"
        problems.add("errors", node_text(node), f"'{POINTS}'", hint, node.place)
    return node.value == POINTS


def _source(node: Node) -> dict[str, str]:
    if node.kind == "map":
        return {key: value_text(item) for key, item in node.entries.items()}
    return {"document": value_text(node)}


def _rows(problems: ProblemList, node: Node | None, heading: _Heading) -> list[TableRow]:
    if node is not None and node.kind != "list":
        problems.add("rows", node_text(node), "a list of rows", place=node.place)
    items = node.elements if node is not None else ()
    found = [row for index, item in enumerate(items) for row in _row(problems, item, join("rows", index), heading)]
    for row in found if heading.points else ():
        if QUANTITIES.get(row.row.quantity) != "share":
            hint = f"its table says 'errors: {POINTS}', and a difference in points is one of shares"
            expected = f"a quantity in {PERCENT}; other quantities belong in a table of their own"
            problems.add(f"{row.path}.quantity", quote(row.row.quantity), expected, hint, row.node.place)
    return found


def _row(problems: ProblemList, item: Node, path: str, heading: _Heading) -> list[TableRow]:
    """The row that an item is, or those of the result file that it names."""
    own = problems.read(_WrittenRow, item, path, item.place)
    if own is None:
        return []
    if own.file:
        return _rows_of_file(problems, item, own, path, heading)
    if "value" not in item.entries:
        problems.add(f"{path}.value", "nothing", "a number, or a file", "this key is required", item.place)
        return []
    return [_single_row(problems, item, own, path, heading)]


def _rows_of_file(
    problems: ProblemList, item: Node, own: _WrittenRow, path: str, heading: _Heading
) -> list[TableRow]:
    """A row for each quantity of a tool's output, or for the one that is named."""
    place = item.entries["file"].place
    for key in ("value", "text", "unit", "over"):
        if key in item.entries:
            expected = "none beside a file, which gives it" if key != "over" else "none beside a file"
            problems.add(f"{path}.{key}", node_text(item.entries[key]), expected, place=place_of(item, key))
    try:
        from simio.formats.results import read_results

        found = read_results(heading.folder / own.file)
    except ScenarioError as error:
        for each in error.problems:
            problems.add(f"{path}.file", f"{quote(own.file)}: {each.found}", each.expected, place=place)
        return []
    there = [each for each in found if own.quantity in ("", each.quantity) and own.of in ("", each.of)]
    if not there:
        names = [" of ".join(filter(None, (each.quantity, each.of))) for each in found]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        known = ", ".join(names[:_SHOWN]) + more or "none"
        problems.add(f"{path}.quantity", quote(own.quantity), f"a quantity of {own.file}: {known}", place=place)
    if own.scenario and own.scenario not in heading.scenarios:
        problems.unknown(f"{path}.scenario", own.scenario, heading.scenarios, place, "scenario of the table")
    note, anomaly, missed = (
        value_text(item.entries[key]).strip() if key in item.entries else "" for key in _REMARKS[1:]
    )
    return [
        TableRow(
            MeasuredRow(
                study=heading.study,
                table=heading.table,
                value=each.value,
                text=f"{float(each.value):g}",
                held=False,
                unit=each.unit,
                note=note,
                quantity=each.quantity,
                of=each.of,
                anomaly=anomaly,
                fit=own.fit,
                which=own.which,
                missed=missed,
                points=heading.points,
            ),
            item.entries["where"].entries,
            item,
            path,
            own.scenario,
        )
        for each in there
    ]


def _single_row(problems: ProblemList, item: Node, own: _WrittenRow, path: str, heading: _Heading) -> TableRow:
    entry = item.entries
    quantity, unit = own.quantity or heading.quantity, own.unit or heading.unit
    _check_unit(problems, item, own, path, heading)
    if own.of and quantity in QUANTITIES and quantity not in OF:
        *some, last = OF
        hint = f"only {', '.join(some)} and {last} are of something"
        problems.add(f"{path}.of", quote(own.of), f"none for {quantity}", hint, place_of(item, "of"))
    if own.scenario and own.scenario not in heading.scenarios:
        place = entry["scenario"].place
        problems.unknown(f"{path}.scenario", own.scenario, heading.scenarios, place, "scenario of the table")
    value, upper, held = measured_value(problems, entry["value"], f"{path}.value", quantity)
    text, note, anomaly, missed = (value_text(entry[key]).strip() if key in entry else "" for key in _REMARKS)
    for key, reason, expected in (
        ("anomaly", anomaly, "why what was measured is an anomaly"),
        ("missed", missed, "why the model misses the row"),
    ):
        if key in entry and (held or not reason):
            found = "a held value" if held else "nothing"
            problems.add(f"{path}.{key}", found, expected, place=entry[key].place)
    if anomaly and missed:
        problems.add(f"{path}.missed", "an anomaly, too", "one of the two", place=entry["missed"].place)
    text = text or " to ".join(map(value_text, entry["value"].elements or [entry["value"]]))
    row = MeasuredRow(
        heading.study,
        heading.table,
        value,
        text,
        held,
        unit,
        note,
        quantity,
        own.of,
        upper,
        own.over,
        anomaly,
        own.fit,
        own.which,
        missed,
        heading.points,
    )
    return TableRow(row, entry["where"].entries, item, path, own.scenario)


def _check_unit(problems: ProblemList, item: Node, own: _WrittenRow, path: str, heading: _Heading) -> None:
    """Note a unit that is not of the row's quantity, or is missing since that of the table is of another one."""
    quantity = own.quantity or heading.quantity
    if quantity not in QUANTITIES:
        return
    if own.unit:
        _fitting_unit(problems, own.unit, quantity, item.entries["unit"], f"{path}.unit")
    elif QUANTITIES[quantity] != QUANTITIES.get(heading.quantity):
        expected = f"a unit for {quantity} such as '{_EXAMPLES[QUANTITIES[quantity]]}'"
        hint = f"that of the table is of {heading.quantity}" if heading.quantity else ""
        problems.add(f"{path}.unit", "nothing", expected, hint, item.place)
