"""The values of a key as a user writes them: `a,b,c`, `1..40`, `64KiB..2MiB:x2`, `1..10:+3`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from simio import units
from simio.errors import SimioError, quote

MOST_VALUES = 100_000
"""Values of one key."""
MOST_CHARACTERS, MOST_EXPONENT = 100, 99
"""Limits of a number without a unit, as of a quantity."""
DIGITS = 40
"""Digits behind the point that a factor's powers are computed to; the powers of a value have none."""
_WHOLE = ("time", "size")
_END = r"\+?[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)? *(?:%|[A-Za-z][A-Za-z/]*)?"
_RANGE = re.compile(rf"({_END}) *\.\. *({_END}) *(?::(.*))?")
_NUMBER = re.compile(r"[0-9.+_-]+(?:[eE]([+-]?[0-9]+))?")
_OPENING, _CLOSING = "[{", "]}"


@dataclass(frozen=True)
class NumberRange:
    """All numbers from `low` to `high` of a dimension (none: plain numbers), or those `step` apart.

    With `log`, equal shares of the way are equal ratios.
    """

    low: Fraction
    high: Fraction
    dimension: str | None
    step: Fraction | None
    log: bool = False

    def at(self, share: float) -> str:
        """The value at a share of the way, as text: 0 is the lowest and 1 the highest."""
        if self.log:
            value = Fraction(float(self.low) * (float(self.high) / float(self.low)) ** share)
            steps = round((value - self.low) / self.step) if self.step else 0
        else:
            value = self.low + (self.high - self.low) * Fraction(share)
            # As many shares for the ends as for all others.
            steps = int(share * (self.number or 0))
        # Seven digits are finer than any model, and can be read.
        value = self.low + steps * self.step if self.step else Fraction(f"{float(value):.7g}")
        return value_of(min(max(value, self.low), self.high), self.dimension)

    @property
    def number(self) -> int | None:
        """Number of values, if they can be counted."""
        return int((self.high - self.low) / self.step) + 1 if self.step else None


@dataclass(frozen=True)
class Axis:
    """Keys that vary together, and their values: a text for each key in each of `points`, or all of an interval."""

    keys: tuple[str, ...]
    points: tuple[tuple[str, ...], ...] = ()
    interval: NumberRange | None = None

    @property
    def name(self) -> str:
        """The keys as messages name them."""
        return ", ".join(self.keys)


def axis(text: str, option: str, intervals: bool = False) -> Axis:
    """The axis that `key=values` stands for.

    With `intervals`, a range without a step is an interval; else one of whole numbers has the step 1, and any other
    is refused. Raises SimioError, naming the option.
    """
    key, equals, values = text.partition("=")
    key = key.strip()
    if not equals or not key or not values.strip():
        raise SimioError(f"{option}: found {quote(text)}; expected key.path=values, such as run.seed=1..10")
    return axis_of(key, values, f"{option} {key}", intervals)


def axis_of(key: str, values: str, where: str, intervals: bool = False) -> Axis:
    """The axis of a key with these values; see `axis`.

    Raises SimioError for no value, too many of them, or one that is there twice.
    """
    pieces = _pieces(values)
    if intervals and len(pieces) == 1 and (span := _interval(pieces[0], where)):
        return Axis((key,), (), span)
    found = [value for piece in pieces for value in _values(piece, where)]
    if not found:
        raise SimioError(f"{where}: found {quote(values)}; expected at least one value")
    if len(found) > MOST_VALUES:
        raise SimioError(f"{where}: found {len(found)} values; expected at most {MOST_VALUES}")
    twice = sorted({value for value in found if found.count(value) > 1}) if len(found) < 1000 else []
    if twice:
        raise SimioError(f"{where}: found {quote(twice[0])} again; expected each value once")
    return Axis((key,), tuple((value,) for value in found))


def paired(axes: Sequence[Axis]) -> Axis:
    """One axis on which all keys take their n-th values together. Raises SimioError where lists differ in length."""
    lengths = [len(axis.points) for axis in axes]
    if len(set(lengths)) > 1:
        told = ", ".join(f"{number} for {axis.name}" for number, axis in zip(lengths, axes, strict=True))
        raise SimioError(f"--pair: found {told}; expected as many values for each")
    keys = tuple(key for axis in axes for key in axis.keys)
    rows = zip(*(axis.points for axis in axes), strict=True)
    return Axis(keys, tuple(tuple(value for point in row for value in point) for row in rows))


def number_of(text: str) -> tuple[Fraction, str | None] | None:
    """The number that a value stands for, in the base unit of its dimension; None for words."""
    text = text.strip()
    if match := _NUMBER.fullmatch(text):
        if len(text) > MOST_CHARACTERS or abs(int(match[1] or 0)) > MOST_EXPONENT:
            return None
        try:
            return Fraction(text.replace("_", "")), None
        except (ValueError, ZeroDivisionError):
            return None
    dimension = units.dimension_of(text.lstrip("+0123456789_.eE- "))
    try:
        return (Fraction(units.parse(text, dimension)), dimension) if dimension else None
    except units.UnitError:
        return None


