"""Reading one datasheet: its form, its values against the sheet of its kind, and where each value comes
from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from simio.description.quantities import FROM_TEXT, quantity_of
from simio.description.sheets import Sheet, sheet_kinds
from simio.loading.fitrecord import FitRecord, read_fit
from simio.loading.keypaths import mapping
from simio.loading.problems import ProblemList, a, field_named, join, node_text
from simio.loading.yamltree import Node

BASES = ("standard", "datasheet", "measured", "derived", "fitted", "assumed")
"""What a value of the catalogue may be based on."""

HOST_PARTS = ("cpu", "memory", "kernel")
HOST_OPTIONAL = ("stack",)
"""Parts that a host has at most one of, and may do without."""
HOST_GROUPS = {"buses": "bus", "adapters": "adapter"}
_KEYS = ("kind", "title", "notes", "values")
_VALUE_KEYS = ("value", "basis", "source", "interval", "bounds", "fit", "notes")


@dataclass(frozen=True)
class ValueEntry:
    """One value of a datasheet: as written, as computed with, its origin, and for a fitted one its interval.

    `interval` and `bounds` hold two values in the unit simio computes in; `fit` is what `simio calibrate`
    wrote beside a fitted value.
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
    """A datasheet.  `parts` of a host name its other datasheets: text, or a mapping of name to text or
    mapping.

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


def read_datasheet(root: Node, name: str, category: str, file: Path) -> CatalogueEntry:
    """The datasheet in `root`; ScenarioError with all that is wrong with it."""
    problems = ProblemList()
    top = problems.mapping(root, "", f"a datasheet with the keys {', '.join(_KEYS)}")
    problems.raise_any()
    problems.unknown_keys(root, (*_KEYS, "parts") if category == "host" else _KEYS, "")
    kind = _text(top, "kind", root, problems)
    title = _text(top, "title", root, problems)
    notes = problems.text(top["notes"], "notes") if "notes" in top else ""
    model = sheet_kinds(category).get(kind) if kind else None
    if kind and model is None:
        problems.unknown("kind", kind, sheet_kinds(category), top["kind"].place, f"kind of {category}")
    entries = problems.mapping(top["values"], "values") if "values" in top else {}
    origins = {key: _origin(node, f"values.{key}", problems) for key, node in entries.items()}
    nodes = {key: node.entries["value"] for key, node in entries.items() if "value" in node.entries}
    places = dict(top["values"].key_places) if entries else {}
    sheet = None
    if model is not None:
        whole = mapping(nodes, root.place, places)
        sheet = _validate(model, whole, problems, skip=[key for key in entries if key not in nodes])
    parts = _parts(top, root, problems) if category == "host" else {}
    values = {
        key: _value(model, sheet, key, nodes[key], origin, problems) for key, origin in origins.items() if origin
    }
    problems.raise_any()
    return CatalogueEntry(
        name=name, category=category, kind=str(kind), title=str(title), notes=notes or "", values=values,
        parts={key: node.plain() for key, node in parts.items()}, sheet=sheet, file=file, nodes={**nodes,
        **parts}, )  # fmt: skip


def _text(top: Mapping[str, Node], key: str, root: Node, problems: ProblemList) -> str | None:
    if key in top:
        return problems.text(top[key], key)
    problems.add(key, "nothing", "a text", "this key is required", root.place)
    return None


def _origin(node: Node, path: str, problems: ProblemList) -> dict[str, Node] | None:
    """The parts of one value, or None if it cannot be used."""
    before = problems.noted
    entry = problems.mapping(node, path, "a mapping with value, basis and source")
    if not entry:
        return None
    problems.unknown_keys(node, _VALUE_KEYS, path)
    for key in ("value", "basis", "source"):
        if key not in entry:
            problems.add(join(path, key), "nothing", "a value", "this key is required", node.place)
    for key in ("basis", "source"):
        if key in entry:
            problems.text(entry[key], join(path, key))
    basis = entry["basis"].value if "basis" in entry else None
    if isinstance(basis, str) and basis not in BASES:
        problems.unknown(join(path, "basis"), basis, BASES, entry["basis"].place, "basis")
    if basis == "fitted":
        for key in ("interval", "bounds"):
            if key not in entry:
                hint = "a fitted value tells its interval and the bounds of the search"
                problems.add(join(path, key), "nothing", "two values", hint, node.place)
    return entry if problems.noted == before else None


def _validate(model: type[Sheet], node: Node, problems: ProblemList, skip: list[str]) -> Sheet | None:
    try:
        return model.model_validate(node.plain(), context=FROM_TEXT)
    except ValidationError as error:
        found = ProblemList()
        found.model(error, model, node, "values", node.place)
        # A value whose origin is faulty was left out above; that it is missing now is no news.
        told = {f"values.{key}" for key in skip}
        problems.extend(problem for problem in found if problem.path not in told)
        return None


def _value(
    model: type[Sheet] | None,
    sheet: Any,
    key: str,
    node: Node,
    origin: Mapping[str, Node],
    problems: ProblemList,
) -> ValueEntry:
    ends: dict[str, tuple[Any, Any] | None] = {}
    for name in ("interval", "bounds"):
        ends[name] = _ends(model, key, origin[name], f"values.{key}.{name}", problems) if name in origin else None
    attribute = next((n for n, f in model.model_fields.items() if key == (f.alias or n)), key) if model else key
    value = getattr(sheet, attribute, None)
    for name, pair in ends.items():
        inside = pair and isinstance(value, Real) and pair[0] <= value <= pair[1]
        if pair and value is not None and not inside:
            problems.add(f"values.{key}.value", node_text(node), f"a value within its {name}", place=node.place)
    return ValueEntry(
        value_text(node),
        value,
        str(origin["basis"].value),
        str(origin["source"].value),
        ends["interval"],
        ends["bounds"],
        read_fit(origin["fit"], f"values.{key}.fit", problems) if "fit" in origin else None,
    )


def _ends(
    model: type[Sheet] | None, key: str, node: Node, path: str, problems: ProblemList
) -> tuple[Any, Any] | None:
    if node.kind != "list" or len(node.elements) != 2:
        problems.add(path, node_text(node), "a list of two values, the least and the most", place=node.place)
        return None
    quantity = quantity_of(field_named(model, key)) if model else None
    ends = []
    for item in node.elements:
        try:
            ends.append(quantity.read(item.plain(), from_text=True) if quantity else item.plain())
        except PydanticCustomError as error:
            told = error.context or {}
            problems.add(path, told["found"], told["expected"], told["hint"], item.place)
    if not all(isinstance(end, Real) and not isinstance(end, bool) for end in ends):
        problems.add(path, node_text(node), "a list of two numbers, the least and the most", place=node.place)
        return None
    if len(ends) != 2:
        return None
    if not ends[0] <= ends[1]:
        problems.add(
            path, " to ".join(node_text(item) for item in node.elements), "the least first", place=node.place
        )
    return ends[0], ends[1]


def value_text(node: Node) -> str:
    """A value as it was written, on one line."""
    if node.kind == "scalar":
        return "none" if node.value is None else node.text
    if node.kind == "list":
        return "[" + ", ".join(value_text(item) for item in node.elements) + "]"
    return "{" + ", ".join(f"{key}: {value_text(item)}" for key, item in node.entries.items()) + "}"


def _parts(top: Mapping[str, Node], root: Node, problems: ProblemList) -> dict[str, Node]:
    """The parts of a host, checked for form; that the models exist is for the catalogue to say."""
    if "parts" not in top:
        problems.add("parts", "nothing", "a mapping with cpu, memory and kernel", "this key is required", root.place)
        return {}
    node = top["parts"]
    parts = problems.mapping(node, "parts", "a mapping with cpu, memory and kernel")
    problems.unknown_keys(node, (*HOST_PARTS, *HOST_OPTIONAL, *HOST_GROUPS), "parts")
    for key in HOST_PARTS:
        if key in parts:
            _reference(parts[key], f"parts.{key}", (), problems)
        else:
            problems.add(f"parts.{key}", "nothing", f"{a(key)} model", "this key is required", node.place)
    for key in HOST_OPTIONAL:
        if key in parts:
            _reference(parts[key], f"parts.{key}", (), problems)
    for group in HOST_GROUPS:
        for key, item in problems.mapping(parts[group], f"parts.{group}").items() if group in parts else ():
            _reference(item, f"parts.{group}.{key}", ("bus",) if group == "adapters" else (), problems)
    buses = parts["buses"].entries if "buses" in parts else {}
    adapters = parts["adapters"].entries if "adapters" in parts else {}
    for key, item in adapters.items():
        bus = item.entries.get("bus")
        if bus is not None and isinstance(bus.value, str) and bus.value not in buses:
            problems.unknown(f"parts.adapters.{key}.bus", bus.value, buses, bus.place, "bus")
    return parts


def _reference(node: Node, path: str, also: tuple[str, ...], problems: ProblemList) -> None:
    """A part of a host is a model; its values are told, with their origin, in a datasheet of its own."""
    if node.kind != "map":
        problems.text(node, path, "the name of a model")
        return
    problems.unknown_keys(node, ("model", *also), path)
    for key in ("model", *also):
        if key in node.entries:
            problems.text(node.entries[key], join(path, key))
        else:
            problems.add(join(path, key), "nothing", "a text", "this key is required", node.place)
