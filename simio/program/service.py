"""Service times: a fixed part plus bytes times an exact rational, rounded up once."""

from __future__ import annotations

from fractions import Fraction

SECOND = 10**12
"""Picoseconds in a second; time is int64 picoseconds everywhere."""


def per_byte(rate: Fraction | int) -> Fraction:
    """Picoseconds a byte at `rate` bytes a second."""
    return Fraction(SECOND) / Fraction(rate)


def ceil_times(amount: int, factor: Fraction) -> int:
    """`amount` times `factor`, rounded up to a whole number."""
    return -((-amount * factor.numerator) // factor.denominator)


def clocks(count: int, frequency: Fraction) -> int:
    """Duration of `count` periods of a clock of `frequency` Hz, in ps, rounded up."""
    return ceil_times(count, SECOND / frequency)
