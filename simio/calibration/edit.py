"""Edits of values in the text of a datasheet: all else stays as it is, to the byte."""

from __future__ import annotations

import re
from collections.abc import Mapping

import yaml

from simio.errors import SimioError, quote

_PLAIN = re.compile(r"[A-Za-z0-9][\w ./%+-]*")
_ORDER = ("value", "basis", "source", "interval", "bounds", "fit", "notes")


def edited(text: str, changes: Mapping[str, Mapping[str, str]]) -> str:
    """The text of a datasheet with other entries of some values: ``{"page_pin": {"value": "4 us"}}``.

    Entries are YAML as it is to be written. One that is not there is added where :data:`_ORDER` has it, in the style
    of the mapping around it. Comments, order and layout stay. There are no aliases in the text. Raises SimioError for
    a value that it lacks.
    """
    values = _entries(_entries(yaml.compose(text, Loader=yaml.SafeLoader))["values"][1])
    spans: list[tuple[int, int, str]] = []
    for key, entries in changes.items():
        if key not in values:
            raise SimioError(f"no value {quote(key)} in the datasheet")
        node = values[key][1]
        there = _entries(node)
        for name, new in entries.items():
            if name in there:
                written, old = there[name]
                block = isinstance(old, yaml.CollectionNode) and not old.flow_style
                # A value that begins on a line of its own is written beside its key.
                start, more = (written.end_mark.index, ": ") if block else (old.start_mark.index, "")
                spans.append((start, _end(text, old), more + new))
            else:
                spans.append(_inserted(text, node, there, name, new))
    for start, end, new in sorted(spans, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def aliases(text: str) -> list[tuple[int, int]]:
    """Line and column of each alias in a datasheet: what it stands for is written elsewhere, and not only for it."""
    marks = (event.start_mark for event in yaml.parse(text) if isinstance(event, yaml.AliasEvent))
    return [(mark.line + 1, mark.column + 1) for mark in marks if mark]


def scalar(text: str) -> str:
    """A text as YAML: plain where that reads back the same, else in double quotes."""
    if _PLAIN.fullmatch(text) and yaml.safe_load(text) == text:
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def flow(entries: Mapping[str, object]) -> str:
    """A mapping on one line."""
    told = (f"{key}: {flow(item) if isinstance(item, Mapping) else item}" for key, item in entries.items())
    return "{" + ", ".join(told) + "}"


def _entries(node: yaml.Node | None) -> dict[str, tuple[yaml.Node, yaml.Node]]:
    """Key and value nodes of a mapping by the text of the key."""
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {key.value: (key, value) for key, value in node.value}


def _end(text: str, node: yaml.Node) -> int:
    """The end of a node, without the blank lines that a block has after it."""
    return node.start_mark.index + len(text[node.start_mark.index : node.end_mark.index].rstrip())


def _inserted(
    text: str, node: yaml.Node, there: Mapping[str, tuple[yaml.Node, yaml.Node]], name: str, new: str
) -> tuple[int, int, str]:
    """Place and text of an entry that a mapping does not have yet: behind the last of those before it in order."""
    before = [key for key in there if key in _ORDER and _ORDER.index(key) < _ORDER.index(name)]
    key_node, value_node = there[max(before, key=lambda key: there[key][1].end_mark.index)]
    at = _end(text, value_node)
    if isinstance(node, yaml.MappingNode) and node.flow_style:
        return at, at, f", {name}: {new}"
    line = text.find("\n", at)
    end = len(text) if line < 0 else line
    return end, end, f"\n{' ' * key_node.start_mark.column}{name}: {new}"
