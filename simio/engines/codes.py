"""Operations, functions, comparisons, statuses and waits as plain integers, for the compiled loop.

numba folds an integer of a module; members of an enum would lengthen each compilation by a tenth.
"""

from __future__ import annotations

from simio.engines.outcome import Status, Wait
from simio.program.steps import Compare, Fn, Op

END = int(Op.END)
ADVANCE = int(Op.ADVANCE)
SEIZE = int(Op.SEIZE)
RELEASE = int(Op.RELEASE)
PUT = int(Op.PUT)
GET = int(Op.GET)
FORK = int(Op.FORK)
JOIN = int(Op.JOIN)
JUMP = int(Op.JUMP)
LOOP = int(Op.LOOP)
BRANCH = int(Op.BRANCH)
LET = int(Op.LET)
MARK = int(Op.MARK)
DRAW = int(Op.DRAW)
CALL = int(Op.CALL)
OPERATIONS = frozenset({
    END, ADVANCE, SEIZE, RELEASE, PUT, GET, FORK, JOIN, JUMP, LOOP, BRANCH, LET, MARK, DRAW, CALL,
})  # fmt: skip
"""Operations that `simio.engines.kernel` has."""

SET = int(Fn.SET)
ADD = int(Fn.ADD)
SUB = int(Fn.SUB)
MUL = int(Fn.MUL)
DIV = int(Fn.DIV)
MOD = int(Fn.MOD)
MIN = int(Fn.MIN)
MAX = int(Fn.MAX)
SINCE = int(Fn.SINCE)
FUNCTIONS = frozenset({SET, ADD, SUB, MUL, DIV, MOD, MIN, MAX, SINCE})
"""Functions of LET that `simio.engines.arithmetic` has."""

EQ = int(Compare.EQ)
NE = int(Compare.NE)
LT = int(Compare.LT)
LE = int(Compare.LE)
GT = int(Compare.GT)
GE = int(Compare.GE)
ANY = int(Compare.ANY)
NONE = int(Compare.NONE)
COMPARISONS = frozenset({EQ, NE, LT, LE, GT, GE, ANY, NONE})
"""Comparisons of BRANCH that `simio.engines.arithmetic` has."""

DONE = int(Status.DONE)
UNTIL = int(Status.UNTIL)
DEADLOCK = int(Status.DEADLOCK)
BUDGET = int(Status.BUDGET)
HORIZON = int(Status.HORIZON)
OVERFLOW = int(Status.OVERFLOW)
NEGATIVE = int(Status.NEGATIVE)
RELEASED = int(Status.RELEASED)
OVERFULL = int(Status.OVERFULL)
MACHINE = int(Status.MACHINE)
RECORDS = int(Status.RECORDS)

WAIT_READY = int(Wait.READY)
WAIT_RESOURCE = int(Wait.RESOURCE)
WAIT_PUT = int(Wait.PUT)
WAIT_GET = int(Wait.GET)
WAIT_JOIN = int(Wait.JOIN)
