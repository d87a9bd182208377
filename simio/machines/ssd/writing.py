"""Writes: data are in the drive's buffer when a command is done, and leave it a unit at a time.

Threads program units, up to two for each die at once. A thread takes a unit of the host's data, for the cache in SLC
mode or, where that is full, for a stripe; or, where free stripes are few, a unit of garbage collection, whose sectors
it first has to read; or, where the host's data do not fill one, a unit of what is in the cache. A unit's pages go to
its die over the channel one by one, so that reads get in between, and then the die programs them.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.shared import shared
from simio.machines.ssd import layout as w
from simio.machines.ssd.collecting import must_collect, next_unit, next_valid, outdate, prepare, settle
from simio.machines.ssd.flash import carry, carrying, die_at, work_die
from simio.machines.ssd.reading import free_tag, go_on, new_tag, read_place

NOTHING = 0
"""The answer of `take` where nothing is to be programmed."""


@machine("ssd")
def store(state: NDArray, base: int, now: int, sector: int, count: int) -> int:
    """`count` sectors have come. Twice the number of those whose place in the buffer they take, and 1 more where one
    more thread has to be started that programs; -1 if that cannot be."""
    if now > w.LATEST or sector < 0 or count < 1 or sector + count > state[base + w.SECTORS]:
        return -1
    t = base + state[base + w.TABLES_AT]
    prepare(state, base)
    ring = t + state[t + w.BUFFER_AT]
    absorbed = 0
    for number in range(sector, sector + count):
        own = number
        if not state[base + w.IN_PLACE]:
            own = number % state[t + w.LOGICAL]
            if state[t + state[t + w.MAP_AT] + own] < w.UNMAPPED:
                absorbed += 1
                continue
            outdate(state, t, own)
            state[t + state[t + w.MAP_AT] + own] = -2 - state[t + w.TAIL]
        state[ring + state[t + w.TAIL]] = own
        state[t + w.TAIL] = (state[t + w.TAIL] + 1) % state[t + w.ROOM]
        state[t + w.PENDING] += 1
    unit = state[base + w.UNIT]
    # As many units wait as threads are busy; or the buffer is full, and what waits is less only as it is so small.
    share = unit * (state[t + w.WORKERS] + 1)
    wanted = min(share, max(state[t + w.ROOM] - share, unit))
    if state[t + w.PENDING] >= wanted and state[t + w.WORKERS] < 2 * state[base + w.DIES]:
        state[t + w.WORKERS] += 1
        return 2 * absorbed + 1
    return 2 * absorbed


@machine("ssd")
def take(state: NDArray, base: int, now: int) -> int:
    """The tag of a unit that a thread is to program, or NOTHING, with which the thread ends; -1 if none can be."""
    t = base + state[base + w.TABLES_AT]
    unit = state[base + w.UNIT]
    waits = state[t + w.PENDING] >= unit or state[t + w.FORCED] > 0
    if not waits and state[t + w.CACHED] == 0:
        state[t + w.WORKERS] -= 1
        return NOTHING
    tag = new_tag(state, base, now)
    if tag < 0:
        return -1
    state[base + tag + w.FREES] = state[base + tag + w.EPOCH] = 0
    state[base + tag + w.PHASE] = w.WAITS
    state[base + tag + w.TIME] = state[base + w.PROGRAM]
    if state[base + w.IN_PLACE]:
        state[base + tag + w.FREES] = unit
        state[base + tag + w.TARGET] = state[t + state[t + w.BUFFER_AT] + leave(state, t)]
        count_active(state, base, t, tag)
        count_forced(state, base, t, unit)
        state[t + w.HOST_SECTORS] += unit
        return tag
    if waits and state[t + w.CACHED] < state[t + w.CACHE]:
        fill(state, base, tag, cache_unit(state, base, tag))
        return tag
    collects = must_collect(state, t, unit)
    place = next_unit(state, t, unit, 1 if collects else 0)
    if place < 0:
        return -1
    aim(state, base, tag, place)
    if collects:
        state[t + w.MOVED_SECTORS] += gather(state, base, now, tag, place, 0)
        return tag
    if state[t + w.FREE_COUNT] <= w.SPARE:
        state[t + w.CREDIT] -= unit
    else:
        state[t + w.CREDIT] = 0
    if waits:
        fill(state, base, tag, place)
    else:
        state[t + w.FOLDED_SECTORS] += gather(state, base, now, tag, place, 1)
    return tag


@shared
def aim(state: NDArray, base: int, tag: int, place: int) -> None:
    """The pages of a tag go to the unit at a place, which cannot be read until they are programmed."""
    t = base + state[base + w.TABLES_AT]
    state[base + tag + w.TARGET] = place // state[base + w.UNIT]
    state[t + state[t + w.SETTLED_AT] + place // state[base + w.UNIT]] = 0


@shared
def cache_unit(state: NDArray, base: int, tag: int) -> int:
    """First place of the next unit of the cache in SLC mode, for what has this tag."""
    t = base + state[base + w.TABLES_AT]
    place = state[t + w.STRIPES] * state[t + w.STRIPE] + state[t + w.CACHE_NEXT] * state[base + w.UNIT]
    state[t + w.CACHE_NEXT] = (state[t + w.CACHE_NEXT] + 1) % state[t + w.CACHE]
    state[t + w.CACHED] += 1
    state[base + tag + w.TIME] = state[base + w.FAST_PROGRAM]
    aim(state, base, tag, place)
    return place


@shared
def next_cached(state: NDArray, base: int) -> int:
    """Place of the next sector that has to be moved out of the cache; -1 where there is none."""
    t = base + state[base + w.TABLES_AT]
    unit = state[base + w.UNIT]
    while state[t + w.CACHED] > 0:
        row = state[t + w.CACHE_ROW]
        place = state[t + w.STRIPES] * state[t + w.STRIPE] + row
        if not state[t + state[t + w.SETTLED_AT] + place // unit]:
            return -1
        state[t + w.CACHE_ROW] = (row + 1) % (state[t + w.CACHE] * unit)
        if state[t + w.CACHE_ROW] % unit == 0:
            state[t + w.CACHED] -= 1
        if state[t + state[t + w.OWNER_AT] + place] >= 0:
            return place
    return -1


@shared
def leave(state: NDArray, t: int) -> int:
    """Row of the oldest sector in the buffer, which is on its way to the flash now."""
    row = state[t + w.HEAD]
    state[t + w.HEAD] = (row + 1) % state[t + w.ROOM]
    state[t + w.PENDING] -= 1
    return row


@shared
def fill(state: NDArray, base: int, tag: int, place: int) -> None:
    """Give the oldest sectors of the buffer their places in a unit; of one that a flush forces, the rest is filler.

    In SLC mode it then takes the pages that are needed only.
    """
    t = base + state[base + w.TABLES_AT]
    count_active(state, base, t, tag)
    count = min(state[base + w.UNIT], state[t + w.PENDING])
    for number in range(count):
        settle(state, t, state[t + state[t + w.BUFFER_AT] + leave(state, t)], place + number)
    for number in range(count, state[base + w.UNIT]):
        state[t + state[t + w.OWNER_AT] + place + number] = -1
    state[t + w.HOST_SECTORS] += state[base + w.UNIT]
    state[base + tag + w.FREES] = count
    if place >= state[t + w.STRIPES] * state[t + w.STRIPE]:
        state[base + tag + w.TIME] = (
            state[base + w.FAST_PROGRAM] * rows_of(state, base, count) // state[base + w.BITS]
        )
    count_forced(state, base, t, count)


@shared
def rows_of(state: NDArray, base: int, count: int) -> int:
    """Pages on all planes that so many sectors take."""
    whole = state[base + w.PAGE] * state[base + w.PLANES]
    return (count + whole - 1) // whole


@shared
def count_active(state: NDArray, base: int, t: int, tag: int) -> None:
    """A unit of the host's data is on its way, for the next flush."""
    state[t + w.ACTIVE] += 1
    state[base + tag + w.EPOCH] = state[t + w.FLUSHES]
    state[die_at(state, base, state[base + tag + w.TARGET] % state[base + w.DIES]) + w.WAITS_NEXT] += 1


