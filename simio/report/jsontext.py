"""JSON text piece by piece, as `json.dumps` with `indent=1` gives it at once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from simio.result.recorded import Rows
from simio.result.series import Series

_PLAIN = {str, int, float, bool, type(None)}


def plain(value: Any) -> Any:
    """Records as mappings of their fields, and series as lists, all the way down."""
    value = _opened(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return type(value)(map(plain, value)) if isinstance(value, (list, tuple)) else value


def _opened(value: Any) -> Any:
    """A record or a series as a mapping or a list; anything else as it is."""
    if isinstance(value, Series):
        return value.listed()
    if isinstance(value, Rows):
        return list(value)
    if hasattr(value, "_asdict"):
        return value._asdict()
    if is_dataclass(value):
        return {item.name: getattr(value, item.name) for item in fields(value)}
    return dict(value) if isinstance(value, Mapping) else value


def parts(value: Any, line: str = "\n") -> Iterator[str]:
    """The text of plain data, records and series; `line` begins a line that is indented as the value is."""
    value = _opened(value)
    if not isinstance(value, (dict, list, tuple)) or not value:
        yield json.dumps(value, allow_nan=False)
        return
    inner = f"{line} "
    named = isinstance(value, dict)
    items = value.values() if isinstance(value, dict) else value
    if _PLAIN.issuperset(map(type, items)):
        text = json.dumps(value, separators=(f",{inner}", ": "), allow_nan=False)
        yield f"{text[0]}{inner}{text[1:-1]}{line}{text[-1]}"
        return
    before = "{" if named else "["
    for name, item in zip(value, items, strict=True):
        yield f"{before}{inner}{json.dumps(name)}: " if named else before + inner
        yield from parts(item, inner)
        before = ","
    yield line + ("}" if named else "]")
