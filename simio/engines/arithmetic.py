"""Comparisons, functions and durations of the compiled engine, in 64 bits with overflow seen."""

from __future__ import annotations

from simio.engines import codes
from simio.engines.jit import compiled, inlined
from simio.engines.superinstructions import MASK, SHIFT

_MAX = 2**63 - 1
_MIN = -(2**63)
_SMALL = 2**31


@compiled
def compare(kind, a, b):
    """BRANCH's comparison."""
    if kind == codes.EQ:
        return a == b
    if kind == codes.NE:
        return a != b
    if kind == codes.LT:
        return a < b
    if kind == codes.LE:
        return a <= b
    if kind == codes.GT:
        return a > b
    if kind == codes.GE:
        return a >= b
    return (a & b != 0) == (kind == codes.ANY)


@compiled
def difference(a, b):
    """a - b, and whether it fits 64 bits."""
    fits = a >= _MIN + b if b > 0 else a <= _MAX + b
    return (a - b if fits else 0), fits


@compiled
def product(a, b):
    """a * b, and whether it fits 64 bits."""
    if -_SMALL < a < _SMALL and -_SMALL < b < _SMALL:  # which needs no division
        return a * b, True
    if a == 0 or b == 0:
        return 0, True
    if (a > 0) != (b > 0):
        low, high = min(a, b), max(a, b)
        least = _MIN // high
        fits = low > least or (low == least and _MIN % high == 0)
    elif b > 0:
        fits = a <= _MAX // b
    else:
        most = _MAX // b
        fits = a > most or (a == most and _MAX % b == 0)
    return (a * b if fits else 0), fits


@compiled
def evaluate(fn, a, b, now):
    """LET's function: (value, whether it fits 64 bits).

    numba tells LLVM that signed arithmetic never wraps, so that a check of the wrapped result is optimised away:
    each check comes before the operation.
    """
    if fn == codes.SET:
        return a, True
    if fn == codes.ADD:
        fits = a <= _MAX - b if b > 0 else a >= _MIN - b
        return (a + b if fits else 0), fits
    if fn == codes.SUB:
        return difference(a, b)
    if fn == codes.MUL:
        return product(a, b)
    if fn == codes.DIV or fn == codes.MOD:
        if b == 0 or (fn == codes.DIV and b == -1 and a == _MIN):
            return 0, False
        if b == -1:
            return (-a if fn == codes.DIV else 0), True
        return (a // b if fn == codes.DIV else a % b), True
    if fn == codes.MIN:
        return min(a, b), True
    if fn == codes.MAX:
        return max(a, b), True
    if fn == SHIFT:
        return a >> b, True
    if fn == MASK:
        return a & b, True
    return difference(now, a)


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
