"""Blocks of steps that differ only in the rows that they name: the comparison of two of them."""

from __future__ import annotations

import numpy as np

from simio.program.steps import NAMING, STRIDE, Op, Table

TARGETS: dict[int, int] = {Op.FORK: 1, Op.JUMP: 1, Op.LOOP: 2, Op.BRANCH: 5}
"""Column of the step that a step leads to."""
_ODD = np.int64(6364136223846793005)
"""Multiplier modulo 2**64 with large powers (D. E. Knuth, The Art of Computer Programming, 3.3.4)."""


def naming(block: Table) -> Table:
    """The steps of a block that name a row, by number from its first on."""
    return np.flatnonzero(np.isin(block[:, 0], list(NAMING)))


def prints(steps: Table) -> Table:
    """A number for each step, the same for steps that alike blocks may have at the same place.

    They differ in the row that they name at most, or lead equally far. Other steps rarely have the same number.
    """
    rest = steps.copy()
    for op, column in NAMING.items():
        rest[steps[:, 0] == op, column] = 0
    for op, column in TARGETS.items():
        at = np.flatnonzero(steps[:, 0] == op)
        rest[at, column] -= at
    found: Table = (rest * _ODD ** np.arange(steps.shape[1])).sum(axis=1)
    return found


def strides(one: Table, two: Table, apart: int, common: Table | None = None) -> Table | None:
    """Distances of the rows that `naming` steps of a block name to those of one that is written `apart` steps on.

    `common` are the steps, by number from its first on, that start a thread outside of the blocks. None if the blocks
    differ in anything else, lead out of themselves by other steps, or have strides already.
    """
    if one.shape != two.shape or one[naming(one), STRIDE].any():
        return None
    difference = two - one
    found = np.zeros(len(one), dtype=np.int64)
    allowed = np.zeros_like(difference)
    for op, column in NAMING.items():
        at = one[:, 0] == op
        found[at] = allowed[at, column] = difference[at, column]
    for op, column in TARGETS.items():
        allowed[one[:, 0] == op, column] = apart
    if common is not None:
        allowed[common, TARGETS[Op.FORK]] = 0
    return found[naming(one)] if np.array_equal(difference, allowed) else None
