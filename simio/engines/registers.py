"""Operands of the compiled engine's steps, and the beginning of a thread's children."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from simio.engines import codes
from simio.engines import layout as c
from simio.engines.jit import inlined
from simio.engines.tables import pointer
from simio.program.steps import STRIDE

TOGETHER = 4
"""Registers that are copied at once: as many as a vector register of the processor holds."""


@inlined
def named(step, column, thread):
    """The row that a step names for the instance of a thread."""
    stride = step[STRIDE]
    return step[column] + stride * (thread[c.FLAGS] >> c.INSTANCE) if stride else step[column]


@inlined
def operand(step, column, thread):
    """A register if `column` names one, else the constant in the next column."""
    reg = step[column]
    return step[column + 1] if reg < 0 else thread[c.REGISTERS + reg]


@intrinsic
def _copy(typing: Any, to: Any, source: Any, at: Any) -> Any:
    """to[at : at + TOGETHER] = source[at : at + TOGETHER]"""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = ir.VectorType(ir.IntType(64), TOGETHER)
        places = [builder.bitcast(builder.gep(row, [arguments[2]]), vector.as_pointer()) for row in arguments[:2]]
        builder.store(builder.load(places[1], align=8), places[0], align=8)
        return context.get_dummy_value()

    return types.void(to, source, at), generate


@inlined
def start_child(control, step, thread, child):
    """Fill the row of the thread that a FORK starts; returns whether it keeps the run alive."""
    row = pointer(control[c.THREADS_AT] + child * c.THREAD_COLUMNS * 8)
    at = c.REGISTERS
    for _ in range((control[c.USED_REGISTERS] + TOGETHER - 1) // TOGETHER):
        _copy(row, thread, at)
        at += TOGETHER
    name = named(step, 5, thread)
    row[c.WAIT] = codes.WAIT_READY
    row[c.PC] = step[1]
    row[c.SERIAL] = control[c.NEXT_SERIAL]
    row[c.NAME] = name
    row[c.PARENT] = control[c.SLOT]
    row[c.PARENT_SERIAL] = thread[c.SERIAL]
    row[c.CHILDREN] = 0
    flags = thread[c.FLAGS] & ~c.JOINED | (c.JOINED if step[3] else 0)
    flags |= c.DAEMON if step[4] else 0
    row[c.FLAGS] = flags
    pointer(control[c.STATS_AT])[name * c.STAT_COLUMNS] += 1
    if step[3]:
        thread[c.CHILDREN] += 1
    return not flags & c.DAEMON
