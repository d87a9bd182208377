"""Objects of a server: where each lies, and a cache that keeps the ones that were used last.

Objects are numbered by popularity, from 0 on. Where they lie has nothing to do with that: object n has the place
n * step modulo the number of objects, which meets each place once if the two have no common divisor. The sizes of
places repeat in a fixed order.

The cache gives up the object that was used longest ago when it needs room (least recently used: R. L. Mattson et al.,
"Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2), 1970), a whole object at a time. An object
is read once, however many ask for it meanwhile: the others wait until it is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State
from simio.machines.shared import shared

PLACES = Layout("places of objects")
NUMBER = PLACES.word("number", "objects")
STEP = PLACES.word("step", "places", about="from the place of one object to that of the next less popular")
DEVICES = PLACES.word("devices", "devices", about="which have places in turn")
PATTERN = PLACES.word("pattern", "places", about="after which sizes repeat")
GROUP = PLACES.word("group", "bytes", about="bytes of a pattern on a device")
SLOTS = PLACES.table("slots", about="two words a place of the pattern: number of its size, and offset")
SLOT = 2
"""Words of a place."""

CACHE = Layout("object cache")
CAPACITY = CACHE.word("capacity", "bytes")
USED = CACHE.word("used", "bytes")
FIRST = CACHE.word("first", "", about="object that was used last, plus 1; 0: none")
LAST = CACHE.word("last", "", about="object that was used longest ago, plus 1; 0: none")
WAITING = CACHE.word("waiting", "threads", about="threads that wait for objects that others read")
HITS = CACHE.word("hits", "requests")
MISSES = CACHE.word("misses", "requests")
EVICTED = CACHE.word("evicted", "objects")
OBJECTS = CACHE.table("objects", about="three words an object: bytes in the cache, and the two beside it, plus 1")
OBJECT = 3
"""Words of an object."""
COMING = -1
"""Instead of its bytes, of an object that is being read."""


def step(number: int) -> int:
    """Places from an object to the next less popular one: near the golden section, so that these lie far apart."""
    found = max(number * 618 // 1000, 1)
    while gcd(found, number) > 1:
        found += 1
    return found


def places(number: int, devices: int, slots: Sequence[tuple[int, int]], group: int) -> State:
    """State of `number` objects on devices; `slots` are number of size and offset of the places of a pattern."""
    words = [word for slot in slots for word in slot]
    return PLACES.initial(
        number=number, step=step(number), devices=devices, pattern=len(slots), group=group, slots=words
    )


def cache(number: int, capacity: int, kept: Sequence[int] = ()) -> State:
    """State of a cache of some of `number` objects; `kept` are the bytes of the first ones, which are there."""
    table = [0] * (OBJECT * number)
    for at, size in enumerate(kept):
        # As if the most popular had been used last.
        table[OBJECT * at : OBJECT * (at + 1)] = [size, at, at + 2 if at + 1 < len(kept) else 0]
    ends = {"first": 1, "last": len(kept)} if kept else {}
    return CACHE.initial(capacity=capacity, used=sum(kept), objects=table, **ends)


@shared
def _place(state: NDArray, base: int, number: int) -> int:
    return number * state[base + STEP] % state[base + NUMBER]


@shared
def _slot(state: NDArray, base: int, number: int) -> int:
    """Position of the place of object `number` in the pattern of its device."""
    row = _place(state, base, number) // state[base + DEVICES]
    return base + SLOTS + SLOT * (row % state[base + PATTERN])


@machine("parts")
def device(state: NDArray, base: int, number: int) -> int:
    """Number of the device that has an object."""
    return _place(state, base, number) % state[base + DEVICES]


@machine("parts")
def kind(state: NDArray, base: int, number: int) -> int:
    """Number of an object's size."""
    return state[_slot(state, base, number)]


@machine("parts")
def address(state: NDArray, base: int, number: int) -> int:
    """First byte of an object on its device."""
    row = _place(state, base, number) // state[base + DEVICES]
    return row // state[base + PATTERN] * state[base + GROUP] + state[_slot(state, base, number) + 1]


@shared
def _unlink(state: NDArray, base: int, number: int) -> int:
    at = base + OBJECTS + OBJECT * number
    before = state[at + 1]
    after = state[at + 2]
    if before > 0:
        state[base + OBJECTS + OBJECT * (before - 1) + 2] = after
    else:
        state[base + FIRST] = after
    if after > 0:
        state[base + OBJECTS + OBJECT * (after - 1) + 1] = before
    else:
        state[base + LAST] = before
    return 0


@shared
def _link(state: NDArray, base: int, number: int) -> int:
    at = base + OBJECTS + OBJECT * number
    first = state[base + FIRST]
    state[at + 1] = 0
    state[at + 2] = first
    if first > 0:
        state[base + OBJECTS + OBJECT * (first - 1) + 1] = number + 1
    else:
        state[base + LAST] = number + 1
    state[base + FIRST] = number + 1
    return 0


@machine("parts")
def look(state: NDArray, base: int, number: int) -> int:
    """Look for an object: 1 if it is there, 0 if the caller has to read it, 2 if the caller has to wait for it."""
    size = state[base + OBJECTS + OBJECT * number]
    if size == COMING:
        state[base + WAITING] += 1
        return 2
    if size == 0:
        state[base + OBJECTS + OBJECT * number] = COMING
        state[base + MISSES] += 1
        return 0
    _unlink(state, base, number)
    _link(state, base, number)
    state[base + HITS] += 1
    return 1


@machine("parts")
def enter(state: NDArray, base: int, number: int, size: int) -> int:
    """An object of `size` bytes has been read or written: how many threads to wake, to look again.

    One that is larger than the cache is not kept.
    """
    at = base + OBJECTS + OBJECT * number
    if state[at] > 0:
        _unlink(state, base, number)
        _link(state, base, number)
    elif size > state[base + CAPACITY]:
        state[at] = 0
    else:
        while state[base + USED] + size > state[base + CAPACITY]:
            oldest = state[base + LAST] - 1
            _unlink(state, base, oldest)
            state[base + USED] -= state[base + OBJECTS + OBJECT * oldest]
            state[base + OBJECTS + OBJECT * oldest] = 0
            state[base + EVICTED] += 1
        state[at] = size
        state[base + USED] += size
        _link(state, base, number)
    woken = state[base + WAITING]
    state[base + WAITING] = 0
    return woken
