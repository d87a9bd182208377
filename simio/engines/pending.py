"""Pending events of the compiled engine: entries (time, sequence, slot), few as a list and many as a heap.

A list has the latest entry first and the earliest last. A new event goes behind those that are later, and what comes
before it moves up: mostly one entry or two, as timers wait long and packets do not. Beyond `LONG` entries they are a
heap (`simio.engines.heap`), and a list again from `SHORT` on down.
"""

from __future__ import annotations

import numpy as np

from simio.engines import layout as c
from simio.engines import tables
from simio.engines.heap import earlier, push, sift
from simio.engines.jit import compiled, inlined
from simio.engines.tables import pointer

LONG = 16
"""Most entries of a list."""
SHORT = 8
"""Most entries with which a heap becomes a list."""


@inlined
def insert(control, at, time, sequence, slot):
    """Put a new entry into a list whose place `at`, behind the earliest, is free.

    It is later than any of the same time, as its sequence number is the highest.
    """
    rows = pointer(control[c.HEAP_AT])
    while at > 0 and rows[c.HEAP_COLUMNS * (at - 1)] <= time:
        to = c.HEAP_COLUMNS * at
        rows[to] = rows[to - 3]
        rows[to + 1] = rows[to - 2]
        rows[to + 2] = rows[to - 1]
        at -= 1
    to = c.HEAP_COLUMNS * at
    rows[to] = time
    rows[to + 1] = sequence
    rows[to + 2] = slot


@inlined
def let_go(control):
    """Note that no thread is held."""
    control[c.HELD] = -1
    control[c.HELD_TIME] = c.LATEST


@inlined
def new_sequence(control):
    """The sequence number of a new entry."""
    sequence = control[c.SEQUENCE]
    control[c.SEQUENCE] = sequence + 1
    return sequence


@inlined
def schedule(control, time, slot):
    """Add an entry, which is later than any of the same time."""
    count, sequence = control[c.HEAPED], new_sequence(control)
    if control[c.LISTED] and count == LONG:
        make_heap(control)
    control[c.HEAPED] = count + 1
    if control[c.LISTED]:
        insert(control, count, time, sequence, slot)
    else:
        push(tables.heap(control), count, time, sequence, slot)
    if time < control[c.FIRST_TIME]:
        control[c.FIRST_TIME] = time


@inlined
def take(control):
    """Take the first entry out, or have the thread that is held take its place; returns the first one's slot."""
    count = control[c.HEAPED]
    rows = pointer(control[c.HEAP_AT])
    if not control[c.LISTED]:
        if count > SHORT:
            return take_of_heap(control)
        make_list(control)
    last = count - 1
    slot = rows[c.HEAP_COLUMNS * last + 2]
    if control[c.HELD] >= 0:
        insert(control, last, control[c.HELD_TIME], new_sequence(control), control[c.HELD])
        let_go(control)
    else:
        control[c.HEAPED] = last
        last -= 1
    control[c.FIRST_TIME] = rows[c.HEAP_COLUMNS * last] if last >= 0 else c.LATEST
    return slot


@inlined
def take_of_heap(control):
    heap = tables.heap(control)
    count = control[c.HEAPED]
    slot = heap[0, 2]
    if control[c.HELD] >= 0:
        sift(heap, count, control[c.HELD_TIME], new_sequence(control), control[c.HELD])
        let_go(control)
    else:
        control[c.HEAPED] = count - 1
        last = np.uint64(count - 1)
        time, sequence, other = heap[last, 0], heap[last, 1], heap[last, 2]
        heap[last, 0] = c.LATEST
        heap[last, 1] = c.LATEST
        sift(heap, count - 1, time, sequence, other)
    control[c.FIRST_TIME] = heap[0, 0]
    return slot


@compiled
def make_heap(control):
    """Have a list's entries, in order, as a heap."""
    heap = tables.heap(control)
    count = control[c.HEAPED]
    for at in range(count // 2):
        other = np.uint64(count - 1 - at)
        for column in range(c.HEAP_COLUMNS):
            heap[np.uint64(at), column], heap[other, column] = heap[other, column], heap[np.uint64(at), column]
    control[c.LISTED] = 0


@compiled
def make_list(control):
    """Have a heap's entries as a list."""
    heap = tables.heap(control)
    for at in range(1, control[c.HEAPED]):
        hole = np.uint64(at)
        time, sequence, slot = heap[hole, 0], heap[hole, 1], heap[hole, 2]
        while hole > np.uint64(0) and earlier(
            heap[hole - np.uint64(1), 0], heap[hole - np.uint64(1), 1], time, sequence
        ):
            for column in range(c.HEAP_COLUMNS):
                heap[hole, column] = heap[hole - np.uint64(1), column]
            hole -= np.uint64(1)
        heap[hole, 0] = time
        heap[hole, 1] = sequence
        heap[hole, 2] = slot
    control[c.LISTED] = 1
