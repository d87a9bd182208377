"""LET's functions and BRANCH's comparisons, as the reference engine computes them."""

from __future__ import annotations

import operator
from collections.abc import Callable

from simio.program.steps import Compare, Fn

COMPARISONS: dict[int, Callable[[int, int], bool]] = {
    Compare.EQ: operator.eq, Compare.NE: operator.ne, Compare.LT: operator.lt,
    Compare.LE: operator.le, Compare.GT: operator.gt, Compare.GE: operator.ge,
    Compare.ANY: lambda a, b: a & b != 0, Compare.NONE: lambda a, b: a & b == 0,
}  # fmt: skip

FUNCTIONS: dict[int, Callable[[int, int], int]] = {
    Fn.ADD: operator.add, Fn.SUB: operator.sub, Fn.MUL: operator.mul, Fn.DIV: operator.floordiv,
    Fn.MOD: operator.mod, Fn.MIN: min, Fn.MAX: max,
}  # fmt: skip


def evaluate(fn: int, a: int, b: int, now: int) -> int | None:
    """LET's function; None for a division by zero."""
    if fn in (Fn.DIV, Fn.MOD) and b == 0:
        return None
    if fn == Fn.SINCE:
        return now - a
    return a if fn == Fn.SET else FUNCTIONS[fn](a, b)
