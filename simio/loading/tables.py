"""Reading one measured table: what holds for all its rows."""

from fractions import Fraction
from pathlib import Path
from typing import Annotated, NamedTuple

from simio.description.measured import POINTS, QUANTITIES, MeasuredTable, Tolerance
from simio.description.quantities import NonBlankText, Quantity, Values
from simio.loading.catalogue import display
from simio.loading.problems import ProblemList, join, node_text
from simio.loading.tablerows import Heading, TableRow, fitting_unit, read_rows
from simio.loading.yamltree import Node, parse_yaml, value_text
from simio.reading import read_file

_KEYS = ("title", "source", "quantity", "unit", "scenario", "errors", "tolerance", "notes", "rows")
RECORDS = "blind"
"""The folder beside the documents that has records of predictions, and no tables."""
VALUES = "values"
"""The folder beside the documents with errors of assumed values, and no tables."""


_Text = Annotated[str, NonBlankText()]
_Percentage = Annotated[Fraction, Quantity("share")]


class _WrittenTolerance(Values):
    """The limits of a table as written."""

    median: _Percentage
    worst: _Percentage
    group: _Text = ""


class Table(NamedTuple):
    """A measured table with its rows."""

    table: MeasuredTable
    rows: tuple[TableRow, ...]


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
    if quantity and quantity not in QUANTITIES:
        problems.unknown("quantity", quantity, QUANTITIES, top["quantity"].place, "quantity")
    elif quantity and heads.get("unit"):
        fitting_unit(problems, heads["unit"], quantity, top["unit"], "unit")
    for key in ("source", "rows"):
        if key not in top:
            what = "a text or mapping" if key == "source" else "a list"
            problems.add(key, "nothing", what, "this key is required", root.place)
    study, _, short = name.rpartition("/")
    unit, named = heads.get("unit", ""), _scenarios(problems, top.get("scenario"))
    points = "errors" in top and _in_points(problems, top["errors"])
    heading = Heading(study, short, quantity, unit, named, path.parent, points)
    rows = read_rows(problems, top.get("rows"), heading)
    tolerance = _tolerance(problems, top["tolerance"]) if "tolerance" in top else None
    problems.raise_any()
    source, notes = _source(top["source"]), heads.get("notes", "").strip()
    table = MeasuredTable(
        name, heads["title"], source, quantity, unit, notes, len(rows), named, tolerance, points=points
    )
    return Table(table, tuple(rows))


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
