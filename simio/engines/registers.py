"""Steps of the compiled engine that work on a thread's registers, and how its children begin."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from simio.engines import codes
from simio.engines import layout as c
from simio.engines.arithmetic import compare, evaluate
from simio.engines.families import call
from simio.engines.jit import inlined
from simio.engines.lines import named
from simio.engines.superinstructions import BRANCHES, CALLS, LETS, LOAD, RUN, SET_CONSTANT, SET_REGISTER

TOGETHER = 4
"""Registers that are copied at once: as many as a vector register of the processor holds."""


@inlined
def superinstruction(steps, threads, words, functions, me, pc, now, single):
    """Run the superinstruction that begins at a step, or only the first step of it (`single`).

    Returns the next step (on an error, the one at fault), the number of steps run, and the status.
    """
    at = np.uint64(pc)
    parts = steps[at, RUN]
    if single:
        op = steps[at, 0]
        parts = 1 if op == codes.LET else CALLS if op == codes.CALL else BRANCHES
    executed = 0
    lets = parts & LETS
    if lets > 0:
        executed = set_registers(steps, threads, words, at, me, lets, now)
        pc += executed
        at = np.uint64(pc)
        if executed < lets:
            return pc, executed + 1, codes.MACHINE if steps[at, 2] == LOAD else codes.OVERFLOW
    if parts & CALLS:
        executed += 1
        a = argument(threads, me, steps[at, 3])
        b = argument(threads, me, steps[at, 4])
        value = call(steps[at, 1], functions, words, named(steps, at, 2, threads, me), now, a, b)
        if value < 0:
            return pc, executed, codes.MACHINE
        threads[me, np.uint64(c.REGISTERS + steps[at, 5])] = value
        pc += 1
        at = np.uint64(pc)
    if parts & BRANCHES:
        executed += 1
        pc = branch(steps, threads, at, me)
        at = np.uint64(pc)
        if not single and steps[at, 0] == codes.BRANCH:
            executed += 1
            pc = branch(steps, threads, at, me)
    return pc, executed, c.RUNNING


@inlined
def set_registers(steps, threads, words, at, me, count, now):
    """Run `count` LETs from step `at` on, up to the first that fails; returns how many did not."""
    for done in range(count):
        function = steps[at, 2]
        reg = steps[at, 3]
        if function == SET_CONSTANT:
            value = steps[at, 4]
        elif function == SET_REGISTER:
            value = threads[me, np.uint64(c.REGISTERS + reg)]
        elif function == LOAD:
            value = words[named(steps, at, 4, threads, me)]
            if value < 0:
                return done
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
    """An argument of a CALL: a register, or a constant."""
    return ~operand if operand < 0 else threads[me, np.uint64(c.REGISTERS + operand)]


@inlined
def branch(steps, threads, at, me):
    """The step that a BRANCH leads to."""
    a = threads[me, np.uint64(c.REGISTERS + steps[at, 2])]
    reg = steps[at, 3]
    b = steps[at, 4] if reg < 0 else threads[me, np.uint64(c.REGISTERS + reg)]
    return steps[at, 5] if compare(steps[at, 1], a, b) else np.int64(at) + 1


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
