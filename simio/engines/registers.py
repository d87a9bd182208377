"""What the compiled engine does with a thread's registers: functions, comparisons, and copies for a child."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from simio.engines import layout as c
from simio.engines.arithmetic import compare, evaluate
from simio.engines.jit import inlined
from simio.engines.runs import SET_CONSTANT, SET_REGISTER

TOGETHER = 4
"""Registers that are copied at once: as many as a vector register of the processor holds."""


@inlined
def set_registers(steps, threads, at, me, count, now):
    """Run `count` LETs from step `at` on; how many of them went well, the first that does not ending them."""
    for done in range(count):
        function = steps[at, 2]
        reg = steps[at, 3]
        if function == SET_CONSTANT:
            value = steps[at, 4]
        elif function == SET_REGISTER:
            value = threads[me, np.uint64(c.REGISTERS + reg)]
        else:
            a = steps[at, 4] if reg < 0 else threads[me, np.uint64(c.REGISTERS + reg)]
            reg = steps[at, 5]
            b = steps[at, 6] if reg < 0 else threads[me, np.uint64(c.REGISTERS + reg)]
            value, fits = evaluate(function, a, b, now)
            if not fits:
                return done
        threads[me, np.uint64(c.REGISTERS + steps[at, 1])] = value
        at += np.uint64(1)
    return count


@inlined
def argument(threads, me, operand):
    """What a CALL is given: a register, or a constant."""
    return ~operand if operand < 0 else threads[me, np.uint64(c.REGISTERS + operand)]


@inlined
def branch(steps, threads, at, me):
    """Where a BRANCH leads."""
    a = threads[me, np.uint64(c.REGISTERS + steps[at, 2])]
    reg = steps[at, 3]
    b = steps[at, 4] if reg < 0 else threads[me, np.uint64(c.REGISTERS + reg)]
    return steps[at, 5] if compare(steps[at, 1], a, b) else np.int64(at) + 1


@intrinsic
def _copy(typing: Any, table: Any, to: Any, source: Any) -> Any:
    """table[to : to + TOGETHER] = table[source : source + TOGETHER], of a table seen as one row."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        vector = ir.VectorType(ir.IntType(64), TOGETHER)
        places = [builder.bitcast(builder.gep(array.data, [index]), vector.as_pointer()) for index in arguments[1:]]
        builder.store(builder.load(places[1], align=8), places[0], align=8)
        return context.get_dummy_value()

    return types.void(table, to, source), generate


@inlined
def hand_down(threads, parent, child, registers):
    """A child's registers become those of its parent."""
    source = np.uint64(parent) * np.uint64(c.THREAD_COLUMNS) + np.uint64(c.REGISTERS)
    to = np.uint64(child) * np.uint64(c.THREAD_COLUMNS) + np.uint64(c.REGISTERS)
    for _ in range((registers + TOGETHER - 1) // TOGETHER):
        _copy(threads, to, source)
        to += np.uint64(TOGETHER)
        source += np.uint64(TOGETHER)
