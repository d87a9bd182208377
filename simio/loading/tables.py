"""Reading one measured table: its form, its quantities and units, and the value of each row."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from simio import units
from simio.description.measured import OF, OVER, PERCENT, QUANTITIES, MeasuredRow, MeasuredTable, Tolerance
from simio.errors import did_you_mean, quote
from simio.loading.catalogue import display
from simio.loading.datasheet import value_text
from simio.loading.problems import ProblemList, join, node_text, place_of
from simio.loading.vary import canonical
from simio.loading.yamlfiles import read_file
from simio.loading.yamltree import Node, parse_yaml

_KEYS = ("title", "source", "quantity", "unit", "scenario", "tolerance", "notes", "rows")
_ROW_KEYS = ("where", "value", "quantity", "of", "over", "unit", "scenario", "fit", "note", "anomaly", "text")
_PERCENTAGE = re.compile(r"\d+(\.\d+)? ?%")
_EXAMPLES = {"rate": "MB/s", "time": "us", "share": PERCENT}


@dataclass(frozen=True)
class TableRow:
    """A row as read: what was measured, the settings that tell the case, and the scenario if it names one."""

    row: MeasuredRow
    where: dict[str, Node]
    node: Node
    path: str
    scenario: str = ""

    @cached_property
    def meanings(self) -> dict[str, object]:
        """What the settings are compared by, see `simio.loading.vary.canonical`."""
        return {key: canonical(node) for key, node in self.where.items()}


@dataclass(frozen=True)
class Table:
    """A measured table with its rows."""

    table: MeasuredTable
    rows: tuple[TableRow, ...]


@dataclass(frozen=True)
class _Heading:
    """What the top of a table says of all rows."""

    study: str
    table: str
    quantity: str
    unit: str
    scenarios: tuple[str, ...]


def table_names(root: Path) -> list[str]:
    """The names of the tables under a folder, study/table, sorted."""
    return sorted(f"{path.parent.name}/{path.stem}" for path in root.glob("*/*.yaml"))


def read_table(path: Path, name: str) -> Table:
    """The table in a file; ScenarioError with all that is wrong with it."""
    root = parse_yaml(read_file(path), display(path))
    problems = ProblemList()
    top = problems.mapping(root, "", f"a table with the keys {', '.join(_KEYS)}")
    problems.raise_any()
    problems.unknown_keys(root, _KEYS, "")
    said: dict[str, str] = {}
    for key in ("title", "quantity", "unit", "notes"):
        if key in top:
            said[key] = problems.text(top[key], key) or ""
        elif key != "notes":
            problems.add(key, "nothing", "a text", "this key is required", root.place)
    quantity = said.get("quantity", "")
    known = not quantity or _known_quantity(problems, quantity, top["quantity"], "quantity")
    if said.get("unit") and quantity and known:
        _fitting_unit(problems, said["unit"], quantity, top["unit"], "unit")
    for key in ("source", "rows"):
        if key not in top:
            what = "a text or mapping" if key == "source" else "a list"
            problems.add(key, "nothing", what, "this key is required", root.place)
    study, _, short = name.rpartition("/")
    heading = _Heading(study, short, quantity, said.get("unit", ""), _scenarios(problems, top.get("scenario")))
    rows = _rows(problems, top.get("rows"), heading)
    tolerance = _tolerance(problems, top["tolerance"]) if "tolerance" in top else None
    problems.raise_any()
    source, notes = _source(top["source"]), said.get("notes", "").strip()
    table = MeasuredTable(
        name, said["title"], source, quantity, heading.unit, notes, len(rows), heading.scenarios, tolerance
    )
    return Table(table, tuple(rows))


def _known_quantity(problems: ProblemList, quantity: str, node: Node, path: str) -> bool:
    if quantity in QUANTITIES:
        return True
    problems.unknown(path, quantity, QUANTITIES, node.place, "quantity")
    return False


def _fitting_unit(problems: ProblemList, unit: str, quantity: str, node: Node, path: str) -> bool:
    """Whether a unit is one of the quantity's dimension; if not, it is noted."""
    dimension = QUANTITIES[quantity]
    actual = "share" if unit == PERCENT else units.dimension_of(unit)
    if actual == dimension:
        return True
    expected = f"a unit for {quantity} such as '{_EXAMPLES[dimension]}'"
    near = did_you_mean(unit, units.units_of(dimension)) if dimension != "share" and actual is None else ""
    problems.add(path, quote(unit), expected, near, node.place)
    return False


