"""The compiled engine's loop: one function over the program's tables, and the few it calls.

Order is the contract's: events run by (time, sequence). Events that are due now wait in a ring, later ones in a
binary heap; whatever the heap holds for this instant was scheduled before it began and so goes first.
"""

from __future__ import annotations

import numpy as np
from numba import carray, cfunc, njit, types
from numba.extending import register_jitable

from simio.engines import layout as c
from simio.machines.calls import call
from simio.machines.random import draw
from simio.machines.shared import FUNCTIONS

_OPTIONS = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
for function in FUNCTIONS:
    register_jitable(**_OPTIONS)(function)

# Without reference counting (_nrt): tables outlive every call, and counting references to them around each helper
# costs more than the helpers do. Without wrappers: nothing but this module calls these functions.
compiled = njit(_nrt=False, **_OPTIONS)  # type: ignore[call-overload]
inlined = njit(_nrt=False, inline="always", **_OPTIONS)  # type: ignore[call-overload]
RUNNING = c.RUNNING
GROW_THREADS = c.GROW_THREADS
GROW_LOG = c.GROW_LOG
GROW_TRACE = c.GROW_TRACE
_MAX = 2**63 - 1
_MIN = -(2**63)


@inlined
def push(heap, at, time, sequence, slot):
    """Put (time, sequence, slot) at the free place `at` of a heap (its end, for a new entry) or above it."""
    hole = np.uint64(at)
    while hole > np.uint64(0):
        parent = (hole - np.uint64(1)) >> np.uint64(1)
        other = heap[parent, 0]
        if other < time or (other == time and heap[parent, 1] < sequence):
            break
        heap[hole, 0] = other
        heap[hole, 1] = heap[parent, 1]
        heap[hole, 2] = heap[parent, 2]
        hole = parent
    heap[hole, 0] = time
    heap[hole, 1] = sequence
    heap[hole, 2] = slot


@inlined
def sink(heap, count, time, sequence, slot):
    """Put (time, sequence, slot) in place of the first of `count` entries and restore the order.

    The hole goes down to a leaf along the lesser children, without a branch that depends on the new entry, which
    then rises from there: it nearly always belongs near the bottom (I. Wegener, "Bottom-up heapsort", 1993).
    """
    hole = np.uint64(0)
    child = np.uint64(1)
    entries = np.uint64(max(count, 0))
    while child + np.uint64(1) < entries:
        right = child + np.uint64(1)
        earlier = heap[right, 0] < heap[child, 0]
        tied = (heap[right, 0] == heap[child, 0]) & (heap[right, 1] < heap[child, 1])
        child += np.uint64(earlier | tied)
        heap[hole, 0] = heap[child, 0]
        heap[hole, 1] = heap[child, 1]
        heap[hole, 2] = heap[child, 2]
        hole = child
        child = np.uint64(2) * hole + np.uint64(1)
    if child < entries:
        heap[hole, 0] = heap[child, 0]
        heap[hole, 1] = heap[child, 1]
        heap[hole, 2] = heap[child, 2]
        hole = child
    push(heap, hole, time, sequence, slot)


@inlined
def ready(ring, control, threads, slot):
    """Schedule a waiting thread for now, behind all that is due now."""
    threads[slot, c.WAIT] = 0
    at = control[c.RING_HEAD] + control[c.RING_COUNT]
    if at >= ring.size:
        at -= ring.size
    ring[at] = slot
    control[c.RING_COUNT] += 1


@inlined
def grant(resources, r, threads, ring, control, now):
    """Give freed units to the head of the line for as long as the head fits."""
    slot = resources[r, c.HEAD]
    while slot >= 0:
        units = threads[slot, c.AMOUNT]
        if resources[r, c.IN_USE] + units > resources[r, c.UNITS]:
            break
        resources[r, c.IN_USE] += units
        resources[r, c.BUSY] -= units * now
        resources[r, c.QUEUE] += now
        resources[r, c.LINE] -= 1
        following = threads[slot, c.NEXT]
        resources[r, c.HEAD] = following
        if following < 0:
            resources[r, c.TAIL] = -1
        ready(ring, control, threads, slot)
        slot = following


