"""The compiled engine's loop: it goes from event to event, and has each thread's steps run by threaded code.

Order is the contract's: events run by (time, sequence). Threads that are due now wait in a ring, later ones among the
pending events. What these hold for this instant was scheduled before the instant began, and so goes first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from simio.engines import codes, tables
from simio.engines import layout as c
from simio.engines.jit import compiled, inlined
from simio.engines.lines import integrate
from simio.engines.pending import let_go, schedule, take
from simio.engines.tables import pointer
from simio.engines.threaded import CODE, CONVENTION
from simio.engines.timeline import catch_up

RUNNING = c.RUNNING
_MAX = 2**63 - 1


@compiled
def run(control):
    """Run until the program ends or a table is full.

    Returns a `Status`, or a GROW code of `layout`: the caller makes that table larger and calls again.
    """
    tracing = control[c.TRACING]
    pc = control[c.STEP]
    status = RUNNING
    if control[c.SLOT] < 0:
        pc, _, status = _threaded(control[c.CHOICE_AT], control[c.STEPS_AT], control[c.THREADS_AT], 0, control)
    while status == RUNNING:
        left = control[c.BUDGET] - control[c.EXECUTED]
        if left <= 0:
            status = codes.BUDGET
            break
        if tracing:
            if control[c.TRACED] == control[c.TRACE]:
                status = c.GROW_TRACE
                break
            _write_trace(control, pc)
            left = 1
        step = control[c.STEPS_AT] + pc * c.STEP_COLUMNS * 8
        pc, rest, status = _threaded(pointer(step)[CODE], step, _row(control), left, control)
        control[c.EXECUTED] += left - rest
    if status != codes.UNTIL and status != codes.DEADLOCK:
        pointer(_row(control))[c.PC] = pc
    if status == c.GROW_THREADS or status == c.GROW_LOG:
        # The step is run again.
        control[c.EXECUTED] -= 1
        control[c.TRACED] -= tracing
    control[c.STEP] = pc
    containers = tables.containers(control)
    for k in range(control[c.CONTAINERS]):
        integrate(containers, np.uint64(k), control[c.NOW])
    return status


@inlined
def _row(control):
    """Address of the row of the thread that runs."""
    return control[c.THREADS_AT] + control[c.SLOT] * c.THREAD_COLUMNS * 8


@compiled
def next_event(control):
    """Find the thread that runs next, at its time; RUNNING, or LIMIT where that is for `pass_limit` to do."""
    first = control[c.FIRST_TIME]
    if first != control[c.NOW] or control[c.HEAPED] == 0:
        if control[c.RING_COUNT] > 0:
            head = control[c.RING_HEAD]
            control[c.SLOT] = pointer(control[c.RING_AT])[head]
            head += 1
            control[c.RING_HEAD] = head if head < control[c.THREADS] else 0
            control[c.RING_COUNT] -= 1
            control[c.EVENTS] += 1
            if control[c.HELD] >= 0:
                schedule(control, control[c.HELD_TIME], control[c.HELD])
                let_go(control)
            return RUNNING
        time = min(first, control[c.HELD_TIME])
        if time >= control[c.STOP]:
            return c.LIMIT
        control[c.NOW] = time
    return _earliest(control)


@inlined
def _earliest(control):
    """Go on with the thread that is held, or with the first that is pending, whose time has come."""
    control[c.EVENTS] += 1
    if control[c.HELD_TIME] < control[c.FIRST_TIME] or control[c.HEAPED] == 0:
        control[c.SLOT] = control[c.HELD]
        let_go(control)
    else:
        control[c.SLOT] = take(control)
    return RUNNING


@compiled
def pass_limit(control):
    """Record the timeline until the next event, and find its thread; RUNNING, or why there is none."""
    if control[c.HEAPED] == 0 and control[c.HELD] < 0:
        return codes.DEADLOCK
    time = min(control[c.FIRST_TIME], control[c.HELD_TIME])
    if time > control[c.UNTIL]:
        control[c.NOW] = control[c.UNTIL]
        return codes.UNTIL
    catch_up(control, time)
    control[c.NOW] = time
    return _earliest(control)


@intrinsic
def _threaded(typing: Any, code: Any, step: Any, thread: Any, left: Any, control: Any) -> Any:
    """Threaded code from an address on: the next step, how many more may be run, and the status."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, address = ir.IntType(64), ir.PointerType(ir.IntType(8))
        kind = ir.FunctionType(ir.LiteralStructType([word] * 3), [address, address, word, address])
        code, step, thread, left, control = arguments
        given = [builder.inttoptr(step, address), builder.inttoptr(thread, address), left]
        called = builder.inttoptr(code, kind.as_pointer())
        answer = builder.call(called, [*given, builder.bitcast(control, address)], cconv=CONVENTION)
        parts = [builder.extract_value(answer, number) for number in range(3)]
        return context.make_tuple(builder, signature.return_type, parts)

    return types.UniTuple(types.int64, 3)(code, step, thread, left, control), generate


@inlined
def _write_trace(control, pc):
    """Trace a step: time, thread, step, and the amount that a PUT or GET takes from a register."""
    step = pointer(control[c.STEPS_AT] + pc * c.STEP_COLUMNS * 8)
    own = pointer(_row(control))
    op = step[0]
    reg = step[2]
    trace = pointer(control[c.TRACE_AT] + control[c.TRACED] * c.TRACE_COLUMNS * 8)
    control[c.TRACED] += 1
    trace[0] = control[c.NOW]
    trace[1] = own[c.SERIAL]
    trace[2] = pc
    moved = (op == codes.PUT or op == codes.GET) and reg >= 0
    trace[3] = own[c.REGISTERS + reg] if moved else 0
