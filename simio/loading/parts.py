"""One part of a system: its datasheet, the values a scenario overrides, and the origin of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from os.path import isfile
from pathlib import Path
from typing import Any

from simio import units
from simio.description.model import Origin, Part
from simio.description.quantities import quantity_of
from simio.description.sheets import sheet_kinds
from simio.errors import Place, ScenarioError, nearest, quote
from simio.loading.catalogue import CatalogueEntry, UnknownPart
from simio.loading.context import Context
from simio.loading.keypaths import mapping
from simio.loading.problems import a, join, keys_of, place_of
from simio.loading.yamltree import Node, value_text


def find_entry(ctx: Context, node: Node, category: str, path: str, place: Place) -> CatalogueEntry | None:
    """The datasheet that the `model` of a part names, or None and a problem."""
    model = node.entries.get("model")
    if model is None:
        if _misspelt(ctx, node, category, path):
            return None
        names = ctx.catalogue.names(category)
        such = f" such as '{names[0]}'" if names else ""
        other = f", or like and the name of another {category}" if category in ("host", "switch") else ""
        expected = f"{a(category)} model{such}{other}"
        ctx.problems.add(join(path, "model"), "nothing", expected, "this key is required", place)
        return None
    name = ctx.problems.text(model, join(path, "model"), f"the name of {a(category)} model")
    if name is None:
        return None
    try:
        return ctx.catalogue.find(name, category, beside(ctx, model.place))
    except UnknownPart as unknown:
        ctx.problems.add(join(path, "model"), unknown.found, unknown.expected, unknown.hint, model.place)
    except ScenarioError as error:
        ctx.problems.extend(error.problems)
    return None


def _misspelt(ctx: Context, node: Node, category: str, path: str) -> bool:
    """True, and a problem, if a part without a `model` has a key that is meant as one."""
    sought = ("model", "like") if category == "host" else ("model",)
    for key, value in node.entries.items():
        where = join(path, key)
        word, _, rest = key.partition(" ")
        if word in sought and rest and value.value is None:
            expected = quote(f"{word}: {rest.strip()}")
            ctx.problems.add(where, f"the key {quote(key)}", expected, "a ':' is missing", place_of(node, key))
            return True
        if near := nearest(key, sought):
            ctx.problems.unknown(where, key, [near], place_of(node, key))
            return True
    return False


def beside(ctx: Context, place: Place) -> Path:
    """The folder that a file of a part is relative to: that of the file which names it."""
    return Path(place.file).parent if isfile(place.file) else ctx.folder


def build_part(
    ctx: Context, name: str, category: str, node: Node, path: str, place: Place, reserved: Sequence[str] = ()
) -> Part | None:
    """The part that a mapping with `model` and overrides describes; `reserved` keys are the caller's."""
    entry = find_entry(ctx, node, category, path, place)
    if entry is None:
        return None
    return part_of(ctx, entry, name, node, path, place, reserved)


def part_of(
    ctx: Context,
    entry: CatalogueEntry,
    name: str,
    node: Node,
    path: str,
    place: Place,
    reserved: Sequence[str],
) -> Part | None:
    """The part of a datasheet with the overrides in `node`, or None if these have problems."""
    own = {key: value for key, value in node.entries.items() if key not in ("model", *reserved)}
    known = [key for key in keys_of(type(entry.sheet)) if key not in reserved]
    unknown = [key for key in own if key not in known]
    for key in unknown:
        allowed = ["model", *known, *(word for word in reserved if word != "like")]
        where = node.key_places.get(key, place)
        ctx.problems.unknown(join(path, key), key, allowed, where, near=_of_another_kind(entry, key))
    given = {key: value for key, value in own.items() if key not in unknown}
    sheet = _overridden(ctx, entry, given, path, place) if given else entry.sheet
    if sheet is None or unknown:
        return None
    return Part(name, entry.category, entry.kind, entry.name, sheet, origins(ctx, entry, given))


def _of_another_kind(entry: CatalogueEntry, key: str) -> str:
    """A suggestion for a key that parts of another kind have; '' for any other."""
    kinds = " or ".join(quote(kind) for kind, sheet in sheet_kinds(entry.category).items() if key in keys_of(sheet))
    own = f"{quote(entry.name)} is of kind {quote(entry.kind)}"
    return f"{own}; {a(entry.category)} of kind {kinds} has it" if kinds else ""


def _overridden(ctx: Context, entry: CatalogueEntry, own: Mapping[str, Node], path: str, place: Place) -> Any:
    nodes = {key: node for key, node in entry.nodes.items() if key in entry.values} | dict(own)
    return ctx.problems.read(type(entry.sheet), mapping(nodes, place), path, place)


def origins(ctx: Context, entry: CatalogueEntry, own: Mapping[str, Node]) -> dict[str, Origin]:
    """The origin of each value of a part, in the order of its sheet."""
    made = dict(ctx.once(("origins",), (entry,), lambda: _origins(entry)))
    for key, node in own.items():
        where = node.place
        made[key] = Origin("given", f"{where.file}:{where.line}", "scenario", text=value_text(node))
    return made


def _origins(entry: CatalogueEntry) -> dict[str, Origin]:
    """The origins of a datasheet's own values."""
    made = {}
    for key in keys_of(type(entry.sheet)):
        if key in entry.values:
            value = entry.values[key]
            made[key] = Origin(value.basis, value.source, "catalogue", value.interval, value.text)
        elif key not in type(entry.sheet).alternatives:
            made[key] = Origin("default", "", "default", text=default_text(entry.sheet, key))
    return made


def default_text(sheet: Any, key: str) -> str:
    """The value of a field as text with its unit, exactly. Raises KeyError for a field without a default."""
    kind: Any = type(sheet)
    name, dimension = _fields(kind)[key]
    return value_as_text(getattr(sheet, name), dimension)


@cache
def _fields(kind: Any) -> dict[str, tuple[str, str | None]]:
    """The name and the dimension of each field of a kind of sheet, by its key."""
    quantities = {name: (field.alias or name, quantity_of(field)) for name, field in kind.model_fields.items()}
    return {key: (name, quantity.dimension if quantity else None) for name, (key, quantity) in quantities.items()}


def value_as_text(value: Any, dimension: str | None) -> str:
    """A value as it might be written in a scenario."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple) and dimension is not None:
        return "{" + ", ".join(f"{value_as_text(size, dimension)}: {weight}" for size, weight in value) + "}"
    if isinstance(value, tuple) and all(isinstance(each, int) for each in value):
        return str(list(value))
    if dimension is None or isinstance(value, str):
        return str(value)
    return units.format_quantity(value, dimension, digits=None)
