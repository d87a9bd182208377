"""Reading one datasheet: its values against the sheet of its kind, and where each value comes from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Real
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field, WrapValidator
from pydantic_core import PydanticCustomError

from simio.description.quantities import Count, NonBlankText, Quantity, Values, quantity_of, refusal, show
from simio.description.sheets import Sheet, sheet_kinds
from simio.loading.keypaths import mapping
from simio.loading.problems import ProblemList, field_named, node_text
from simio.loading.yamltree import Node, value_text

BASES = ("standard", "datasheet", "measured", "derived", "defined", "fitted", "assumed")
"""Bases that a value of the catalogue may have."""

HOST_PARTS = ("cpu", "memory", "kernel")
HOST_OPTIONAL = ("stack", "root")
"""Parts that a host has at most one of, and may do without."""
HOST_GROUPS = {"buses": "bus", "adapters": "adapter"}
_RANGES = ("interval", "bounds")
_Text = Annotated[str, NonBlankText()]


def _correlation(value: object, _handler: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1:
        raise refusal(show(value), "a number from -1 to 1")
    return float(value)


class FitRecord(Values):
    """Origin of a fitted value: `rows` that it was fitted to, with `values` in all.

    `studies` are those whose rows these are, if they are others than the value's `source` names. `residual` is the
    standard deviation of log(simulated / measured) that was left. `correlation` holds those of the logarithm of this
    value with others of the same fit, named `adapters/iris-hippi.receive_cost`.
    """

    rows: Count
    values: Count
    residual: Annotated[Fraction, Quantity("share")]
    correlation: dict[str, Annotated[float, WrapValidator(_correlation)]] = Field(default_factory=dict)
    studies: tuple[Annotated[str, NonBlankText("study/table")], ...] = ()


class ValueEntry(NamedTuple):
    """One value of a datasheet: as written, as computed with, its origin, and for a fitted one its interval.

    `interval` and `bounds` hold two values in the unit simio computes in; `fit` is what `simio calibrate` wrote
    beside a fitted value.
    """

    text: str
    value: Any
    basis: str
    source: str
    interval: tuple[Any, Any] | None = None
    bounds: tuple[Any, Any] | None = None
    fit: FitRecord | None = None


@dataclass(frozen=True)
class CatalogueEntry:
    """A datasheet. `parts` of a host name its other datasheets: text, or a mapping of name to text or mapping.

    `file` is where it was read; `nodes` are its values (and parts) with their positions.
    """

    name: str
    category: str
    kind: str
    title: str
    notes: str
    values: Mapping[str, ValueEntry]
    parts: Mapping[str, Any]
    sheet: Any
    file: Path
    nodes: Mapping[str, Node] = field(repr=False, compare=False, default_factory=dict)


class _WrittenValue(Values):
    """A value with its origin as a datasheet has it."""

    value: Any
    basis: Annotated[str, NonBlankText("a basis", BASES, "basis")]
    source: Annotated[str, NonBlankText("a source")]
    interval: Any = None
    bounds: Any = None
    fit: FitRecord | None = None
    notes: Any = None


class _Datasheet(Values):
    """The form of a datasheet."""

    kind: _Text
    title: _Text
    notes: _Text = ""
    values: dict[str, _WrittenValue] = Field(default_factory=dict)


class _Reference(Values):
    """A part of a host is a model; its values stand, with their origin, in a datasheet of its own."""

    model: _Text


class _Wired(_Reference):
    """A bus, and where in the host it is."""

    socket: Any = None
    behind: Any = None


class _Seated(_Reference):
    """An adapter on a bus of the host."""

    bus: _Text


def _name_or_mapping(value: object, handler: Any) -> Any:
    if isinstance(value, Mapping):
        return handler(value)
    return NonBlankText("the name of a model").read(value)


_Part = Annotated[_Reference, WrapValidator(_name_or_mapping)]
_Bus = Annotated[_Wired, WrapValidator(_name_or_mapping)]
_Adapter = Annotated[_Seated, WrapValidator(_name_or_mapping)]


class _Parts(Values):
    """The parts of a host; that the models exist is for the catalogue to say."""

    cpu: _Part
    memory: _Part
    kernel: _Part
    stack: _Part | None = None
    root: _Part | None = None
    buses: dict[str, _Bus] = Field(default_factory=dict)
    adapters: dict[str, _Adapter] = Field(default_factory=dict)


class _HostDatasheet(_Datasheet):
    """The form of the datasheet of a host."""

    parts: _Parts


def read_datasheet(root: Node, name: str, category: str, file: Path) -> CatalogueEntry:
    """The datasheet in `root`. Raises ScenarioError with all that is wrong with it."""
    problems = ProblemList()
    form = _HostDatasheet if category == "host" else _Datasheet
    problems.mapping(root, "", f"a datasheet with the keys {', '.join(form.model_fields)}")
    problems.raise_any()
    read = problems.read(form, root, "", root.place)
    given = root.entries["values"].entries if "values" in root.entries else {}
    nodes = {key: node.entries["value"] for key, node in given.items() if "value" in node.entries}
    model = _model(root, category, problems)
    sheet = None
    if model is not None:
        whole = mapping(nodes, root.place, root.entries["values"].key_places if given else {})
        sheet = problems.read(model, whole, "values", root.place)
        # A value without its `value` was reported above.
        problems.forget_missing(f"values.{key}" for key in given if key not in nodes)
    ranges = {
        key: {name: _range(problems, model, sheet, key, node, name) for name in _RANGES}
        for key, node in given.items()
    }
    parts = root.entries["parts"].entries if category == "host" and "parts" in root.entries else {}
    _check_seats(problems, parts)
    problems.raise_any()
    assert read is not None
    values = {
        key: ValueEntry(
            value_text(nodes[key]), getattr(sheet, _attribute(model, key)), own.basis, own.source,
            **ranges[key], fit=own.fit,
        )
        for key, own in read.values.items()
    }  # fmt: skip
    plain = {key: node.plain() for key, node in parts.items()}
    return CatalogueEntry(
        name, category, read.kind, read.title, read.notes, values, plain, sheet, file, {**nodes, **parts}
    )


def _model(root: Node, category: str, problems: ProblemList) -> type[Sheet] | None:
    """The sheet of the kind of a part, or None and a problem if there is no such kind."""
    kind, kinds = root.at(("kind",)), sheet_kinds(category)
    if not isinstance(kind.value, str) or not kind.value.strip():
        return None
    if kind.value not in kinds:
        problems.unknown("kind", kind.value, kinds, kind.place, f"kind of {category}")
    return kinds.get(kind.value)


def _attribute(model: type[Sheet] | None, key: str) -> str:
    fields = model.model_fields if model else {}
    return next((name for name, own in fields.items() if key == (own.alias or name)), key)


def _range(
    problems: ProblemList, model: type[Sheet] | None, sheet: Any, key: str, node: Node, name: str
) -> tuple[Any, Any] | None:
    """The interval or the bounds of a value, in the unit simio computes in; a fitted value must have both."""
    path, given = f"values.{key}.{name}", node.entries.get(name)
    if given is None:
        if node.at(("basis",)).value == "fitted":
            hint = "a fitted value has an interval and the bounds of the search"
            problems.add(path, "nothing", "two values", hint, node.place)
        return None
    pair = _ends(problems, quantity_of(field_named(model, key)) if model else None, given, path)
    value = getattr(sheet, _attribute(model, key), None)
    at = node.entries.get("value")
    if pair and at and value is not None and not (isinstance(value, Real) and pair[0] <= value <= pair[1]):
        problems.add(f"values.{key}.value", node_text(at), f"a value within its {name}", place=at.place)
    return pair


def _ends(problems: ProblemList, quantity: Quantity | None, node: Node, path: str) -> tuple[Any, Any] | None:
    ends, items = [], node.elements
    for item in items:
        try:
            ends.append(quantity.read(item.plain(), from_text=True) if quantity else item.plain())
        except PydanticCustomError as error:
            said = error.context or {}
            problems.add(path, said["found"], said["expected"], said["hint"], item.place)
            return None
    if len(ends) != 2 or not all(isinstance(end, Real) and not isinstance(end, bool) for end in ends):
        what = "values" if len(ends) != 2 else "numbers"
        problems.add(path, node_text(node), f"a list of two {what}, the least and the most", place=node.place)
        return None
    if ends[0] > ends[1]:
        problems.add(path, " to ".join(map(node_text, items)), "the least first", place=node.place)
    return ends[0], ends[1]


def _check_seats(problems: ProblemList, parts: Mapping[str, Node]) -> None:
    """Note adapters on a bus that the host does not have."""
    buses = parts["buses"].entries if "buses" in parts else {}
    for key, item in parts["adapters"].entries.items() if "adapters" in parts else ():
        bus = item.entries.get("bus")
        if bus is not None and isinstance(bus.value, str) and bus.value not in buses:
            problems.unknown(f"parts.adapters.{key}.bus", bus.value, buses, bus.place, "bus")