def _scenarios(problems: ProblemList, node: Node | None) -> tuple[str, ...]:
    """The scenarios that a table is for: a name, or a list of them."""
    if node is None:
        return ()
    items = node.elements if node.kind == "list" else [node]
    told = (
        problems.text(item, "scenario" if item is node else join("scenario", index), "the name of a scenario")
        for index, item in enumerate(items)
    )
    return tuple(name for name in told if name)


def _tolerance(problems: ProblemList, node: Node) -> Tolerance | None:
    """The bars of a table: `median` and `worst` as percentages, and the `group` that they are for."""
    entry = problems.mapping(node, "tolerance", "a mapping with median and worst")
    problems.unknown_keys(node, ("median", "worst", "group"), "tolerance")
    found = []
    for key in ("median", "worst"):
        item = entry.get(key)
        if item is None:
            problems.add(f"tolerance.{key}", "nothing", "a percentage such as 8%", place=node.place)
            continue
        text = item.value.strip() if isinstance(item.value, str) else ""
        if not _PERCENTAGE.fullmatch(text):
            problems.add(f"tolerance.{key}", node_text(item), "a percentage such as 8%", place=item.place)
            continue
        found.append(Fraction(text.removesuffix(PERCENT).strip()) / 100)
    group = (problems.text(entry["group"], "tolerance.group") or "") if "group" in entry else ""
    return Tolerance(found[0], found[1], group) if len(found) == 2 else None


def _source(node: Node) -> dict[str, str]:
    if node.kind == "map":
        return {key: value_text(item) for key, item in node.entries.items()}
    return {"document": value_text(node)}


def _rows(problems: ProblemList, node: Node | None, heading: _Heading) -> list[TableRow]:
    if node is not None and node.kind != "list":
        problems.add("rows", node_text(node), "a list of rows", place=node.place)
    rows = []
    for index, item in enumerate(node.elements if node is not None else ()):
        path = join("rows", index)
        entry = problems.mapping(item, path, "a row with where and value")
        problems.unknown_keys(item, _ROW_KEYS, path)
        if item.kind == "map":
            rows.append(_row(problems, item, entry, path, heading))
    return rows


def _row(problems: ProblemList, item: Node, entry: dict[str, Node], path: str, heading: _Heading) -> TableRow:
    for key in ("where", "value"):
        if key not in entry:
            problems.add(join(path, key), "nothing", "a value", "this key is required", item.place)
    where = (
        problems.mapping(entry["where"], f"{path}.where", "a mapping of key paths to values")
        if "where" in entry
        else {}
    )
    said: dict[str, str] = {
        key: problems.text(entry[key], f"{path}.{key}") or ""
        for key in ("quantity", "of", "over", "unit", "scenario")
        if key in entry
    }
    quantity, unit = _measure(problems, item, said, path, heading)
    if said.get("of") and quantity in QUANTITIES and quantity not in OF:
        *some, last = OF
        hint = f"only {', '.join(some)} and {last} are of something"
        problems.add(f"{path}.of", quote(said["of"]), f"none for {quantity}", hint, place_of(item, "of"))
    over = said.get("over", "")
    if over and over not in OVER:
        problems.unknown(f"{path}.over", over, OVER, place_of(item, "over"), "way to sum up cases")
        over = ""
    if said.get("scenario") and said["scenario"] not in heading.scenarios:
        place = entry["scenario"].place
        problems.unknown(f"{path}.scenario", said["scenario"], heading.scenarios, place, "scenario of the table")
    value, upper, held = None, None, False
    if "value" in entry:
        value, upper, held = _value(problems, entry["value"], f"{path}.value", quantity)
    text, note, anomaly = (
        value_text(entry[key]).strip() if key in entry else "" for key in ("text", "note", "anomaly")
    )
    if "anomaly" in entry and (held or not anomaly):
        found = "a held value" if held else "nothing"
        problems.add(f"{path}.anomaly", found, "why what was measured is an anomaly", place=entry["anomaly"].place)
    if "value" in entry and not text:
        ends = entry["value"].elements
        text = " to ".join(value_text(end) for end in ends) if ends else value_text(entry["value"])
    row = MeasuredRow(
        heading.study, heading.table, value, text, held, unit, note, quantity, said.get("of", ""), upper, over,
        anomaly, _is_for_fitting(problems, entry.get("fit"), f"{path}.fit"),
    )  # fmt: skip
    return TableRow(row, where, item, path, said.get("scenario", ""))


