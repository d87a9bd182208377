"""Steps of the compiled engine that work on a thread's registers, and how its children begin."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from simio.engines import codes
from simio.engines import layout as c
from simio.engines.jit import inlined
from simio.engines.lines import named
from simio.engines.threaded import CODE, CONVENTION

TOGETHER = 4
"""Registers that are copied at once: as many as a vector register of the processor holds."""


@intrinsic
def _threaded(typing: Any, steps: Any, at: Any, threads: Any, registers: Any, left: Any, control: Any) -> Any:
    """Threaded code from the step that begins at a word of `steps` on; `registers` is a word of `threads`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def address(table: int, word: Any) -> Any:
            array = context.make_array(signature.args[table])(context, builder, arguments[table])
            return builder.gep(array.data, [word])

        word, byte = ir.IntType(64), ir.PointerType(ir.IntType(8))
        step, registers, control = address(0, arguments[1]), address(2, arguments[3]), address(5, word(0))
        kind = ir.FunctionType(ir.LiteralStructType([word] * 3), [byte, byte, word, byte])
        code = builder.inttoptr(builder.load(builder.gep(step, [word(CODE)])), kind.as_pointer())
        given = [builder.bitcast(step, byte), builder.bitcast(registers, byte), arguments[4]]
        answer = builder.call(code, [*given, builder.bitcast(control, byte)], cconv=CONVENTION)
        parts = [builder.extract_value(answer, number) for number in range(3)]
        return context.make_tuple(builder, signature.return_type, parts)

    return types.UniTuple(types.int64, 3)(steps, at, threads, registers, left, control), generate


@inlined
def threaded(steps, at, threads, me, left, control):
    """Run up to `left` steps that cannot wait, from step `at` on.

    Returns the next step (on an error the one at fault), how many more may be run, and the status.
    """
    registers = me * np.uint64(c.THREAD_COLUMNS) + np.uint64(c.REGISTERS)
    return _threaded(steps, at * np.uint64(c.STEP_COLUMNS), threads, registers, left, control)


@inlined
def operand(steps, at, column, threads, me):
    """A register if `column` names one, else the constant in the next column."""
    reg = steps[at, column]
    return steps[at, column + 1] if reg < 0 else threads[me, np.uint64(c.REGISTERS + reg)]


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
def copy_registers(threads, parent, child, registers):
    """Give a child the registers of its parent."""
    source = np.uint64(parent) * np.uint64(c.THREAD_COLUMNS) + np.uint64(c.REGISTERS)
    to = np.uint64(child) * np.uint64(c.THREAD_COLUMNS) + np.uint64(c.REGISTERS)
    for _ in range((registers + TOGETHER - 1) // TOGETHER):
        _copy(threads, to, source)
        to += np.uint64(TOGETHER)
        source += np.uint64(TOGETHER)


@inlined
def start_child(steps, at, threads, slot, child, serial, registers, stats):
    """Fill the row of the thread that a FORK starts; returns whether it keeps the run alive."""
    me, row = np.uint64(slot), np.uint64(child)
    copy_registers(threads, me, child, registers)
    name = np.uint64(named(steps, at, 5, threads, me))
    threads[row, c.WAIT] = codes.WAIT_READY
    threads[row, c.PC] = steps[at, 1]
    threads[row, c.SERIAL] = serial
    threads[row, c.NAME] = name
    threads[row, c.PARENT] = slot
    threads[row, c.PARENT_SERIAL] = threads[me, c.SERIAL]
    threads[row, c.CHILDREN] = 0
    flags = threads[me, c.FLAGS] & ~c.JOINED | (c.JOINED if steps[at, 3] else 0)
    flags |= c.DAEMON if steps[at, 4] else 0
    threads[row, c.FLAGS] = flags
    stats[name, 0] += 1
    if steps[at, 3]:
        threads[me, c.CHILDREN] += 1
    return not flags & c.DAEMON
