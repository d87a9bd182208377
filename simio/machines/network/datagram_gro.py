"""GRO of UDP: datagrams of one flow and size that one poll finds are merged into one buffer.

Linux net/ipv4/udp_offload.c, udp_gro_receive_segment: a datagram joins a buffer whose first one is as large; a
smaller one ends the buffer, as does the 64th; a larger one begins another.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State
from simio.machines.shared import shared

MOST = 64
"""Datagrams of a buffer (UDP_GRO_CNT_MAX)."""
BYTES = 65535
"""Bytes of a buffer (net/core/skbuff.c, skb_gro_receive)."""

WORDS = Layout("GRO of UDP")
COUNT = WORDS.word("count", "datagrams", about="of the buffer that is held")
TOTAL = WORDS.word("total", "bytes", about="of these")
EACH = WORDS.word("each", "bytes", about="of its first")
READY = WORDS.word("ready", "datagrams", about="of the buffer that goes up next")
READY_TOTAL = WORDS.word("ready total", "bytes", about="of these")
BEGUN = WORDS.word("begun", "ps", about="when the buffer that is held was begun, where that counts")
MERGED = WORDS.word("merged", "datagrams", about="that joined a buffer")
FIRST = WORDS.word("first", about="number of the first datagram of the buffer that is held")
READY_FIRST = WORDS.word("ready first", about="number of the first datagram of the buffer that goes up next")
PLACES = WORDS.word("places", "datagrams", about="that are noted, the latest ones")
NOTED = WORDS.word("noted", "datagrams", about="so far; the next one has this number")
RING = WORDS.table("ring", about="two words a datagram: its length, and the sender's word")

JOINED, HELD, FLUSHES = range(3)
"""The fate of a datagram: it has joined a buffer; it begins one, which is held; the held buffer goes up, with the
datagram in it or in its place."""


def initial(buffers: int) -> State:
    """Nothing is held; datagrams of so many `buffers` are noted, beside those of the buffer that is held."""
    places = MOST * (buffers + 1) + 1
    return WORDS.initial(places=places, ring=[0] * (2 * places))


@shared
def up(state: NDArray, base: int) -> None:
    """The held buffer goes up next."""
    state[base + READY] = state[base + COUNT]
    state[base + READY_TOTAL] = state[base + TOTAL]
    state[base + READY_FIRST] = state[base + FIRST]
    state[base + COUNT] = 0
    state[base + TOTAL] = 0


@machine("network")
def take(state: NDArray, base: int, length: int, word: int) -> int:
    """A datagram of `length` bytes with the sender's word: what becomes of it, as JOINED and the others say."""
    if length < 0:
        return -1
    number = state[base + NOTED]
    at = base + RING + 2 * (number % state[base + PLACES])
    state[at] = length
    state[at + 1] = word
    state[base + NOTED] += 1
    what = JOINED
    if state[base + COUNT] == 0:
        what = HELD
    elif length > state[base + EACH] or state[base + TOTAL] + length > BYTES:
        up(state, base)
        what = FLUSHES
    state[base + COUNT] += 1
    state[base + TOTAL] += length
    if state[base + COUNT] == 1:
        state[base + EACH] = length
        state[base + FIRST] = number
        return what
    state[base + MERGED] += 1
    if length < state[base + EACH] or state[base + COUNT] == MOST:
        up(state, base)
        return FLUSHES
    return JOINED


@machine("network")
def flush(state: NDArray, base: int) -> int:
    """The poll ends: datagrams of the buffer that is held, which goes up next; 0: none is."""
    up(state, base)
    return state[base + READY]


@machine("network")
def date(state: NDArray, base: int, now: int) -> int:
    """The buffer that is held has been begun now. Returns 0."""
    state[base + BEGUN] = now
    return 0


@machine("network")
def begun(state: NDArray, base: int) -> int:
    """The instant at which the held buffer was begun, and 1 ps; 0: none is held."""
    return state[base + BEGUN] + 1 if state[base + COUNT] else 0


@machine("network", word=READY)
def ready(state: NDArray, base: int) -> int:
    """Datagrams of the buffer that goes up."""
    return state[base + READY]


@machine("network", word=READY_TOTAL)
def ready_total(state: NDArray, base: int) -> int:
    """Bytes of the buffer that goes up."""
    return state[base + READY_TOTAL]


@machine("network", word=READY_FIRST)
def ready_first(state: NDArray, base: int) -> int:
    """Number of the first datagram of the buffer that goes up."""
    return state[base + READY_FIRST]


@machine("network")
def length(state: NDArray, base: int, number: int) -> int:
    """Bytes of the datagram of this number; refuses one that is noted no more, or not yet."""
    behind = state[base + NOTED] - number
    if not 0 < behind <= state[base + PLACES]:
        return -1
    return state[base + RING + 2 * (number % state[base + PLACES])]


@machine("network")
def word(state: NDArray, base: int, number: int) -> int:
    """The sender's word of the datagram of this number, whose `length` has been asked for."""
    return state[base + RING + 2 * (number % state[base + PLACES]) + 1]