def _is_for_fitting(problems: ProblemList, node: Node | None, path: str) -> bool:
    """Whether values may be fitted to a row: yes, unless it says no."""
    if node is None:
        return True
    if not isinstance(node.value, bool):
        problems.add(path, node_text(node), "true or false", place=node.place)
    return node.value is not False


def _measure(
    problems: ProblemList, item: Node, said: dict[str, str], path: str, heading: _Heading
) -> tuple[str, str]:
    """Quantity and unit of a row: its own, or those of the table."""
    quantity, unit = said.get("quantity") or heading.quantity, said.get("unit") or heading.unit
    if said.get("quantity"):
        node = item.entries["quantity"]
        if not _known_quantity(problems, quantity, node, f"{path}.quantity"):
            return quantity, unit
    if quantity not in QUANTITIES:
        return quantity, unit
    if said.get("unit"):
        _fitting_unit(problems, unit, quantity, item.entries["unit"], f"{path}.unit")
    elif QUANTITIES[quantity] != QUANTITIES.get(heading.quantity):
        expected = f"a unit for {quantity} such as '{_EXAMPLES[QUANTITIES[quantity]]}'"
        hint = f"that of the table is of {heading.quantity}" if heading.quantity else ""
        problems.add(f"{path}.unit", "nothing", expected, hint, item.place)
    return quantity, unit


def _value(
    problems: ProblemList, node: Node, path: str, quantity: str
) -> tuple[Fraction | None, Fraction | None, bool]:
    """Least and most of what was measured (None for a single value), and whether it is held."""
    if node.value == "held":
        return None, None, True
    ends = [_number(item) for item in node.elements] if node.kind == "list" else [_number(node)]
    found = [end for end in ends if end is not None]
    expected = "a number above zero in the unit of the row, a range of two such as [4, 5], or 'held'"
    if len(found) < len(ends) or len(ends) not in (1, 2) or (node.kind == "list" and len(ends) == 1):
        problems.add(path, node_text(node), expected, place=node.place)
        return None, None, False
    if found[0] > found[-1] or (len(found) == 2 and found[0] == found[1]):
        told = " to ".join(value_text(item) for item in node.elements)
        problems.add(path, told, "two numbers, the least first", place=node.place)
    if QUANTITIES.get(quantity) == "share" and found[-1] > 100:
        told = value_text(node.elements[-1] if node.elements else node)
        problems.add(path, f"{told} {PERCENT}", "at most 100 %, a share of all CPUs together", place=node.place)
    return found[0], found[1] if len(found) == 2 else None, False


def _number(node: Node) -> Fraction | None:
    """A number above zero, exactly as it is written."""
    value = node.value
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return None
    # The text rather than the float, so that 0.32 stays 8/25.
    return Fraction(node.text) if isinstance(value, float) else Fraction(value)
