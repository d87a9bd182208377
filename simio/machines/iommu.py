"""The translation cache of an IOMMU and the walks that fill it.

The cache holds the pages that were asked for last (least recently used goes first). A page that is not there takes a
walk; walks go on a few at a time, in order of arrival. Pages whose walk is under way wait beside the cache: who asks
for one of them waits for its walk and starts no other, and it gets into the cache when the walk has ended.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State
from simio.machines.shared import shared

PLACES = 1024
"""Pages that can wait for walks at once; who asks for more of them walks in any case."""

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
FIRST = WORDS.word("first", about="place of the page whose walk ends first")
UNDER_WAY = WORDS.word("under_way", "pages", about="pages whose walk has not ended, in order of their ends")
WAITING = WORDS.table("waiting", 2 * PLACES, about="of each such page: its number, and the instant of the end")
TABLE = WORDS.table("table", about="the walkers, each with the end of its walk; then two words an entry")
ENTRY = 2
"""Words of an entry: page, and number of the last request for it."""
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
def entry_of(state: NDArray, base: int, page: int) -> int:
    """The place of a page in the cache, or -1."""
    entries = base + TABLE + state[base + WALKS]
    for number in range(state[base + HELD]):
        if state[entries + ENTRY * number] == page:
            return entries + ENTRY * number
    return -1


@shared
def keep(state: NDArray, base: int, page: int) -> None:
    """A page gets into the cache, in place of the one that was asked for longest ago if that is full."""
    entries = base + TABLE + state[base + WALKS]
    place = entries
    if state[base + HELD] < state[base + ENTRIES]:
        place = entries + ENTRY * state[base + HELD]
        state[base + HELD] += 1
    else:
        for number in range(1, state[base + ENTRIES]):
            if state[entries + ENTRY * number + 1] < state[place + 1]:
                place = entries + ENTRY * number
    state[base + CLOCK] += 1
    state[place] = page
    state[place + 1] = state[base + CLOCK]


@shared
def catch_up(state: NDArray, base: int, now: int) -> None:
    """The pages whose walks have ended get into the cache."""
    while state[base + UNDER_WAY] > 0:
        at = base + WAITING + 2 * state[base + FIRST]
        if state[at + 1] > now:
            return
        keep(state, base, state[at])
        state[base + FIRST] = (state[base + FIRST] + 1) % PLACES
        state[base + UNDER_WAY] -= 1


@shared
def ready(state: NDArray, base: int, now: int, page: int) -> int:
    """The instant from which the translation of a page is known, which is asked for now."""
    catch_up(state, base, now)
    at = entry_of(state, base, page)
    if at >= 0:
        state[base + HITS] += 1
        state[base + CLOCK] += 1
        state[at + 1] = state[base + CLOCK]
        return now
    for number in range(state[base + UNDER_WAY]):
        at = base + WAITING + 2 * ((state[base + FIRST] + number) % PLACES)
        if state[at] == page:
            state[base + JOINED] += 1
            return state[at + 1]
    state[base + MISSES] += 1
    end = walked(state, base, now)
    if state[base + UNDER_WAY] < PLACES:
        at = base + WAITING + 2 * ((state[base + FIRST] + state[base + UNDER_WAY]) % PLACES)
        state[at] = page
        state[at + 1] = end
        state[base + UNDER_WAY] += 1
    return end


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