def value_of(value: Fraction, dimension: str | None) -> str:
    """A number as the text of a value, exactly where it is a decimal."""
    if dimension:
        return units.format_quantity(value, dimension, digits=None)
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


def _pieces(text: str) -> list[str]:
    """The parts between commas that are in no brackets and no quotes."""
    pieces, depth, quoted = [""], 0, ""
    for char in text:
        if quoted:
            quoted = "" if char == quoted else quoted
        elif char in "'\"" and not pieces[-1].strip():
            quoted = char
        depth += (char in _OPENING) - (char in _CLOSING) if not quoted else 0
        if char == "," and depth <= 0 and not quoted:
            pieces.append("")
        else:
            pieces[-1] += char
    return [piece.strip() for piece in pieces if piece.strip()]


def _values(piece: str, where: str) -> list[str]:
    """A single value, or those of a range."""
    match = _RANGE.fullmatch(piece)
    if match is None:
        return [piece]
    low, high, dimension = _ends(match, piece, where)
    step = (match[3] or "").strip()
    if not step and dimension is None and low.denominator == high.denominator == 1:
        step = "+1"
    factor, add = _step(step, piece, dimension, where)
    if factor and not low:
        raise SimioError(f"{where}: found {quote(piece)}; expected a lower end above zero for {quote(step)}")
    number = (high - low) // add if add else 0
    if number >= MOST_VALUES:
        raise SimioError(f"{where}: found {number + 1} values in {quote(piece)}; expected at most {MOST_VALUES}")
    exact = [low + index * add for index in range(int(number) + 1)] if add else _ladder(low, high, factor)
    if len(exact) > MOST_VALUES:
        raise SimioError(f"{where}: found too many values in {quote(piece)}; expected at most {MOST_VALUES}")
    whole = dimension in _WHOLE
    return list(dict.fromkeys(value_of(Fraction(round(v)) if whole else v, dimension) for v in exact))


def _ladder(low: Fraction, high: Fraction, factor: Fraction | None) -> list[Fraction]:
    """Multiples of `low` by powers of a factor, one more than there may be if there are too many."""
    exact = [low]
    while factor and exact[-1] * factor <= high and len(exact) <= MOST_VALUES:
        following = exact[-1] * factor
        if following.denominator > 10**DIGITS:
            following = Fraction(round(following * 10**DIGITS), 10**DIGITS)
        exact.append(following)
    return exact


def _ends(match: re.Match[str], piece: str, where: str) -> tuple[Fraction, Fraction, str | None]:
    """Both ends of a range, of one dimension and in order."""
    ends = []
    for text in (match[1], match[2]):
        found = number_of(text)
        if found is None:
            raise SimioError(f"{where}: found {quote(text)} in {quote(piece)}; expected a number, or one with a unit")
        ends.append(found)
    (low, dimension), (high, other) = ends
    if dimension != other:
        raise SimioError(f"{where}: found {quote(piece)}; expected both ends in units of the same kind")
    if low > high:
        raise SimioError(f"{where}: found {quote(piece)}; expected the lower end first")
    return low, high, dimension


def _step(step: str, piece: str, dimension: str | None, where: str) -> tuple[Fraction | None, Fraction | None]:
    """The factor or the difference from a value to the next."""
    found = number_of(step[1:]) if step[:1] in ("x", "+") else None
    if found and step[0] == "x" and found[1] is None and found[0] > 1:
        return found[0], None
    if found and step[0] == "+" and found[1] == dimension and found[0] > 0:
        return None, found[0]
    some = f"+{units.example(dimension)}" if dimension else "+2"
    told = f"the step {quote(step)} in {quote(piece)}" if step else f"{quote(piece)} without a step"
    raise SimioError(f"{where}: found {told}; expected one such as ':x2' or ':{some}'")


def _interval(piece: str, where: str) -> NumberRange | None:
    """The interval that a range without a step stands for, or with ':log'; None for anything else."""
    match = _RANGE.fullmatch(piece)
    if match is None or (match[3] or "").strip() not in ("", "log"):
        return None
    low, high, dimension = _ends(match, piece, where)
    log = bool(match[3])
    if log and low <= 0:
        raise SimioError(f"{where}: found {quote(piece)}; expected a lower end above zero for ':log'")
    return NumberRange(low, high, dimension, _apart(low, high, dimension), log)


def _apart(low: Fraction, high: Fraction, dimension: str | None) -> Fraction | None:
    """Distance of the values of an interval: devices take whole blocks, whose size the ends show."""
    if dimension == "size":
        return Fraction(math.gcd(int(low), int(high)) or 1)
    whole = dimension in _WHOLE or (dimension is None and low.denominator == high.denominator == 1)
    return Fraction(1) if whole else None
