"""Writes: what hosts bring is dirty in the buffer until the media has it, whether or not the host waits for that.

A write continues the run of dirty data that ends where it begins, or starts a run in a segment of its own. The
drive destages runs track by track, as soon as it can and in the order of its scheduling, sectors that follow one
another without a break. With a write cache a write is done when the buffer has its data; without one, when the
media has. So the two differ only in what the host waits for, and in who goes first.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.disk.buffer import (
    command_at,
    drop,
    full_at,
    kept,
    least_used,
    oldest_valid,
    passed,
    segment_at,
    use,
    written_up_to,
)
from simio.machines.disk.layout import (
    ACTIVE,
    CHUNK,
    CHUNK_END,
    DESTAGED,
    DESTAGER,
    DIRTY,
    EMPTY,
    END,
    FIRST,
    KIND,
    LIVE,
    NEXT,
    PLACE,
    RESERVED,
    SEGMENT,
    SEGMENTS,
    SERVED,
    SINCE,
    STALE,
    START,
    STATUS,
    STOP,
    STREAM,
    TICKET,
)
from simio.machines.disk.queue import is_command, lack, wait
from simio.machines.door import machine
from simio.machines.shared import shared


@shared
def absorbs(state: NDArray, base: int, now: int, c: int, s: int) -> bool:
    """Whether a dirty segment has all the sectors of a write, and none of them is on the way to the media."""
    least = state[s + DESTAGED]
    if state[base + CHUNK] == s:
        least = least + 1 if now < state[s + START] else state[base + CHUNK_END]
    least = max(least, oldest_valid(state, base, s))
    return state[c + NEXT] >= least and state[c + END] <= written_up_to(state, base, s)


@shared
def continues(state: NDArray, base: int, c: int, s: int) -> bool:
    """Whether a write goes on where the run of a segment ends."""
    if state[s + KIND] == DIRTY:
        return state[c + NEXT] == state[s + RESERVED]
    return (
        state[s + KIND] == STREAM
        and state[base + ACTIVE] != s
        and not state[s + LIVE]
        and state[c + NEXT] == state[s + STOP]
    )


@shared
def place_for(state: NDArray, base: int, now: int, c: int) -> int:
    """Position of the segment into which a write goes, or -1 while there is none.

    Sectors that are dirty and cannot be changed in place have to reach the media first.
    """
    found = -1
    for number in range(state[base + SEGMENTS]):
        s = segment_at(state, base, number)
        if state[s + KIND] == DIRTY:
            if absorbs(state, base, now, c, s):
                return s
            if state[c + NEXT] < state[s + RESERVED] and state[c + END] > state[s + DESTAGED]:
                return -1
        if continues(state, base, c, s):
            found = s
    return found if found >= 0 else least_used(state, base)


@shared
def outdate(state: NDArray, base: int, now: int, c: int, keep: int) -> None:
    """What segments other than `keep` have of the sectors of a write is old and is not read any more."""
    for number in range(state[base + SEGMENTS]):
        s = segment_at(state, base, number)
        if s == keep or state[s + KIND] == EMPTY:
            continue
        if state[s + KIND] == DIRTY:
            if state[c + NEXT] < state[s + DESTAGED] and state[c + END] > state[s + FIRST]:
                state[s + FIRST] = max(state[s + FIRST], state[s + DESTAGED])
            continue
        limit = state[s + STOP] if state[s + STOP] >= 0 else full_at(state, base, s)
        if state[c + NEXT] < limit and state[c + END] > state[s + FIRST]:
            if state[s + LIVE]:
                state[s + STALE] = 1
            else:
                drop(state, base, s, now)


@machine("disk")
def admit(state: NDArray, base: int, now: int, tag: int) -> int:
    """A write gets its place in the buffer: 1 where it has one, 0 where it has to wait to be woken."""
    if not is_command(state, base, now, tag, 1):
        return -1
    c = command_at(state, base, tag)
    if state[c + STATUS] == SERVED:
        return 1
    s = place_for(state, base, now, c)
    if s < 0:
        lack(state, base, c, 1)
        return wait(state, base)
    lack(state, base, c, 0)
    if state[s + KIND] == DIRTY:
        outdate(state, base, now, c, s)
        if state[s + DESTAGED] == state[s + RESERVED]:
            state[s + SINCE] = state[c + TICKET]
        state[s + RESERVED] = max(state[s + RESERVED], state[c + END])
    else:
        if not continues(state, base, c, s):
            drop(state, base, s, now)
            state[s + FIRST] = state[c + NEXT]
        outdate(state, base, now, c, s)
        state[s + KIND] = DIRTY
        state[s + STOP] = state[s + DESTAGED] = state[c + NEXT]
        state[s + RESERVED] = state[c + END]
        state[s + SINCE] = state[c + TICKET]
    use(state, base, s)
    state[c + PLACE] = s
    state[c + STATUS] = SERVED
    return 1


@shared
def media_has(state: NDArray, base: int, now: int, s: int, sector: int) -> int:
    """0 once all sectors of a run below this one are on the media; else the time until then (2 ps at least), or 1
    where that is not known yet, which says to wait to be woken."""
    if sector <= state[s + DESTAGED]:
        return 0
    if state[base + CHUNK] == s and sector <= state[base + CHUNK_END]:
        time = passed(state, base, s, sector) - now
        return max(time, 2) if time > 0 else 0
    wait(state, base)
    return 1


@machine("disk")
def room(state: NDArray, base: int, now: int, tag: int, count: int) -> int:
    """0 if the segment has room for the next `count` sectors of a write; else as `media_has` tells.

    -1 where these are no sectors of the command, or more than a segment holds.
    """
    if not is_command(state, base, now, tag, 1):
        return -1
    c = command_at(state, base, tag)
    if state[c + STATUS] != SERVED or count < 1 or count > state[base + SEGMENT]:
        return -1
    if count > state[c + END] - state[c + NEXT]:
        return -1
    s = state[c + PLACE]
    below = state[c + NEXT] + count - state[base + SEGMENT]
    if below > kept(state, base, s, below):
        lack(state, base, c, 1)
        wait(state, base)
        return 1
    answer = media_has(state, base, now, s, below)
    lack(state, base, c, 1 if answer == 1 else 0)
    return answer


@machine("disk")
def store(state: NDArray, base: int, now: int, tag: int, count: int) -> int:
    """The next `count` sectors of a write are in the buffer. 1 where a thread has to be started that destages."""
    if not is_command(state, base, now, tag, 1):
        return -1
    c = command_at(state, base, tag)
    if state[c + STATUS] != SERVED or count < 1 or count > state[c + END] - state[c + NEXT]:
        return -1
    s = state[c + PLACE]
    state[c + NEXT] += count
    if state[base + DESTAGER] or written_up_to(state, base, s) <= state[s + DESTAGED]:
        return 0
    state[base + DESTAGER] = 1
    return 1


@machine("disk")
def stored(state: NDArray, base: int, now: int, tag: int) -> int:
    """0 once the media has all of a write; else as `media_has` tells."""
    if not is_command(state, base, now, tag, 1):
        return -1
    c = command_at(state, base, tag)
    if state[c + STATUS] != SERVED:
        return -1
    return media_has(state, base, now, state[c + PLACE], state[c + END])
