"""Writeback of a cache of blocks: the dirty blocks to be written next, and when.

After Linux bcache (drivers/md/bcache/writeback.c): in ascending order, at a rate that a controller sets.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.shared import shared
from simio.machines.volume import caching as c
from simio.machines.volume.buckets import address, cleaned, find, region_of, unlink


@shared
def _dirty(state: NDArray, base: int, block: int) -> int:
    slot = find(state, base, block)
    return 1 if slot >= 0 and state[base + c.TABLE + c.SLOT * slot + 1] == c.DIRTY else 0


@machine("cache")
def take(state: NDArray, base: int) -> int:
    """The next dirty blocks to be written back, the first times COUNTED plus their number; 0 to sleep, as none is.

    They are as many as a run has, at a multiple of it, if all these are dirty, and else one.
    """
    cursor = state[base + c.CURSOR]
    start = cursor // state[base + c.REGION]
    first = -1
    for step in range(c.REGIONS + 1):
        number = (start + step) % c.REGIONS
        slot = state[base + c.REGION_LISTS + number] - 1
        while slot >= 0:
            block = state[base + c.TABLE + c.SLOT * slot] - 1
            if (step > 0 or block >= cursor) and (first < 0 or block < first):
                first = block
            slot = state[base + c.TABLE + c.SLOT * slot + 3] - 1
        if first >= 0:
            break
    if first < 0:
        state[base + c.ASLEEP] = 1
        return 0
    count = 1
    while first % state[base + c.RUN] == 0 and count < state[base + c.RUN] and _dirty(state, base, first + count):
        count += 1
    if count < state[base + c.RUN]:
        count = 1
    for block in range(first, first + count):
        slot = find(state, base, block)
        unlink(state, base, region_of(state, base, block), 3, slot)
        state[base + c.TABLE + c.SLOT * slot + 1] = c.FLYING
    state[base + c.CURSOR] = first + count
    return first * c.COUNTED + count


@machine("cache")
def place(state: NDArray, base: int, block: int, count: int) -> int:
    """Address in the cache of blocks that were taken; of a block that was written meanwhile, any."""
    return address(state, base, max(find(state, base, block), 0), count * state[base + c.UNIT])


@machine("cache")
def landed(state: NDArray, base: int, block: int, count: int) -> int:
    """Blocks have been written back; those that were not written meanwhile are clean."""
    for number in range(block, block + count):
        slot = find(state, base, number)
        if slot >= 0 and state[base + c.TABLE + c.SLOT * slot + 1] == c.FLYING:
            state[base + c.TABLE + c.SLOT * slot + 1] = c.CLEAN
            cleaned(state, base, slot)
    state[base + c.WRITTEN] += count * state[base + c.UNIT]
    return 0


@machine("cache")
def pace(state: NDArray, base: int, now: int, size: int) -> int:
    """Time in ps until writeback may go on after so many bytes (__update_writeback_rate, bch_next_delay)."""
    if state[base + c.TARGET] == 0:
        return 0
    if now - state[base + c.SET] >= c.INTERVAL * c.SECOND:
        state[base + c.SET] = now
        error = state[base + c.BYTES] - state[base + c.TARGET]
        behind = state[base + c.NEXT] + c.SECOND // 1000 > now
        if (error < 0 and state[base + c.INTEGRAL] > 0) or (error > 0 and behind):
            state[base + c.INTEGRAL] += error * c.INTERVAL
        rate = error // c.PROPORTIONAL + state[base + c.INTEGRAL] // c.INTEGRAL_PART
        state[base + c.RATE] = min(max(rate, c.LEAST), c.MOST)
    due = state[base + c.NEXT] + size * c.SECOND // state[base + c.RATE]
    due = max(min(due, now + 2 * c.SECOND), now - 2 * c.SECOND)
    state[base + c.NEXT] = due
    return max(due - now, 0)
