"""Dirty data on their way to the media: what the thread of the drive that destages asks, sweep by sweep."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.disk import layout as w
from simio.machines.disk.arm import dispatch, start_write, sweep_end
from simio.machines.disk.buffer import command_at, kept, oldest_valid, segment_at, swept_at
from simio.machines.disk.geometry import track_of
from simio.machines.disk.queue import choose, wait, wake
from simio.machines.door import machine
from simio.machines.shared import shared


@machine("disk")
def destage(state: NDArray, base: int, now: int) -> int:
    """Next act of the thread that destages: 0 end, 1 wait to be woken, else the time (2 ps at least) until the
    head is at the first of the sectors that are to be written.

    Before it waits it has to `rouse` others.
    """
    if now > w.LATEST or not state[base + w.DESTAGER]:
        return -1
    if state[base + w.OWNER] == w.NOBODY:
        chosen = choose(state, base, now)
        if chosen == -1:
            state[base + w.DESTAGER] = 0
            return 0
        if chosen < -1:
            start_write(state, base, now, -2 - chosen)
    if state[base + w.OWNER] != w.DESTAGING:
        wait(state, base)
        return 1
    return max(state[state[base + w.CHUNK] + w.START] - now, 2)


@machine("disk")
def rouse(state: NDArray, base: int, now: int) -> int:
    """Number of threads to wake as the thread that destages begins to wait, which is among them and asks again.

    A read that waited for data of a write could have the free arm now that they have come.
    """
    if now > w.LATEST:
        return -1
    if state[base + w.OWNER] != w.NOBODY:
        return 0
    dispatch(state, base, now)
    return wake(state, base)


@machine("disk")
def write(state: NDArray, base: int, now: int) -> int:
    """The head is there: the time to write what the buffer now has of the track, in ps."""
    s = state[base + w.CHUNK]
    if now > w.LATEST or s < 0 or state[base + w.OWNER] != w.DESTAGING:
        return -1
    state[base + w.CHUNK_END] = sweep_end(state, base, s)
    return max(swept_at(state, base, s, state[base + w.CHUNK_END]) - now, 0)


@machine("disk")
def written(state: NDArray, base: int, now: int) -> int:
    """The media has what `write` said. Number of threads to wake."""
    s = state[base + w.CHUNK]
    if now > w.LATEST or s < 0 or state[base + w.OWNER] != w.DESTAGING:
        return -1
    state[s + w.DESTAGED] = state[base + w.CHUNK_END]
    state[base + w.HERE] = track_of(state, base, min(state[s + w.DESTAGED], state[base + w.SECTORS] - 1))
    state[base + w.CHUNK] = -1
    state[base + w.OWNER] = w.NOBODY
    if not state[base + w.WRITE_CACHE]:
        state[s + w.SINCE] = oldest_writer(state, base, s)
    settle(state, base, s, now)
    dispatch(state, base, now)
    return wake(state, base)


@machine("disk")
def clean(state: NDArray, base: int, now: int) -> int:
    """0 if the media has all data; else 1, and the caller is noted as waiting to be woken."""
    if now > w.LATEST:
        return -1
    for number in range(state[base + w.SEGMENTS]):
        s = segment_at(state, base, number)
        if state[s + w.KIND] == w.DIRTY and state[s + w.DESTAGED] < state[s + w.RESERVED]:
            wait(state, base)
            return 1
    return 0


@shared
def oldest_writer(state: NDArray, base: int, s: int) -> int:
    """Ticket of the oldest write whose data in a segment have not all reached the media."""
    ticket = state[s + w.SINCE]
    found = False
    for tag in range(state[base + w.SLOTS]):
        c = command_at(state, base, tag)
        if (
            state[c + w.STATUS] == w.SERVED
            and state[c + w.PLACE] == s
            and state[c + w.WRITES]
            and state[c + w.END] > state[s + w.DESTAGED]
            and (not found or state[c + w.TICKET] < ticket)
        ):
            ticket = state[c + w.TICKET]
            found = True
    return ticket


@shared
def settle(state: NDArray, base: int, s: int, now: int) -> None:
    """A run that is on the media, and that nobody is writing to, becomes a stream that can be read."""
    if state[s + w.KIND] != w.DIRTY or state[s + w.DESTAGED] < state[s + w.RESERVED]:
        return
    users = state[s + w.LIVE]
    tag = 0
    while users > 0 and tag < state[base + w.SLOTS]:
        c = command_at(state, base, tag)
        if state[c + w.STATUS] == w.SERVED and state[c + w.PLACE] == s:
            if state[c + w.WRITES]:
                return
            users -= 1
        tag += 1
    last = state[s + w.RESERVED]
    state[s + w.FIRST] = oldest_valid(state, base, s)
    state[s + w.KIND] = w.STREAM
    state[s + w.STALE] = 0
    state[s + w.ORIGIN] = state[s + w.STOP] = state[s + w.GOAL] = last
    state[s + w.START] = now
    state[s + w.TAKEN] = kept(state, base, s, last)
