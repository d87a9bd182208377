"""Reading the rows of a measured table: each is a value, or names a file with the results of a tool."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from simio import units
from simio.description.measured import COUNTED, OF, OVER, PERCENT, POINTS, QUANTITIES, MeasuredRow
from simio.description.quantities import Flag, NonBlankText, Values
from simio.errors import ScenarioError, did_you_mean, quote
from simio.loading.measuredvalues import measured_value
from simio.loading.problems import ProblemList, join, node_text, place_of
from simio.loading.vary import canonical
from simio.loading.yamltree import Node, value_text

_EXAMPLES = {"rate": "MB/s", "request_rate": "kIOPS", "time": "us", "share": PERCENT, "count": COUNTED}
_SHOWN = 12
"""Quantities of a result file that a message lists."""
_OWN_UNITS = {PERCENT: "share", COUNTED: "count"}
"""Dimensions of the units that are no quantity of a scenario."""

_Text = Annotated[str, NonBlankText()]


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


class Heading(NamedTuple):
    """The values of a table that hold for all its rows."""

    study: str
    table: str
    quantity: str
    unit: str
    scenarios: tuple[str, ...]
    folder: Path
    points: bool


def read_rows(problems: ProblemList, node: Node | None, heading: Heading) -> list[TableRow]:
    """The rows of a table; what is wrong with them is noted."""
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


def _row(problems: ProblemList, item: Node, path: str, heading: Heading) -> list[TableRow]:
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


def _rows_of_file(problems: ProblemList, item: Node, own: _WrittenRow, path: str, heading: Heading) -> list[TableRow]:
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
    _check_scenario(problems, item, own, path, heading)
    row = _without_value(item, own, heading)
    return [
        TableRow(
            replace(
                row,
                value=each.value,
                text=f"{float(each.value):g}",
                unit=each.unit,
                quantity=each.quantity,
                of=each.of,
            ),
            item.entries["where"].entries,
            item,
            path,
            own.scenario,
        )
        for each in there
    ]


def _single_row(problems: ProblemList, item: Node, own: _WrittenRow, path: str, heading: Heading) -> TableRow:
    """A row whose value is in the table."""
    entry = item.entries
    row = _without_value(item, own, heading)
    _check_unit(problems, item, own, path, heading)
    if row.of and row.quantity in QUANTITIES and row.quantity not in OF:
        *some, last = OF
        hint = f"only {', '.join(some)} and {last} are of something"
        problems.add(f"{path}.of", quote(row.of), f"none for {row.quantity}", hint, place_of(item, "of"))
    _check_scenario(problems, item, own, path, heading)
    value, upper, held = measured_value(problems, entry["value"], f"{path}.value", row.quantity)
    for key, reason, expected in (
        ("anomaly", row.anomaly, "why what was measured is an anomaly"),
        ("missed", row.missed, "why the model misses the row"),
    ):
        if key in entry and (held or not reason):
            found = "a held value" if held else "nothing"
            problems.add(f"{path}.{key}", found, expected, place=entry[key].place)
    if row.anomaly and row.missed:
        problems.add(f"{path}.missed", "an anomaly, too", "one of the two", place=entry["missed"].place)
    text = _remark(item, "text") or " to ".join(map(value_text, entry["value"].elements or [entry["value"]]))
    row = replace(row, value=value, upper=upper, held=held, text=text)
    return TableRow(row, entry["where"].entries, item, path, own.scenario)


def _without_value(item: Node, own: _WrittenRow, heading: Heading) -> MeasuredRow:
    """A row with all that it says but its value, and with what the table says for all rows."""
    return MeasuredRow(
        study=heading.study,
        table=heading.table,
        value=None,
        text="",
        held=False,
        unit=own.unit or heading.unit,
        note=_remark(item, "note"),
        quantity=own.quantity or heading.quantity,
        of=own.of,
        over=own.over,
        anomaly=_remark(item, "anomaly"),
        fit=own.fit,
        which=own.which,
        missed=_remark(item, "missed"),
        points=heading.points,
    )


def _remark(item: Node, key: str) -> str:
    return value_text(item.entries[key]).strip() if key in item.entries else ""


def _check_scenario(problems: ProblemList, item: Node, own: _WrittenRow, path: str, heading: Heading) -> None:
    """Note a scenario that the table is not for."""
    if own.scenario and own.scenario not in heading.scenarios:
        place = item.entries["scenario"].place
        problems.unknown(f"{path}.scenario", own.scenario, heading.scenarios, place, "scenario of the table")


def _check_unit(problems: ProblemList, item: Node, own: _WrittenRow, path: str, heading: Heading) -> None:
    """Note a unit that is not of the row's quantity, or is missing since that of the table is of another one."""
    quantity = own.quantity or heading.quantity
    if quantity not in QUANTITIES:
        return
    if own.unit:
        fitting_unit(problems, own.unit, quantity, item.entries["unit"], f"{path}.unit")
    elif QUANTITIES[quantity] != QUANTITIES.get(heading.quantity):
        expected = f"a unit for {quantity} such as '{_EXAMPLES[QUANTITIES[quantity]]}'"
        hint = f"that of the table is of {heading.quantity}" if heading.quantity else ""
        problems.add(f"{path}.unit", "nothing", expected, hint, item.place)


def fitting_unit(problems: ProblemList, unit: str, quantity: str, node: Node, path: str) -> bool:
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
