"""The compiled engine's event heap: entries (time, sequence, slot), the earliest first."""

from __future__ import annotations

import numpy as np

from simio.engines.jit import inlined


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
def sift(heap, count, time, sequence, slot):
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
