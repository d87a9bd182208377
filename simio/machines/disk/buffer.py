"""The drive's buffer: segments that each follow one sequential stream, and how far the media has filled them.

A segment is a ring. The media reads ahead into it until it is a segment's length ahead of what has left for the
host, and starts again, with the loss of rotational position that this costs, when half of it has been taken.
What has left stays there until it is overwritten, so that it can be read again. Positions and times of a pass of
the media are computed when somebody asks, not sector by sector.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.disk.geometry import aligned, path, path_end, track_of
from simio.machines.disk.layout import (
    ACTIVE,
    CLOCK,
    COMMAND_COLUMNS,
    COMMAND_TABLE,
    DESTAGED,
    DIRTY,
    EMPTY,
    END,
    FIRST,
    GIVEN,
    GOAL,
    HERE,
    KIND,
    LIVE,
    NEXT,
    ORIGIN,
    PHASE,
    PLACE,
    READ_AHEAD,
    RESERVED,
    SECTORS,
    SEGMENT,
    SEGMENT_COLUMNS,
    SEGMENT_TABLE,
    SEGMENTS,
    SERVED,
    SLOTS,
    STALE,
    START,
    STATUS,
    STOP,
    STREAM,
    TAKEN,
    USED,
    WRITES,
)
from simio.machines.shared import shared


@shared
def segment_at(state: NDArray, base: int, number: int) -> int:
    """Position of a segment in the state."""
    return base + state[base + SEGMENT_TABLE] + number * SEGMENT_COLUMNS


@shared
def command_at(state: NDArray, base: int, tag: int) -> int:
    """Position of a command in the state."""
    return base + state[base + COMMAND_TABLE] + tag * COMMAND_COLUMNS


@shared
def start_pass(state: NDArray, base: int, s: int, time: int, sector: int) -> None:
    """The media begins a pass at a sector, as soon as that comes around after `time`."""
    state[s + ORIGIN] = sector
    state[s + START] = aligned(state, base, time, sector)
    state[s + PHASE] = state[s + START] - path(state, base, sector)


@shared
def passed(state: NDArray, base: int, s: int, sector: int) -> int:
    """Instant at which the pass of a segment has gone over all sectors below this one, which lies after ORIGIN."""
    return state[s + PHASE] + path_end(state, base, sector)


@shared
def full_at(state: NDArray, base: int, s: int) -> int:
    """Sector before which the media will stop if nothing more is taken."""
    limit = min(state[s + TAKEN] + state[base + SEGMENT], state[base + SECTORS])
    return limit if state[base + READ_AHEAD] else min(limit, state[s + GOAL])


@shared
def has_read(state: NDArray, base: int, s: int, now: int, sector: int) -> bool:
    """Whether the media has read the stream of a segment as far as the sector before this one."""
    if state[s + STOP] >= 0:
        return sector <= state[s + STOP]
    if sector <= state[s + ORIGIN]:
        return True
    if sector > full_at(state, base, s):
        return False
    return passed(state, base, s, sector) <= now


@shared
def position(state: NDArray, base: int, s: int, now: int) -> int:
    """Sector at which the media is in the stream of a segment, or has stopped."""
    if state[s + STOP] >= 0:
        return state[s + STOP]
    low = state[s + ORIGIN]
    high = full_at(state, base, s)
    while low < high:
        middle = (low + high + 1) // 2
        if passed(state, base, s, middle) <= now:
            low = middle
        else:
            high = middle - 1
    return low


@shared
def arm_track(state: NDArray, base: int, now: int) -> int:
    """Track at which the arm is."""
    s = state[base + ACTIVE]
    if s < 0:
        return state[base + HERE]
    return track_of(state, base, min(position(state, base, s, now), state[base + SECTORS] - 1))


@shared
def stop_media(state: NDArray, base: int, now: int) -> None:
    """The stream that the media reads ends here, since the arm is needed elsewhere or its segment is."""
    s = state[base + ACTIVE]
    if s >= 0:
        state[base + HERE] = arm_track(state, base, now)
        state[s + STOP] = position(state, base, s, now)
        state[base + ACTIVE] = -1


@shared
def note_full(state: NDArray, base: int, s: int, now: int) -> None:
    """Write down that the media has stopped, before more room would let it seem never to have."""
    if state[s + STOP] < 0:
        limit = full_at(state, base, s)
        if limit > state[s + ORIGIN] and passed(state, base, s, limit) <= now:
            state[s + STOP] = limit


@shared
def go_on(state: NDArray, base: int, s: int, now: int) -> None:
    """The media, stopped in the stream where the arm is, reads on as soon as its next sector comes around."""
    start_pass(state, base, s, max(now, state[s + START]), state[s + STOP])
    state[s + STOP] = -1


@shared
def refill(state: NDArray, base: int, s: int, now: int) -> None:
    """Where the arm still is at this stream, and has stopped, it goes on once half of the segment is free."""
    stopped = state[s + STOP]
    if (
        state[base + ACTIVE] == s
        and stopped >= 0
        and stopped - state[s + TAKEN] <= state[base + SEGMENT] // 2
        and full_at(state, base, s) > stopped
    ):
        go_on(state, base, s, now)


@shared
def release_taken(state: NDArray, base: int, s: int, now: int) -> None:
    """What every reader of a segment has been given may be overwritten."""
    if state[s + KIND] == STREAM:
        note_full(state, base, s, now)
    state[s + TAKEN] = kept(state, base, s, state[s + TAKEN])
    if state[s + KIND] == STREAM:
        refill(state, base, s, now)


@shared
def kept(state: NDArray, base: int, s: int, otherwise: int) -> int:
    """Lowest sector that a reader of a segment has still to be given, or `otherwise` where it has none."""
    lowest = -1
    for tag in range(state[base + SLOTS]):
        c = command_at(state, base, tag)
        if state[c + STATUS] == SERVED and state[c + PLACE] == s and not state[c + WRITES]:
            lowest = state[c + GIVEN] if lowest < 0 else min(lowest, state[c + GIVEN])
    return otherwise if lowest < 0 else lowest


@shared
def written_up_to(state: NDArray, base: int, s: int) -> int:
    """Sector before which a dirty segment has all the data of its run, what writers have yet to bring apart."""
    end = state[s + RESERVED]
    for tag in range(state[base + SLOTS]):
        c = command_at(state, base, tag)
        brings = state[c + WRITES] and state[c + NEXT] < state[c + END]
        if brings and state[c + STATUS] == SERVED and state[c + PLACE] == s:
            end = min(end, state[c + NEXT])
    return end


@shared
def oldest_valid(state: NDArray, base: int, s: int) -> int:
    """Lowest sector of a dirty segment that its ring has not overwritten, nor will for what is reserved."""
    return max(state[s + FIRST], state[s + RESERVED] - state[base + SEGMENT])


@shared
def lookup(state: NDArray, base: int, now: int, sector: int, end: int) -> int:
    """Position of the segment from which a read of sectors up to `end` can be served, or be continued.

    -1 if none, -2 where dirty data are in the way: some of its sectors are in the buffer only, not all.
    """
    best = -1
    for number in range(state[base + SEGMENTS]):
        s = segment_at(state, base, number)
        if state[s + KIND] == DIRTY:
            if sector >= oldest_valid(state, base, s) and end <= written_up_to(state, base, s):
                return s
            if sector < state[s + RESERVED] and end > state[s + DESTAGED]:
                return -2
        elif (
            state[s + KIND] == STREAM
            and not state[s + STALE]
            and sector >= state[s + FIRST]
            and has_read(state, base, s, now, sector)
            and not has_read(state, base, s, now, sector + state[base + SEGMENT] + 1)
            and (best < 0 or has_read(state, base, s, now, sector + 1))
        ):
            best = s
    return best


@shared
def least_used(state: NDArray, base: int) -> int:
    """Position of the segment to be replaced: the least recently used that is neither dirty nor in use, or -1."""
    best = -1
    for number in range(state[base + SEGMENTS]):
        s = segment_at(state, base, number)
        if state[s + LIVE] == 0 and state[s + KIND] != DIRTY and (best < 0 or state[s + USED] < state[best + USED]):
            best = s
    return best


@shared
def drop(state: NDArray, base: int, s: int, now: int) -> None:
    """A segment's data are given up."""
    if state[base + ACTIVE] == s:
        stop_media(state, base, now)
    state[s + KIND] = EMPTY
    state[s + USED] = 0
    state[s + STALE] = 0


@shared
def use(state: NDArray, base: int, s: int) -> None:
    """A command begins to use a segment."""
    state[base + CLOCK] += 1
    state[s + USED] = state[base + CLOCK]
    state[s + LIVE] += 1
