"""YAML text as a tree of nodes with their places, or all problems of the text at once.

Scalars follow the core schema of YAML 1.2.2 (https://yaml.org/spec/1.2.2/, section 10.3): `yes`, `on` and `1:30` are
texts. Some constructs are refused, as a person may misread them or they could exhaust memory: duplicate and merge
keys, keys that are not texts, leading zeros, tags beyond the core ones, nodes that contain themselves, aliases that
multiply, deep nesting and large files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, NamedTuple

import yaml

from simio.errors import Place, Problem, ScenarioError, did_you_mean, key_path, quote, visible
from simio.loading.yamlscalars import CORE, Refused, Scalar, plain, short, tagged
from simio.loading.yamlsyntax import syntax_problem
from simio.reading import MAX_BYTES, too_large

MAX_DEPTH = 64
MAX_NODES = 100_000
MAX_PROBLEMS = 100

MOST_OF_A_WORD = 64
_WORD = re.compile(r"\w+(\.\w+)?( [A-Za-z]\w*)?", re.ASCII)
"""A plain scalar and nothing else, as most values of `--set` are: it needs no parser."""


@dataclass(frozen=True)
class Node:
    """A value of a YAML file and the place it is written at.

    `text` is a scalar as it was written, without quotes, so that `0.32` can be read exactly; `key_places` has the
    place of each key of a map. A node that an alias names keeps the place of its definition.
    """

    kind: Literal["map", "list", "scalar"]
    value: dict[str, Node] | list[Node] | Scalar
    place: Place
    key_places: dict[str, Place] = field(default_factory=dict)
    text: str = ""

    @property
    def entries(self) -> dict[str, Node]:
        """The nodes of a map by key; empty for any other kind."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def elements(self) -> list[Node]:
        """The nodes of a list; empty for any other kind."""
        return self.value if isinstance(self.value, list) else []

    def plain(self) -> Any:
        """The same as plain Python data: dict, list, str, int, float, bool and None."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    def at(self, path: Sequence[str | int]) -> Node:
        """The node at `path` below this one, or the last one on the path that exists."""
        node = self
        for part in path:
            if isinstance(part, str) and part in node.entries:
                node = node.entries[part]
            elif isinstance(part, int) and 0 <= part < len(node.elements):
                node = node.elements[part]
            else:
                break
        return node


def value_text(node: Node) -> str:
    """A value as it was written, on one line."""
    if node.kind == "scalar":
        return "none" if node.value is None else node.text
    if node.kind == "list":
        return "[" + ", ".join(value_text(item) for item in node.elements) + "]"
    return "{" + ", ".join(f"{key}: {value_text(item)}" for key, item in node.entries.items()) + "}"


# ---------------------------------------------------------------- composing


_DIGITS = re.compile(r"\d+")
_DECIMALS = re.compile(r"\d+(?: *[^\s\d].*)?")


@dataclass
class _Open:
    """A map or list whose end has not been read yet."""

    place: Place
    anchor: str | None
    value: dict[str, Node] | list[Node]
    key_places: dict[str, Place] = field(default_factory=dict)
    label: str | None = None  # the key as written, for key paths
    key: str | None = None  # None for a key that was refused: its value is read and dropped
    keyed: bool = False
    weight: int = 1
    height: int = 1

    @property
    def wants_key(self) -> bool:
        return isinstance(self.value, dict) and not self.keyed


class _Anchored(NamedTuple):
    node: Node
    weight: int
    height: int


class _Stop(Exception):
    """Reading on is pointless or dangerous; the reason is among the problems."""


class _Composer:
    """Builds the tree from the parser's events, without recursion, and collects problems."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Node | None = None
        self.problems: list[Problem] = []
        self._open: list[_Open] = []
        self._anchors: dict[str, _Anchored] = {}
        self._nodes = 0
        self._documents = 0

    def read(self, events: Iterator[yaml.Event]) -> None:
        for event in events:
            if isinstance(event, yaml.ScalarEvent):
                self._scalar(event)
            elif isinstance(event, yaml.CollectionStartEvent):
                self._start(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                self._end()
            elif isinstance(event, yaml.AliasEvent):
                self._alias(event)
            elif isinstance(event, yaml.DocumentStartEvent):
                self._document(event)

    def problem(self, place: Place, found: str, expected: str, hint: str = "", key: str | None = None) -> None:
        """Note a problem at the value being read, or at `key` of the open map."""
        parts: list[str | int] = []
        for frame in self._open:
            if isinstance(frame.value, list):
                parts.append(len(frame.value))
            elif frame.label is not None:
                parts.append(frame.label)
        parts += [key] if key is not None else []
        self.problems.append(Problem(quote(key_path(parts))[1:-1] if parts else "", found, expected, hint, place))
        if len(self.problems) >= MAX_PROBLEMS:
            raise _Stop

    def _place(self, event: yaml.Event) -> Place:
        mark = event.start_mark
        return Place(self.file, mark.line + 1, mark.column + 1) if mark else Place(self.file, 1, 1)

    def _document(self, event: yaml.Event) -> None:
        self._documents += 1
        if self._documents > 1:
            place = self._place(event)
            self.problem(place, "a second document", "one document a file", "remove the line '---'")
            raise _Stop

    def _count(self, weight: int, height: int, place: Place) -> None:
        self._nodes += weight
        if self._nodes > MAX_NODES:
            expected = f"at most {MAX_NODES}, aliases counted in full"
            self.problem(place, f"more than {MAX_NODES} values", expected)
            raise _Stop
        if len(self._open) + height > MAX_DEPTH:
            self.problem(place, f"more than {MAX_DEPTH} levels of nesting", f"at most {MAX_DEPTH}")
            raise _Stop

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        place = self._place(event)
        self._count(1, 0, place)
        value: Scalar = None
        wants_key = bool(self._open) and self._open[-1].wants_key
        try:
            value = tagged(event)
            if isinstance(value, str):
                # Whatever shows it later, on a terminal or a page, shows all of it and does nothing else.
                value = visible(value)
        except Refused as refused:
            if not wants_key:
                self.problem(place, *refused.args)
        if wants_key:
            self._key(value, event, place)
            return
        node = Node("scalar", value, place, text=visible(event.value))
        self._keep(event.anchor, node, 1, 0)
        self._add(node, 1, 0)

    def _decimal_comma(self, frame: _Open, event: yaml.ScalarEvent) -> bool:
        """Note a number with a comma, which in braces begins another key: `{length: 20,5 m}`; whether it is one."""
        last = next(reversed(frame.value.values()), None) if isinstance(frame.value, dict) else None
        if last is None or not _DIGITS.fullmatch(last.text) or not _DECIMALS.fullmatch(event.value):
            return False
        place = self._place(event)
        if (place.line, place.column) != (last.place.line, last.place.column + len(last.text) + 1):
            return False
        whole = f"{last.text}.{event.value}"
        found = f"the number {quote(f'{last.text},{event.value}')} with a comma"
        key = next(reversed(frame.key_places))
        self.problem(last.place, found, "a decimal point", f"write {whole}", key=key)
        return True

    def _key(self, value: Scalar, event: yaml.ScalarEvent, place: Place) -> None:
        frame = self._open[-1]
        if self._decimal_comma(frame, event):
            frame.keyed, frame.key, frame.label = True, None, None
            return
        frame.weight += 1
        frame.keyed = True
        if not isinstance(value, str):
            found = f"the key {quote(event.value)}, which is not a text" if event.value else "an empty key"
            hint = f'put it in quotes: "{event.value}"' if re.fullmatch("[-+.\\w]+", event.value) else ""
            self.problem(place, found, "a text as key", hint)
        elif value == "<<" and not event.style and event.tag is None:
            self.problem(place, "the merge key '<<'", "a key of its own", "YAML 1.2 has no merge keys")
        elif value in frame.key_places:
            hint = f"it is first at line {frame.key_places[value].line}"
            self.problem(place, "the same key again", "each key once", hint, key=value)
        else:
            frame.key = value
            frame.key_places[value] = place
            self._keep(event.anchor, Node("scalar", value, place, text=event.value), 1, 0)
        # Only now: a problem of a key belongs to the map that holds it.
        frame.label = event.value

    def _start(self, event: yaml.CollectionStartEvent) -> None:
        place = self._place(event)
        self._count(1, 1, place)
        is_map = isinstance(event, yaml.MappingStartEvent)
        if event.tag not in (None, "!", f"{CORE}{'map' if is_map else 'seq'}"):
            self.problem(place, f"the tag {short(event.tag)}", "a value without a tag")
        if self._open and self._open[-1].wants_key:
            self._complex_key(place, "a map" if is_map else "a list")
        self._open.append(_Open(place, event.anchor, {} if is_map else []))

    def _complex_key(self, place: Place, found: str) -> None:
        hint = "a text that starts with '{' or '[' needs quotes"
        self.problem(place, f"{found} as key", "a text as key", hint)

    def _end(self) -> None:
        frame = self._open.pop()
        kind: Literal["map", "list"] = "map" if isinstance(frame.value, dict) else "list"
        node = Node(kind, frame.value, frame.place, frame.key_places)
        self._keep(frame.anchor, node, frame.weight, frame.height)
        self._add(node, frame.weight, frame.height)

    def _alias(self, event: yaml.AliasEvent) -> None:
        place, name = self._place(event), event.anchor or ""
        target = None
        if any(frame.anchor == name for frame in self._open):
            self.problem(place, f"the alias {quote('*' + name)} inside what it names", "no value within itself")
        elif name not in self._anchors:
            hint = did_you_mean(name, self._anchors) or "put a text that starts with '*' in quotes"
            expected = f"an alias of an earlier {quote('&' + name)}"
            self.problem(place, f"the alias {quote('*' + name)}", expected, hint)
        elif self._open and self._open[-1].wants_key:
            self.problem(place, f"the alias {quote('*' + name)} as key", "a text as key")
        else:
            target = self._anchors[name]
        if target is None:
            target = _Anchored(Node("scalar", None, place), 1, 0)
        self._count(target.weight, target.height, place)
        self._add(target.node, target.weight, target.height)

    def _keep(self, anchor: str | None, node: Node, weight: int, height: int) -> None:
        if anchor is not None:
            self._anchors[anchor] = _Anchored(node, weight, height)

    def _add(self, node: Node, weight: int, height: int) -> None:
        if not self._open:
            self.root = node
            return
        frame = self._open[-1]
        frame.weight += weight
        frame.height = max(frame.height, height + 1)
        if isinstance(frame.value, list):
            frame.value.append(node)
        elif not frame.keyed:
            frame.keyed = True
        else:
            if frame.key is not None:
                frame.value[frame.key] = node
            frame.keyed, frame.key, frame.label = False, None, None


# ---------------------------------------------------------------- parsing

_UNPRINTABLE_ASCII = re.compile("[^\t\n\r\x20-\x7e]")


@cache
def _unprintable() -> re.Pattern[str]:
    """Characters that YAML does not allow in a file (1.2, section 5.1); the class takes long to compile."""
    return re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def parse_yaml(text: str, file: str) -> Node:
    """The tree of a YAML text; `file` is the name that places carry.

    Raises ScenarioError with all problems; reading ends at the first problem of syntax.
    """
    if len(text) < MOST_OF_A_WORD and _WORD.fullmatch(text):
        with suppress(Refused):
            return Node("scalar", plain(text), Place(file, 1, 1), text=text)
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_BYTES:
        raise ScenarioError(too_large(file))
    if bad := (_UNPRINTABLE_ASCII if text.isascii() else _unprintable()).search(text):
        place = _place_of(text, bad.start(), file)
        raise ScenarioError(Problem("", f"the character U+{ord(bad[0]):04X}", "printable text", place=place))
    if len(text.encode()) > MAX_BYTES:
        raise ScenarioError(too_large(file))
    composer = _Composer(file)
    try:
        composer.read(yaml.parse(text, Loader=yaml.CSafeLoader))
    except _Stop:
        pass
    except yaml.MarkedYAMLError as error:
        composer.problems.append(syntax_problem(error, text, file))
    except yaml.YAMLError as error:
        composer.problems.append(Problem("", "text that is not YAML", "YAML", str(error), Place(file, 1, 1)))
    if composer.problems:
        raise ScenarioError(composer.problems)
    root = composer.root
    if root is None or (root.value is None and not root.text):
        raise ScenarioError(Problem("", "an empty file", "'key: value' lines", place=Place(file, 1, 1)))
    return root


def _place_of(text: str, index: int, file: str) -> Place:
    start = text.rfind("\n", 0, index) + 1
    return Place(file, text.count("\n", 0, index) + 1, index - start + 1)
