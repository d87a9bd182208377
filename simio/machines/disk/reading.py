"""A read in service: from the queue into the buffer, unit by unit to the host, and its end."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.disk.arm import attach, dispatch, start_read
from simio.machines.disk.buffer import (
    command_at,
    drop,
    go_on,
    has_read,
    kept,
    lookup,
    note_full,
    passed,
    refill,
    release_taken,
)
from simio.machines.disk.destaging import settle
from simio.machines.disk.layout import (
    DESTAGER,
    DIRTY,
    END,
    ENDED,
    FIFO,
    FREE,
    GIVEN,
    HELD,
    KIND,
    LACKING,
    LIVE,
    NEXT,
    NOBODY,
    ORIGIN,
    OWNER,
    PLACE,
    SCHEDULING,
    SEGMENT,
    SERVED,
    STALE,
    STATUS,
    STOP,
    TAKEN,
    WRITES,
)
from simio.machines.disk.queue import can_start, choose, is_command, joins, lack, older_waits, wait, wake
from simio.machines.door import machine


@machine("disk")
def begin(state: NDArray, base: int, now: int, tag: int) -> int:
    """What a queued read can do now: 0 wait to be woken, 1 it is served from the buffer, 2 it has the arm; 2 + n wake
    the n threads that wait, and then wait."""
    if not is_command(state, base, now, tag, 0):
        return -1
    c = command_at(state, base, tag)
    if state[c + STATUS] == SERVED:
        return 2 if state[base + OWNER] == tag else 1
    s = lookup(state, base, now, state[c + NEXT], state[c + END])
    if (
        s >= 0
        and (state[s + KIND] == DIRTY or has_read(state, base, s, now, state[c + END]))
        and joins(state, base, c, s)
        and not (state[base + SCHEDULING] == FIFO and older_waits(state, base, c))
    ):
        attach(state, base, now, c, s)
        return 1
    lack(state, base, c, 0 if can_start(state, base, now, c) else 1)
    chosen = choose(state, base, now) if state[base + OWNER] == NOBODY else -1
    if chosen == tag:
        start_read(state, base, now, tag)
        return 2 if state[base + OWNER] == tag else 1
    # Who destages sleeps while the free arm is a read's; it has to know that this has changed.
    others = wake(state, base) if chosen < -1 and state[base + DESTAGER] else 0
    wait(state, base)
    return 2 + others if others else 0


@machine("disk")
def next_unit(state: NDArray, base: int, now: int, tag: int, count: int) -> int:
    """What a read was given before has left; the time until its next `count` sectors are in the buffer, in ps.

    -1 where these are no sectors of the command, or more than a segment holds.
    """
    if not is_command(state, base, now, tag, 0):
        return -1
    c = command_at(state, base, tag)
    if state[c + STATUS] != SERVED or count < 1 or count > state[base + SEGMENT]:
        return -1
    if count > state[c + END] - state[c + NEXT]:
        return -1
    s = state[c + PLACE]
    state[c + GIVEN] = state[c + NEXT]
    state[c + NEXT] += count
    if state[s + KIND] == DIRTY:
        return 0
    note_full(state, base, s, now)
    state[s + TAKEN] = state[c + GIVEN] if state[s + LIVE] == 1 else kept(state, base, s, state[c + GIVEN])
    refill(state, base, s, now)
    wanted = state[c + NEXT]
    if state[s + STOP] >= 0:
        if wanted <= state[s + STOP]:
            return 0
        go_on(state, base, s, now)
    if wanted <= state[s + ORIGIN]:
        return 0
    return max(passed(state, base, s, wanted) - now, 0)


@machine("disk")
def end(state: NDArray, base: int, now: int, tag: int) -> int:
    """A command is done and leaves the drive; number of threads to wake.

    For a read all that it was given has left; for a write its data are where they have to be.
    """
    if not (is_command(state, base, now, tag, 0) or is_command(state, base, now, tag, 1)):
        return -1
    c = command_at(state, base, tag)
    if state[c + STATUS] != SERVED:
        return -1
    s = state[c + PLACE]
    state[c + GIVEN] = state[c + NEXT]
    if not state[c + WRITES]:
        release_taken(state, base, s, now)
    state[s + LIVE] -= 1
    state[c + STATUS] = ENDED if state[c + HELD] else FREE
    if state[s + STALE] and not state[s + LIVE]:
        drop(state, base, s, now)
    settle(state, base, s, now)
    if state[base + OWNER] == tag and not state[c + HELD]:
        state[base + OWNER] = NOBODY
    elif not state[base + LACKING] and not (state[base + OWNER] == NOBODY and state[base + DESTAGER]):
        return 0
    dispatch(state, base, now)
    return wake(state, base)