@shared
def count_forced(state: NDArray, base: int, t: int, count: int) -> None:
    """Count sectors that have left the buffer; the last that a flush waits for closes its epoch."""
    if state[t + w.FORCED] > 0:
        state[t + w.FORCED] = max(state[t + w.FORCED] - count, 0)
        if state[t + w.FORCED] == 0:
            close_epoch(state, base, t)


@shared
def close_epoch(state: NDArray, base: int, t: int) -> None:
    """Let the present flush wait for all that is on its way now."""
    state[t + w.OLD] += state[t + w.ACTIVE]
    state[t + w.ACTIVE] = 0
    state[t + w.FLUSHES] += 1
    for die in range(state[base + w.DIES]):
        d = die_at(state, base, die)
        state[d + w.WAITS_OLD] += state[d + w.WAITS_NEXT]
        state[d + w.WAITS_NEXT] = 0


@shared
def goes_first(state: NDArray, base: int, tag: int, d: int) -> bool:
    """True if a unit can have a die that is free: others leave it to those for which a flush waits."""
    if state[d + w.WAITS_OLD] == 0 and state[base + tag + w.EPOCH] == 0:
        return True
    t = base + state[base + w.TABLES_AT]
    old = 0 < state[base + tag + w.EPOCH] < state[t + w.FLUSHES]
    if state[d + w.WAITS_OLD] > 0 and not old:
        return False
    state[d + (w.WAITS_OLD if old else w.WAITS_NEXT)] -= 1
    return True


