"""Quantities as text for a reader, and in other units."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from simio.errors import quote
from simio.units.refusals import nearest
from simio.units.table import DIMENSIONS, SIZE_READING_BINARY, UnitError, dimension_of, known


def _in_words(dimension: str) -> str:
    return dimension.replace("_", " ")


def convert(value: int | float | Fraction, dimension: str, unit: str) -> Fraction:
    """`value`, given in the dimension's base unit, as an exact number of `unit`.

    Raises UnitError for a unit that is not of this dimension.
    """
    wanted = known(dimension)
    if unit not in wanted.units:
        actual = dimension_of(unit)
        found = f"the unit {quote(unit)}{f' of {_in_words(actual)}' if actual else ''}"
        raise UnitError(found, f"a unit of {_in_words(wanted.name)}", nearest(unit, wanted))
    return Fraction(value) / wanted.units[unit]


def format_quantity(
    value: int | float | Fraction, dimension: str, unit: str | None = None, digits: int | None = 4
) -> str:
    """`value`, in the dimension's base unit, as text for a reader: "12.35 us", "4 MiB", "81.2 MB/s".

    Without `unit` a fitting one is chosen.  `digits` is the number of significant digits (digits before
    the point are never dropped); with None the text is exact, so that `parse` gives `value` back,
    unless no unit tried can write it as a decimal, when 17 digits are given.  What is not finite appears as
    nan or inf. Raises UnitError for a unit that is not of this dimension.
    """
    wanted = known(dimension)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    exact = Fraction(value)
    if unit is not None:
        return f"{_decimal(convert(exact, dimension, unit), digits)} {unit}"
    if dimension == "size":
        return _short_size(exact, digits)
    unit = _fitting(exact, wanted.units, wanted.reading, digits)
    return f"{_decimal(exact / wanted.units[unit], digits)} {unit}"


def _short_size(value: Fraction, digits: int | None) -> str:
    """A size in binary or decimal units, whichever says it exactly in fewer digits; else rounded decimal."""
    size = DIMENSIONS["size"]
    ladders = [size.reading]
    if abs(value) >= 1024:
        ladders.insert(0, SIZE_READING_BINARY)
    if digits is None or abs(value) < 10**digits:
        ladders.append((("B", Fraction(0)),))
    texts = []
    for ladder in ladders:
        unit = _fitting(value, size.units, ladder, digits)
        number = _decimal(value / size.units[unit], digits)
        if Fraction(number) * size.units[unit] == value:
            texts.append((len(number), f"{number} {unit}"))
    if texts and value:
        return min(texts, key=lambda text: text[0])[1]
    unit = _fitting(value, size.units, size.reading, digits)
    return f"{_decimal(value / size.units[unit], digits)} {unit}"


def _fitting(
    value: Fraction,
    units: Mapping[str, Fraction],
    reading: tuple[tuple[str, Fraction], ...],
    digits: int | None,
) -> str:
    """The largest unit of `reading` in which the number, as it will be shown, is not too small."""
    if value == 0 and len(units) > 1:
        # Zero of anything reads best in the plain unit: 0 s, 0 B, 0 MB/s.
        plain = [unit for unit, _ in reading if unit in ("s", "B", "MB/s", "m", "ns/m", "Hz", "baud")]
        return (plain or [reading[-1][0]])[0]
    for unit, least in reading:
        shown = abs(value) / units[unit]
        if digits is None:
            if shown >= least and _places(shown) is not None:
                return unit
        elif shown >= least or Fraction(_decimal(shown, digits)) >= least:
            return unit
    return reading[-1][0]


def _places(value: Fraction) -> int | None:
    """Number of decimals of `value`, or None if they never end."""
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def _decimal(value: Fraction, digits: int | None) -> str:
    """`value` in decimal, rounded half to even to `digits` significant digits, without trailing zeros."""
    if value == 0:
        return "0"
    first = _first_digit(value)
    places = _places(value) if digits is None else max(0, digits - 1 - first)
    if places is None:
        places = max(0, 16 - first)
    scaled = round(value * 10**places)
    sign, figures = ("-" if scaled < 0 else ""), str(abs(scaled))
    if first < -6:
        lead, rest = figures[0], figures[1:].rstrip("0")
        return f"{sign}{lead}{'.' if rest else ''}{rest}e{len(figures) - 1 - places}"
    if places == 0:
        return sign + figures
    figures = figures.rjust(places + 1, "0")
    tail = figures[-places:].rstrip("0")
    return f"{sign}{figures[:-places]}{'.' if tail else ''}{tail}"


def _first_digit(value: Fraction) -> int:
    """The power of ten of the first significant digit: 2 for 345, -1 for 0.6."""
    top, bottom = abs(value.numerator), value.denominator
    power = len(str(top)) - len(str(bottom))
    too_high = Fraction(top, bottom) < Fraction(10) ** power
    return power - 1 if too_high else power
