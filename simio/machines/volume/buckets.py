"""A cache of blocks on a fast device: buckets that are filled in order, where each block is, and what is dirty.

After Linux bcache (Documentation/admin-guide/bcache.rst; drivers/md/bcache: alloc.c, request.c, writeback.c). New
data go to the next slot of the open bucket; when it is full, the bucket without dirty blocks that was used longest
ago is emptied and opened. Dirty blocks are written back in ascending order, at a rate that a controller sets.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.shared import shared
from simio.machines.volume.caching import (
    ABSENT,
    AROUND,
    ASLEEP,
    BACK,
    BLOCKS,
    BUCKETS_AT,
    BYTES,
    CHAINS_AT,
    CLEAN,
    CLOCK,
    COUNTED,
    CURSOR,
    CUTOFF,
    DIRTY,
    FEW,
    FILLED,
    FLYING,
    FULL,
    HIT,
    HITS,
    INTEGRAL,
    INTEGRAL_PART,
    INTERVAL,
    LEAST,
    LIMIT,
    MISSES,
    MODE,
    MOST,
    NEXT,
    OPEN,
    OVER,
    PARTLY,
    PASSED,
    PASSING,
    PINNED,
    PROPORTIONAL,
    RATE,
    RECENT,
    RECENTS,
    REGION,
    REGION_LISTS,
    REGIONS,
    REMEMBERED,
    RUN,
    SECOND,
    SET,
    SLOT,
    SLOTS,
    TABLE,
    TARGET,
    THROUGH,
    UNIT,
    WIDTH,
    WRITTEN,
)


@shared
def _find(state: NDArray, base: int, block: int) -> int:
    """The slot that has a block, or -1."""
    slot = state[base + state[base + CHAINS_AT] + block % state[base + SLOTS]] - 1
    while slot >= 0 and state[base + TABLE + SLOT * slot] != block + 1:
        slot = state[base + TABLE + SLOT * slot + 2] - 1
    return slot


@shared
def _unlink(state: NDArray, base: int, head: int, word: int, slot: int) -> int:
    """Take a slot out of the list at `head`, whose next slots are in a word of each."""
    at = head
    while state[at] != slot + 1:
        at = base + TABLE + SLOT * (state[at] - 1) + word
    state[at] = state[base + TABLE + SLOT * slot + word]
    return 0


@shared
def _region(state: NDArray, base: int, block: int) -> int:
    return base + REGION_LISTS + block // state[base + REGION]


@shared
def _cleaned(state: NDArray, base: int, slot: int) -> int:
    """A slot is dirty no more."""
    at = base + state[base + BUCKETS_AT] + 2 * (slot // state[base + WIDTH]) + 1
    state[at] -= 1
    if state[at] == 0:
        state[base + PINNED] -= 1
    state[base + BLOCKS] -= 1
    state[base + BYTES] -= state[base + UNIT]
    return 0


@shared
def _drop(state: NDArray, base: int, slot: int) -> int:
    """Forget what a slot has."""
    at = base + TABLE + SLOT * slot
    block = state[at] - 1
    _unlink(state, base, base + state[base + CHAINS_AT] + block % state[base + SLOTS], 2, slot)
    if state[at + 1] == DIRTY:
        _unlink(state, base, _region(state, base, block), 3, slot)
    if state[at + 1] >= DIRTY:
        _cleaned(state, base, slot)
    state[at] = 0
    state[at + 1] = ABSENT
    return 0


@shared
def _forget(state: NDArray, base: int, at: int, size: int) -> int:
    """Drop what the cache has of these bytes."""
    unit = state[base + UNIT]
    for block in range(at // unit, (at + size) // unit):
        slot = _find(state, base, block)
        if slot >= 0:
            _drop(state, base, slot)
    return 0


@shared
def _use(state: NDArray, base: int, bucket: int) -> int:
    state[base + state[base + BUCKETS_AT] + 2 * bucket] = state[base + CLOCK]
    state[base + CLOCK] += 1
    return 0


@shared
def _room(state: NDArray, base: int) -> int:
    """1 if the open bucket has a slot left, or another one could be opened: the one used longest ago; else 0."""
    width = state[base + WIDTH]
    if state[base + FILLED] < width:
        return 1
    chosen = -1
    buckets = base + state[base + BUCKETS_AT]
    for number in range(state[base + SLOTS] // width):
        if state[buckets + 2 * number + 1] > 0 or number == state[base + OPEN]:
            continue
        if chosen < 0 or state[buckets + 2 * number] < state[buckets + 2 * chosen]:
            chosen = number
    if chosen < 0:
        return 0
    for slot in range(chosen * width, (chosen + 1) * width):
        if state[base + TABLE + SLOT * slot] > 0:
            _drop(state, base, slot)
    state[base + OPEN] = chosen
    state[base + FILLED] = 0
    _use(state, base, chosen)
    return 1


@shared
def _put(state: NDArray, base: int, block: int, dirty: int) -> int:
    """Let the next slot of the open bucket have a block, which no other slot has; returns the slot."""
    bucket = state[base + OPEN]
    slot = bucket * state[base + WIDTH] + state[base + FILLED]
    state[base + FILLED] += 1
    at = base + TABLE + SLOT * slot
    head = base + state[base + CHAINS_AT] + block % state[base + SLOTS]
    state[at] = block + 1
    state[at + 1] = DIRTY if dirty else CLEAN
    state[at + 2] = state[head]
    state[head] = slot + 1
    if dirty:
        region = _region(state, base, block)
        state[at + 3] = state[region]
        state[region] = slot + 1
        pinned = base + state[base + BUCKETS_AT] + 2 * bucket + 1
        if state[pinned] == 0:
            state[base + PINNED] += 1
        state[pinned] += 1
        state[base + BLOCKS] += 1
        state[base + BYTES] += state[base + UNIT]
    return slot


@shared
def _address(state: NDArray, base: int, slot: int, size: int) -> int:
    """Where a request begins on the fast device; none reaches beyond its end."""
    unit = state[base + UNIT]
    return max(min(slot * unit, state[base + SLOTS] * unit - size), 0)


@shared
def _store(state: NDArray, base: int, at: int, size: int, dirty: int) -> int:
    """Take blocks in, in place of what there was: address in the cache of the first plus 1, or 0 without room."""
    unit = state[base + UNIT]
    _forget(state, base, at, size)
    first = -1
    for block in range(at // unit, (at + size) // unit):
        if _room(state, base) == 0:
            _forget(state, base, at, size)
            return 0
        slot = _put(state, base, block, dirty)
        if first < 0:
            first = slot
    return _address(state, base, first, size) + 1


@shared
def _sequential(state: NDArray, base: int, now: int, at: int, size: int) -> int:
    """1 if a request ends a sequence that is long enough to pass by; a sequence goes on where a request ended."""
    if state[base + CUTOFF] == 0:
        return 0
    chosen = base + RECENTS
    for number in range(RECENT):
        place = base + RECENTS + 3 * number
        if state[place] == at and state[place + 1] > 0 and now - state[place + 2] <= REMEMBERED:
            chosen = place
            break
        if state[place + 2] < state[chosen + 2]:
            chosen = place
    if state[chosen] != at or now - state[chosen + 2] > REMEMBERED:
        state[chosen + 1] = 0
    state[chosen] = at + size
    state[chosen + 1] += size
    state[chosen + 2] = now
    return 1 if state[chosen + 1] >= state[base + CUTOFF] else 0


@shared
def _above(state: NDArray, base: int, limit: int) -> int:
    """1 if more than a percentage of buckets have dirty blocks."""
    return 1 if state[base + PINNED] * 100 > limit * (state[base + SLOTS] // state[base + WIDTH]) else 0


@shared
def _crowded(state: NDArray, base: int) -> int:
    """1 if too few buckets are without dirty blocks to add anything."""
    return _above(state, base, FULL)


@shared
def _dirty(state: NDArray, base: int, block: int) -> int:
    slot = _find(state, base, block)
    return 1 if slot >= 0 and state[base + TABLE + SLOT * slot + 1] == DIRTY else 0


@machine("cache")
def read(state: NDArray, base: int, now: int, at: int, size: int) -> int:
    """A read: the address in the cache of the first block to be read there, times FEW, and HIT, PARTLY, PASSING."""
    unit = state[base + UNIT]
    passing = PASSING * max(_sequential(state, base, now, at, size), _crowded(state, base))
    missing = 0
    first = -1
    dirty = -1
    for block in range(at // unit, (at + size) // unit):
        slot = _find(state, base, block)
        if slot < 0:
            missing += 1
            continue
        _use(state, base, slot // state[base + WIDTH])
        if first < 0:
            first = slot
        if dirty < 0 and state[base + TABLE + SLOT * slot + 1] >= DIRTY:
            dirty = slot
    if missing == 0:
        state[base + HITS] += 1
        return _address(state, base, first, size) * FEW + HIT
    state[base + MISSES] += 1
    if passing > 0:
        state[base + PASSED] += 1
    if dirty >= 0:
        return _address(state, base, dirty, size) * FEW + PARTLY + passing
    return passing


@machine("cache")
def add(state: NDArray, base: int, at: int, size: int) -> int:
    """What a read brought: where it goes in the cache plus 1; 0 if some is there meanwhile, or nowhere."""
    unit = state[base + UNIT]
    for block in range(at // unit, (at + size) // unit):
        if _find(state, base, block) >= 0:
            return 0
    return _store(state, base, at, size, 0)


@machine("cache")
def write(state: NDArray, base: int, now: int, at: int, size: int) -> int:
    """A write: where it goes in the cache times FEW, and AROUND, THROUGH or BACK.

    Plus 4 if writeback has been asleep, and is to be woken.
    """
    mode = state[base + MODE]
    passing = max(_sequential(state, base, now, at, size), _crowded(state, base))
    if mode == AROUND or passing > 0:
        _forget(state, base, at, size)
        if mode != AROUND:
            state[base + PASSED] += 1
        return AROUND
    if mode == BACK and _above(state, base, state[base + LIMIT]):
        mode = THROUGH
        state[base + OVER] += 1
    found = _store(state, base, at, size, 1 if mode == BACK else 0)
    if found == 0:
        return AROUND
    woken = 0
    if mode == BACK and state[base + ASLEEP]:
        state[base + ASLEEP] = 0
        woken = 4
    return (found - 1) * FEW + mode + woken


@machine("cache")
def take(state: NDArray, base: int) -> int:
    """The next dirty blocks to be written back, the first times COUNTED plus their number; 0 to sleep, as none is.

    They are as many as a run has, at a multiple of it, if all these are dirty, and else one.
    """
    cursor = state[base + CURSOR]
    start = cursor // state[base + REGION]
    first = -1
    for step in range(REGIONS + 1):
        number = (start + step) % REGIONS
        slot = state[base + REGION_LISTS + number] - 1
        while slot >= 0:
            block = state[base + TABLE + SLOT * slot] - 1
            if (step > 0 or block >= cursor) and (first < 0 or block < first):
                first = block
            slot = state[base + TABLE + SLOT * slot + 3] - 1
        if first >= 0:
            break
    if first < 0:
        state[base + ASLEEP] = 1
        return 0
    count = 1
    while first % state[base + RUN] == 0 and count < state[base + RUN] and _dirty(state, base, first + count):
        count += 1
    if count < state[base + RUN]:
        count = 1
    for block in range(first, first + count):
        slot = _find(state, base, block)
        _unlink(state, base, _region(state, base, block), 3, slot)
        state[base + TABLE + SLOT * slot + 1] = FLYING
    state[base + CURSOR] = first + count
    return first * COUNTED + count


@machine("cache")
def place(state: NDArray, base: int, block: int, count: int) -> int:
    """Address in the cache of blocks that were taken; of a block that was written meanwhile, any."""
    return _address(state, base, max(_find(state, base, block), 0), count * state[base + UNIT])


@machine("cache")
def landed(state: NDArray, base: int, block: int, count: int) -> int:
    """Blocks have been written back; those that were not written meanwhile are clean."""
    for number in range(block, block + count):
        slot = _find(state, base, number)
        if slot >= 0 and state[base + TABLE + SLOT * slot + 1] == FLYING:
            state[base + TABLE + SLOT * slot + 1] = CLEAN
            _cleaned(state, base, slot)
    state[base + WRITTEN] += count * state[base + UNIT]
    return 0


@machine("cache")
def pace(state: NDArray, base: int, now: int, size: int) -> int:
    """Time in ps until writeback may go on after so many bytes (__update_writeback_rate, bch_next_delay)."""
    if state[base + TARGET] == 0:
        return 0
    if now - state[base + SET] >= INTERVAL * SECOND:
        state[base + SET] = now
        error = state[base + BYTES] - state[base + TARGET]
        behind = state[base + NEXT] + SECOND // 1000 > now
        if (error < 0 and state[base + INTEGRAL] > 0) or (error > 0 and behind):
            state[base + INTEGRAL] += error * INTERVAL
        rate = error // PROPORTIONAL + state[base + INTEGRAL] // INTEGRAL_PART
        state[base + RATE] = min(max(rate, LEAST), MOST)
    due = state[base + NEXT] + size * SECOND // state[base + RATE]
    due = max(min(due, now + 2 * SECOND), now - 2 * SECOND)
    state[base + NEXT] = due
    return max(due - now, 0)