@machine("ssd")
def flush(state: NDArray, base: int, now: int) -> int:
    """A flush begins, of which there is one at a time: 0 where the flash has all data, else 1, and 2 more where one
    more thread has to be started that programs; -1 if that cannot be."""
    t = base + state[base + w.TABLES_AT]
    if now > w.LATEST or state[t + w.FLUSHING]:
        return -1
    state[t + w.FORCED] = state[t + w.PENDING]
    if state[t + w.FORCED] == 0:
        close_epoch(state, base, t)
    if state[t + w.FORCED] == 0 and state[t + w.OLD] == 0:
        return 0
    state[t + w.FLUSHING] = 1
    if state[t + w.FORCED] == 0 or state[t + w.WORKERS] >= 2 * state[base + w.DIES]:
        return 1
    state[t + w.WORKERS] += 1
    return 3


@machine("ssd")
def flushed(state: NDArray, base: int) -> int:
    """1 where the flash now has all that a flush waits for, answered once; else 0."""
    t = base + state[base + w.TABLES_AT]
    if not state[t + w.FLUSHING] or state[t + w.FORCED] > 0 or state[t + w.OLD] > 0:
        return 0
    state[t + w.FLUSHING] = 0
    return 1


@shared
def gather(state: NDArray, base: int, now: int, tag: int, place: int, cached: int) -> int:
    """Give sectors of the stripe that is collected, or of the cache, their places in a unit, and begin to read them.

    Returns their number."""
    t = base + state[base + w.TABLES_AT]
    state[base + tag + w.PHASE] = w.COLLECTS
    filled = 0
    before = -1
    erased = state[t + w.ERASED]
    while filled < state[base + w.UNIT]:
        old = next_cached(state, base) if cached else next_valid(state, t)
        if old < 0:
            break
        sector = state[t + state[t + w.OWNER_AT] + old]
        if state[t + state[t + w.SETTLED_AT] + old // state[base + w.UNIT]]:
            read_place(state, base, now, tag, old, before)
            before = old
        outdate(state, t, sector)
        settle(state, t, sector, place + filled)
        filled += 1
    for die in range(state[base + w.DIES]):
        state[die_at(state, base, die) + w.DEBT] += state[t + w.ERASED] - erased
    return filled


@machine("ssd")
def work(state: NDArray, base: int, now: int, tag: int) -> int:
    """Time to wait until a unit has more to do; LAST and the room that it frees in the buffer, once it is done."""
    row = base + tag
    if state[row + w.PHASE] == w.COLLECTS:
        at = go_on(state, base, now, tag)
        if at < w.LAST:
            return at - now
        state[row + w.PHASE] = w.WAITS
        if at > w.LAST + now:
            return at - w.LAST - now + state[base + w.DECODE]
    die = state[row + w.TARGET] % state[base + w.DIES]
    d = die_at(state, base, die)
    if state[row + w.PHASE] == w.WAITS:
        if now < state[d + w.FINISH]:
            return state[d + w.FINISH] - now
        if state[d + w.HOLDER] >= 0:
            return rest(state, base, d)
        t = base + state[base + w.TABLES_AT]
        if state[d + w.DEBT] >= state[t + w.SCALE]:
            state[d + w.DEBT] -= state[t + w.SCALE]
            state[base + w.WORKED] += state[base + w.ERASE]
            return work_die(state, base, now, die, state[base + w.ERASE]) - now
        if not goes_first(state, base, tag, d):
            return 1
        state[d + w.HOLDER] = tag
        state[d + w.HELD] = now
        state[row + w.PHASE] = w.MOVES
        state[row + w.LEFT] = state[base + w.PLANES] * state[base + w.BITS]
        if 0 < state[row + w.TIME] < state[base + w.FAST_PROGRAM]:
            state[row + w.LEFT] = state[base + w.PLANES] * rows_of(state, base, state[row + w.FREES])
    if state[row + w.PHASE] == w.MOVES:
        if state[row + w.LEFT] > 0:
            state[row + w.LEFT] -= 1
            sectors = programmed_page(state, base)
            wait = carry(state, base, now, die % state[base + w.CHANNELS], sectors) - now
            # A die that waits for its channel does nothing meanwhile.
            state[d + w.HELD] += wait - carrying(state, base, sectors)
            return wait
        state[row + w.PHASE] = w.PROGRAMS
        return work_die(state, base, now, die, state[row + w.TIME]) - now
    if now < state[d + w.FINISH]:
        return state[d + w.FINISH] - now
    state[base + w.WORKED] += now - state[d + w.HELD]
    return finish(state, base, tag, d)


@shared
def programmed_page(state: NDArray, base: int) -> int:
    """Sectors of a page of a unit: all, or the one that is overwritten in place."""
    return state[base + w.UNIT] // (state[base + w.PLANES] * state[base + w.BITS])


@shared
def rest(state: NDArray, base: int, d: int) -> int:
    """Time that a die needs at the least for what it has begun; 1 ps where that ends at this very instant."""
    left = state[base + state[d + w.HOLDER] + w.LEFT]
    page = carrying(state, base, programmed_page(state, base))
    if state[base + state[d + w.HOLDER] + w.PHASE] == w.PROGRAMS:
        return 1
    return left * page + state[base + state[d + w.HOLDER] + w.TIME]


@shared
def finish(state: NDArray, base: int, tag: int, d: int) -> int:
    """A unit is programmed."""
    state[d + w.HOLDER] = -1
    if not state[base + w.IN_PLACE]:
        t = base + state[base + w.TABLES_AT]
        state[t + state[t + w.SETTLED_AT] + state[base + tag + w.TARGET]] = 1
    freed = state[base + tag + w.FREES]
    if state[base + tag + w.EPOCH] > 0:
        t = base + state[base + w.TABLES_AT]
        if state[base + tag + w.EPOCH] < state[t + w.FLUSHES]:
            state[t + w.OLD] -= 1
        else:
            state[t + w.ACTIVE] -= 1
    free_tag(state, base, tag)
    return w.LAST + freed
