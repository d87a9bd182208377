"""Service times: a fixed part plus bytes times an exact rational, rounded up once."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, isqrt

from simio.program.operands import OperandT

SECOND = 10**12
"""Picoseconds in a second; time is int64 picoseconds everywhere."""


def per_byte(rate: Fraction | int) -> Fraction:
    """Picoseconds a byte at `rate` bytes a second."""
    return Fraction(SECOND) / Fraction(rate)


def ceil_times(amount: OperandT, factor: Fraction) -> OperandT:
    """`amount` times `factor`, rounded up to a whole number."""
    numerator, denominator = factor.numerator, factor.denominator
    if isinstance(amount, int):
        return -((-amount * numerator) // denominator)
    product = amount * numerator
    return product if denominator == 1 else (product + (denominator - 1)) // denominator


def clocks(count: int, frequency: Fraction) -> int:
    """Duration of `count` periods of a clock of `frequency` Hz, in ps, rounded up."""
    return ceil_times(count, SECOND / frequency)


def fitting(factor: Fraction, limit: int) -> Fraction:
    """`factor` if its numerator times its denominator is below `limit` (2**62), else one that is, rounded up.

    It grows by less than a billionth, or of a factor below one by less than a billionth of one.
    """
    if factor.numerator * factor.denominator < limit:
        return factor
    parts = max(isqrt(limit // ceil(factor)) - 1, 1)
    return Fraction(ceil(factor * parts), parts)
