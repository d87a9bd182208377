"""Key paths such as `workload.blast.size`: writing a value into a tree without touching the original.

The old tree and the new one share all that is not on the path, so that parts of it need not be built again for each
case of `vary`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from simio.errors import Place
from simio.loading.yamltree import Node

RIVALS = {"length": "delay", "delay": "length"}
"""Keys of a link, which has one of each pair."""


def lookup(root: Node, keys: Sequence[str]) -> Node | None:
    """The node at a key path, or None; items of a list go by their `name`, else by prefix and number."""
    node = root
    for depth, key in enumerate(keys):
        if node.kind == "map" and key in node.entries:
            node = node.entries[key]
        elif (index := item_index(node, key, keys[depth - 1])) is not None:
            node = node.elements[index]
        else:
            return None
    return node


def substitute(root: Node, keys: Sequence[str], value: Node, place: Place, section: str = "") -> Node:
    """`root` with `value` at a key path; adds missing mappings, at `place`.

    A text on the path (`cpu: cpus/r4400-150`) is the model of a part whose values are overridden.
    """
    if not keys:
        return value
    key, rest = keys[0], keys[1:]
    if root.kind == "list":
        index = item_index(root, key, section)
        if index is None:
            return root
        items = list(root.elements)
        items[index] = substitute(items[index], rest, value, place, key)
        return Node(root.kind, items, root.place, root.key_places, root.text)
    old = as_mapping(root, place)
    entries = dict(old.entries)
    below = entries.get(key) or empty(place)
    entries[key] = substitute(below, rest, value, place, key)
    # A key of the file keeps its position, unless its whole value is replaced.
    known = key in old.entries and rest
    places = dict(old.key_places) if known else {**old.key_places, key: place}
    return Node(old.kind, entries, old.place, places, old.text)


def rival(keys: Sequence[str]) -> list[str]:
    """The key path beside which this one cannot stand, or []: set from outside, either takes the other's place."""
    section, *name, key = keys
    return [section, *name, RIVALS[key]] if section == "links" and len(name) == 1 and key in RIVALS else []


def without(root: Node, keys: Sequence[str]) -> Node:
    """`root` without the value at a key path, which it has."""
    above = lookup(root, keys[:-1])
    assert above is not None
    entries = {key: node for key, node in above.entries.items() if key != keys[-1]}
    return substitute(root, keys[:-1], replace(above, value=entries), above.place)


def as_mapping(node: Node, place: Place | None = None) -> Node:
    """A mapping as it is; a text as the `model` of a mapping; nothing as an empty mapping."""
    if node.kind == "map":
        return node
    if node.kind == "scalar" and isinstance(node.value, str):
        return mapping({"model": node}, node.place)
    return empty(place or node.place) if node.value is None else node


def item_index(node: Node, key: str, section: str) -> int | None:
    """The index of the item of a list that a key names, or None; `link2` is the second without a name."""
    for index, item in enumerate(node.elements):
        if item_name(item, index, section) == key:
            return index
    return None


def item_name(item: Node, index: int, section: str) -> str:
    """The name of an item of a list: its `name`, else the section's in the singular and a number."""
    named = item.entries.get("name")
    if named is not None and named.kind == "scalar":
        return str(named.value)
    return f"{section.removesuffix('s')}{index + 1}"


def empty(place: Place) -> Node:
    """A mapping without entries."""
    return mapping({}, place)


def mapping(entries: dict[str, Node], place: Place, key_places: dict[str, Place] | None = None) -> Node:
    """A mapping that is not in a file."""
    places = {key: node.place for key, node in entries.items()} if key_places is None else key_places
    return Node(kind="map", value=entries, place=place, key_places=places, text="")


def scalar(value: Any, place: Place) -> Node:
    """A scalar that is not in a file."""
    return Node(kind="scalar", value=value, place=place, key_places={}, text=str(value))


def merge(base: Node, over: Node) -> Node:
    """`base` with the entries of `over` written over it, mapping by mapping.

    A mapping with another `model`, or a text over a mapping, replaces the part: overrides of the old model may mean
    nothing to the new one. Only the bus of an adapter stays.
    """
    fresh = over.kind == "scalar" and isinstance(over.value, str)
    base, over = as_mapping(base), as_mapping(over)
    if base.kind != "map" or over.kind != "map":
        return over
    if fresh or (_model(over) is not None and _model(over) != _model(base)):
        kept = {key: node for key, node in base.entries.items() if key == "bus"}
        return replace(over, value={**kept, **over.entries}, key_places={**base.key_places, **over.key_places})
    entries = dict(base.entries)
    for key, node in over.entries.items():
        mergeable = key in entries and (entries[key].kind == "map" or node.kind == "map")
        entries[key] = merge(entries[key], node) if mergeable else node
    places = {**base.key_places, **over.key_places}
    return replace(over, value=entries, key_places=places)


def _model(node: Node) -> str | None:
    model = node.entries.get("model")
    return str(model.value) if model is not None else None
