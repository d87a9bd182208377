"""Places for what is programmed, garbage collection, and what the drive held before the run.

Data are appended to an open stripe, the host's to one and collected ones to another. When only `SPARE` stripes are
free, garbage is collected: of the stripe with the fewest sectors in use (greedy), which are moved, and then it is
erased. What that frees is the host's credit: so units of both go to the flash in turn, at the rate that holds.

What was there before the first write is written in the same way, in no time: all sectors in order of address, and
then, for a steady state, twice as many at random.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.shared import shared
from simio.machines.ssd import layout as w

OVERWRITTEN = 2
"""Overwrites of each sector before the run, on average, for a steady state."""


@shared
def outdate(state: NDArray, t: int, sector: int) -> None:
    """A sector is about to be elsewhere: where it was is garbage now."""
    place = state[t + state[t + w.MAP_AT] + sector]
    if place >= 0:
        leave(state, t, place)


@shared
def leave(state: NDArray, t: int, place: int) -> None:
    """Make the unit at a place garbage."""
    state[t + state[t + w.OWNER_AT] + place] = -1
    if place < state[t + w.STRIPES] * state[t + w.STRIPE]:
        state[t + state[t + w.VALID_AT] + place // state[t + w.STRIPE]] -= 1


@shared
def settle(state: NDArray, t: int, sector: int, place: int) -> None:
    """A sector has a place."""
    state[t + state[t + w.MAP_AT] + sector] = place
    state[t + state[t + w.OWNER_AT] + place] = sector
    if place < state[t + w.STRIPES] * state[t + w.STRIPE]:
        state[t + state[t + w.VALID_AT] + place // state[t + w.STRIPE]] += 1


@shared
def open_stripe(state: NDArray, t: int) -> int:
    """First place of a free stripe, which is free no more; -1 if there is none."""
    if state[t + w.FREE_COUNT] < 1:
        return -1
    stripes = state[t + w.STRIPES]
    number = state[t + w.CURSOR]
    while state[t + state[t + w.VALID_AT] + number] >= 0:
        number = (number + 1) % stripes
    state[t + w.CURSOR] = (number + 1) % stripes
    state[t + w.FREE_COUNT] -= 1
    state[t + state[t + w.VALID_AT] + number] = 0
    return number * state[t + w.STRIPE]


@shared
def next_unit(state: NDArray, t: int, unit: int, moved: int) -> int:
    """First place of the unit that is programmed next, with the host's data or `moved` ones; -1 if there is none."""
    at, end = (w.MOVED_AT, w.MOVED_END) if moved else (w.HOST_AT, w.HOST_END)
    if state[t + at] >= state[t + end]:
        first = open_stripe(state, t)
        if first < 0:
            return -1
        state[t + at] = first
        state[t + end] = first + state[t + w.STRIPE]
    place = state[t + at]
    state[t + at] += unit
    return place


@shared
def choose(state: NDArray, t: int) -> int:
    """The stripe with the fewest sectors in use, of those that are full; -1 where none has garbage."""
    best = -1
    least = state[t + w.STRIPE]
    # The stripe that was opened last stays out: units of it are still being filled.
    host = (state[t + w.HOST_END] - 1) // state[t + w.STRIPE]
    moved = (state[t + w.MOVED_END] - 1) // state[t + w.STRIPE]
    row = t + state[t + w.VALID_AT]
    for number in range(state[t + w.STRIPES]):
        valid = state[row + number]
        if 0 <= valid < least and number != host and number != moved:
            best = number
            least = valid
    return best


@shared
def must_collect(state: NDArray, t: int, unit: int) -> bool:
    """True if the next unit has to be one of garbage collection: free stripes are few, and for each of the host's
    units as much has been freed, or they are too few for any."""
    if state[t + w.FREE_COUNT] <= w.RESERVED:
        return True
    return state[t + w.FREE_COUNT] <= w.SPARE and state[t + w.CREDIT] < unit


@shared
def erase(state: NDArray, t: int, number: int) -> None:
    """A stripe is free."""
    state[t + state[t + w.VALID_AT] + number] = -1
    state[t + w.FREE_COUNT] += 1
    state[t + w.ERASED] += 1
    state[t + w.VICTIM] = -1


