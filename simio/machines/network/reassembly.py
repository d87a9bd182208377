"""Reassembly of IP datagrams from fragments (RFC 791 section 3.2), and numbers for datagrams.

Fragments of a datagram carry its number, and each the index that it has among them. The table holds datagrams of
which some fragments have come. One that is not complete when its time is over is given up, and so is the oldest
one where a new one needs its place: the loss of a fragment is the loss of the datagram.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State
from simio.machines.shared import shared

WORDS = Layout("reassembly")
COUNT = WORDS.word("count", "datagrams", about="datagrams that the table holds at most")
LIFETIME = WORDS.word("lifetime", "ps", about="time from the first fragment after which a datagram is given up")
GIVEN_UP = WORDS.word("given up", "datagrams", about="datagrams given up, for want of time or of a row")
TABLE = WORDS.table("table", about="a row for each datagram")

ROW = Layout("datagram")
NUMBER = ROW.word("number", about="number + 1; 0 in a free row")
EXPIRES = ROW.word("expires", "ps", about="when it is given up")
ARRIVED = ROW.word("arrived", "fragments", about="fragments that have come")
BITMAPS = ROW.table("bitmaps", 2, about="which fragments have come, BITS in each word")
ROW_WORDS = ROW.size
BITS = 62

NUMBERS = Layout("numbers of datagrams")
NEXT = NUMBERS.word("next")


MOST_FRAGMENTS = 124
"""Fragments of a datagram that two words can distinguish: 65535 bytes over an MTU of 576 make 119."""


def initial(rows: int, lifetime: int) -> State:
    """An empty table of `rows` datagrams, each kept for `lifetime` ps."""
    return WORDS.initial(count=rows, lifetime=lifetime, table=[0] * (ROW_WORDS * rows))


def fragment_word(index: int, count: int, total: int) -> int:
    """The word of a fragment for `reassemble`: its index, the number of fragments, and the datagram's bytes."""
    return index + (count << 8) + (total << 16)


@shared
def _row(state: NDArray, base: int, now: int, number: int) -> int:
    """Position of the row of a datagram; it takes a free row if it has none yet, or else the oldest."""
    free = 0
    oldest = base + TABLE
    for row in range(state[base + COUNT]):
        at = base + TABLE + ROW_WORDS * row
        if state[at + NUMBER] and state[at + EXPIRES] <= now:
            state[at + NUMBER] = 0
            state[base + GIVEN_UP] += 1
        if state[at + NUMBER] == number + 1:
            return at
        if not state[at + NUMBER] and not free:
            free = at
        if state[at + EXPIRES] < state[oldest + EXPIRES]:
            oldest = at
    if not free:
        free = oldest
        state[base + GIVEN_UP] += 1
    state[free + NUMBER] = number + 1
    state[free + EXPIRES] = now + state[base + LIFETIME]
    state[free + ARRIVED] = 0
    state[free + BITMAPS] = 0
    state[free + BITMAPS + 1] = 0
    return free


@machine("network")
def reassemble(state: NDArray, base: int, now: int, number: int, fragment: int) -> int:
    """A fragment arrives: bytes of the datagram if it is complete now, 0 if not.

    Refuses a fragment whose index is not below their number, or more fragments than two bitmaps have bits.
    """
    index = fragment & 255
    count = (fragment >> 8) & 255
    if index >= count or count > MOST_FRAGMENTS:
        return -1
    if count == 1:
        return fragment >> 16
    at = _row(state, base, now, number)
    word = at + BITMAPS + index // BITS
    bit = 1 << (index % BITS)
    if state[word] & bit:
        return 0
    state[word] |= bit
    state[at + ARRIVED] += 1
    if state[at + ARRIVED] < count:
        return 0
    state[at + NUMBER] = 0
    return fragment >> 16
