"""Quantities from text."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import lru_cache
from typing import Literal, overload

from simio.errors import quote
from simio.units.refusals import NOT_DECIMAL, bare, expected_of, not_a_quantity, not_text, wrong_unit
from simio.units.table import LIMIT, Dimension, UnitError, known
from simio.units.writing import format_quantity

_MAX_TEXT = 100
_MAX_EXPONENT = 99
_DIGITS = "[0-9](?:_?[0-9])*"
_NUMBER = rf"\+?(?:{_DIGITS}(?:\.{_DIGITS})?|\.{_DIGITS})(?:[eE][+-]?[0-9]+)?"
_QUANTITY = re.compile(rf"({_NUMBER}) *([^ 0-9.,_+-].*)?")


def regex(dimension: str) -> str:
    """A pattern for JSON Schema (ECMA 262) that accepts the way quantities of this dimension are written.

    It checks spelling only; that a value is whole and within bounds is for `parse` to say.
    """
    return f"^{_NUMBER} *(?:{'|'.join(known(dimension).units)})$"


@overload
def parse(text: object, dimension: Literal["time", "size"]) -> int: ...
@overload
def parse(
    text: object,
    dimension: Literal["rate", "frequency", "rotation", "signalling", "length", "delay_per_length", "share"],
) -> Fraction: ...
@overload
def parse(text: object, dimension: str) -> int | Fraction: ...
def parse(text: object, dimension: str) -> int | Fraction:
    """The quantity that `text` ("<number> <unit>") stands for, in the dimension's base unit, exactly.

    Times are ints of picoseconds and sizes ints of bytes; others are Fractions: rates of bytes/s,
    frequencies of Hz, rotation of revolutions/s, signalling of baud, lengths of m, delays per length of
    ps/m, shares of one.

    Raises UnitError for anything else: no unit or an unknown, ambiguous or wrong one; a number that is
    negative, not finite or not decimal; a time or size that is not whole; what exceeds 2**62 of the base
    unit.  Raises ValueError for a dimension that does not exist.
    """
    if not isinstance(text, str):
        raise not_text(text, known(dimension))
    return _parsed(text, dimension)


@lru_cache(maxsize=4096)
def _parsed(text: str, dimension: str) -> int | Fraction:
    wanted, written = known(dimension), text.strip()
    if len(written) > _MAX_TEXT:
        raise UnitError(f"{quote(written)}, {len(written)} characters", expected_of(wanted))
    match = _QUANTITY.fullmatch(written)
    if match is None or NOT_DECIMAL.match(written):
        raise not_a_quantity(written, wanted)
    number, unit = match[1], (match[2] or "").rstrip()
    if not unit:
        raise bare(written, wanted)
    factor = wanted.units.get(unit)
    if factor is None:
        raise wrong_unit(written, unit, wanted)
    return _bounded(written, _read_number(number, written, wanted) * factor, wanted)


def _read_number(number: str, written: str, wanted: Dimension) -> Fraction:
    exponent = re.split("[eE]", number)[1:]
    if exponent and abs(int(exponent[0])) > _MAX_EXPONENT:
        raise UnitError(quote(written), f"an exponent between -{_MAX_EXPONENT} and {_MAX_EXPONENT}")
    return Fraction(number.replace("_", ""))


def _bounded(written: str, value: Fraction, wanted: Dimension) -> int | Fraction:
    if value > LIMIT:
        most = format_quantity(LIMIT, wanted.name)
        raise UnitError(quote(written), f"{wanted.noun} of at most about '{most}'")
    if not wanted.whole:
        if max(value.numerator, value.denominator) > LIMIT:
            raise UnitError(quote(written), f"{wanted.noun} with fewer digits", "about 15 are kept exactly")
        return value
    if value.denominator != 1:
        base = {"ps": "picoseconds", "bytes": "bytes"}[wanted.base]
        unit = next(name for name, factor in wanted.units.items() if factor == 1)
        below = math.floor(value)
        raise UnitError(
            f"{quote(written)}, which is not a whole number of {base}",
            f"{wanted.noun} in whole {base}",
            f"the nearest are '{below} {unit}' and '{below + 1} {unit}'",
        )
    return value.numerator
