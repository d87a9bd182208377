"""A program's hash: equal exactly where two programs do the same under the same names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

from simio.program.garbage import uncollected
from simio.program.steps import Program

SHOWN = 16
"""Hexadecimal digits of a hash that are shown to a reader."""

_ANALYSIS = frozenset(
    {
        "regions",
        "windows",
        "occupancies",
        "demands",
        "promises",
        "ahead",
        "behind",
        "early",
        "tallies",
        "gauges",
        "bodies",
        "labels",
        "words",
        "loads",
        "bonds",
        "feeds",
        "joined",
        "told",
    }
)
COUNTED = tuple(sorted({item.name for item in fields(Program)} - _ANALYSIS))
"""Fields of a program that are hashed, in this order."""
_PLAIN = {int, str, bool}
_FORMAT = b"simio program 2"


def program_hash(program: Program) -> str:
    """SHA-256, as 64 hexadecimal digits, of all that decides the program's behaviour and the names of its parts.

    What serves analysis only (regions, windows, occupancies, demands, promises, ahead, behind, early, tallies,
    gauges, bonds, labels, bodies, joined, told) does not count, nor do feeds, which the states that they feed
    identify. Of a guest, which is Python, only the names count, since its function cannot be hashed.
    What is hashed is JSON of integers and names, and of tables their shapes and 64-bit words, least byte first, so
    that it is the same on every platform.
    """
    return digest(chunk for name in COUNTED for chunk in chunks(name, getattr(program, name)))


def digest(parts: Iterable[bytes | memoryview]) -> str:
    """The hash of a program from the chunks of its `COUNTED` fields, in order."""
    found = hashlib.sha256(_FORMAT)
    for part in parts:
        found.update(part)
    return found.hexdigest()


def chunks(name: str, value: Any) -> Iterator[bytes | memoryview]:
    """The bytes that are hashed of a field."""
    if isinstance(value, np.ndarray):
        yield _text(name, list(value.shape))
    yield content(name, value)


def content(name: str, value: Any) -> bytes | memoryview:
    """The last of these chunks: a field's values, those of a table without its shape."""
    return np.ascontiguousarray(value, dtype="<i8").data if isinstance(value, np.ndarray) else _text(name, value)


def _text(name: str, value: Any) -> bytes:
    with uncollected():
        return json.dumps([name, _plain(value)], separators=(",", ":")).encode("ascii")


def _plain(value: Any) -> Any:
    """Records as lists of their fields, numbers as Python's own."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, (tuple, list)):
        return value if _PLAIN.issuperset(map(type, value)) else [_plain(item) for item in value]
    if isinstance(value, np.integer):
        return int(value)
    if is_dataclass(kind):
        named = _counted(kind, bool(getattr(value, "instance", 1)))(value)
        return named if _PLAIN.issuperset(map(type, named)) else [_plain(item) for item in named]
    return function_name(value) if callable(value) else value


@cache
def _counted(kind: Any, one_of_many: bool) -> Callable[[Any], tuple[Any, ...]]:
    """Reads the fields of a record that count: an instance only where there are others."""
    names = [item.name for item in fields(kind) if one_of_many or item.name != "instance"]
    if len(names) < 2:
        return lambda record: tuple(getattr(record, name) for name in names)
    return attrgetter(*names)


def function_name(function: Callable[..., object]) -> str:
    """`module:name` of a function, or of the type of another callable; never an address in memory."""
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}:{named.__qualname__}"
