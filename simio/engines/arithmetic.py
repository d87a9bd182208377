"""Durations of the compiled engine, in 64 bits with overflow seen."""

from __future__ import annotations

from simio.engines.jit import inlined

_MAX = 2**63 - 1
_SMALL = 2**31


@inlined
def duration(fixed, amount, numerator, denominator):
    """fixed + ceil(amount * numerator / denominator), or -1 where it would not fit 63 bits."""
    if amount == 0 or numerator == 0:
        return fixed
    if denominator == 1 and amount < _SMALL and numerator < _SMALL and fixed < 2**62:
        return amount * numerator + fixed
    if numerator == 1 and denominator == 1:
        return amount + fixed if amount <= _MAX - fixed else -1
    whole = amount // denominator
    if whole > _MAX // numerator:
        return -1
    rest = (amount % denominator) * numerator
    part = rest // denominator
    if rest % denominator > 0:
        part += 1
    whole *= numerator
    if whole > _MAX - part or whole + part > _MAX - fixed:
        return -1
    return whole + part + fixed