@inlined
def line_up(resources, r, threads, slot, now):
    """Put a thread into a resource's line, behind its equals in priority."""
    priority = threads[slot, c.PRIORITY]
    resources[r, c.WAITS] += 1
    resources[r, c.QUEUE] -= now
    resources[r, c.LINE] += 1
    if resources[r, c.LINE] > resources[r, c.LONGEST]:
        resources[r, c.LONGEST] = resources[r, c.LINE]
    tail = resources[r, c.TAIL]
    if tail < 0:
        threads[slot, c.NEXT] = -1
        resources[r, c.HEAD] = slot
        resources[r, c.TAIL] = slot
    elif threads[tail, c.PRIORITY] <= priority:
        threads[slot, c.NEXT] = -1
        threads[tail, c.NEXT] = slot
        resources[r, c.TAIL] = slot
    else:
        before = -1
        at = resources[r, c.HEAD]
        while threads[at, c.PRIORITY] <= priority:
            before = at
            at = threads[at, c.NEXT]
        threads[slot, c.NEXT] = at
        if before < 0:
            resources[r, c.HEAD] = slot
        else:
            threads[before, c.NEXT] = slot


@compiled
def settle(containers, k, now):
    """Bring the area of a container's level up to date, in digits of 31 bits."""
    span = now - containers[k, c.LAST]
    if span == 0:
        return
    containers[k, c.LAST] = now
    level = containers[k, c.LEVEL]
    if level == 0:
        return
    low = level & c.MASK
    high = level >> 31
    first = span & c.MASK
    second = (span >> 31) & c.MASK
    third = span >> 62
    middle = high * first + low * second
    upper = high * second + low * third
    total = containers[k, c.AREA] + low * first
    containers[k, c.AREA] = total & c.MASK
    total = containers[k, c.AREA + 1] + (total >> 31) + (middle & c.MASK)
    containers[k, c.AREA + 1] = total & c.MASK
    total = containers[k, c.AREA + 2] + (total >> 31) + (middle >> 31) + (upper & c.MASK)
    containers[k, c.AREA + 2] = total & c.MASK
    containers[k, c.AREA + 3] += (total >> 31) + (upper >> 31) + high * third


@compiled
def change(containers, k, delta):
    """Change a container's level, keeping its extremes and totals."""
    level = containers[k, c.LEVEL] + delta
    containers[k, c.LEVEL] = level
    if delta > 0:
        containers[k, c.PUT_TOTAL] += delta
        if level > containers[k, c.HIGHEST]:
            containers[k, c.HIGHEST] = level
    else:
        containers[k, c.GOT_TOTAL] -= delta
        if level < containers[k, c.LOWEST]:
            containers[k, c.LOWEST] = level


@compiled
def serve(containers, k, threads, ring, control):
    """Grant waiting gets, then waiting puts, each in order, until neither head fits."""
    progress = True
    while progress:
        progress = False
        slot = containers[k, c.GET_HEAD]
        while slot >= 0 and threads[slot, c.AMOUNT] <= containers[k, c.LEVEL]:
            change(containers, k, -threads[slot, c.AMOUNT])
            slot = leave(containers, k, c.GET_HEAD, threads, ring, control)
            progress = True
        slot = containers[k, c.PUT_HEAD]
        while slot >= 0 and containers[k, c.LEVEL] <= containers[k, c.CAPACITY] - threads[slot, c.AMOUNT]:
            change(containers, k, threads[slot, c.AMOUNT])
            slot = leave(containers, k, c.PUT_HEAD, threads, ring, control)
            progress = True


@compiled
def leave(containers, k, head, threads, ring, control):
    """Take the head out of a container's line and make it ready; returns the next head."""
    slot = containers[k, head]
    following = threads[slot, c.NEXT]
    containers[k, head] = following
    if following < 0:
        containers[k, head + 1] = -1
    ready(ring, control, threads, slot)
    return following


