"""Service times: a fixed part plus bytes times an exact rational, rounded up once."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, isqrt
from operator import attrgetter

from simio.program.operands import OperandT
from simio.program.tape import traced

SECOND = 10**12
"""Picoseconds in a second; time is int64 picoseconds everywhere."""


def ratio(number: Fraction | int, divisor: Fraction | int = 1) -> Fraction:
    """`number / divisor`, exactly; also of numbers that are traced."""
    return traced(Fraction, number, divisor)


def per_byte(rate: Fraction | int) -> Fraction:
    """Picoseconds a byte at `rate` bytes a second."""
    return ratio(SECOND, rate)


def ceil_times(amount: OperandT, factor: Fraction | int) -> OperandT:
    """`amount` times `factor`, rounded up to a whole number."""
    if isinstance(amount, int):
        return traced(_ceiling, amount, factor)
    numerator, denominator = terms(factor)
    product = amount * numerator
    return product if denominator == 1 else (product + (denominator - 1)) // denominator


def ceil_div(amount: OperandT, unit: int) -> OperandT:
    """Units that `amount` takes: `amount` divided by `unit`, rounded up to a whole number."""
    return (amount + (unit - 1)) // unit


def terms(number: Fraction | int) -> tuple[int, int]:
    """Numerator and denominator of a number that may be traced."""
    return traced(_NUMERATOR, number), traced(_DENOMINATOR, number)


_NUMERATOR, _DENOMINATOR = attrgetter("numerator"), attrgetter("denominator")


def _ceiling(amount: int, factor: Fraction | int) -> int:
    return -((-amount * factor.numerator) // factor.denominator)


def clocks(count: int, frequency: Fraction) -> int:
    """Duration of `count` periods of a clock of `frequency` Hz, in ps, rounded up."""
    return ceil_times(count, SECOND / frequency)


def fitting(factor: Fraction | int, limit: int) -> Fraction | int:
    """`factor` if its numerator times its denominator is below `limit` (2**62), else one that is, rounded up.

    It grows by less than a billionth, or of a factor below one by less than a billionth of one.
    """
    if factor.numerator * factor.denominator < limit:
        return factor
    parts = max(isqrt(limit // ceil(factor)) - 1, 1)
    return Fraction(ceil(factor * parts), parts)
