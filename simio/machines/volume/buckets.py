"""A cache of blocks on a fast device: buckets that are filled in order, where each block is, and what is dirty.

After Linux bcache (Documentation/admin-guide/bcache.rst; drivers/md/bcache: alloc.c, request.c, writeback.c). New
data go to the next slot of the open bucket; when it is full, the bucket without dirty blocks that was used longest
ago is emptied and opened. Dirty blocks are written back in ascending order, at a rate that a controller sets.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.shared import shared
from simio.machines.volume import caching as c


@shared
def find(state: NDArray, base: int, block: int) -> int:
    """The slot that has a block, or -1."""
    slot = state[base + state[base + c.CHAINS_AT] + block % state[base + c.SLOTS]] - 1
    while slot >= 0 and state[base + c.TABLE + c.SLOT * slot] != block + 1:
        slot = state[base + c.TABLE + c.SLOT * slot + 2] - 1
    return slot


@shared
def unlink(state: NDArray, base: int, head: int, word: int, slot: int) -> int:
    """Take a slot out of the list at `head`, whose next slots are in a word of each."""
    at = head
    while state[at] != slot + 1:
        at = base + c.TABLE + c.SLOT * (state[at] - 1) + word
    state[at] = state[base + c.TABLE + c.SLOT * slot + word]
    return 0


@shared
def region_of(state: NDArray, base: int, block: int) -> int:
    return base + c.REGION_LISTS + block // state[base + c.REGION]


@shared
def cleaned(state: NDArray, base: int, slot: int) -> int:
    """A slot is dirty no more."""
    at = base + state[base + c.BUCKETS_AT] + 2 * (slot // state[base + c.WIDTH]) + 1
    state[at] -= 1
    if state[at] == 0:
        state[base + c.PINNED] -= 1
    state[base + c.BLOCKS] -= 1
    state[base + c.BYTES] -= state[base + c.UNIT]
    return 0


@shared
def _drop(state: NDArray, base: int, slot: int) -> int:
    """Forget what a slot has."""
    at = base + c.TABLE + c.SLOT * slot
    block = state[at] - 1
    unlink(state, base, base + state[base + c.CHAINS_AT] + block % state[base + c.SLOTS], 2, slot)
    if state[at + 1] == c.DIRTY:
        unlink(state, base, region_of(state, base, block), 3, slot)
    if state[at + 1] >= c.DIRTY:
        cleaned(state, base, slot)
    state[at] = 0
    state[at + 1] = c.ABSENT
    return 0


@shared
def _forget(state: NDArray, base: int, at: int, size: int) -> int:
    """Drop what the cache has of these bytes."""
    unit = state[base + c.UNIT]
    for block in range(at // unit, (at + size) // unit):
        slot = find(state, base, block)
        if slot >= 0:
            _drop(state, base, slot)
    return 0


@shared
def _use(state: NDArray, base: int, bucket: int) -> int:
    state[base + state[base + c.BUCKETS_AT] + 2 * bucket] = state[base + c.CLOCK]
    state[base + c.CLOCK] += 1
    return 0


@shared
def _room(state: NDArray, base: int) -> int:
    """1 if the open bucket has a slot left, or another one could be opened: the one used longest ago; else 0."""
    width = state[base + c.WIDTH]
    if state[base + c.FILLED] < width:
        return 1
    chosen = -1
    buckets = base + state[base + c.BUCKETS_AT]
    for number in range(state[base + c.SLOTS] // width):
        if state[buckets + 2 * number + 1] > 0 or number == state[base + c.OPEN]:
            continue
        if chosen < 0 or state[buckets + 2 * number] < state[buckets + 2 * chosen]:
            chosen = number
    if chosen < 0:
        return 0
    for slot in range(chosen * width, (chosen + 1) * width):
        if state[base + c.TABLE + c.SLOT * slot] > 0:
            _drop(state, base, slot)
    state[base + c.OPEN] = chosen
    state[base + c.FILLED] = 0
    _use(state, base, chosen)
    return 1


@shared
def _put(state: NDArray, base: int, block: int, dirty: int) -> int:
    """Let the next slot of the open bucket have a block, which no other slot has; returns the slot."""
    bucket = state[base + c.OPEN]
    slot = bucket * state[base + c.WIDTH] + state[base + c.FILLED]
    state[base + c.FILLED] += 1
    at = base + c.TABLE + c.SLOT * slot
    head = base + state[base + c.CHAINS_AT] + block % state[base + c.SLOTS]
    state[at] = block + 1
    state[at + 1] = c.DIRTY if dirty else c.CLEAN
    state[at + 2] = state[head]
    state[head] = slot + 1
    if dirty:
        region = region_of(state, base, block)
        state[at + 3] = state[region]
        state[region] = slot + 1
        pinned = base + state[base + c.BUCKETS_AT] + 2 * bucket + 1
        if state[pinned] == 0:
            state[base + c.PINNED] += 1
        state[pinned] += 1
        state[base + c.BLOCKS] += 1
        state[base + c.BYTES] += state[base + c.UNIT]
    return slot


@shared
def address(state: NDArray, base: int, slot: int, size: int) -> int:
    """The address of a request on the fast device, whose end no request crosses."""
    unit = state[base + c.UNIT]
    return max(min(slot * unit, state[base + c.SLOTS] * unit - size), 0)


@shared
def _store(state: NDArray, base: int, at: int, size: int, dirty: int) -> int:
    """Take blocks in, in place of what there was: address in the cache of the first plus 1, or 0 without room."""
    unit = state[base + c.UNIT]
    _forget(state, base, at, size)
    first = -1
    for block in range(at // unit, (at + size) // unit):
        if _room(state, base) == 0:
            _forget(state, base, at, size)
            return 0
        slot = _put(state, base, block, dirty)
        if first < 0:
            first = slot
    return address(state, base, first, size) + 1


@shared
def _sequential(state: NDArray, base: int, now: int, at: int, size: int) -> int:
    """1 if a request ends a sequence that is long enough to pass by; a sequence goes on where a request ended."""
    if state[base + c.CUTOFF] == 0:
        return 0
    chosen = base + c.RECENTS
    for number in range(c.RECENT):
        place = base + c.RECENTS + 3 * number
        if state[place] == at and state[place + 1] > 0 and now - state[place + 2] <= c.REMEMBERED:
            chosen = place
            break
        if state[place + 2] < state[chosen + 2]:
            chosen = place
    if state[chosen] != at or now - state[chosen + 2] > c.REMEMBERED:
        state[chosen + 1] = 0
    state[chosen] = at + size
    state[chosen + 1] += size
    state[chosen + 2] = now
    return 1 if state[chosen + 1] >= state[base + c.CUTOFF] else 0


@shared
def _above(state: NDArray, base: int, limit: int) -> int:
    """1 if more than a percentage of buckets have dirty blocks."""
    return 1 if state[base + c.PINNED] * 100 > limit * (state[base + c.SLOTS] // state[base + c.WIDTH]) else 0


@shared
def _crowded(state: NDArray, base: int) -> int:
    """1 if too few buckets are without dirty blocks to add anything."""
    return _above(state, base, c.FULL)


@machine("cache")
def read(state: NDArray, base: int, now: int, at: int, size: int) -> int:
    """A read: the address in the cache of the first block to be read there, times FEW, and HIT, PARTLY, PASSING."""
    unit = state[base + c.UNIT]
    passing = c.PASSING * max(_sequential(state, base, now, at, size), _crowded(state, base))
    missing = 0
    first = -1
    dirty = -1
    for block in range(at // unit, (at + size) // unit):
        slot = find(state, base, block)
        if slot < 0:
            missing += 1
            continue
        _use(state, base, slot // state[base + c.WIDTH])
        if first < 0:
            first = slot
        if dirty < 0 and state[base + c.TABLE + c.SLOT * slot + 1] >= c.DIRTY:
            dirty = slot
    if missing == 0:
        state[base + c.HITS] += 1
        return address(state, base, first, size) * c.FEW + c.HIT
    state[base + c.MISSES] += 1
    if passing > 0:
        state[base + c.PASSED] += 1
    if dirty >= 0:
        return address(state, base, dirty, size) * c.FEW + c.PARTLY + passing
    return passing


@machine("cache")
def add(state: NDArray, base: int, at: int, size: int) -> int:
    """Take the blocks of a read in: their address in the cache plus 1; 0 if it has some by now, or no room."""
    unit = state[base + c.UNIT]
    for block in range(at // unit, (at + size) // unit):
        if find(state, base, block) >= 0:
            return 0
    return _store(state, base, at, size, 0)


@machine("cache")
def write(state: NDArray, base: int, now: int, at: int, size: int) -> int:
    """A write: where it goes in the cache times FEW, and AROUND, THROUGH or BACK.

    Plus 4 if writeback has been asleep, and is to be woken.
    """
    mode = state[base + c.MODE]
    passing = max(_sequential(state, base, now, at, size), _crowded(state, base))
    if mode == c.AROUND or passing > 0:
        _forget(state, base, at, size)
        if mode != c.AROUND:
            state[base + c.PASSED] += 1
        return c.AROUND
    if mode == c.BACK and _above(state, base, state[base + c.LIMIT]):
        mode = c.THROUGH
        state[base + c.OVER] += 1
    found = _store(state, base, at, size, 1 if mode == c.BACK else 0)
    if found == 0:
        return c.AROUND
    woken = 0
    if mode == c.BACK and state[base + c.ASLEEP]:
        state[base + c.ASLEEP] = 0
        woken = 4
    return (found - 1) * c.FEW + mode + woken
