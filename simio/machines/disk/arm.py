"""The arm: who has it, where it goes next, and what the media does from then on."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.disk import layout as w
from simio.machines.disk.buffer import (
    begin_in_the_middle,
    command_at,
    drop,
    full_at,
    go_on,
    goal_of,
    has_read,
    kept,
    least_used,
    lookup,
    note_full,
    refill,
    segment_at,
    start_sweep,
    stop_media,
    swept_at,
    use,
    written_up_to,
)
from simio.machines.disk.geometry import track_end, track_of, travel
from simio.machines.disk.queue import choose, is_command, set_blocked, wake
from simio.machines.door import machine
from simio.machines.shared import shared


@shared
def move(state: NDArray, base: int, now: int, sector: int, writes: bool) -> int:
    """Send the arm to a sector; the instant at which it can read it, or write to it, but for the rotation."""
    stop_media(state, base, now)
    here = state[base + w.HERE]
    there = track_of(state, base, sector)
    heads = state[base + w.HEADS]
    if there // heads != here // heads:
        state[base + w.DIRECTION] = 1 if there > here else -1
    state[base + w.HERE] = there
    return now + travel(state, base, here, there, writes)


@shared
def attach(state: NDArray, base: int, now: int, c: int, s: int) -> None:
    """A read begins to be served from a segment."""
    if state[s + w.KIND] == w.STREAM:
        note_full(state, base, s, now)
    use(state, base, s)
    state[c + w.PLACE] = s
    state[c + w.STATUS] = w.SERVED
    state[s + w.TAKEN] = kept(state, base, s, state[c + w.GIVEN])
    state[s + w.GOAL] = max(state[s + w.GOAL], goal_of(state, base, s, state[c + w.BEGIN], state[c + w.END]))
    set_blocked(state, base, c, 0)


@shared
def start_read(state: NDArray, base: int, now: int, tag: int) -> None:
    """A queued read gets a segment, that of its stream or else the least used, and the arm if it needs it."""
    c = command_at(state, base, tag)
    sector = state[c + w.NEXT]
    state[base + w.OWNER] = tag
    s = lookup(state, base, now, sector, state[c + w.END])
    if s < 0:
        s = least_used(state, base)
        drop(state, base, s, now)
        state[s + w.KIND] = w.STREAM
        state[s + w.FIRST] = state[s + w.STOP] = state[s + w.ORIGIN] = state[s + w.TAKEN] = sector
        state[s + w.GOAL] = sector
    attach(state, base, now, c, s)
    if state[s + w.KIND] != w.STREAM or has_read(state, base, s, now, state[c + w.END]):
        state[base + w.OWNER] = w.NOBODY
        return
    if state[base + w.ACTIVE] == s:
        refill(state, base, s, now)
        return
    state[s + w.START] = move(state, base, now, state[s + w.STOP], False)
    state[base + w.ACTIVE] = s
    if full_at(state, base, s) > state[s + w.STOP]:
        arrived = max(now, state[s + w.START])
        go_on(state, base, s, now)
        if state[base + w.ZERO_LATENCY]:
            begin_in_the_middle(state, base, s, arrived, state[c + w.END])


@shared
def sweep_end(state: NDArray, base: int, s: int) -> int:
    """Sector before which a sweep over dirty data ends that begins now: with the track, or with the data.

    A policy in order of arrival gives the arm away after each command where there is no write cache.
    """
    sector = state[s + w.DESTAGED]
    stop = min(written_up_to(state, base, s), track_end(state, base, sector))
    if state[base + w.IN_ORDER] and not state[base + w.WRITE_CACHE]:
        for tag in range(state[base + w.SLOTS]):
            c = command_at(state, base, tag)
            of_run = state[c + w.STATUS] == w.SERVED and state[c + w.PLACE] == s and state[c + w.WRITES]
            if of_run and state[c + w.END] > sector:
                stop = min(stop, state[c + w.END])
    return max(stop, sector + 1)


@shared
def start_write(state: NDArray, base: int, now: int, number: int) -> None:
    """The arm goes to the first dirty sector of a segment."""
    s = segment_at(state, base, number)
    sector = state[s + w.DESTAGED]
    state[base + w.OWNER] = w.DESTAGING
    state[base + w.CHUNK] = s
    state[base + w.CHUNK_END] = sweep_end(state, base, s)
    start_sweep(state, base, s, move(state, base, now, sector, True), sector)


@shared
def dispatch(state: NDArray, base: int, now: int) -> None:
    """Give a free arm to whoever the scheduling chooses."""
    while state[base + w.OWNER] == w.NOBODY:
        chosen = choose(state, base, now)
        if chosen == -1:
            return
        if chosen >= 0:
            start_read(state, base, now, chosen)
        else:
            start_write(state, base, now, -2 - chosen)


@machine("disk")
def media_time(state: NDArray, base: int, now: int, tag: int) -> int:
    """Time until the media has read all of a read that has the arm; 0 where that is not certain yet.

    Where it is certain, `free` has to be called after that time.
    """
    if not is_command(state, base, now, tag, 0) or state[base + w.OWNER] != tag:
        return -1
    c = command_at(state, base, tag)
    s = state[c + w.PLACE]
    if state[s + w.KIND] != w.STREAM or state[s + w.STOP] >= 0 or state[c + w.END] > full_at(state, base, s):
        return 0
    time = swept_at(state, base, s, state[c + w.END]) - now
    if time <= 0:
        return 0
    state[c + w.HELD] = 1
    return time


@machine("disk")
def free(state: NDArray, base: int, now: int, tag: int) -> int:
    """The media has read all of a read: the arm goes to the next. Number of threads to wake."""
    if now > w.LATEST or tag < 0 or tag >= state[base + w.SLOTS] or state[base + w.OWNER] != tag:
        return -1
    c = command_at(state, base, tag)
    state[base + w.OWNER] = w.NOBODY
    state[c + w.HELD] = 0
    if state[c + w.STATUS] == w.ENDED:
        state[c + w.STATUS] = w.FREE
    dispatch(state, base, now)
    return wake(state, base)
