"""The compiled engine's loop: it goes from event to event, and has each thread's steps run by threaded code.

Order is the contract's: events run by (time, sequence). Events that are due now wait in a ring, later ones in a
heap. What the heap holds for this instant was scheduled before the instant began, and so goes first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from simio.engines import codes, tables
from simio.engines import layout as c
from simio.engines.heap import push, sift
from simio.engines.jit import compiled, inlined
from simio.engines.lines import integrate
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
    """Find the thread that runs next, at its time; RUNNING, or why there is none."""
    heap = tables.heap(control)
    now = control[c.NOW]
    heaped = control[c.HEAPED]
    held = control[c.HELD]
    top = heap[0, 0]
    if heaped == 0 or top != now:
        if control[c.RING_COUNT] > 0:
            head = control[c.RING_HEAD]
            control[c.SLOT] = pointer(control[c.RING_AT])[head]
            head += 1
            control[c.RING_HEAD] = head if head < control[c.THREADS] else 0
            control[c.RING_COUNT] -= 1
            control[c.EVENTS] += 1
            if held >= 0:
                push(heap, heaped, control[c.HELD_TIME], control[c.HELD_SEQUENCE], held)
                control[c.HEAPED] = heaped + 1
                control[c.HELD] = -1
            return RUNNING
        sooner = held >= 0 and (heaped == 0 or control[c.HELD_TIME] < top)
        if not sooner and heaped == 0:
            return codes.DEADLOCK
        time = control[c.HELD_TIME] if sooner else top
        if time > control[c.UNTIL]:
            control[c.NOW] = control[c.UNTIL]
            return codes.UNTIL
        if control[c.NEXT_SAMPLE] < time:
            catch_up(control, time)
        control[c.NOW] = time
        if sooner:
            control[c.SLOT] = held
            control[c.HELD] = -1
            control[c.EVENTS] += 1
            return RUNNING
    control[c.SLOT] = heap[0, 2]
    control[c.EVENTS] += 1
    if held >= 0:
        sift(heap, heaped, control[c.HELD_TIME], control[c.HELD_SEQUENCE], held)
        control[c.HELD] = -1
        return RUNNING
    heaped -= 1
    control[c.HEAPED] = heaped
    last = np.uint64(heaped)
    time, sequence, slot = heap[last, 0], heap[last, 1], heap[last, 2]
    heap[last, 0] = c.LATEST
    heap[last, 1] = c.LATEST
    if heaped > 0:
        sift(heap, heaped, time, sequence, slot)
    return RUNNING


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
