"""YAML text as a tree of nodes that know where they stand, with every fault of the text found at once.

Scalars follow the core schema of YAML 1.2.2 (https://yaml.org/spec/1.2.2/, section 10.3): ``yes``, ``on`` and
``1:30`` are texts.  What a person may misread, or what could exhaust memory, is refused: duplicate and merge
keys, keys that are not texts, leading zeros, tags beyond the core ones, nodes that contain themselves,
aliases that multiply, deep nesting and large files.
"""

from __future__ import annotations

import difflib
import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import yaml

from simio.errors import Fault, Place, ScenarioError, did_you_mean, key_path, quote

MAX_BYTES = 2**20
MAX_DEPTH = 64
MAX_NODES = 100_000
MAX_FAULTS = 100

_Scalar = str | int | float | bool | None


@dataclass(frozen=True)
class Node:
    """A value of a YAML file and the place it is written at.

    ``text`` is a scalar as it was written, without quotes, so that ``0.32`` can be read exactly;
    ``key_places`` has the place of each key of a map.  What an alias names keeps the place of its definition.
    """

    kind: Literal["map", "list", "scalar"]
    value: dict[str, Node] | list[Node] | _Scalar
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
        """The node at ``path`` below this one, or the last one on the way to it that exists."""
        return self._walk(path)[0]

    def key_at(self, path: Sequence[str | int]) -> Place:
        """The place of the key (or list element) that ``path`` ends with, or of the last one that exists."""
        return self._walk(path)[1]

    def _walk(self, path: Sequence[str | int]) -> tuple[Node, Place]:
        node, place = self, self.place
        for part in path:
            if isinstance(part, str) and part in node.entries:
                node, place = node.entries[part], node.key_places.get(part, node.place)
            elif isinstance(part, int) and 0 <= part < len(node.elements):
                node = node.elements[part]
                place = node.place
            else:
                break
        return node, place


# ---------------------------------------------------------------- files


def read_file(path: str | os.PathLike[str]) -> str:
    """The text of a YAML file.

    Raises ScenarioError if it is missing, a directory, unreadable, larger than MAX_BYTES or not UTF-8.
    """
    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ScenarioError(Fault(name, "no such file", "a YAML file", _similar_file(name))) from None
    except IsADirectoryError:
        raise ScenarioError(Fault(name, "a directory", "a YAML file")) from None
    except PermissionError:
        found = "a directory" if os.path.isdir(name) else "a file that may not be read"
        raise ScenarioError(Fault(name, found, "a readable YAML file")) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ScenarioError(Fault(name, f"a file that cannot be read ({reason})", "a YAML file")) from None
    return decode(data, name)


def decode(data: bytes, file: str) -> str:
    """The text that the bytes of ``file`` hold.  Raises ScenarioError if they are too many or not UTF-8."""
    if len(data) > MAX_BYTES:
        raise ScenarioError(_too_large(file))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig", errors="replace")
        line = before.count("\n") + 1
        place = Place(file, line, len(before) - (before.rfind("\n") + 1) + 1)
        hint = "save the file as UTF-8"
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            hint = "the file seems to be UTF-16; save it as UTF-8"
        found = f"the byte 0x{data[error.start]:02x}"
        raise ScenarioError(Fault("", found, "UTF-8 text", hint, place)) from None


def _too_large(file: str) -> Fault:
    return Fault("", "a file of more than 1 MiB", "at most 1 MiB", place=Place(file, 1, 1))


def _similar_file(name: str) -> str:
    folder, base = os.path.split(name)
    try:
        beside = [other for other in os.listdir(folder or ".") if other.endswith((".yaml", ".yml"))]
    except (OSError, ValueError):
        return ""
    # With the ending left on, any two short names would seem alike.
    stems = {os.path.splitext(other)[0]: other for other in sorted(beside)}
    near = difflib.get_close_matches(os.path.splitext(base)[0], stems, n=1)
    return f"did you mean '{os.path.join(folder, stems[near[0]])}'?" if near else ""


