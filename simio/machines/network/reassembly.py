"""Reassembly of IP datagrams from fragments (RFC 791 section 3.2), and numbers for datagrams.

Fragments of a datagram carry its number, and each the index that it has among them. The table holds datagrams of
which some fragments have come. One that is not complete when its time is over is given up, and so is the oldest
one where a new one needs its place: the loss of a fragment is the loss of the datagram.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.shared import shared

COUNT = 0
"""Datagrams that the table holds at most."""
LIFETIME = 1
"""Time from the first fragment after which an incomplete datagram is given up, in ps."""
GIVEN_UP = 2
"""Datagrams that were given up, because their time was over or for want of a place."""
SLOTS = 3
"""First word of the slots, five words each: number + 1 or 0, time of the end, fragments that came, two bitmaps."""
SLOT_WORDS = 5
MOST_FRAGMENTS = 124
"""Fragments a datagram that two words can tell apart: 65535 bytes over an MTU of 576 make 119."""


def initial(slots: int, lifetime: int) -> list[int]:
    """An empty table of `slots` datagrams, each kept for `lifetime` ps."""
    return [slots, lifetime, 0, *[0] * (SLOT_WORDS * slots)]


def fragment_word(index: int, count: int, total: int) -> int:
    """What `reassemble` is told of a fragment: its index, how many there are, and the datagram's bytes."""
    return index + (count << 8) + (total << 16)


@machine("network")
def ident(state: NDArray, base: int) -> int:
    """The next number for a datagram, from 0 on."""
    value = state[base]
    state[base] = value + 1
    return value


@shared
def _slot(state: NDArray, base: int, now: int, number: int) -> int:
    """Where the datagram's slot is, taken if it has none yet: a free one, or else the oldest."""
    free = 0
    oldest = base + 3
    for place in range(state[base]):
        at = base + 3 + 5 * place
        if state[at] and state[at + 1] <= now:
            state[at] = 0
            state[base + 2] += 1
        if state[at] == number + 1:
            return at
        if not state[at] and not free:
            free = at
        if state[at + 1] < state[oldest + 1]:
            oldest = at
    if not free:
        free = oldest
        state[base + 2] += 1
    state[free] = number + 1
    state[free + 1] = now + state[base + 1]
    state[free + 2] = 0
    state[free + 3] = 0
    state[free + 4] = 0
    return free


@machine("network")
def reassemble(state: NDArray, base: int, now: int, number: int, fragment: int) -> int:
    """A fragment arrives: bytes of the datagram if it is complete now, 0 if not.

    Refuses a fragment whose index is not below their number, or more fragments than two bitmaps tell apart.
    """
    index = fragment & 255
    count = (fragment >> 8) & 255
    if index >= count or count > 124:
        return -1
    if count == 1:
        return fragment >> 16
    at = _slot(state, base, now, number)
    word = at + 3 + index // 62
    bit = 1 << (index % 62)
    if state[word] & bit:
        return 0
    state[word] |= bit
    state[at + 2] += 1
    if state[at + 2] < count:
        return 0
    state[at] = 0
    return fragment >> 16
