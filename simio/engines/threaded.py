"""Threaded code: what the compiled engine runs for a program's steps, as functions that go on to the next.

There is a function for each operation, and of LETs, CALLs and BRANCHes for each function or comparison and for which
operands are constants. The engine's own table of steps has the function's address in each row (`CODE`). A function
does its step and jumps to the function of the next one, with what it works on in registers of the processor: that is
threaded code (J. R. Bell, "Threaded code", Communications of the ACM 16, 1973). Where a thread waits or ends, it goes
on to the thread that runs next. Where something is wrong, it goes back to the loop.

Each step is counted, and `left` says how many may be run: one where each step is seen by itself (a trace), else what
is left of the budget. The functions themselves are in `simio.engines.intermediate`; this module says which one a step
has.
"""

from __future__ import annotations

import numpy as np

from simio.engines import codes
from simio.engines import layout as c
from simio.engines.outcome import Ints
from simio.machines.door import numbered
from simio.program.steps import NO_REGISTER, STRIDE, Compare, Fn, Op

CODE = c.STEP_COLUMNS - 1
"""Column of the address of a step's function."""
CONVENTION = "preserve_nonecc"
"""LLVM's calling convention for interpreters: arguments are in registers that functions of C leave as they are."""
NEXT = "step.next"
"""The function that goes on to the thread that runs next."""
OPERATIONS = (
    Op.END, Op.ADVANCE, Op.SEIZE, Op.RELEASE, Op.PUT, Op.GET, Op.FORK, Op.JOIN, Op.MARK, Op.DRAW,
)  # fmt: skip
"""Operations whose functions are numba's, in the order of their places.

The loop and its choice of the next thread are in the places before them, `FIRST_PLACE` of them.
"""
FIRST_PLACE = 3
SHIFT = len(Fn)
"""DIV by a constant power of two, which rounds toward minus infinity as it has to."""
MASK = len(Fn) + 1
"""MOD by a constant power of two."""
FIRST_BRANCH = 4 * (len(Fn) + 2)
FIRST_CALL = FIRST_BRANCH + 2 * len(Compare)
FIRST_WORD = FIRST_CALL + 8
JUMP = FIRST_WORD + 2
LOOP = JUMP + 1
FIRST_OPERATION = LOOP + 1
"""Rows of `names`: where the functions of each operation begin."""
FIRST = np.zeros(len(Op), dtype=np.int64)
FIRST[[Op.LET, Op.BRANCH, Op.CALL, Op.JUMP, Op.LOOP]] = 0, FIRST_BRANCH, FIRST_CALL, JUMP, LOOP
FIRST[list(OPERATIONS)] = np.arange(len(OPERATIONS)) + FIRST_OPERATION


def name(kind: int) -> str:
    """Name of a function."""
    return f"step.{kind}"


def names() -> list[str]:
    """Names of the functions: that of a step is at the row of `kinds`, the last one goes on to the next thread."""
    return [*map(name, range(FIRST_OPERATION + len(OPERATIONS))), NEXT]


def kinds(steps: Ints, functions: Ints) -> Ints:
    """The row of `names` of each of these steps, where CALLs are of these machine functions."""
    found: Ints = FIRST[steps[:, 0]]
    lets, branches, calls = (np.flatnonzero(steps[:, 0] == op) for op in (codes.LET, codes.BRANCH, codes.CALL))
    if len(lets):
        found[lets] += _kinds_of_lets(steps[lets])
    if len(branches):
        found[branches] += 2 * steps[branches, 1] + (steps[branches, 3] == NO_REGISTER)
    if len(calls):
        strided = steps[calls, STRIDE] != 0
        found[calls] += 4 * (steps[calls, 3] < 0) + 2 * (steps[calls, 4] < 0) + strided
        words = np.array([numbered(one).word is not None for one in functions[calls].tolist()])
        found[calls[words]] = FIRST_WORD + strided[words]
    return found


def _kinds_of_lets(steps: Ints) -> Ints:
    function, number = steps[:, 2].copy(), steps[:, 6]
    a, b = steps[:, 3] == NO_REGISTER, steps[:, 5] == NO_REGISTER
    power = b & (number > 0) & (number & (number - 1) == 0)
    function[power & (function == codes.DIV)] = SHIFT
    function[power & (function == codes.MOD)] = MASK
    return 4 * function + 2 * a + b
