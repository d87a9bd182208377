"""The arm: who has it, where it goes next, and what the media does from then on."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.disk.buffer import (
    command_at,
    drop,
    full_at,
    go_on,
    has_read,
    kept,
    least_used,
    lookup,
    note_full,
    passed,
    refill,
    segment_at,
    start_pass,
    stop_media,
    use,
    written_up_to,
)
from simio.machines.disk.geometry import track_end, track_of, travel
from simio.machines.disk.layout import (
    ACTIVE,
    CHUNK,
    CHUNK_END,
    DESTAGED,
    DESTAGING,
    DIRECTION,
    END,
    ENDED,
    FIFO,
    FIRST,
    FREE,
    GIVEN,
    GOAL,
    HEADS,
    HELD,
    HERE,
    KIND,
    LATEST,
    NEXT,
    NOBODY,
    ORIGIN,
    OWNER,
    PLACE,
    SCHEDULING,
    SERVED,
    SLOTS,
    START,
    STATUS,
    STOP,
    STREAM,
    TAKEN,
    WRITE_CACHE,
    WRITES,
)
from simio.machines.disk.queue import choose, is_command, lack, wake
from simio.machines.door import machine
from simio.machines.shared import shared


@shared
def move(state: NDArray, base: int, now: int, sector: int, writes: bool) -> int:
    """Send the arm to a sector; the instant at which it can read it, or write to it, but for the rotation."""
    stop_media(state, base, now)
    here = state[base + HERE]
    there = track_of(state, base, sector)
    heads = state[base + HEADS]
    if there // heads != here // heads:
        state[base + DIRECTION] = 1 if there > here else -1
    state[base + HERE] = there
    return now + travel(state, base, here, there, writes)


@shared
def attach(state: NDArray, base: int, now: int, c: int, s: int) -> None:
    """A read begins to be served from a segment."""
    if state[s + KIND] == STREAM:
        note_full(state, base, s, now)
    use(state, base, s)
    state[c + PLACE] = s
    state[c + STATUS] = SERVED
    state[s + TAKEN] = kept(state, base, s, state[c + GIVEN])
    state[s + GOAL] = max(state[s + GOAL], state[c + END])
    lack(state, base, c, 0)


@shared
def start_read(state: NDArray, base: int, now: int, tag: int) -> None:
    """A queued read gets a segment, that of its stream or else the least used, and the arm if it needs it."""
    c = command_at(state, base, tag)
    sector = state[c + NEXT]
    state[base + OWNER] = tag
    s = lookup(state, base, now, sector, state[c + END])
    if s < 0:
        s = least_used(state, base)
        drop(state, base, s, now)
        state[s + KIND] = STREAM
        state[s + FIRST] = state[s + STOP] = state[s + ORIGIN] = state[s + TAKEN] = sector
        state[s + GOAL] = state[c + END]
    attach(state, base, now, c, s)
    if state[s + KIND] != STREAM or has_read(state, base, s, now, state[c + END]):
        state[base + OWNER] = NOBODY
        return
    if state[base + ACTIVE] == s:
        refill(state, base, s, now)
        return
    state[s + START] = move(state, base, now, state[s + STOP], False)
    state[base + ACTIVE] = s
    if full_at(state, base, s) > state[s + STOP]:
        go_on(state, base, s, now)


@shared
def pass_end(state: NDArray, base: int, s: int) -> int:
    """Sector before which a pass over dirty data ends that begins now: with the track, or with the data.

    FIFO without a write cache gives the arm away after each command.
    """
    sector = state[s + DESTAGED]
    stop = min(written_up_to(state, base, s), track_end(state, base, sector))
    if state[base + SCHEDULING] == FIFO and not state[base + WRITE_CACHE]:
        for tag in range(state[base + SLOTS]):
            c = command_at(state, base, tag)
            of_run = state[c + STATUS] == SERVED and state[c + PLACE] == s and state[c + WRITES]
            if of_run and state[c + END] > sector:
                stop = min(stop, state[c + END])
    return max(stop, sector + 1)


@shared
def start_write(state: NDArray, base: int, now: int, number: int) -> None:
    """The arm goes to the first dirty sector of a segment."""
    s = segment_at(state, base, number)
    sector = state[s + DESTAGED]
    state[base + OWNER] = DESTAGING
    state[base + CHUNK] = s
    state[base + CHUNK_END] = pass_end(state, base, s)
    start_pass(state, base, s, move(state, base, now, sector, True), sector)


@shared
def dispatch(state: NDArray, base: int, now: int) -> None:
    """Give a free arm to whoever the scheduling chooses."""
    while state[base + OWNER] == NOBODY:
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
    if not is_command(state, base, now, tag, 0) or state[base + OWNER] != tag:
        return -1
    c = command_at(state, base, tag)
    s = state[c + PLACE]
    if state[s + KIND] != STREAM or state[s + STOP] >= 0 or state[c + END] > full_at(state, base, s):
        return 0
    time = passed(state, base, s, state[c + END]) - now
    if time <= 0:
        return 0
    state[c + HELD] = 1
    return time


@machine("disk")
def free(state: NDArray, base: int, now: int, tag: int) -> int:
    """The media has read all of a read: the arm goes to the next. Number of threads to wake."""
    if now > LATEST or tag < 0 or tag >= state[base + SLOTS] or state[base + OWNER] != tag:
        return -1
    c = command_at(state, base, tag)
    state[base + OWNER] = NOBODY
    state[c + HELD] = 0
    if state[c + STATUS] == ENDED:
        state[c + STATUS] = FREE
    dispatch(state, base, now)
    return wake(state, base)