@shared
def next_valid(state: NDArray, t: int) -> int:
    """Place of the next sector that garbage collection has to move; -1 where no garbage is to be found."""
    while True:
        if state[t + w.VICTIM] < 0:
            victim = choose(state, t)
            if victim < 0:
                return -1
            state[t + w.VICTIM] = victim
            state[t + w.GAIN_OF] = state[t + state[t + w.VALID_AT] + victim]
            state[t + w.GAIN] = state[t + w.STRIPE] - state[t + w.GAIN_OF]
            if state[t + w.GAIN_OF] == 0:
                state[t + w.CREDIT] += state[t + w.STRIPE]
            state[t + w.VICTIM_AT] = victim * state[t + w.STRIPE]
        end = (state[t + w.VICTIM] + 1) * state[t + w.STRIPE]
        while state[t + w.VICTIM_AT] < end:
            place = state[t + w.VICTIM_AT]
            state[t + w.VICTIM_AT] += 1
            if state[t + state[t + w.OWNER_AT] + place] >= 0:
                state[t + w.GAINED] += state[t + w.GAIN]
                state[t + w.CREDIT] += state[t + w.GAINED] // state[t + w.GAIN_OF]
                state[t + w.GAINED] %= state[t + w.GAIN_OF]
                return place
        erase(state, t, state[t + w.VICTIM])


@shared
def put_now(state: NDArray, t: int, sector: int) -> None:
    """Write a sector in no time, as before the run."""
    while state[t + w.FREE_COUNT] <= w.SPARE and move_now(state, t):
        pass
    outdate(state, t, sector)
    if state[t + w.HOST_AT] >= state[t + w.HOST_END]:
        place = next_unit(state, t, 1, 0)
    else:
        place = state[t + w.HOST_AT]
        state[t + w.HOST_AT] += 1
    settle(state, t, sector, place)


@shared
def move_now(state: NDArray, t: int) -> bool:
    """Move a sector in no time; false where no garbage is to be found."""
    place = next_valid(state, t)
    if place < 0:
        return False
    sector = state[t + state[t + w.OWNER_AT] + place]
    # The mapping leads here: to look it up would wait for memory each time.
    leave(state, t, place)
    settle(state, t, sector, next_unit(state, t, 1, 1))
    return True


@shared
def prepare(state: NDArray, base: int) -> None:
    """Fill the tables with what was there before the run, once, and those of drives alike with the same."""
    t = base + state[base + w.TABLES_AT]
    if state[t + w.MADE]:
        return
    first = t + state[t + w.LEADER]
    write_before(state, first + state[first + w.HOME], first)
    follower = first
    while state[follower + w.FOLLOWER]:
        follower += state[follower + w.FOLLOWER]
        copy_tables(state, first, follower)


@machine("ssd")
def begin(state: NDArray, base: int) -> int:
    """First act of the first command: 0 when the tables hold what was there before the run."""
    prepare(state, base)
    return 0


@shared
def copy_tables(state: NDArray, first: int, t: int) -> None:
    """Give tables what others of the same sizes hold, nothing of which has been written in the run."""
    state[t + w.MADE] = 1
    for word in range(w.CREDIT, state[t + w.BUFFER_AT]):
        state[t + word] = state[first + word]


@shared
def write_before(state: NDArray, base: int, t: int) -> None:
    """Write what was there before the run, in no time."""
    state[t + w.MADE] = 1
    unit = state[base + w.UNIT]
    logical = state[t + w.LOGICAL]
    if state[base + w.PLACEMENT] == w.NOWHERE or state[base + w.IN_PLACE]:
        return
    for sector in range(logical):
        put_now(state, t, sector)
    if state[base + w.PLACEMENT] >= w.SCATTERED:
        seed = state[t + w.SEED]
        for _ in range(OVERWRITTEN * logical):
            seed = seed * 48271 % 2147483647
            put_now(state, t, seed % logical)
        state[t + w.SEED] = seed
    # Open stripes end on a unit, since units are programmed whole.
    state[t + w.HOST_AT] = min(-(-state[t + w.HOST_AT] // unit) * unit, state[t + w.HOST_END])
    state[t + w.MOVED_AT] = min(-(-state[t + w.MOVED_AT] // unit) * unit, state[t + w.MOVED_END])
    if state[base + w.PLACEMENT] == w.WRITTEN:
        fill_cache(state, t, unit)
    row = t + state[t + w.SETTLED_AT]
    for number in range(state[t + w.STRIPES] * state[t + w.STRIPE] // unit + state[t + w.CACHED]):
        state[row + number] = 1
    state[t + w.HOST_SECTORS] = state[t + w.MOVED_SECTORS] = state[t + w.ERASED] = 0


@shared
def fill_cache(state: NDArray, t: int, unit: int) -> None:
    """Write the cache in SLC mode full, at random."""
    seed = state[t + w.SEED]
    first = state[t + w.STRIPES] * state[t + w.STRIPE]
    for place in range(first, first + state[t + w.CACHE] * unit):
        seed = seed * 48271 % 2147483647
        sector = seed % state[t + w.LOGICAL]
        outdate(state, t, sector)
        settle(state, t, sector, place)
    state[t + w.SEED] = seed
    state[t + w.CACHED] = state[t + w.CACHE]
