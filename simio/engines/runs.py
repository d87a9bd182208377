"""Runs of steps that the compiled engine does in one go: LETs in a row, the CALL after them, the BRANCHes after that.

None of these can wait, so that nothing can come between them. Only the engine's own copy of the table knows of runs;
a program has steps, all are counted, and where each has to be told (a trace, the end of the budget) each is taken by
itself.
"""

from __future__ import annotations

import numpy as np

from simio.engines.outcome import Ints
from simio.program.steps import NO_REGISTER, Fn, Op

LETS = 255
"""Mask of a word of `RUN`: how many LETs begin here."""
CALLS = 256
"""Flag: a CALL follows them."""
BRANCHES = 512
"""Flag: a BRANCH follows that; a second one that it leads to is taken, too."""
LONGEST = 24
"""LETs of a run, at most."""
MOST = 64
"""Steps that the loop does without looking at its limits are fewer than this."""
RUN = 7
"""Column of the table that says what run begins at a step: 0 where it is no LET, CALL or BRANCH."""

LOOKED_AT = (2, 3, 5, 6)
"""Columns of a LET that decide what its function is called here."""
SET_CONSTANT = 9
SET_REGISTER = 10
SHIFT = 11
"""a >> b: what DIV by a power of two is."""
MASK = 12
"""a & b: what MOD by a power of two is."""


def with_runs(steps: Ints) -> Ints:
    """A copy of a program's table with runs in the last column, and LETs by what is known of their operands."""
    table = np.ascontiguousarray(steps).copy()
    plain_lets(table)
    let, call, branch = (table[:, 0] == op for op in (Op.LET, Op.CALL, Op.BRANCH))
    after = np.append(let[1:], False)
    # How many LETs begin at a step: the distance to the next step that is none.
    ends = np.flatnonzero(let & ~after)
    count = np.zeros(len(table), dtype=np.int64)
    lets = np.flatnonzero(let)
    count[lets] = np.minimum(ends[np.searchsorted(ends, lets)] - lets + 1, LONGEST)
    at = np.arange(len(table)) + count
    calls = _holds(call, at)
    branches = _holds(branch, at + calls)
    table[:, RUN] = count + CALLS * calls + BRANCHES * branches
    return table


def _holds(flags: np.ndarray, at: np.ndarray) -> np.ndarray:
    """`flags` at these places, False past the end."""
    return np.append(flags, False)[np.minimum(at, len(flags))]


def plain_lets(table: Ints) -> None:
    """Name the functions of LETs whose operands say more: constants, and powers of two, which need no division."""
    let = table[:, 0] == Op.LET
    function, operand = table[:, 2].copy(), table[:, 6]
    constant = table[:, 3] == NO_REGISTER
    table[let & (function == Fn.SET) & constant, 2] = SET_CONSTANT
    table[let & (function == Fn.SET) & ~constant, 2] = SET_REGISTER
    power = let & (table[:, 5] == NO_REGISTER) & (operand > 0) & (operand & (operand - 1) == 0)
    shifted, masked = power & (function == Fn.DIV), power & (function == Fn.MOD)
    table[shifted, 2] = SHIFT
    table[shifted, 6] = np.log2(operand[shifted]).astype(np.int64)
    table[masked, 2] = MASK
    table[masked, 6] -= 1
