"""Superinstructions: the compiled engine runs LETs in a row, the CALL after them and the BRANCHes after that as one.

A CALL that only asks for a word of a machine's state is a LET to it.

None of these can wait, so nothing can come between them. Only the engine's own copy of the table knows
superinstructions: a program has steps, and each is counted. Where each step has to be seen by itself (in a trace, at
the end of the budget), each is run by itself.
"""

from __future__ import annotations

import numpy as np

from simio.engines.outcome import Ints
from simio.machines.door import numbered
from simio.program.steps import NO_REGISTER, Fn, Op

LETS = 255
"""Mask of a word of `RUN`: the number of LETs that begin here."""
CALLS = 256
"""Flag: a CALL follows them."""
BRANCHES = 512
"""Flag: a BRANCH follows that; if it leads to a second one, that is run, too."""
LONGEST = 24
"""Most LETs of a superinstruction."""
MOST = 64
"""The loop runs fewer steps than this without a look at its limits."""
RUN = 7
"""Column of the superinstruction that begins at a step: 0 unless that is a LET, CALL or BRANCH."""

SPECIALISED_BY = (2, 3, 5, 6)
"""Columns of a LET that decide which of these functions it gets."""
SET_CONSTANT = 9
SET_REGISTER = 10
SHIFT = 11
"""a >> b: DIV by a power of two."""
MASK = 12
"""a & b: MOD by a power of two."""
LOAD = 13
"""The word of the machines' state that constant a and the stride name, which is never negative: a CALL for it."""


def with_superinstructions(steps: Ints) -> Ints:
    """Copy a program's table: superinstructions in the last column, LETs named by what is known of their operands."""
    table = np.ascontiguousarray(steps).copy()
    specialise_lets(table)
    specialise_calls(table)
    let, call, branch = (table[:, 0] == op for op in (Op.LET, Op.CALL, Op.BRANCH))
    after = np.append(let[1:], False)
    # The number of LETs that begin at a step is the distance to the next step that is none.
    ends = np.flatnonzero(let & ~after)
    count = np.zeros(len(table), dtype=np.int64)
    lets = np.flatnonzero(let)
    count[lets] = np.minimum(ends[np.searchsorted(ends, lets)] - lets + 1, LONGEST)
    at = np.arange(len(table)) + count
    calls = _at(call, at)
    branches = _at(branch, at + calls)
    table[:, RUN] = count + CALLS * calls + BRANCHES * branches
    return table


def _at(flags: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """The flags of these steps, False past the end."""
    return np.append(flags, False)[np.minimum(steps, len(flags))]


def specialise_calls(table: Ints) -> None:
    """Make LETs of CALLs that only ask for a word."""
    calls = np.flatnonzero(table[:, 0] == Op.CALL)
    for number in set(table[calls, 1].tolist()):
        word = numbered(number).word
        if word is None:
            continue
        rows = calls[table[calls, 1] == number]
        table[rows, 4] = table[rows, 2] + word
        table[rows, 1] = table[rows, 5]
        table[rows, 0], table[rows, 2] = Op.LET, LOAD


def specialise_lets(table: Ints) -> None:
    """Replace functions of LETs that have a constant operand: a SET, and DIV and MOD by a power of two."""
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
