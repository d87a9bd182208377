"""The translation cache of an IOMMU and the walks that fill it.

The cache holds the pages that were asked for last (least recently used goes first). A page that is not there takes a
walk; walks go on a few at a time, in order of arrival, and who asks for a page whose walk is under way waits for that
walk and starts no other.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State
from simio.machines.shared import shared

WORDS = Layout("IOMMU")
ENTRIES = WORDS.word("entries", "pages", about="translations that the cache holds")
WALKS = WORDS.word("walks", about="walks at a time")
WALK = WORDS.word("walk", "ps", about="time of a walk")
PAGE = WORDS.word("page", "bytes")
FRESH = WORDS.word("fresh", "pages", about="pages that were mapped for one transfer only")
HITS = WORDS.word("hits", "pages")
MISSES = WORDS.word("misses", "pages")
JOINED = WORDS.word("joined", "pages", about="pages that were asked for while their walk was under way")
HELD = WORDS.word("held", "pages", about="entries in use")
CLOCK = WORDS.word("clock", about="number of the last request")
TABLE = WORDS.table("table", about="the walkers, each with the end of its walk; then three words an entry")
ENTRY = 3
"""Words of an entry: page, number of the last request for it, and the instant at which its walk ends."""
MAPPED = 2**40
"""Pages from here on are mapped for one transfer each."""


def initial(entries: int, walks: int, walk: int, page: int) -> State:
    """An empty cache of `entries`, of pages of `page` bytes, with `walks` walkers that take `walk` ps each."""
    words = [0] * (walks + ENTRY * entries)
    return WORDS.initial(entries=entries, walks=walks, walk=walk, page=page, table=words)


@shared
def walked(state: NDArray, base: int, now: int) -> int:
    """The end of a walk that is asked for now."""
    walker = 0
    for other in range(1, state[base + WALKS]):
        if state[base + TABLE + other] < state[base + TABLE + walker]:
            walker = other
    end = max(state[base + TABLE + walker], now) + state[base + WALK]
    state[base + TABLE + walker] = end
    return end


@shared
def ready(state: NDArray, base: int, now: int, page: int) -> int:
    """The instant from which the translation of a page is known, which is asked for now."""
    state[base + CLOCK] += 1
    entries = base + TABLE + state[base + WALKS]
    oldest = entries
    for number in range(state[base + HELD]):
        at = entries + ENTRY * number
        if state[at] == page:
            state[at + 1] = state[base + CLOCK]
            if state[at + 2] > now:
                state[base + JOINED] += 1
            else:
                state[base + HITS] += 1
            return max(state[at + 2], now)
        if state[at + 1] < state[oldest + 1]:
            oldest = at
    if state[base + HELD] < state[base + ENTRIES]:
        oldest = entries + ENTRY * state[base + HELD]
        state[base + HELD] += 1
    state[base + MISSES] += 1
    state[oldest] = page
    state[oldest + 1] = state[base + CLOCK]
    state[oldest + 2] = walked(state, base, now)
    return state[oldest + 2]


@machine("parts")
def translate(state: NDArray, base: int, now: int, place: int, amount: int) -> int:
    """A device wants `amount` bytes from address `place` on: the time in ps until all their pages are translated."""
    if place < 0 or amount < 1 or amount > 2**40:
        return -1
    page = state[base + PAGE]
    end = now
    for number in range(place // page, (place + amount - 1) // page + 1):
        end = max(end, ready(state, base, now, number))
    return end - now


@machine("parts")
def translate_fresh(state: NDArray, base: int, now: int, amount: int) -> int:
    """The same for `amount` bytes whose whole pages are mapped for this transfer; less than a page stays mapped."""
    if amount < 0 or amount > 2**40:
        return -1
    end = now
    for _ in range(amount // state[base + PAGE]):
        end = max(end, ready(state, base, now, MAPPED + state[base + FRESH]))
        state[base + FRESH] += 1
    return end - now
