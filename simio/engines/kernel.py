"""The compiled engine's loop: one function over the program's tables, into which its helpers are inlined.

ADVANCE and END stand in the loop itself: as helpers they cost up to a tenth of the speed.

Order is the contract's: events run by (time, sequence). Events that are due now wait in a ring, later ones in a
binary heap. What the heap holds for this instant was scheduled before the instant began, and so goes first.
"""

from __future__ import annotations

import numpy as np

from simio.engines import codes
from simio.engines import layout as c
from simio.engines.arithmetic import duration
from simio.engines.heap import push, sift
from simio.engines.jit import inlined
from simio.engines.lines import exchange, integrate, named, ready, release, seize
from simio.engines.registers import operand, start_child, threaded
from simio.engines.timeline import catch_up
from simio.machines.random import draw

RUNNING = c.RUNNING
IN_ONE_GO = 3
"""Most steps that the loop itself runs without a look at its limits."""
_MAX = 2**63 - 1


@inlined
def advance(
    steps, threads, heap, ring, free, resources, containers, draws, draw_table, state, streams, stats, sums,
    gauges, log, trace, times, samples, control, registers, until, budget, records, tracing,
):  # fmt: skip
    """Run until the program ends or a table is full; `control` carries the loop's variables between calls.

    Returns a `Status`, or a GROW code of `layout`: the caller makes that table larger and calls again. Tables are
    arguments that are never rebound, so that their addresses are constant, and their widths once this is inlined into
    `entry`.
    """
    now = control[c.NOW]
    heaped = control[c.HEAPED]
    sequence = control[c.SEQUENCE]
    logged = control[c.LOGGED]
    traced = control[c.TRACED]
    rows = control[c.ROWS]
    used = control[c.USED]
    freed = control[c.FREED]
    serial = control[c.NEXT_SERIAL]
    working = control[c.WORKING]
    interval = control[c.INTERVAL]
    next_sample = control[c.NEXT_SAMPLE]
    executed = control[c.EXECUTED]
    events = control[c.EVENTS]
    slot = control[c.SLOT]
    pc = control[c.STEP]
    resumed = slot >= 0
    # From here on each step is run, counted and traced by itself: one comparison serves budget and trace.
    watched = 0 if tracing else budget - IN_ONE_GO
    status = RUNNING
    # A thread that has just begun to advance: where it or the heap's first is next, the heap is used at most once.
    held = -1
    held_time = held_sequence = 0
    while True:
        if not resumed:
            top = heap[0, 0] if heaped > 0 else -1
            following = -1
            if top == now:
                pass
            elif control[c.RING_COUNT] > 0:
                following = ring[np.uint64(control[c.RING_HEAD])]
                control[c.RING_HEAD] += 1
                if control[c.RING_HEAD] == ring.size:
                    control[c.RING_HEAD] = 0
                control[c.RING_COUNT] -= 1
                if held >= 0:
                    push(heap, heaped, held_time, held_sequence, held)
                    heaped += 1
            else:
                if held >= 0 and (held_time < top or heaped == 0):
                    time = held_time
                    following = held
                elif heaped > 0:
                    time = top
                else:
                    status = codes.DEADLOCK
                    break
                if time > until:
                    now = until
                    status = codes.UNTIL
                    break
                if next_sample < time:
                    rows, interval, next_sample = catch_up(
                        times, samples, rows, time, interval, next_sample, resources, containers, sums, state, gauges
                    )
                now = time
                control[c.NOW] = now
            if following < 0:
                following = heap[0, 2]
                if held < 0:
                    heaped -= 1
                    last = np.uint64(heaped)
                    held_time = heap[last, 0]
                    held_sequence = heap[last, 1]
                    held = heap[last, 2]
                    heap[last, 0] = c.LATEST
                    heap[last, 1] = c.LATEST
                sift(heap, heaped, held_time, held_sequence, held)
            slot = following
            held = -1
            events += 1
            pc = threads[np.uint64(slot), c.PC]
        resumed = False
        me = np.uint64(slot)

        while True:
            at = np.uint64(pc)
            single = executed >= watched
            if single:
                if executed >= budget:
                    status = codes.BUDGET
                    break
                if tracing:
                    if traced == trace.shape[0]:
                        status = c.GROW_TRACE
                        break
                    write_trace(trace, traced, steps, at, threads, me, now)
                    traced += 1
            op = steps[at, 0]
            if op >= codes.JUMP and op != codes.MARK and op != codes.DRAW:
                left = 1 if tracing else budget - executed
                pc, rest, status = threaded(steps, at, threads, me, left, control)
                executed += left - rest
                if status != RUNNING:
                    break
                if single or rest == 0:
                    continue
                at = np.uint64(pc)
                op = steps[at, 0]
            executed += 1
            # A release goes on to the seizure or the advance that often follows it, and a seizure to an advance.
            if op == codes.RELEASE:
                r = np.uint64(named(steps, at, 1, threads, me))
                if not release(resources, r, steps[at, 2], threads, ring, control, now):
                    status = codes.RELEASED
                    break
                pc += 1
                at = np.uint64(pc)
                op = steps[at, 0]
                if single or (op != codes.ADVANCE and op != codes.SEIZE):
                    continue
                executed += 1
            if op == codes.SEIZE:
                r = np.uint64(named(steps, at, 1, threads, me))
                pc += 1
                if not seize(resources, r, steps[at, 2], steps[at, 3], threads, slot, now):
                    threads[me, c.PC] = pc
                    break
                at = np.uint64(pc)
                op = steps[at, 0]
                if single or op != codes.ADVANCE:
                    continue
                executed += 1
            if op == codes.ADVANCE:
                time = steps[at, 1]
                reg = steps[at, 2]
                if reg >= 0:
                    amount = threads[me, np.uint64(c.REGISTERS + reg)]
                    if amount < 0:
                        status = codes.NEGATIVE
                        break
                    time = duration(time, amount, steps[at, 3], steps[at, 4])
                    if time == 0:
                        pc += 1
                        continue
                if time < 0 or time > _MAX - now:
                    status = codes.HORIZON
                    break
                pc += 1
                name = np.uint64(threads[me, c.NAME])
                spent = stats[name, 2]
                stats[name, 2] = spent + time if spent <= _MAX - time else _MAX
                threads[me, c.PC] = pc
                held = slot
                held_time = now + time
                held_sequence = sequence
                sequence += 1
                break
            if op == codes.PUT or op == codes.GET:
                k = np.uint64(named(steps, at, 1, threads, me))
                amount = operand(steps, at, 2, threads, me)
                if amount < 0:
                    status = codes.NEGATIVE
                    break
                if amount > containers[k, c.CAPACITY]:
                    status = codes.OVERFULL
                    break
                pc += 1
                head = c.PUT_HEAD if op == codes.PUT else c.GET_HEAD
                if exchange(containers, k, threads, slot, amount, head, ring, control, now):
                    continue
                threads[me, c.PC] = pc
                threads[me, c.WAIT] = codes.WAIT_PUT if op == codes.PUT else codes.WAIT_GET
                break
            if op == codes.MARK:
                if logged == log.shape[0]:
                    if logged == records:
                        status = codes.RECORDS
                        break
                    executed -= 1
                    traced -= tracing
                    status = c.GROW_LOG
                    break
                value = operand(steps, at, 2, threads, me)
                mark = np.uint64(named(steps, at, 1, threads, me))
                row = np.uint64(logged)
                log[row, 0] = now
                log[row, 1] = mark
                log[row, 2] = value
                logged += 1
                sums[mark] += value
                pc += 1
                continue
            if op == codes.FORK:
                delay = steps[at, 2]
                if delay > _MAX - now:
                    status = codes.HORIZON
                    break
                if freed > 0:
                    freed -= 1
                    child = free[np.uint64(freed)]
                else:
                    if used == threads.shape[0]:
                        executed -= 1
                        traced -= tracing
                        status = c.GROW_THREADS
                        break
                    child = used
                    used += 1
                working += start_child(steps, at, threads, slot, child, serial, registers, stats)
                serial += 1
                if delay == 0:
                    ready(ring, control, threads, child)
                else:
                    push(heap, heaped, now + delay, sequence, child)
                    heaped += 1
                    sequence += 1
                pc += 1
                continue
            if op == codes.END:
                stats[np.uint64(threads[me, c.NAME]), 1] += 1
                flags = threads[me, c.FLAGS]
                threads[me, c.FLAGS] = 0
                threads[me, c.PC] = pc
                parent = threads[me, c.PARENT]
                above = np.uint64(parent)
                # The parent's row may be another thread's by now.
                if (
                    flags & c.JOINED
                    and threads[above, c.FLAGS] & c.LIVE
                    and threads[above, c.SERIAL] == threads[me, c.PARENT_SERIAL]
                ):
                    threads[above, c.CHILDREN] -= 1
                    if threads[above, c.CHILDREN] == 0 and threads[above, c.WAIT] == codes.WAIT_JOIN:
                        ready(ring, control, threads, parent)
                free[np.uint64(freed)] = slot
                freed += 1
                if not flags & c.DAEMON:
                    working -= 1
                    if working == 0:
                        status = codes.DONE
                break
            if op == codes.JOIN:
                pc += 1
                if threads[me, c.CHILDREN] == 0:
                    continue
                threads[me, c.PC] = pc
                threads[me, c.WAIT] = codes.WAIT_JOIN
                break
            # DRAW: a program with any other operation is refused before it runs.
            d = np.uint64(named(steps, at, 2, threads, me))
            value = draw(streams, d, draws[d, 0], draws[d, 1], draws[d, 2], draws[d, 3], draw_table)
            threads[me, np.uint64(c.REGISTERS + steps[at, 1])] = value
            pc += 1

        if status != RUNNING:
            if status != codes.DONE:
                threads[me, c.PC] = pc
            break

    for k in range(containers.shape[0]):
        integrate(containers, np.uint64(k), now)
    control[c.NOW] = now
    control[c.HEAPED] = heaped
    control[c.SEQUENCE] = sequence
    control[c.LOGGED] = logged
    control[c.TRACED] = traced
    control[c.ROWS] = rows
    control[c.USED] = used
    control[c.FREED] = freed
    control[c.NEXT_SERIAL] = serial
    control[c.WORKING] = working
    control[c.INTERVAL] = interval
    control[c.NEXT_SAMPLE] = next_sample
    control[c.EXECUTED] = executed
    control[c.EVENTS] = events
    control[c.SLOT] = slot
    control[c.STEP] = pc
    return status


@inlined
def write_trace(trace, row, steps, at, threads, me, now):
    """Trace a step: time, thread, step, and the amount that a PUT or GET takes from a register."""
    op = steps[at, 0]
    reg = steps[at, 2]
    trace[row, 0] = now
    trace[row, 1] = threads[me, c.SERIAL]
    trace[row, 2] = at
    moved = (op == codes.PUT or op == codes.GET) and reg >= 0
    trace[row, 3] = threads[me, np.uint64(c.REGISTERS + reg)] if moved else 0
