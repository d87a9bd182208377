"""The steps of programs that touch more than their thread's registers, each a function of its own.

A function gets `control`, the address of the step's row, and the address of its thread's. It answers RUNNING where
the thread goes on at once, SUSPENDED where it waits, ENDED where it ended, and else a `Status` or which table has to
grow.
Threaded code calls them (`simio.engines.threaded`).
"""

from __future__ import annotations

import numpy as np

from simio.engines import codes, tables
from simio.engines import layout as c
from simio.engines.arithmetic import duration
from simio.engines.jit import compiled, inlined
from simio.engines.lines import exchange, ready
from simio.engines.lines import release as give_back
from simio.engines.lines import seize as take
from simio.engines.pending import schedule
from simio.engines.registers import named, operand, start_child
from simio.engines.tables import pointer
from simio.machines.random import draw as drawn
from simio.program.steps import Op

_MAX = 2**63 - 1


@compiled
def end(control, step, thread):
    """END: the thread's row is free, and its parent goes on if it waits for its last child."""
    own = pointer(thread)
    stats = pointer(control[c.STATS_AT])
    stats[own[c.NAME] * c.STAT_COLUMNS + 1] += 1
    flags = own[c.FLAGS]
    own[c.FLAGS] = 0
    parent = own[c.PARENT]
    above = pointer(control[c.THREADS_AT] + parent * c.THREAD_COLUMNS * 8)
    # The parent's row may be another thread's by now.
    if flags & c.JOINED and above[c.FLAGS] & c.LIVE and above[c.SERIAL] == own[c.PARENT_SERIAL]:
        above[c.CHILDREN] -= 1
        if above[c.CHILDREN] == 0 and above[c.WAIT] == codes.WAIT_JOIN:
            ready(control, tables.threads(control), parent)
    pointer(control[c.FREE_AT])[control[c.FREED]] = control[c.SLOT]
    control[c.FREED] += 1
    if not flags & c.DAEMON:
        control[c.WORKING] -= 1
        if control[c.WORKING] == 0:
            return codes.DONE
    return c.ENDED


@compiled
def advance(control, step, thread):
    """ADVANCE: the thread goes on later."""
    of, own = pointer(step), pointer(thread)
    now = control[c.NOW]
    time = of[1]
    if of[2] >= 0:
        amount = own[c.REGISTERS + of[2]]
        if amount < 0:
            return codes.NEGATIVE
        time = duration(time, amount, of[3], of[4])
        if time == 0:
            return c.RUNNING
        if time < 0:
            return codes.HORIZON
    if time > _MAX - now:
        return codes.HORIZON
    stats = pointer(control[c.STATS_AT])
    name = own[c.NAME] * c.STAT_COLUMNS + 2
    spent = stats[name]
    stats[name] = spent + time if spent <= _MAX - time else _MAX
    due = now + time
    if due < control[c.FIRST_TIME] and control[c.RING_COUNT] == 0 and due < control[c.STOP]:
        # The thread is the next one itself.
        control[c.NOW] = due
        control[c.EVENTS] += 1
        return c.RUNNING
    control[c.HELD] = control[c.SLOT]
    control[c.HELD_TIME] = due
    return c.SUSPENDED


@compiled
def seize(control, step, thread):
    """SEIZE: take units of a resource, or wait in its line."""
    of = pointer(step)
    r = np.uint64(named(of, 1, pointer(thread)))
    slot, threads = control[c.SLOT], tables.threads(control)
    taken = take(tables.resources(control), r, of[2], of[3], threads, slot, control[c.NOW])
    return c.RUNNING if taken else c.SUSPENDED


@compiled
def release(control, step, thread):
    """RELEASE: give units back, which those in line get."""
    of = pointer(step)
    r = np.uint64(named(of, 1, pointer(thread)))
    given = give_back(tables.resources(control), r, of[2], tables.threads(control), control, control[c.NOW])
    return c.RUNNING if given else codes.RELEASED


@compiled
def put(control, step, thread):
    """PUT: add to a container, or wait until it fits."""
    return _exchange(control, pointer(step), pointer(thread), c.PUT_HEAD, codes.WAIT_PUT)


@compiled
def get(control, step, thread):
    """GET: take from a container, or wait until that is there."""
    return _exchange(control, pointer(step), pointer(thread), c.GET_HEAD, codes.WAIT_GET)


@inlined
def _exchange(control, of, own, head, wait):
    containers, threads = tables.containers(control), tables.threads(control)
    k = np.uint64(named(of, 1, own))
    amount = operand(of, 2, own)
    if amount < 0:
        return codes.NEGATIVE
    if amount > containers[k, c.CAPACITY]:
        return codes.OVERFULL
    if exchange(containers, k, threads, control[c.SLOT], amount, head, control, control[c.NOW]):
        return c.RUNNING
    own[c.WAIT] = wait
    return c.SUSPENDED


@compiled
def fork(control, step, thread):
    """FORK: begin a thread, now or later."""
    of, own = pointer(step), pointer(thread)
    now = control[c.NOW]
    delay = of[2]
    if delay > _MAX - now:
        return codes.HORIZON
    threads = tables.threads(control)
    if control[c.FREED] > 0:
        control[c.FREED] -= 1
        child = pointer(control[c.FREE_AT])[control[c.FREED]]
    else:
        child = control[c.USED]
        if child == control[c.THREADS]:
            return c.GROW_THREADS
        control[c.USED] += 1
    control[c.WORKING] += start_child(control, of, own, child)
    control[c.NEXT_SERIAL] += 1
    if delay == 0:
        ready(control, threads, child)
        return c.RUNNING
    schedule(control, now + delay, child)
    return c.RUNNING


@compiled
def join(control, step, thread):
    """JOIN: wait for the last child."""
    own = pointer(thread)
    if own[c.CHILDREN] == 0:
        return c.RUNNING
    own[c.WAIT] = codes.WAIT_JOIN
    return c.SUSPENDED


@compiled
def mark(control, step, thread):
    """MARK: record a value."""
    of, own = pointer(step), pointer(thread)
    logged = control[c.LOGGED]
    if logged == control[c.LOG]:
        return codes.RECORDS if logged == control[c.RECORDS] else c.GROW_LOG
    value = operand(of, 2, own)
    number = named(of, 1, own)
    log = pointer(control[c.LOG_AT] + logged * c.LOG_COLUMNS * 8)
    log[0] = control[c.NOW]
    log[1] = number
    log[2] = value
    control[c.LOGGED] = logged + 1
    pointer(control[c.SUMS_AT])[number] += value
    return c.RUNNING


@compiled
def draw(control, step, thread):
    """DRAW: the next value of a distribution's stream."""
    of, own = pointer(step), pointer(thread)
    d = named(of, 2, own)
    draws = pointer(control[c.DRAWS_AT] + d * c.DRAW_COLUMNS * 8)
    streams = tables.table(pointer(control[c.STREAMS_AT]), d + 1, c.STREAM_COLUMNS)
    table = tables.table(pointer(control[c.DRAW_TABLE_AT]), control[c.DRAW_ROWS], c.DRAW_ROW_COLUMNS)
    own[c.REGISTERS + of[1]] = drawn(streams, np.uint64(d), draws[0], draws[1], draws[2], draws[3], table)
    return c.RUNNING


OPERATIONS = {
    Op.END: end, Op.ADVANCE: advance, Op.SEIZE: seize, Op.RELEASE: release, Op.PUT: put, Op.GET: get, Op.FORK: fork,
    Op.JOIN: join, Op.MARK: mark, Op.DRAW: draw,
}  # fmt: skip
