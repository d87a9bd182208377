"""A read in service: from the queue into the buffer, unit by unit to the host, and its end."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.disk import layout as w
from simio.machines.disk.arm import attach, dispatch, start_read
from simio.machines.disk.buffer import (
    command_at,
    drop,
    go_on,
    has_read,
    kept,
    least_used,
    lookup,
    note_full,
    refill,
    release_taken,
    swept_at,
)
from simio.machines.disk.destaging import settle
from simio.machines.disk.geometry import track_end
from simio.machines.disk.queue import (
    can_start,
    choose,
    is_command,
    joins,
    older_waits,
    served_at,
    set_blocked,
    wait,
    wake,
)
from simio.machines.door import machine
from simio.machines.shared import shared


@machine("disk")
def begin(state: NDArray, base: int, now: int, tag: int) -> int:
    """Next act of a queued read: 0 wait to be woken, 1 be served from the buffer, 2 use the arm; 2 + n wake
    the n threads that wait, and then wait."""
    if not is_command(state, base, now, tag, 0):
        return -1
    c = command_at(state, base, tag)
    if state[c + w.STATUS] == w.SERVED:
        return 2 if state[base + w.OWNER] == tag else 1
    s = lookup(state, base, now, state[c + w.NEXT], state[c + w.END])
    if (
        s >= 0
        and (state[s + w.KIND] == w.DIRTY or has_read(state, base, s, now, state[c + w.END]))
        and joins(state, base, c, s)
        and not (state[base + w.IN_ORDER] and older_waits(state, base, c))
    ):
        attach(state, base, now, c, s)
        return 1
    set_blocked(state, base, c, 0 if can_start(state, base, c, s, least_used(state, base) >= 0) else 1)
    chosen = choose(state, base, now) if state[base + w.OWNER] == w.NOBODY else -1
    if chosen == tag:
        start_read(state, base, now, tag)
        return 2 if state[base + w.OWNER] == tag else 1
    # The thread that destages sleeps while the free arm is a read's; it has to know that this has changed.
    others = wake(state, base) if chosen < -1 and state[base + w.DESTAGER] else 0
    wait(state, base)
    return 2 + others if others else 0


@machine("disk")
def flow(state: NDArray, base: int, now: int, tag: int, pace: int) -> int:
    """A read will be sent without a break, a sector in `pace` ps. Returns 0."""
    if pace < 1 or not is_command(state, base, now, tag, 0):
        return -1
    state[command_at(state, base, tag) + w.PACE] = pace
    return 0


@shared
def flowing(state: NDArray, base: int, c: int, s: int, count: int) -> int:
    """Instant from which the last `count` sectors asked for can leave without a break, a sector in PACE.

    None leaves before the media has read it; along a track the first and the last decide. Of the whole read,
    READ_MARK has to be there before the first leaves.
    """
    first = state[c + w.NEXT] - count
    at = 0
    sector = max(first, state[s + w.ORIGIN])
    if first == state[c + w.BEGIN]:
        mark = max(count * state[base + w.READ_MARK] // w.MARKS, 1)
        if first + mark > sector:
            at = swept_at(state, base, s, first + mark)
    while sector < state[c + w.NEXT]:
        last = min(track_end(state, base, sector), state[c + w.NEXT]) - 1
        at = max(at, swept_at(state, base, s, sector + 1) - (sector - first) * state[c + w.PACE])
        at = max(at, swept_at(state, base, s, last + 1) - (last - first) * state[c + w.PACE])
        sector = last + 1
    return at


@machine("disk")
def next_unit(state: NDArray, base: int, now: int, tag: int, count: int) -> int:
    """Time in ps until the next `count` sectors of a read are in the buffer, or flow from it; those before have left.

    -1 where these are no sectors of the command, or more than a segment holds.
    """
    c = served_at(state, base, now, tag, 0, count)
    if c < 0 or count < 1 or count > state[base + w.SEGMENT]:
        return -1
    s = state[c + w.PLACE]
    state[c + w.GIVEN] = state[c + w.NEXT]
    state[c + w.NEXT] += count
    if state[s + w.KIND] == w.DIRTY:
        return 0
    note_full(state, base, s, now)
    state[s + w.TAKEN] = state[c + w.GIVEN] if state[s + w.LIVE] == 1 else kept(state, base, s, state[c + w.GIVEN])
    refill(state, base, s, now)
    wanted = state[c + w.NEXT]
    if state[s + w.STOP] >= 0:
        if wanted <= state[s + w.STOP]:
            return 0
        go_on(state, base, s, now)
    if wanted <= state[s + w.ORIGIN]:
        return 0
    if state[c + w.PACE] > 0:
        return max(flowing(state, base, c, s, count) - now, 0)
    return max(swept_at(state, base, s, wanted) - now, 0)


@machine("disk")
def end(state: NDArray, base: int, now: int, tag: int) -> int:
    """A command is done and leaves the drive; number of threads to wake.

    For a read all that it was given has left; for a write its data are where they have to be.
    """
    if not (is_command(state, base, now, tag, 0) or is_command(state, base, now, tag, 1)):
        return -1
    c = command_at(state, base, tag)
    if state[c + w.STATUS] != w.SERVED:
        return -1
    s = state[c + w.PLACE]
    state[c + w.GIVEN] = state[c + w.NEXT]
    if not state[c + w.WRITES]:
        release_taken(state, base, s, now)
    state[s + w.LIVE] -= 1
    state[c + w.STATUS] = w.ENDED if state[c + w.HELD] else w.FREE
    if state[s + w.STALE] and not state[s + w.LIVE]:
        drop(state, base, s, now)
    settle(state, base, s, now)
    if state[base + w.OWNER] == tag and not state[c + w.HELD]:
        state[base + w.OWNER] = w.NOBODY
    elif not state[base + w.BLOCKED] and not (state[base + w.OWNER] == w.NOBODY and state[base + w.DESTAGER]):
        return 0
    dispatch(state, base, now)
    return wake(state, base)