@compiled
def exchange(containers, k, threads, slot, amount, head, ring, control, now):
    """Put (head PUT_HEAD) or get at once if it fits and nobody waits, else join the line; False if it waits."""
    settle(containers, k, now)
    level = containers[k, c.LEVEL]
    if head == c.PUT_HEAD:
        fits = level <= containers[k, c.CAPACITY] - amount
        delta = amount
    else:
        fits = level >= amount
        delta = -amount
    if fits and containers[k, head] < 0:
        change(containers, k, delta)
        if containers[k, c.GET_HEAD] >= 0 or containers[k, c.PUT_HEAD] >= 0:
            serve(containers, k, threads, ring, control)
        return True
    containers[k, c.BLOCKED] += 1
    threads[slot, c.AMOUNT] = amount
    threads[slot, c.WHAT] = k
    threads[slot, c.NEXT] = -1
    tail = containers[k, head + 1]
    if tail < 0:
        containers[k, head] = slot
    else:
        threads[tail, c.NEXT] = slot
    containers[k, head + 1] = slot
    return False


@compiled
def compare(kind, a, b):
    """BRANCH's comparison."""
    if kind == 0:
        return a == b
    if kind == 1:
        return a != b
    if kind == 2:
        return a < b
    if kind == 3:
        return a <= b
    if kind == 4:
        return a > b
    return a >= b


@compiled
def difference(a, b):
    """a - b, and whether it fits 64 bits."""
    fits = a >= _MIN + b if b > 0 else a <= _MAX + b
    return (a - b if fits else 0), fits


@compiled
def product(a, b):
    """a * b, and whether it fits 64 bits."""
    if a == 0 or b == 0:
        return 0, True
    if (a > 0) != (b > 0):
        low, high = min(a, b), max(a, b)
        least = _MIN // high
        fits = low > least or (low == least and _MIN % high == 0)
    elif b > 0:
        fits = a <= _MAX // b
    else:
        most = _MAX // b
        fits = a > most or (a == most and _MAX % b == 0)
    return (a * b if fits else 0), fits


