"""Writes: what hosts bring is dirty in the buffer until the media has it, whether or not the host waits for that.

A write continues the run of dirty data that ends where it begins, or starts a run in a segment of its own. The
drive destages runs track by track, as soon as it can and in the order of its scheduling, sectors that follow one
another without a break. With a write cache a write is done when the buffer has its data; without one, when the
media has. So the two differ only in what the host waits for, and in who goes first.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.disk import layout as w
from simio.machines.disk.buffer import (
    command_at,
    drop,
    full_at,
    kept,
    least_used,
    oldest_valid,
    segment_at,
    swept_at,
    use,
    written_up_to,
)
from simio.machines.disk.queue import is_command, served_at, set_blocked, wait
from simio.machines.door import machine
from simio.machines.shared import shared


@shared
def absorbs(state: NDArray, base: int, now: int, c: int, s: int) -> bool:
    """True if a dirty segment has all the sectors of a write, and none of them is on the way to the media."""
    least = state[s + w.DESTAGED]
    if state[base + w.CHUNK] == s:
        least = least + 1 if now < state[s + w.START] else state[base + w.CHUNK_END]
    least = max(least, oldest_valid(state, base, s))
    if state[c + w.NEXT] < least or state[c + w.END] > state[s + w.RESERVED]:
        return False
    return state[c + w.END] <= written_up_to(state, base, s)


@shared
def continues(state: NDArray, base: int, c: int, s: int) -> bool:
    """True if a write goes on where the run of a segment ends."""
    if state[s + w.KIND] == w.DIRTY:
        return state[c + w.NEXT] == state[s + w.RESERVED]
    return (
        state[s + w.KIND] == w.STREAM
        and state[base + w.ACTIVE] != s
        and not state[s + w.LIVE]
        and state[c + w.NEXT] == state[s + w.STOP]
    )


@shared
def place_for(state: NDArray, base: int, now: int, c: int) -> int:
    """Position of the segment into which a write goes, or -1 while there is none.

    Sectors that are dirty and cannot be changed in place have to reach the media first.
    """
    found = -1
    for number in range(state[base + w.SEGMENTS]):
        s = segment_at(state, base, number)
        if state[s + w.KIND] == w.DIRTY:
            if absorbs(state, base, now, c, s):
                return s
            if state[c + w.NEXT] < state[s + w.RESERVED] and state[c + w.END] > state[s + w.DESTAGED]:
                return -1
        if continues(state, base, c, s):
            found = s
    return found if found >= 0 else least_used(state, base)


@shared
def outdate(state: NDArray, base: int, now: int, c: int, keep: int) -> None:
    """Drop the sectors of a write from segments other than `keep`: their data are old."""
    for number in range(state[base + w.SEGMENTS]):
        s = segment_at(state, base, number)
        if s == keep or state[s + w.KIND] == w.EMPTY:
            continue
        if state[s + w.KIND] == w.DIRTY:
            if state[c + w.NEXT] < state[s + w.DESTAGED] and state[c + w.END] > state[s + w.FIRST]:
                state[s + w.FIRST] = max(state[s + w.FIRST], state[s + w.DESTAGED])
            continue
        limit = state[s + w.STOP] if state[s + w.STOP] >= 0 else full_at(state, base, s)
        if state[c + w.NEXT] < limit and state[c + w.END] > state[s + w.FIRST]:
            if state[s + w.LIVE]:
                state[s + w.STALE] = 1
            else:
                drop(state, base, s, now)


@machine("disk")
def admit(state: NDArray, base: int, now: int, tag: int) -> int:
    """A write gets its place in the buffer: 1 where it has one, 0 where it has to wait to be woken."""
    if not is_command(state, base, now, tag, 1):
        return -1
    c = command_at(state, base, tag)
    if state[c + w.STATUS] == w.SERVED:
        return 1
    s = place_for(state, base, now, c)
    if s < 0:
        set_blocked(state, base, c, 1)
        return wait(state, base)
    set_blocked(state, base, c, 0)
    if state[s + w.KIND] == w.DIRTY:
        outdate(state, base, now, c, s)
        if state[s + w.DESTAGED] == state[s + w.RESERVED]:
            state[s + w.SINCE] = state[c + w.TICKET]
        state[s + w.RESERVED] = max(state[s + w.RESERVED], state[c + w.END])
    else:
        if not continues(state, base, c, s):
            drop(state, base, s, now)
            state[s + w.FIRST] = state[c + w.NEXT]
        outdate(state, base, now, c, s)
        state[s + w.KIND] = w.DIRTY
        state[s + w.STOP] = state[s + w.DESTAGED] = state[c + w.NEXT]
        state[s + w.RESERVED] = state[c + w.END]
        state[s + w.SINCE] = state[c + w.TICKET]
    use(state, base, s)
    state[c + w.PLACE] = s
    state[c + w.STATUS] = w.SERVED
    return 1


@shared
def media_has(state: NDArray, base: int, now: int, s: int, sector: int) -> int:
    """0 once all sectors of a run below this one are on the media; else the time until then (2 ps at least), or 1
    where that is not known yet, which says to wait to be woken."""
    if sector <= state[s + w.DESTAGED]:
        return 0
    if state[base + w.CHUNK] == s and sector <= state[base + w.CHUNK_END]:
        time = swept_at(state, base, s, sector) - now
        return max(time, 2) if time > 0 else 0
    wait(state, base)
    return 1


@machine("disk")
def room(state: NDArray, base: int, now: int, tag: int, count: int) -> int:
    """0 if the segment has room for the next `count` sectors of a write; else as `media_has` answers.

    -1 where these are no sectors of the command, or more than a segment holds.
    """
    c = served_at(state, base, now, tag, 1, count)
    if c < 0 or count < 1 or count > state[base + w.SEGMENT]:
        return -1
    s = state[c + w.PLACE]
    below = state[c + w.NEXT] + count - state[base + w.SEGMENT]
    if below > kept(state, base, s, below):
        set_blocked(state, base, c, 1)
        wait(state, base)
        return 1
    answer = media_has(state, base, now, s, below)
    set_blocked(state, base, c, 1 if answer == 1 else 0)
    return answer


@machine("disk")
def store(state: NDArray, base: int, now: int, tag: int, count: int) -> int:
    """The next `count` sectors of a write are in the buffer. 1 where a thread has to be started that destages."""
    c = served_at(state, base, now, tag, 1, count)
    if c < 0 or count < 1:
        return -1
    s = state[c + w.PLACE]
    state[c + w.NEXT] += count
    if state[base + w.DESTAGER] or written_up_to(state, base, s) <= state[s + w.DESTAGED]:
        return 0
    state[base + w.DESTAGER] = 1
    return 1


@machine("disk")
def stored(state: NDArray, base: int, now: int, tag: int) -> int:
    """0 once the media has all of a write; else as `media_has` answers."""
    c = served_at(state, base, now, tag, 1, 0)
    if c < 0:
        return -1
    return media_has(state, base, now, state[c + w.PLACE], state[c + w.END])
