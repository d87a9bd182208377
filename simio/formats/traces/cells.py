"""One cell of a line of a trace as a value; each raises Mistake with what it found and what it expected."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction

from simio import units
from simio.errors import quote
from simio.formats.traces.columns import DirectionColumn, SizeColumn, TimeColumn
from simio.formats.traces.trace import LEAVE_OUT, LONGEST, Mistake


def direction(word: str, column: DirectionColumn) -> bool:
    """True for a write. Raises Mistake for another word."""
    if column.read_bit is not None:
        try:
            return int(word, 0) >> column.read_bit & 1 == 0
        except ValueError:
            pass
    elif word in column.reads or word in column.writes:
        return word in column.writes
    raise Mistake(quote(word), f"{column.wanted} in column {column.column}", LEAVE_OUT.format(word=word))


def whole(given: list[str], column: SizeColumn, what: str, least: int, most: int) -> int:
    """An address or size in bytes, from `least` to `most`. Raises Mistake for another."""
    word = given[column.column - 1]
    in_unit = f" in units of {units.format_quantity(column.unit, 'size')}" if column.unit > 1 else " in bytes"
    if not word.isascii() or not word.isdecimal() or not least <= int(word) <= most // column.unit:
        limit = f", at most {units.format_quantity(most, 'size')}" if word.isdecimal() and int(word) else ""
        raise Mistake(quote(word), f"{what}{in_unit} in column {column.column}{limit}")
    return int(word) * column.unit


def decimal(given: list[str], column: TimeColumn) -> Fraction:
    """A time in the column's unit, exactly. Raises Mistake for another text."""
    word = given[column.column - 1]
    try:
        value = Decimal(word)
    except InvalidOperation:
        value = Decimal("nan")
    if not value.is_finite() or value < 0 or value.adjusted() > 30:
        unit = units.format_quantity(column.unit, "time")
        raise Mistake(quote(word), f"a time in units of {unit} in column {column.column}")
    return Fraction(value)


def span(given: list[str], column: TimeColumn | None) -> int | None:
    """A time in ps, of less than a day; None without a column. Raises Mistake for a longer one."""
    if column is None:
        return None
    time = round(decimal(given, column) * column.unit)
    if time > LONGEST:
        raise Mistake(quote(given[column.column - 1]), f"less than a day in column {column.column}")
    return time
