"""Values of the scalars of a YAML text, after the core schema of YAML 1.2.2 (section 10.3)."""

from __future__ import annotations

import math
import re

import yaml

from simio.errors import quote

Scalar = str | int | float | bool | None


class Refused(Exception):
    """A scalar that is not accepted; its arguments are found, expected and a hint."""


_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_LEADING_ZERO = re.compile("([-+]?)0+([0-9]+)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def plain(text: str) -> Scalar:
    """The value of a plain scalar. Raises Refused for numbers that are ambiguous or out of range."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.fullmatch(text):
        return _integer(text)
    if _NOT_FINITE.fullmatch(text):
        raise Refused(quote(text), "a finite number")
    if _FLOAT.fullmatch(text):
        return _float(text)
    return text


def _integer(text: str) -> int:
    if match := _LEADING_ZERO.fullmatch(text):
        hint = f"write {quote(match[1] + match[2])[1:-1]}, or put it in quotes if it is a text"
        raise Refused(f"{quote(text)}, which may be read as octal", "a number without leading zeros", hint)
    base = {"0o": 8, "0x": 16}.get(text[:2], 10)
    digits = text.lstrip("+-") if base == 10 else text[2:].lstrip("0") or "0"
    # 22 octal digits hold 2**63; a length limit also keeps int() from refusing or labouring.
    value = int(digits, base) if len(digits) <= 22 else 2**64
    value = -value if text.startswith("-") else value
    if not -(2**63) <= value < 2**63:
        raise Refused(f"the number {quote(text)[1:-1]}", "a whole number of at most 64 bits")
    return value


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise Refused(f"the number {quote(text)[1:-1]}, which is too large", "a number below 1.7e308")
    if value == 0 and re.search("[1-9]", re.split("[eE]", text)[0]):
        raise Refused(f"the number {quote(text)[1:-1]}, which is too small", "a number above 1e-307, or 0")
    return value


CORE = "tag:yaml.org,2002:"
"""Prefix of the tags of the core schema."""
_TYPES: dict[str, type | tuple[type, ...]] = {
    "int": int, "float": (float, int), "bool": bool, "null": type(None)
}  # fmt: skip


def tagged(event: yaml.ScalarEvent) -> Scalar:
    """The value of a scalar, with or without a tag.  Raises Refused."""
    tag, text = event.tag, event.value
    if tag is None:
        return text if event.style else plain(text)
    if tag in ("!", f"{CORE}str"):
        return text
    name = tag.removeprefix(CORE)
    if not tag.startswith(CORE) or name not in _TYPES:
        raise Refused(f"the tag {short(tag)}", "a value without a tag")
    value = plain(text)
    if not isinstance(value, _TYPES[name]) or (name != "bool" and isinstance(value, bool)):
        raise Refused(f"{quote(text)} with the tag {short(tag)}", f"a value of type {name}")
    return float(value) if name == "float" and isinstance(value, int) else value


def short(tag: str) -> str:
    """A tag as a message quotes it."""
    return quote(f"!!{tag.removeprefix(CORE)}" if tag.startswith(CORE) else tag)
