"""Dirty data on their way to the media: what the thread of the drive that destages asks, pass by pass."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.disk.arm import dispatch, pass_end, start_write
from simio.machines.disk.buffer import command_at, kept, oldest_valid, passed
from simio.machines.disk.geometry import track_of
from simio.machines.disk.layout import (
    CHUNK,
    CHUNK_END,
    DESTAGED,
    DESTAGER,
    DESTAGING,
    DIRTY,
    END,
    FIRST,
    GOAL,
    HERE,
    KIND,
    LATEST,
    NOBODY,
    ORIGIN,
    OWNER,
    PLACE,
    RESERVED,
    SECTORS,
    SERVED,
    SINCE,
    SLOTS,
    STALE,
    START,
    STATUS,
    STOP,
    STREAM,
    TAKEN,
    TICKET,
    WRITE_CACHE,
    WRITES,
)
from simio.machines.disk.queue import choose, wait, wake
from simio.machines.door import machine
from simio.machines.shared import shared


@machine("disk")
def destage(state: NDArray, base: int, now: int) -> int:
    """What the thread that destages does next: 0 end, 1 wait to be woken, else the time (2 ps at least) until the
    head is at the first of the sectors that are to be written."""
    if now > LATEST or not state[base + DESTAGER]:
        return -1
    if state[base + OWNER] == NOBODY:
        chosen = choose(state, base, now)
        if chosen == -1:
            state[base + DESTAGER] = 0
            return 0
        if chosen < -1:
            start_write(state, base, now, -2 - chosen)
    if state[base + OWNER] != DESTAGING:
        wait(state, base)
        return 1
    return max(state[state[base + CHUNK] + START] - now, 2)


@machine("disk")
def write(state: NDArray, base: int, now: int) -> int:
    """The head is there: the time to write what the buffer now has of the track, in ps."""
    s = state[base + CHUNK]
    if now > LATEST or s < 0 or state[base + OWNER] != DESTAGING:
        return -1
    state[base + CHUNK_END] = pass_end(state, base, s)
    return max(passed(state, base, s, state[base + CHUNK_END]) - now, 0)


@machine("disk")
def written(state: NDArray, base: int, now: int) -> int:
    """The media has what `write` said. Number of threads to wake."""
    s = state[base + CHUNK]
    if now > LATEST or s < 0 or state[base + OWNER] != DESTAGING:
        return -1
    state[s + DESTAGED] = state[base + CHUNK_END]
    state[base + HERE] = track_of(state, base, min(state[s + DESTAGED], state[base + SECTORS] - 1))
    state[base + CHUNK] = -1
    state[base + OWNER] = NOBODY
    if not state[base + WRITE_CACHE]:
        state[s + SINCE] = oldest_writer(state, base, s)
    settle(state, base, s, now)
    dispatch(state, base, now)
    return wake(state, base)


@shared
def oldest_writer(state: NDArray, base: int, s: int) -> int:
    """Ticket of the oldest write whose data in a segment have not all reached the media."""
    ticket = state[s + SINCE]
    found = False
    for tag in range(state[base + SLOTS]):
        c = command_at(state, base, tag)
        if (
            state[c + STATUS] == SERVED
            and state[c + PLACE] == s
            and state[c + WRITES]
            and state[c + END] > state[s + DESTAGED]
            and (not found or state[c + TICKET] < ticket)
        ):
            ticket = state[c + TICKET]
            found = True
    return ticket


@shared
def settle(state: NDArray, base: int, s: int, now: int) -> None:
    """A run that is on the media, and that nobody is writing to, becomes a stream that can be read."""
    if state[s + KIND] != DIRTY or state[s + DESTAGED] < state[s + RESERVED]:
        return
    for tag in range(state[base + SLOTS]):
        c = command_at(state, base, tag)
        if state[c + STATUS] == SERVED and state[c + PLACE] == s and state[c + WRITES]:
            return
    last = state[s + RESERVED]
    state[s + FIRST] = oldest_valid(state, base, s)
    state[s + KIND] = STREAM
    state[s + STALE] = 0
    state[s + ORIGIN] = state[s + STOP] = state[s + GOAL] = last
    state[s + START] = now
    state[s + TAKEN] = kept(state, base, s, last)
