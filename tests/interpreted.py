"""The compiled engine run as Python, for what looks into its source: coverage and mutants.

Under `NUMBA_DISABLE_JIT=1` its functions are Python, but object code that is kept would be loaded all the same, and
what is not would be compiled. Here the loop is called as Python instead, on the same tables. Threaded code is no
Python: the few steps that it has to itself are written out here.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from simio.engines import layout as c
from simio.engines.evaluating import COMPARISONS, evaluate
from simio.engines.outcome import Status
from simio.machines.door import call
from simio.program.steps import Op, Program, named_row

CHOICE = -1
"""Stands for the address of the code that goes on to the next thread."""
STATES: list[np.ndarray] = []
"""The state of the machines of the run."""
Words = ctypes.POINTER(ctypes.c_int64)


def interpret(patch: pytest.MonkeyPatch) -> None:
    """From now on, `simio.engines.compiled` runs the loop's source."""
    from simio.engines import compiled, kernel, lines, operations, pending, prepared, registers, tables, timeline

    for module in (kernel, lines, operations, pending, registers, tables, timeline):
        patch.setattr(module, "pointer", pointer)
    patch.setattr(tables, "row", array)
    patch.setattr(tables, "table", array)
    patch.setattr(registers, "_copy", copy)
    patch.setattr(kernel, "_threaded", threaded(operations.OPERATIONS, kernel.next_event, kernel.pass_limit))
    patch.setattr(prepared, "entry", lambda *_: None)
    patch.setattr(prepared, "_steps", steps)
    patch.setattr(prepared, "_codes", lambda table, _: table[:, -1])
    place = compiled._Tables._placed

    def placed(tables: Any) -> int:
        # Machines get the table of their state, not its address: what lies beyond it is an error.
        STATES[:] = [tables.state]
        return place(tables)

    patch.setattr(compiled._Tables, "_placed", placed)
    patch.setattr(compiled, "step_addresses", lambda: [CHOICE])
    patch.setattr(compiled, "entry", lambda *_: loop(kernel.run))


def pointer(address: int) -> Any:
    """The words at an address."""
    return ctypes.cast(int(address), Words)


def array(at: Any, *shape: int) -> np.ndarray:
    """An array at an address, which an empty one has not."""
    return np.ctypeslib.as_array(at, tuple(map(int, shape))) if at else np.zeros(shape, dtype=np.int64)


def copy(to: Any, source: Any, at: int) -> None:
    """Copy as many registers as are copied at once."""
    for number in range(at, at + 4):
        to[number] = source[number]


def loop(run: Callable[[Any], int]) -> Callable[[int], int]:
    """The loop, called with the address of `control`."""

    def called(address: int) -> int:
        # Sums of marks wrap, as they do compiled.
        with np.errstate(over="ignore"):
            return int(run(pointer(address)))

    return called


def steps(program: Program, same: Any) -> np.ndarray:
    """The program's table with strides; CALLs keep the numbers of their machine functions."""
    table = np.ascontiguousarray(program.steps).copy()
    same.give_strides(table)
    return table


def threaded(
    operations: dict[Op, Callable[..., int]], choose: Callable[[Any], int], pass_limit: Callable[[Any], int]
) -> Callable[..., Any]:
    """The work of threaded code: the next step, how many more may be run, and the status."""

    def run(code: int, step: int, thread: int, left: int, control: Any) -> tuple[int, int, int]:
        pc, own = (step - control[c.STEPS_AT]) // (8 * c.STEP_COLUMNS), pointer(thread)
        status = c.SUSPENDED if code == CHOICE else c.RUNNING
        while True:
            if status == c.SUSPENDED:
                status = choose(control)
                if status == c.LIMIT:
                    status = pass_limit(control)
                if status != c.RUNNING:
                    return pc, left, status
                thread = control[c.THREADS_AT] + control[c.SLOT] * 8 * c.THREAD_COLUMNS
                own = pointer(thread)
                pc = own[c.PC]
            if left == 0 or status != c.RUNNING:
                return pc, left, status
            left -= 1
            address = control[c.STEPS_AT] + pc * 8 * c.STEP_COLUMNS
            row = [int(word) for word in pointer(address)[: c.STEP_COLUMNS]]
            to = pc + 1
            if row[0] not in operations:
                to, status = simple(row, pc, own, control)
            else:
                status = operations[Op(row[0])](control, address, thread)
            if status == c.ENDED:
                to, status = pc, c.SUSPENDED
            if status == c.SUSPENDED:
                own[c.PC] = to
            if status in (c.SUSPENDED, c.RUNNING):
                pc = to

    return run


def simple(row: list[int], pc: int, own: Any, control: Any) -> tuple[int, int]:
    """Run a step that touches no more than registers: where it leads, and the status."""
    op = row[0]
    if op == Op.JUMP:
        return row[1], c.RUNNING
    if op == Op.LOOP:
        own[c.REGISTERS + row[1]] -= 1
        return (row[2] if own[c.REGISTERS + row[1]] > 0 else pc + 1), c.RUNNING
    if op == Op.BRANCH:
        return (row[5] if COMPARISONS[row[1]](own[c.REGISTERS + row[2]], value(row, 3, own)) else pc + 1), c.RUNNING
    if op == Op.LET:
        result = evaluate(row[2], value(row, 3, own), value(row, 5, own), control[c.NOW])
        if result is None or not -(2**63) <= result < 2**63:
            return pc + 1, Status.OVERFLOW
        own[c.REGISTERS + row[1]] = result
        return pc + 1, c.RUNNING
    a, b = (own[c.REGISTERS + operand] if operand >= 0 else ~operand for operand in row[3:5])
    base = named_row(row, own[c.FLAGS] >> c.INSTANCE)
    answer = int(call(row[1], STATES[0], base, control[c.NOW], a, b))
    if answer < 0:
        return pc + 1, Status.MACHINE
    own[c.REGISTERS + row[5]] = answer
    return pc + 1, c.RUNNING


def value(row: list[int], column: int, own: Any) -> int:
    """A register that a column names, or the constant in the next."""
    return int(row[column + 1] if row[column] < 0 else own[c.REGISTERS + row[column]])
