"""The records of outstanding segments, and the order in which those under way were sent.

A segment is under way unless it has arrived, or is lost and has not been sent again. Those form a list, oldest first,
as in Linux (include/linux/tcp.h, tsorted_sent_queue), so that a search for late ones passes no others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.shared import shared
from simio.machines.tcp import layout as c

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS = 8
"""Words of a record: those below."""
AFTER, SENT, FLAGS, OTHER, DELIVERED, DELIVERED_AT, FIRST, ORDER = range(WORDS)
"""Sequence number after it; when it was sent last; flags; other end of its run, or, under way, its neighbours in the
list (place of that before << 32 | place of that after, each from 1, 0 for none); and, as it was sent, bytes delivered
times 2, plus 1 if the application limited the sender, DELIVERED_AT and FIRST_SENT of the connection, and how many
segments had been sent: what goes at one instant has an order, too."""

SACKED, LOST, RESENT, EVER, COUNTED = 1, 2, 4, 8, 16
"""Flags: reported to have arrived; lost; sent again since; ever sent again; delivery has been counted."""

_PLACE = 2**32 - 1


@shared
def record(state: NDArray, base: int, number: int) -> int:
    """Place of a segment's record in the state."""
    return base + state[base + c.SEGMENT_RING] + WORDS * (number % state[base + c.SEGMENT_ROOM])


@shared
def is_under_way(flags: int) -> bool:
    """True if a segment with these flags has neither arrived nor been lost since it was sent last."""
    return flags & SACKED == 0 and flags & (LOST | RESENT) != LOST


@shared
def place_of(state: NDArray, base: int, at: int) -> int:
    """Number from 1 of a record's place in the ring."""
    return (at - base - state[base + c.SEGMENT_RING]) // WORDS + 1


@shared
def number_of(state: NDArray, base: int, place: int) -> int:
    """Number of the outstanding segment whose record has a place."""
    head, room = state[base + c.HEAD], state[base + c.SEGMENT_ROOM]
    return head + (place - 1 - head) % room


@shared
def next_of(state: NDArray, base: int, place: int) -> int:
    """Place of the segment under way that was sent next after that of a place, or first of all; 0: there is none."""
    if place == 0:
        return state[base + c.OLDEST]
    return state[record(state, base, place - 1) + OTHER] & _PLACE


@shared
def link(state: NDArray, base: int, before: int, after: int) -> None:
    """Make two places of the ring neighbours in the list; 0 is its beginning or its end."""
    if before > 0:
        at = record(state, base, before - 1)
        state[at + OTHER] = state[at + OTHER] & ~_PLACE | after
    else:
        state[base + c.OLDEST] = after
    if after > 0:
        at = record(state, base, after - 1)
        state[at + OTHER] = before << 32 | state[at + OTHER] & _PLACE
    else:
        state[base + c.NEWEST] = before


@shared
def put(state: NDArray, base: int, at: int) -> None:
    """Enter a segment that has just been sent, as the newest."""
    place = place_of(state, base, at)
    link(state, base, state[base + c.NEWEST], place)
    link(state, base, place, 0)


@shared
def take(state: NDArray, base: int, at: int) -> None:
    """Remove a segment from the list."""
    link(state, base, state[at + OTHER] >> 32, state[at + OTHER] & _PLACE)


@shared
def put_back(state: NDArray, base: int, at: int, before: int) -> int:
    """Enter a segment where it belongs by when it was sent, looked for from the place `before` on: its own place."""
    if before > 0 and state[record(state, base, before - 1) + ORDER] > state[at + ORDER]:
        before = 0
    after = next_of(state, base, before)
    while after > 0 and state[record(state, base, after - 1) + ORDER] < state[at + ORDER]:
        before = after
        after = next_of(state, base, before)
    place = place_of(state, base, at)
    link(state, base, before, place)
    link(state, base, place, after)
    return place
