"""A heap of events: entries (time, sequence, slot), the earliest first.

An entry has four children. With thousands of entries, more than a first cache holds, the way to a leaf then waits
half as often for memory as with two. Behind the last entry are `layout.HEAP_SPARE` that are later than any, so that
an entry has four children or none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from simio.engines.jit import INLINED, inlined


def earlier(time, sequence, other_time, other_sequence):
    """(time, sequence) < (other_time, other_sequence); compiled, `_wide` does that."""
    return time < other_time or (time == other_time and sequence < other_sequence)


@intrinsic
def _wide(typing: Any, time: Any, sequence: Any, other_time: Any, other_sequence: Any) -> Any:
    """`earlier` as one comparison of 128 bits, which takes two instructions and no branch."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)

        def whole(high: Any, low: Any) -> Any:
            return builder.or_(builder.shl(builder.sext(high, wide), wide(64)), builder.zext(low, wide))

        return builder.icmp_signed("<", whole(*arguments[:2]), whole(*arguments[2:]))

    return types.boolean(*[types.int64] * 4), generate


@overload(earlier, jit_options=INLINED)  # type: ignore[arg-type]
def _earlier(time, sequence, other_time, other_sequence):
    return lambda time, sequence, other_time, other_sequence: _wide(time, sequence, other_time, other_sequence)


@inlined
def push(heap, at, time, sequence, slot):
    """Put (time, sequence, slot) at the free place `at` of a heap, behind its last entry, or above that place."""
    hole = np.uint64(at)
    while hole > np.uint64(0):
        parent = (hole - np.uint64(1)) >> np.uint64(2)
        other, before = heap[parent, 0], heap[parent, 1]
        if earlier(other, before, time, sequence):
            break
        heap[hole, 0] = other
        heap[hole, 1] = before
        heap[hole, 2] = heap[parent, 2]
        hole = parent
    heap[hole, 0] = time
    heap[hole, 1] = sequence
    heap[hole, 2] = slot


@inlined
def lesser(heap, one, other):
    """The place of the earlier of two entries; it is reckoned, as no processor could foresee a branch."""
    return one + (other - one) * np.uint64(earlier(heap[other, 0], heap[other, 1], heap[one, 0], heap[one, 1]))


@inlined
def sift(heap, count, time, sequence, slot):
    """Put (time, sequence, slot) in place of the first of `count` entries and restore the order.

    The hole goes down to a leaf along the least children, without a branch that depends on the new entry, which
    then rises from there: it nearly always belongs near the bottom (I. Wegener, "Bottom-up heapsort", 1993).
    """
    hole = np.uint64(0)
    child = np.uint64(1)
    entries = np.uint64(max(count, 0))
    while child < entries:
        at = lesser(heap, child, child + np.uint64(1))
        at = lesser(heap, at, lesser(heap, child + np.uint64(2), child + np.uint64(3)))
        heap[hole, 0] = heap[at, 0]
        heap[hole, 1] = heap[at, 1]
        heap[hole, 2] = heap[at, 2]
        hole = at
        child = np.uint64(4) * hole + np.uint64(1)
    push(heap, hole, time, sequence, slot)