# ---------------------------------------------------------------- scalars


class _Refused(Exception):
    """A scalar that is not accepted, with what was found, what was expected and a hint."""


_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_LEADING_ZERO = re.compile("([-+]?)0+([0-9]+)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def _resolve(text: str) -> _Scalar:
    """What a plain scalar stands for.  Raises _Refused for numbers that are ambiguous or out of range."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.fullmatch(text):
        return _integer(text)
    if _NOT_FINITE.fullmatch(text):
        raise _Refused(quote(text), "a finite number")
    if _FLOAT.fullmatch(text):
        return _float(text)
    return text


def _integer(text: str) -> int:
    if match := _LEADING_ZERO.fullmatch(text):
        hint = f"write {quote(match[1] + match[2])[1:-1]}, or put it in quotes if it is a text"
        raise _Refused(f"{quote(text)}, which may be read as octal", "a number without leading zeros", hint)
    base = {"0o": 8, "0x": 16}.get(text[:2], 10)
    digits = text.lstrip("+-") if base == 10 else text[2:].lstrip("0") or "0"
    # 22 octal digits hold 2**63; a length limit also keeps int() from refusing or labouring.
    value = int(digits, base) if len(digits) <= 22 else 2**64
    value = -value if text.startswith("-") else value
    if not -(2**63) <= value < 2**63:
        raise _Refused(f"the number {quote(text)[1:-1]}", "a whole number of at most 64 bits")
    return value


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _Refused(f"the number {quote(text)[1:-1]}, which is too large", "a number below 1.7e308")
    if value == 0 and re.search("[1-9]", re.split("[eE]", text)[0]):
        raise _Refused(f"the number {quote(text)[1:-1]}, which is too small", "a number above 1e-307, or 0")
    return value


_CORE = "tag:yaml.org,2002:"
_TYPES: dict[str, type | tuple[type, ...]] = {
    "int": int, "float": (float, int), "bool": bool, "null": type(None)
}  # fmt: skip


def _tagged(event: yaml.ScalarEvent) -> _Scalar:
    tag, text = event.tag, event.value
    if tag is None:
        return text if event.style else _resolve(text)
    if tag in ("!", f"{_CORE}str"):
        return text
    name = tag.removeprefix(_CORE)
    if not tag.startswith(_CORE) or name not in _TYPES:
        raise _Refused(f"the tag {_short(tag)}", "a value without a tag")
    value = _resolve(text)
    if not isinstance(value, _TYPES[name]) or (name != "bool" and isinstance(value, bool)):
        raise _Refused(f"{quote(text)} with the tag {_short(tag)}", f"a value of type {name}")
    return float(value) if name == "float" and isinstance(value, int) else value


def _short(tag: str) -> str:
    return quote(f"!!{tag.removeprefix(_CORE)}" if tag.startswith(_CORE) else tag)


# ---------------------------------------------------------------- composing


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


@dataclass(frozen=True)
class _Anchored:
    node: Node
    weight: int
    height: int


class _Stop(Exception):
    """Reading on is pointless or dangerous; the reason is among the faults."""


class _Composer:
    """Builds the tree from the parser's events, without recursion, and collects faults on the way."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Node | None = None
        self.faults: list[Fault] = []
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

    def fault(self, place: Place, found: str, expected: str, hint: str = "", key: str | None = None) -> None:
        """Notes a fault at the value being read, or at ``key`` of the open map."""
        parts: list[str | int] = []
        for frame in self._open:
            if isinstance(frame.value, list):
                parts.append(len(frame.value))
            elif frame.label is not None:
                parts.append(frame.label)
        parts += [key] if key is not None else []
        self.faults.append(Fault(quote(key_path(parts))[1:-1] if parts else "", found, expected, hint, place))
        if len(self.faults) >= MAX_FAULTS:
            raise _Stop

    def _place(self, event: yaml.Event) -> Place:
        mark = event.start_mark
        return Place(self.file, mark.line + 1, mark.column + 1) if mark else Place(self.file, 1, 1)

    def _document(self, event: yaml.Event) -> None:
        self._documents += 1
        if self._documents > 1:
            place = self._place(event)
            self.fault(place, "a second document", "one document a file", "remove the line '---'")
            raise _Stop

    def _count(self, weight: int, height: int, place: Place) -> None:
        self._nodes += weight
        if self._nodes > MAX_NODES:
            expected = f"at most {MAX_NODES}, aliases counted in full"
            self.fault(place, f"more than {MAX_NODES} values", expected)
            raise _Stop
        if len(self._open) + height > MAX_DEPTH:
            self.fault(place, f"more than {MAX_DEPTH} levels of nesting", f"at most {MAX_DEPTH}")
            raise _Stop

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        place = self._place(event)
        self._count(1, 0, place)
        value: _Scalar = None
        wants_key = bool(self._open) and self._open[-1].wants_key
        try:
            value = _tagged(event)
        except _Refused as refused:
            if not wants_key:
                self.fault(place, *refused.args)
        if wants_key:
            self._key(value, event, place)
            return
        node = Node("scalar", value, place, text=event.value)
        self._keep(event.anchor, node, 1, 0)
        self._add(node, 1, 0)

    def _key(self, value: _Scalar, event: yaml.ScalarEvent, place: Place) -> None:
        frame = self._open[-1]
        frame.weight += 1
        frame.keyed = True
        if not isinstance(value, str):
            found = f"the key {quote(event.value)}, which is not a text" if event.value else "an empty key"
            hint = f'put it in quotes: "{event.value}"' if re.fullmatch("[-+.\\w]+", event.value) else ""
            self.fault(place, found, "a text as key", hint)
        elif value == "<<" and not event.style and event.tag is None:
            self.fault(place, "the merge key '<<'", "a key of its own", "YAML 1.2 has no merge keys")
        elif value in frame.key_places:
            hint = f"it is first at line {frame.key_places[value].line}"
            self.fault(place, "the same key again", "each key once", hint, key=value)
        else:
            frame.key = value
            frame.key_places[value] = place
            self._keep(event.anchor, Node("scalar", value, place, text=event.value), 1, 0)
        # Only now: a fault of a key belongs to the map that holds it.
        frame.label = event.value

    def _start(self, event: yaml.CollectionStartEvent) -> None:
        place = self._place(event)
        self._count(1, 1, place)
        is_map = isinstance(event, yaml.MappingStartEvent)
        if event.tag not in (None, "!", f"{_CORE}{'map' if is_map else 'seq'}"):
            self.fault(place, f"the tag {_short(event.tag)}", "a value without a tag")
        if self._open and self._open[-1].wants_key:
            self._complex_key(place, "a map" if is_map else "a list")
        self._open.append(_Open(place, event.anchor, {} if is_map else []))

    def _complex_key(self, place: Place, found: str) -> None:
        hint = "a text that starts with '{' or '[' needs quotes"
        self.fault(place, f"{found} as key", "a text as key", hint)

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
            self.fault(place, f"the alias {quote('*' + name)} inside what it names", "no value within itself")
        elif name not in self._anchors:
            hint = did_you_mean(name, self._anchors) or "put a text that starts with '*' in quotes"
            expected = f"an alias of an earlier {quote('&' + name)}"
            self.fault(place, f"the alias {quote('*' + name)}", expected, hint)
        elif self._open and self._open[-1].wants_key:
            self.fault(place, f"the alias {quote('*' + name)} as key", "a text as key")
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
    """What YAML does not allow in a file (1.2, section 5.1); so wide a class takes long to compile."""
    return re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def parse_yaml(text: str, file: str) -> Node:
    """The tree of a YAML text; ``file`` is the name that places carry.

    Raises ScenarioError with all faults that can be found: after a fault of syntax nothing more is read.
    """
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_BYTES:
        raise ScenarioError(_too_large(file))
    if bad := (_UNPRINTABLE_ASCII if text.isascii() else _unprintable()).search(text):
        place = _place_of(text, bad.start(), file)
        raise ScenarioError(Fault("", f"the character U+{ord(bad[0]):04X}", "printable text", place=place))
    if len(text.encode()) > MAX_BYTES:
        raise ScenarioError(_too_large(file))
    composer = _Composer(file)
    try:
        composer.read(yaml.parse(text, Loader=yaml.CSafeLoader))
    except _Stop:
        pass
    except yaml.MarkedYAMLError as error:
        composer.faults.append(_syntax_fault(error, text, file))
    except yaml.YAMLError as error:
        composer.faults.append(Fault("", "text that is not YAML", "YAML", str(error), Place(file, 1, 1)))
    if composer.faults:
        raise ScenarioError(composer.faults)
    root = composer.root
    if root is None or (root.value is None and not root.text):
        raise ScenarioError(Fault("", "an empty file", "'key: value' lines", place=Place(file, 1, 1)))
    return root


def _place_of(text: str, index: int, file: str) -> Place:
    start = text.rfind("\n", 0, index) + 1
    return Place(file, text.count("\n", 0, index) + 1, index - start + 1)


# What the parser says, and what that means to someone who has never seen its grammar: (expected, hint).
_MEANINGS = {
    "mapping values are not allowed": (
        "one 'key: value' a line",
        "check the indentation, and put a text with ': ' in it in quotes",
    ),
    "could not find expected ':'": ("'key: value'", "every line of a map has a key and a ':'"),
    "did not find expected key": (
        "the next key",
        "check indentation and quotes of this line and the one before",
    ),
    "did not find expected '-' indicator": ("the next '- ' of the list", "check the indentation"),
    "did not find expected node content": ("a value", ""),
    "found unknown escape character": ("a known escape", "in single quotes a backslash is just a backslash"),
    "found incompatible YAML document": ("YAML 1.2", ""),
}


def _syntax_fault(error: yaml.MarkedYAMLError, text: str, file: str) -> Fault:
    problem = error.problem or "no reason given"
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return Fault("", "text that is not YAML", "YAML", problem, Place(file, 1, 1))
    place = Place(file, mark.line + 1, mark.column + 1)
    rest = text[mark.index :].split("\n", 1)[0].strip(" \r")
    opened = error.context_mark
    if opened is not None and not text[mark.index :].strip():
        what = text[opened.index : opened.index + 1]
        if what in ("[", "{", '"', "'"):
            start = Place(file, opened.line + 1, opened.column + 1)
            closing = {"[": "]", "{": "}"}.get(what, what)
            expected = f"a closing {closing} before the end of the file"
            return Fault("", f"an opening {what} that is never closed", expected, place=start)
    if rest.startswith("\t"):
        return Fault("", "a tab", "spaces", "YAML is indented with spaces", place)
    if problem.startswith("found character that cannot start"):
        hint = f"put a text that starts with {quote(rest[:1])} in quotes"
        return Fault("", quote(rest), "a value", hint, place)
    end = "line" if text[mark.index :].strip() else "file"
    found = quote(rest) if rest else f"the end of the {end}"
    if match := re.match(r"did not find expected ',' or '(.)'", problem):
        hint = f"it was opened at line {opened.line + 1}, column {opened.column + 1}" if opened else ""
        return Fault("", found, f"',' or '{match[1]}'", hint, place)
    for said, (expected, hint) in _MEANINGS.items():
        if problem.startswith(said):
            return Fault("", found, expected, hint, place)
    return Fault("", found, "YAML", problem, place)