@compiled
def evaluate(fn, a, b, now):
    """LET's function: (value, whether it fits 64 bits).

    numba tells LLVM that signed arithmetic never wraps, so that a check of the wrapped result is optimised away:
    each check comes before the operation.
    """
    if fn == 0:
        return a, True
    if fn == 1:
        fits = a <= _MAX - b if b > 0 else a >= _MIN - b
        return (a + b if fits else 0), fits
    if fn == 2:
        return difference(a, b)
    if fn == 3:
        return product(a, b)
    if fn == 4 or fn == 5:
        if b == 0 or (fn == 4 and b == -1 and a == _MIN):
            return 0, False
        if b == -1:
            return (-a if fn == 4 else 0), True
        return (a // b if fn == 4 else a % b), True
    if fn == 6:
        return min(a, b), True
    if fn == 7:
        return max(a, b), True
    return difference(now, a)


@inlined
def duration(fixed, amount, numerator, denominator):
    """fixed + ceil(amount * numerator / denominator), or -1 where it would not fit 63 bits."""
    if amount == 0 or numerator == 0:
        return fixed
    whole = amount // denominator
    if whole > _MAX // numerator:
        return -1
    rest = (amount % denominator) * numerator
    part = rest // denominator
    if rest % denominator > 0:
        part += 1
    whole *= numerator
    if whole > _MAX - part or whole + part > _MAX - fixed:
        return -1
    return whole + part + fixed


@compiled
def sample(times, samples, row, time, resources, containers, sums):
    """Record one row of the timeline."""
    times[row] = time
    at = 0
    for r in range(resources.shape[0]):
        samples[row, at] = resources[r, c.BUSY] + resources[r, c.IN_USE] * time
        samples[row, at + 1] = resources[r, c.QUEUE] + resources[r, c.LINE] * time
        at += 2
    for k in range(containers.shape[0]):
        samples[row, at] = containers[k, c.LEVEL]
        at += 1
    for m in range(sums.size):
        samples[row, at] = sums[m]
        at += 1


@compiled
def thin(times, samples, rows):
    """Keep every second row of the timeline; returns how many are left."""
    kept = rows // 2
    for row in range(kept):
        times[row] = times[2 * row + 1]
        for at in range(samples.shape[1]):
            samples[row, at] = samples[2 * row + 1, at]
    return kept


@compiled
def advance(
    steps, threads, heap, ring, free, resources, containers, draws, draw_table, state, streams, stats, sums,
    log, trace, times, samples, control, registers, until, budget, records, tracing,
):  # fmt: skip
    """Run until the program ends or a table is full; `control` carries everything between calls.

    Tables are arguments, never rebound, so that their addresses are constant; whoever calls makes the full one
    larger and calls again.
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
                    sample(times, samples, rows, next_sample, resources, containers, sums)
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
            if executed >= budget:
                status = 3
                break
            executed += 1
            if tracing:
                if traced == trace.shape[0]:
                    executed -= 1
                    status = GROW_TRACE
                    break
                trace[traced, 0] = now
                trace[traced, 1] = threads[me, c.SERIAL]
                trace[traced, 2] = pc
                traced += 1
            at = np.uint64(pc)
            op = steps[at, 0]
            if op == 1:  # ADVANCE
                span = steps[at, 1]
                reg = steps[at, 2]
                if reg >= 0:
                    amount = threads[me, c.REGISTERS + reg]
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
                name = threads[me, c.NAME]
                spent = stats[name, 2]
                stats[name, 2] = spent + span if spent <= _MAX - span else _MAX
                threads[me, c.PC] = pc + 1
                held = slot
                held_time = now + span
                held_sequence = sequence
                sequence += 1
                break
            if op == 2:  # SEIZE
                r = steps[at, 1]
                units = steps[at, 2]
                priority = steps[at, 3]
                resources[r, c.SEIZES] += 1
                head = resources[r, c.HEAD]
                if resources[r, c.IN_USE] + units <= resources[r, c.UNITS] and (
                    head < 0 or threads[head, c.PRIORITY] > priority
                ):
                    resources[r, c.IN_USE] += units
                    resources[r, c.BUSY] -= units * now
                    pc += 1
                    continue
                threads[me, c.PC] = pc + 1
                threads[me, c.WAIT] = 1
                threads[me, c.WHAT] = r
                threads[me, c.AMOUNT] = units
                threads[me, c.PRIORITY] = priority
                line_up(resources, r, threads, slot, now)
                break
            if op == 3:  # RELEASE
                r = steps[at, 1]
                units = steps[at, 2]
                if units > resources[r, c.IN_USE]:
                    status = 7
                    break
                resources[r, c.IN_USE] -= units
                resources[r, c.BUSY] += units * now
                if resources[r, c.HEAD] >= 0:
                    grant(resources, r, threads, ring, control, now)
                pc += 1
                continue
            if op == 9:  # LOOP
                counter = np.uint64(c.REGISTERS + steps[at, 1])
                left = threads[me, counter] - 1
                threads[me, counter] = left
                pc = steps[at, 2] if left > 0 else pc + 1
                continue
            if op == 4 or op == 5:  # PUT, GET
                k = steps[at, 1]
                reg = steps[at, 2]
                amount = steps[at, 3] if reg < 0 else threads[me, c.REGISTERS + reg]
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
            if op == 10:  # BRANCH
                a = threads[me, c.REGISTERS + steps[at, 2]]
                reg = steps[at, 3]
                b = steps[at, 4] if reg < 0 else threads[me, c.REGISTERS + reg]
                pc = steps[at, 5] if compare(steps[at, 1], a, b) else pc + 1
                continue
            if op == 11:  # LET
                reg = steps[at, 3]
                a = steps[at, 4] if reg < 0 else threads[me, c.REGISTERS + reg]
                reg = steps[at, 5]
                b = steps[at, 6] if reg < 0 else threads[me, c.REGISTERS + reg]
                value, fits = evaluate(steps[at, 2], a, b, now)
                if not fits:
                    status = 5
                    break
                threads[me, c.REGISTERS + steps[at, 1]] = value
                pc += 1
                continue
            if op == 12:  # MARK
                reg = steps[at, 2]
                value = steps[at, 3] if reg < 0 else threads[me, c.REGISTERS + reg]
                if logged == log.shape[0]:
                    if logged == records:
                        status = 10
                        break
                    executed -= 1
                    traced -= tracing
                    status = GROW_LOG
                    break
                log[logged, 0] = now
                log[logged, 1] = steps[at, 1]
                log[logged, 2] = value
                logged += 1
                sums[steps[at, 1]] += value
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
                for column in range(c.REGISTERS, c.REGISTERS + registers):
                    threads[child, column] = threads[me, column]
                threads[child, c.WAIT] = 0
                threads[child, c.PC] = steps[at, 1]
                threads[child, c.SERIAL] = serial
                threads[child, c.NAME] = steps[at, 5]
                threads[child, c.PARENT] = slot
                threads[child, c.PARENT_SERIAL] = threads[me, c.SERIAL]
                threads[child, c.CHILDREN] = 0
                threads[child, c.FLAGS] = (
                    c.LIVE | (c.JOINED if steps[at, 3] else 0) | (c.DAEMON if steps[at, 4] else 0)
                )
                serial += 1
                stats[steps[at, 5], 0] += 1
                if not steps[at, 4]:
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
                stats[threads[me, c.NAME], 1] += 1
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
            if op == 13:  # DRAW
                d = steps[at, 2]
                value = draw(streams, d, draws[d, 0], draws[d, 1], draws[d, 2], draws[d, 3], draw_table)
                threads[me, c.REGISTERS + steps[at, 1]] = value
                pc += 1
                continue
            # CALL
            a = threads[me, c.REGISTERS + steps[at, 3]]
            b = threads[me, c.REGISTERS + steps[at, 4]]
            value = call(steps[at, 1], state, steps[at, 2], now, a, b)
            if value < 0:
                status = 9
                break
            threads[me, c.REGISTERS + steps[at, 5]] = value
            pc += 1

        if status != RUNNING:
            if status != 0:
                threads[me, c.PC] = pc
            break

    for k in range(containers.shape[0]):
        settle(containers, k, now)
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


_TABLE = types.CPointer(types.int64)


@cfunc(types.int64(*[_TABLE] * len(c.TABLES)), error_model="numpy")
def entry(
    steps, threads, heap, ring, free, resources, containers, draws, draw_table, state, streams, stats, sums,
    log, trace, times, samples, control, sizes,
):  # fmt: skip
    """`advance` behind a C interface: the addresses of the tables, in the order of `layout.TABLES`."""
    n = carray(sizes, (c.SIZE_COLUMNS,))
    return advance(
        carray(steps, (n[c.STEPS], c.STEP_COLUMNS)),
        carray(threads, (n[c.THREADS], c.THREAD_COLUMNS)),
        carray(heap, (n[c.THREADS], c.HEAP_COLUMNS)),
        carray(ring, (n[c.THREADS],)),
        carray(free, (n[c.THREADS],)),
        carray(resources, (n[c.RESOURCES], c.RESOURCE_COLUMNS)),
        carray(containers, (n[c.CONTAINERS], c.CONTAINER_COLUMNS)),
        carray(draws, (n[c.DRAWS], c.DRAW_COLUMNS)),
        carray(draw_table, (n[c.DRAW_ROWS], c.DRAW_ROW_COLUMNS)),
        carray(state, (n[c.STATE],)),
        carray(streams, (n[c.DRAWS], c.STREAM_COLUMNS)),
        carray(stats, (n[c.NAMES], c.STAT_COLUMNS)),
        carray(sums, (n[c.MARKS],)),
        carray(log, (n[c.LOG], c.LOG_COLUMNS)),
        carray(trace, (n[c.TRACE], c.LOG_COLUMNS)),
        carray(times, (n[c.SAMPLES],)),
        carray(samples, (n[c.SAMPLES], n[c.SAMPLE_COLUMNS])),
        carray(control, (c.CONTROL_COLUMNS,)),
        n[c.USED_REGISTERS],
        n[c.UNTIL],
        n[c.BUDGET],
        n[c.RECORDS],
        n[c.TRACING],
    )
