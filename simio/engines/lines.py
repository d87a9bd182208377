"""The compiled engine's resources and containers, and the threads that wait in line for them.

A row is unsigned where it is an index: numba looks whether a signed one counts from the end.
"""

from __future__ import annotations

import numpy as np

from simio.engines import codes
from simio.engines import layout as c
from simio.engines.jit import compiled, inlined
from simio.engines.tables import pointer


@inlined
def ready(control, threads, slot):
    """Schedule a waiting thread for now, behind all that is due now."""
    threads[np.uint64(slot), c.WAIT] = codes.WAIT_READY
    at = control[c.RING_HEAD] + control[c.RING_COUNT]
    if at >= control[c.THREADS]:
        at -= control[c.THREADS]
    pointer(control[c.RING_AT])[at] = slot
    control[c.RING_COUNT] += 1


@inlined
def seize(resources, r, units, priority, threads, slot, now):
    """Seize units at once if they are free and no thread as urgent waits, else join the line; False if it waits."""
    resources[r, c.SEIZES] += 1
    head = resources[r, c.HEAD]
    taken = resources[r, c.IN_USE] + units > resources[r, c.UNITS]
    if taken or (head >= 0 and threads[np.uint64(head), c.PRIORITY] <= priority):
        me = np.uint64(slot)
        threads[me, c.WAIT] = codes.WAIT_RESOURCE
        threads[me, c.WHAT] = r
        threads[me, c.AMOUNT] = units
        threads[me, c.PRIORITY] = priority
        enqueue(resources, r, threads, slot, now)
        return False
    resources[r, c.IN_USE] += units
    resources[r, c.BUSY] -= units * now
    return True


@inlined
def release(resources, r, units, threads, control, now):
    """Give units back, and grant them to the line; False if fewer are in use."""
    if units > resources[r, c.IN_USE]:
        return False
    resources[r, c.IN_USE] -= units
    resources[r, c.BUSY] += units * now
    if resources[r, c.HEAD] >= 0:
        grant(resources, r, threads, control, now)
    return True


@inlined
def grant(resources, r, threads, control, now):
    """Give freed units to the head of the line for as long as the head fits."""
    slot = resources[r, c.HEAD]
    while slot >= 0:
        units = threads[np.uint64(slot), c.AMOUNT]
        if resources[r, c.IN_USE] + units > resources[r, c.UNITS]:
            break
        resources[r, c.IN_USE] += units
        resources[r, c.BUSY] -= units * now
        resources[r, c.QUEUE] += now
        resources[r, c.LINE] -= 1
        following = threads[np.uint64(slot), c.NEXT]
        resources[r, c.HEAD] = following
        if following < 0:
            resources[r, c.TAIL] = -1
        if slot == resources[r, c.PASSED]:
            resources[r, c.PASSED] = -1
        ready(control, threads, slot)
        slot = following


@inlined
def enqueue(resources, r, threads, slot, now):
    """Put a thread into a resource's line, behind its equals in priority."""
    priority = threads[np.uint64(slot), c.PRIORITY]
    resources[r, c.WAITS] += 1
    resources[r, c.QUEUE] -= now
    resources[r, c.LINE] += 1
    if resources[r, c.LINE] > resources[r, c.LONGEST]:
        resources[r, c.LONGEST] = resources[r, c.LINE]
    tail = resources[r, c.TAIL]
    if tail < 0:
        threads[np.uint64(slot), c.NEXT] = -1
        resources[r, c.HEAD] = slot
        resources[r, c.TAIL] = slot
    elif threads[np.uint64(tail), c.PRIORITY] <= priority:
        threads[np.uint64(slot), c.NEXT] = -1
        threads[np.uint64(tail), c.NEXT] = slot
        resources[r, c.TAIL] = slot
    else:
        before = resources[r, c.PASSED]
        if before >= 0 and threads[np.uint64(before), c.PRIORITY] > priority:
            before = -1
        at = threads[np.uint64(before), c.NEXT] if before >= 0 else resources[r, c.HEAD]
        while threads[np.uint64(at), c.PRIORITY] <= priority:
            before = at
            at = threads[np.uint64(at), c.NEXT]
        threads[np.uint64(slot), c.NEXT] = at
        if before < 0:
            resources[r, c.HEAD] = slot
        else:
            threads[np.uint64(before), c.NEXT] = slot
        resources[r, c.PASSED] = slot


@compiled
def integrate(containers, k, now):
    """Add a container's level over the time since the last call to its area, in digits of 31 bits."""
    span = now - containers[k, c.LAST]
    if span == 0:
        return
    containers[k, c.LAST] = now
    level = containers[k, c.LEVEL]
    if level <= c.MASK and span <= c.MASK:
        total = containers[k, c.AREA] + level * span
        containers[k, c.AREA] = total & c.MASK
        total = containers[k, c.AREA + 1] + (total >> 31)
        containers[k, c.AREA + 1] = total & c.MASK
        if total > c.MASK:
            total = containers[k, c.AREA + 2] + (total >> 31)
            containers[k, c.AREA + 2] = total & c.MASK
            containers[k, c.AREA + 3] += total >> 31
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
def serve(containers, k, threads, control):
    """Grant waiting gets, then waiting puts, each in order, until neither head fits."""
    while True:
        slot = containers[k, c.GET_HEAD]
        while slot >= 0 and threads[np.uint64(slot), c.AMOUNT] <= containers[k, c.LEVEL]:
            change(containers, k, -threads[np.uint64(slot), c.AMOUNT])
            slot = leave(containers, k, c.GET_HEAD, threads, control)
        slot = containers[k, c.PUT_HEAD]
        if slot < 0 or containers[k, c.LEVEL] > containers[k, c.CAPACITY] - threads[np.uint64(slot), c.AMOUNT]:
            return
        while slot >= 0 and containers[k, c.LEVEL] <= containers[k, c.CAPACITY] - threads[np.uint64(slot), c.AMOUNT]:
            change(containers, k, threads[np.uint64(slot), c.AMOUNT])
            slot = leave(containers, k, c.PUT_HEAD, threads, control)


@compiled
def leave(containers, k, head, threads, control):
    """Take the head out of a container's line and make it ready; returns the next head."""
    slot = containers[k, head]
    following = threads[np.uint64(slot), c.NEXT]
    containers[k, head] = following
    if following < 0:
        containers[k, head + 1] = -1
    ready(control, threads, slot)
    return following


@compiled
def exchange(containers, k, threads, slot, amount, head, control, now):
    """Put (head PUT_HEAD) or get at once if it fits and nobody waits, else join the line; False if it waits."""
    level = containers[k, c.LEVEL]
    if level == 0:
        containers[k, c.LAST] = now
    else:
        integrate(containers, k, now)
    if head == c.PUT_HEAD:
        fits = level <= containers[k, c.CAPACITY] - amount
        delta = amount
    else:
        fits = level >= amount
        delta = -amount
    if fits and containers[k, head] < 0:
        change(containers, k, delta)
        if containers[k, c.GET_HEAD] >= 0 or containers[k, c.PUT_HEAD] >= 0:
            serve(containers, k, threads, control)
        return True
    containers[k, c.BLOCKED] += 1
    threads[np.uint64(slot), c.AMOUNT] = amount
    threads[np.uint64(slot), c.WHAT] = k
    threads[np.uint64(slot), c.NEXT] = -1
    tail = containers[k, head + 1]
    if tail < 0:
        containers[k, head] = slot
    else:
        threads[np.uint64(tail), c.NEXT] = slot
    containers[k, head + 1] = slot
    return False
