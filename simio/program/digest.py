"""A program's hash: equal exactly where two programs do the same under the same names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np

from simio.program.form import Form
from simio.program.garbage import uncollected
from simio.program.steps import Program

SHOWN = 16
"""Hexadecimal digits of a hash that are shown to a reader."""

_ANALYSIS = frozenset(
    {"regions", "windows", "occupancies", "demands", "promises", "tallies", "gauges", "bodies", "labels", "words"}
)
_PLAIN = {int, str, bool}
_FORM = "simio program 2"


def program_hash(program: Program) -> str:
    """SHA-256, as 64 hexadecimal digits, of all that decides what the program does and what its parts are called.

    What serves analysis only (regions, windows, occupancies, demands, promises, tallies, gauges, labels, bodies) does
    not count, and of a guest, which is Python, only the names do: what its function does cannot be told. What is
    hashed is JSON of integers and names, and of tables their shapes and 64-bit words, least byte first, so that it
    is the same on every platform.
    """
    copied = program.copied
    digest = hashlib.sha256(_FORM.encode())
    for part in copied.form.kept(_parts) if copied else _COUNTED:
        if isinstance(part, bytes):
            digest.update(part)
        else:
            _add(digest, part, getattr(program, part))
    return digest.hexdigest()


_COUNTED = sorted({item.name for item in fields(Program)} - _ANALYSIS)


def _parts(form: Form) -> list[str | bytes]:
    """What is hashed of programs of one form in turn: what all have alike, and names of fields that they have not."""
    parts: list[str | bytes] = []
    alike = _Bytes()
    for name in _COUNTED:
        if name in form.places or name in form.fields:
            parts += [alike.take(), name]
        else:
            _add(alike, name, getattr(form.program, name))
    return [*parts, alike.take()]


class _Bytes(bytearray):
    """What would be hashed."""

    update = bytearray.extend

    def take(self) -> bytes:
        """All of it until now."""
        taken = bytes(self)
        self.clear()
        return taken


def _add(digest: Any, name: str, value: Any) -> None:
    if isinstance(value, np.ndarray):
        digest.update(_text(name, list(value.shape)))
        digest.update(np.ascontiguousarray(value, dtype="<i8").data)
    else:
        digest.update(_text(name, value))


def _text(name: str, value: Any) -> bytes:
    with uncollected():
        return json.dumps([name, _plain(value)], separators=(",", ":")).encode("ascii")


def _plain(value: Any) -> Any:
    """Records as lists of their fields, numbers as Python's own."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, np.integer):
        return int(value)
    if is_dataclass(kind):
        return [_plain(getattr(value, name)) for name in _counted(kind, bool(getattr(value, "instance", 1)))]
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return function_name(value) if callable(value) else value


@cache
def _counted(kind: Any, one_of_many: bool) -> list[str]:
    """Names of the fields of a record that count: an instance only where there are others."""
    return [item.name for item in fields(kind) if one_of_many or item.name != "instance"]


def function_name(function: Callable[..., object]) -> str:
    """`module:name` of a function, or of the type of another callable; never an address in memory."""
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}:{named.__qualname__}"
