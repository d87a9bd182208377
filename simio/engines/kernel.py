"""The compiled engine's loop: one function over the program's tables, and the few it calls.

Order is the contract's: events run by (time, sequence). Events that are due now wait in a ring, later ones in a
binary heap; whatever the heap holds for this instant was scheduled before it began and so goes first.
"""

from __future__ import annotations

import numpy as np

from simio.engines import layout as c
from simio.engines.arithmetic import duration
from simio.engines.families import call
from simio.engines.heap import push, sink
from simio.engines.jit import inlined
from simio.engines.lines import exchange, grant, line_up, named, ready, settle
from simio.engines.registers import argument, branch, hand_down, set_registers
from simio.engines.runs import BRANCHES, CALLS, LETS, MOST, RUN
from simio.engines.timeline import sample, thin
from simio.machines.random import draw

RUNNING = c.RUNNING
GROW_THREADS = c.GROW_THREADS
GROW_LOG = c.GROW_LOG
GROW_TRACE = c.GROW_TRACE
_MAX = 2**63 - 1


@inlined
def advance(
    steps, threads, heap, ring, free, resources, containers, draws, draw_table, state, streams, stats, sums,
    gauges, log, trace, times, samples, control, words, families, registers, until, budget, records, tracing,
):  # fmt: skip
    """Run until the program ends or a table is full; `control` carries everything between calls.

    Tables are arguments, never rebound, so that their addresses are constant, as are their widths once this is
    inlined into `entry`; whoever calls makes the full one larger and calls again.
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
    watch = 0 if tracing else budget - MOST  # one comparison serves both
    status = RUNNING
    held = -1
    held_time = held_sequence = 0
    while True:
        if not resumed:
            # The next event. `held` is a thread that has just begun to advance: where it is next itself, or the
            # heap's first is, it goes through the heap not at all or once.
            top = heap[0, 0] if heaped > 0 else -1
            following = -1
            if top == now:
                pass
            elif control[c.RING_COUNT] > 0:
                following = ring[control[c.RING_HEAD]]
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
                    status = 2
                    break
                if time > until:
                    now = until
                    status = 1
                    break
                while next_sample < time:
                    sample(times, samples, rows, next_sample, resources, containers, sums, state, gauges)
                    rows += 1
                    if rows == times.size:
                        rows = thin(times, samples, rows)
                        interval *= 2
                    if next_sample > _MAX - interval:
                        next_sample = _MAX
                        break
                    next_sample = times[rows - 1] + interval
                now = time
            if following < 0:
                following = heap[0, 2]
                if held < 0:
                    heaped -= 1
                    held_time = heap[heaped, 0]
                    held_sequence = heap[heaped, 1]
                    held = heap[heaped, 2]
                sink(heap, heaped, held_time, held_sequence, held)
            slot = following
            held = -1
            events += 1
            pc = threads[slot, c.PC]
        resumed = False
        me = np.uint64(slot)

        while True:
            # From `watch` on each step is taken by itself, counted and traced; before, each goes on to what often
            # follows it, without another round.
            single = executed >= watch
            if single:
                if executed >= budget:
                    status = 3
                    break
                if tracing:
                    if traced == trace.shape[0]:
                        status = GROW_TRACE
                        break
                    trace[traced, 0] = now
                    trace[traced, 1] = threads[me, c.SERIAL]
                    trace[traced, 2] = pc
                    operation, reg = steps[pc, 0], steps[pc, 2]
                    moves = (operation == 4 or operation == 5) and reg >= 0
                    trace[traced, 3] = threads[me, np.uint64(c.REGISTERS + reg)] if moves else 0
                    traced += 1
            at = np.uint64(pc)
            op = steps[at, 0]
            run = steps[at, RUN]
            if run > 0:  # LETs, a CALL after them, BRANCHes after that
                if single:
                    run = 1 if op == 11 else CALLS if op == 14 else BRANCHES
                lets = run & LETS
                if lets > 0:
                    done = set_registers(steps, threads, at, me, lets, now)
                    executed += done
                    pc += done
                    if done < lets:
                        executed += 1
                        status = 5
                        break
                    at = np.uint64(pc)
                if run & CALLS:
                    executed += 1
                    a = argument(threads, me, steps[at, 3])
                    b = argument(threads, me, steps[at, 4])
                    value = call(steps[at, 1], families, words, named(steps, at, 2, threads, me), now, a, b)
                    if value < 0:
                        status = 9
                        break
                    threads[me, np.uint64(c.REGISTERS + steps[at, 5])] = value
                    pc += 1
                    at = np.uint64(pc)
                if run & BRANCHES:
                    executed += 1
                    pc = branch(steps, threads, at, me)
                    at = np.uint64(pc)
                    if not single and steps[at, 0] == 10:
                        executed += 1
                        pc = branch(steps, threads, at, me)
                        at = np.uint64(pc)
                if single:
                    continue
                op = steps[at, 0]
                if steps[at, RUN] > 0:
                    continue
            executed += 1
            if op == 3:  # RELEASE
                r = np.uint64(named(steps, at, 1, threads, me))
                units = steps[at, 2]
                if units > resources[r, c.IN_USE]:
                    status = 7
                    break
                resources[r, c.IN_USE] -= units
                resources[r, c.BUSY] += units * now
                if resources[r, c.HEAD] >= 0:
                    grant(resources, r, threads, ring, control, now)
                pc += 1
                at = np.uint64(pc)
                op = steps[at, 0]
                if single or (op != 1 and op != 2):
                    continue
                executed += 1
            if op == 2:  # SEIZE
                r = np.uint64(named(steps, at, 1, threads, me))
                units = steps[at, 2]
                priority = steps[at, 3]
                resources[r, c.SEIZES] += 1
                head = resources[r, c.HEAD]
                if resources[r, c.IN_USE] + units > resources[r, c.UNITS] or (
                    head >= 0 and threads[head, c.PRIORITY] <= priority
                ):
                    threads[me, c.PC] = pc + 1
                    threads[me, c.WAIT] = 1
                    threads[me, c.WHAT] = r
                    threads[me, c.AMOUNT] = units
                    threads[me, c.PRIORITY] = priority
                    line_up(resources, r, threads, slot, now)
                    break
                resources[r, c.IN_USE] += units
                resources[r, c.BUSY] -= units * now
                pc += 1
                at = np.uint64(pc)
                op = steps[at, 0]
                if single or op != 1:
                    continue
                executed += 1
            if op == 1:  # ADVANCE
                span = steps[at, 1]
                reg = steps[at, 2]
                if reg >= 0:
                    amount = threads[me, np.uint64(c.REGISTERS + reg)]
                    if amount < 0:
                        status = 6
                        break
                    span = duration(span, amount, steps[at, 3], steps[at, 4])
                    if span == 0:
                        pc += 1
                        continue
                if span < 0 or span > _MAX - now:
                    status = 4
                    break
                name = np.uint64(threads[me, c.NAME])
                spent = stats[name, 2]
                stats[name, 2] = spent + span if spent <= _MAX - span else _MAX
                threads[me, c.PC] = pc + 1
                held = slot
                held_time = now + span
                held_sequence = sequence
                sequence += 1
                break
            if op == 9:  # LOOP
                counter = np.uint64(c.REGISTERS + steps[at, 1])
                left = threads[me, counter] - 1
                threads[me, counter] = left
                pc = steps[at, 2] if left > 0 else pc + 1
                continue
            if op == 4 or op == 5:  # PUT, GET
                k = np.uint64(named(steps, at, 1, threads, me))
                reg = steps[at, 2]
                amount = steps[at, 3] if reg < 0 else threads[me, np.uint64(c.REGISTERS + reg)]
                if amount < 0:
                    status = 6
                    break
                if amount > containers[k, c.CAPACITY]:
                    status = 8
                    break
                head = c.PUT_HEAD if op == 4 else c.GET_HEAD
                if exchange(containers, k, threads, slot, amount, head, ring, control, now):
                    pc += 1
                    continue
                threads[me, c.PC] = pc + 1
                threads[me, c.WAIT] = 2 if op == 4 else 3
                break
            if op == 8:  # JUMP
                pc = steps[at, 1]
                continue
            if op == 12:  # MARK
                reg = steps[at, 2]
                value = steps[at, 3] if reg < 0 else threads[me, np.uint64(c.REGISTERS + reg)]
                if logged == log.shape[0]:
                    if logged == records:
                        status = 10
                        break
                    executed -= 1
                    traced -= tracing
                    status = GROW_LOG
                    break
                log[logged, 0] = now
                mark = named(steps, at, 1, threads, me)
                log[logged, 1] = mark
                log[logged, 2] = value
                logged += 1
                sums[mark] += value
                pc += 1
                continue
            if op == 6:  # FORK
                if steps[at, 2] > _MAX - now:
                    status = 4
                    break
                if freed > 0:
                    freed -= 1
                    child = free[freed]
                else:
                    if used == threads.shape[0]:
                        executed -= 1
                        traced -= tracing
                        status = GROW_THREADS
                        break
                    child = used
                    used += 1
                hand_down(threads, me, child, registers)
                threads[child, c.WAIT] = 0
                threads[child, c.PC] = steps[at, 1]
                threads[child, c.SERIAL] = serial
                name = named(steps, at, 5, threads, me)
                threads[child, c.NAME] = name
                threads[child, c.PARENT] = slot
                threads[child, c.PARENT_SERIAL] = threads[me, c.SERIAL]
                threads[child, c.CHILDREN] = 0
                flags = threads[me, c.FLAGS] & ~c.JOINED | (c.JOINED if steps[at, 3] else 0)
                flags |= c.DAEMON if steps[at, 4] else 0
                threads[child, c.FLAGS] = flags
                serial += 1
                stats[name, 0] += 1
                if not flags & c.DAEMON:
                    working += 1
                if steps[at, 3]:
                    threads[me, c.CHILDREN] += 1
                if steps[at, 2] == 0:
                    ready(ring, control, threads, child)
                else:
                    push(heap, heaped, now + steps[at, 2], sequence, child)
                    heaped += 1
                    sequence += 1
                pc += 1
                continue
            if op == 0:  # END
                stats[np.uint64(threads[me, c.NAME]), 1] += 1
                flags = threads[me, c.FLAGS]
                threads[me, c.FLAGS] = 0
                threads[me, c.PC] = pc
                parent = threads[me, c.PARENT]
                if (
                    flags & c.JOINED
                    and threads[parent, c.FLAGS] & c.LIVE
                    and threads[parent, c.SERIAL] == threads[me, c.PARENT_SERIAL]
                ):
                    threads[parent, c.CHILDREN] -= 1
                    if threads[parent, c.CHILDREN] == 0 and threads[parent, c.WAIT] == 4:
                        ready(ring, control, threads, parent)
                free[freed] = slot
                freed += 1
                if not flags & c.DAEMON:
                    working -= 1
                    if working == 0:
                        status = 0
                break
            if op == 7:  # JOIN
                if threads[me, c.CHILDREN] == 0:
                    pc += 1
                    continue
                threads[me, c.PC] = pc + 1
                threads[me, c.WAIT] = 4
                break
            # DRAW
            d = np.uint64(named(steps, at, 2, threads, me))
            value = draw(streams, d, draws[d, 0], draws[d, 1], draws[d, 2], draws[d, 3], draw_table)
            threads[me, np.uint64(c.REGISTERS + steps[at, 1])] = value
            pc += 1

        if status != RUNNING:
            if status != 0:
                threads[me, c.PC] = pc
            break

    for k in range(containers.shape[0]):
        settle(containers, np.uint64(k), now)
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
