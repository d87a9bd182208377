"""The submission queue of a drive: entries become known by a doorbell, and are fetched from memory, several at once.

One fetch is under way at a time. Entries that are rung in while one waits for the fetch before it come with it, as
far as it takes more. So at low load each entry is fetched at once, and at high load many together.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State

WORDS = Layout("submission queue")
DOORBELL = WORDS.word("doorbell", "ps", about="from the write to the doorbell to the drive's knowing")
FETCH = WORDS.word("fetch", "ps", about="a read of one entry")
ENTRY = WORDS.word("entry", "ps", about="of each further entry of a fetch")
MOST = WORDS.word("most", "entries", about="that one fetch reads")
BEGINS = WORDS.word("begins", "ps", about="when the last fetch begins or began")
ENDS = WORDS.word("ends", "ps", about="when it ends")
COUNT = WORDS.word("count", "entries", about="that come with it")
FETCHES = WORDS.word("fetches", about="so far")
ENTRIES = WORDS.word("entries", about="so far")


def initial(doorbell: int, fetch: int, entry: int, most: int) -> State:
    """State of a queue before its first entry; times in ps."""
    return WORDS.initial(doorbell=doorbell, fetch=fetch, entry=entry, most=most)


@machine("ssd")
def submit(state: NDArray, base: int, now: int) -> int:
    """The host rings a doorbell for one more entry: time until the drive has it, in ps."""
    known = now + state[base + DOORBELL]
    state[base + ENTRIES] += 1
    if known <= state[base + BEGINS] and state[base + COUNT] < state[base + MOST]:
        state[base + COUNT] += 1
        state[base + ENDS] += state[base + ENTRY]
        return state[base + ENDS] - now
    state[base + BEGINS] = max(known, state[base + ENDS])
    state[base + ENDS] = state[base + BEGINS] + state[base + FETCH]
    state[base + COUNT] = 1
    state[base + FETCHES] += 1
    return state[base + ENDS] - now
