"""The drive's buffer: segments that each follow one sequential stream, and how far the media has filled them.

A segment is a ring. The media reads ahead into it until it is a segment's length ahead of what has left for the
host, and starts again, with the loss of rotational position that this costs, when half of it has been taken.
What has left stays there until it is overwritten, so that it can be read again. Positions and times of a sweep of
the media are computed when somebody asks, not sector by sector.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.disk import layout as w
from simio.machines.disk.geometry import aligned, path, path_end, track_end, track_of, zone_of
from simio.machines.shared import shared


@shared
def segment_at(state: NDArray, base: int, number: int) -> int:
    """Position of a segment in the state."""
    return base + state[base + w.SEGMENT_TABLE] + number * w.SEGMENT_COLUMNS


@shared
def command_at(state: NDArray, base: int, tag: int) -> int:
    """Position of a command in the state."""
    return base + state[base + w.COMMAND_TABLE] + tag * w.COMMAND_COLUMNS


@shared
def start_sweep(state: NDArray, base: int, s: int, time: int, sector: int) -> None:
    """The media begins a sweep at a sector, as soon as that comes around after `time`."""
    state[s + w.ORIGIN] = sector
    state[s + w.START] = aligned(state, base, time, sector)
    state[s + w.PHASE] = state[s + w.START] - path(state, base, sector)
    state[s + w.EARLY] = -1


@shared
def swept_at(state: NDArray, base: int, s: int, sector: int) -> int:
    """Instant at which the sweep of a segment has passed all sectors below this one, which lies after ORIGIN."""
    time = state[s + w.PHASE] + path_end(state, base, sector)
    return min(time, state[s + w.EARLY_AT]) if sector <= state[s + w.EARLY] else time


@shared
def begin_in_the_middle(state: NDArray, base: int, s: int, arrived: int, end: int) -> None:
    """Zero latency: a sweep up to `end`, with the head at one of its sectors when it `arrived`, has all a turn later.

    The media is where it would be without; what it passes again is there already.
    """
    sector = state[s + w.ORIGIN]
    passed = arrived + state[base + w.REVOLUTION]
    if end <= track_end(state, base, sector) and passed < swept_at(state, base, s, end):
        state[s + w.EARLY] = end
        state[s + w.EARLY_AT] = passed


@shared
def full_at(state: NDArray, base: int, s: int) -> int:
    """Sector before which the media will stop if nothing more is taken."""
    limit = min(state[s + w.TAKEN] + state[base + w.SEGMENT], state[base + w.SECTORS])
    return limit if state[base + w.READ_AHEAD] else min(limit, state[s + w.GOAL])


@shared
def goal_of(state: NDArray, base: int, s: int, begin: int, end: int) -> int:
    """Sector before which the media stops after a read from `begin` to `end` into a segment, if not full before.

    A read ahead to the end of the next track is for a stream that is recognised: IN_STREAMS by a read that goes on in
    a segment, and nothing is read ahead else; TO_TRACKS by data from the track before (DiskSim 4.0, manual, section
    3.4.4, "Buffer continuous read" 4, and what its program does).
    """
    ahead = state[base + w.READ_AHEAD_TO]
    if ahead == w.AHEAD_BY:
        return end + state[base + w.READ_AHEAD_LIMIT]
    if ahead == w.NO_READ_AHEAD or (ahead == w.IN_STREAMS and begin <= state[s + w.FIRST]):
        return end
    after = track_end(state, base, end - 1)
    if ahead == w.TO_TRACK_END or after >= state[base + w.SECTORS]:
        return after
    first = after - state[zone_of(state, base, end - 1) + w.ZONE_TRACK]
    return after if ahead == w.TO_TRACKS and state[s + w.FIRST] >= first else track_end(state, base, after)


@shared
def has_read(state: NDArray, base: int, s: int, now: int, sector: int) -> bool:
    """True if the media has read the stream of a segment as far as the sector before this one."""
    if state[s + w.STOP] >= 0:
        return sector <= state[s + w.STOP]
    if sector <= state[s + w.ORIGIN]:
        return True
    if sector > full_at(state, base, s):
        return False
    return swept_at(state, base, s, sector) <= now


@shared
def position(state: NDArray, base: int, s: int, now: int) -> int:
    """Sector at which the media is in the stream of a segment, or has stopped."""
    if state[s + w.STOP] >= 0:
        return state[s + w.STOP]
    low = state[s + w.ORIGIN]
    high = full_at(state, base, s)
    while low < high:
        middle = (low + high + 1) // 2
        if swept_at(state, base, s, middle) <= now:
            low = middle
        else:
            high = middle - 1
    return low


@shared
def arm_track(state: NDArray, base: int, now: int) -> int:
    """Track at which the arm is."""
    s = state[base + w.ACTIVE]
    if s < 0:
        return state[base + w.HERE]
    return track_of(state, base, min(position(state, base, s, now), state[base + w.SECTORS] - 1))


@shared
def stop_media(state: NDArray, base: int, now: int) -> None:
    """The stream that the media reads ends here, since the arm is needed elsewhere or its segment is."""
    s = state[base + w.ACTIVE]
    if s >= 0:
        state[base + w.HERE] = arm_track(state, base, now)
        state[s + w.STOP] = position(state, base, s, now)
        state[base + w.ACTIVE] = -1


@shared
def note_full(state: NDArray, base: int, s: int, now: int) -> None:
    """Write down that the media has stopped, before more room would let it seem never to have."""
    if state[s + w.STOP] < 0:
        limit = full_at(state, base, s)
        if limit > state[s + w.ORIGIN] and swept_at(state, base, s, limit) <= now:
            state[s + w.STOP] = limit


@shared
def go_on(state: NDArray, base: int, s: int, now: int) -> None:
    """The media, stopped in the stream where the arm is, reads on as soon as its next sector comes around."""
    start_sweep(state, base, s, max(now, state[s + w.START]), state[s + w.STOP])
    state[s + w.STOP] = -1


@shared
def refill(state: NDArray, base: int, s: int, now: int) -> None:
    """Let the arm go on once half of the segment is free, if it has stopped and is still at this stream."""
    stopped = state[s + w.STOP]
    if (
        state[base + w.ACTIVE] == s
        and stopped >= 0
        and stopped - state[s + w.TAKEN] <= state[base + w.SEGMENT] // 2
        and full_at(state, base, s) > stopped
    ):
        go_on(state, base, s, now)


@shared
def release_taken(state: NDArray, base: int, s: int, now: int) -> None:
    """Free for overwriting what every reader of a segment has been given."""
    if state[s + w.KIND] == w.STREAM:
        note_full(state, base, s, now)
    state[s + w.TAKEN] = kept(state, base, s, state[s + w.TAKEN])
    if state[s + w.KIND] == w.STREAM:
        refill(state, base, s, now)


@shared
def kept(state: NDArray, base: int, s: int, otherwise: int) -> int:
    """Lowest sector that a reader of a segment has still to be given, or `otherwise` where it has none."""
    lowest = -1
    users = state[s + w.LIVE]
    tag = 0
    while users > 0 and tag < state[base + w.SLOTS]:
        c = command_at(state, base, tag)
        if state[c + w.STATUS] == w.SERVED and state[c + w.PLACE] == s:
            users -= 1
            if not state[c + w.WRITES]:
                lowest = state[c + w.GIVEN] if lowest < 0 else min(lowest, state[c + w.GIVEN])
        tag += 1
    return otherwise if lowest < 0 else lowest


@shared
def written_up_to(state: NDArray, base: int, s: int) -> int:
    """Sector before which a dirty segment has all the data of its run, what writers have yet to bring apart."""
    end = state[s + w.RESERVED]
    users = state[s + w.LIVE]
    tag = 0
    while users > 0 and tag < state[base + w.SLOTS]:
        c = command_at(state, base, tag)
        if state[c + w.STATUS] == w.SERVED and state[c + w.PLACE] == s:
            users -= 1
            if state[c + w.WRITES] and state[c + w.NEXT] < state[c + w.END]:
                end = min(end, state[c + w.NEXT])
        tag += 1
    return end


@shared
def oldest_valid(state: NDArray, base: int, s: int) -> int:
    """Lowest sector of a dirty segment that its ring has not overwritten, nor will for what is reserved."""
    return max(state[s + w.FIRST], state[s + w.RESERVED] - state[base + w.SEGMENT])


@shared
def lookup(state: NDArray, base: int, now: int, sector: int, end: int) -> int:
    """Position of the segment from which a read of sectors up to `end` can be served, or be continued.

    -1 if none, -2 where dirty data are in the way: some of its sectors are in the buffer only, not all.
    """
    best = -1
    for number in range(state[base + w.SEGMENTS]):
        s = segment_at(state, base, number)
        if state[s + w.KIND] == w.DIRTY:
            whole = sector >= oldest_valid(state, base, s) and end <= state[s + w.RESERVED]
            if whole and end <= written_up_to(state, base, s):
                return s
            if sector < state[s + w.RESERVED] and end > state[s + w.DESTAGED]:
                return -2
        elif (
            state[s + w.KIND] == w.STREAM
            and not state[s + w.STALE]
            and sector >= state[s + w.FIRST]
            and has_read(state, base, s, now, sector)
            and not has_read(state, base, s, now, sector + state[base + w.SEGMENT] + 1)
            and (best < 0 or has_read(state, base, s, now, sector + 1))
        ):
            best = s
    return best


@shared
def least_used(state: NDArray, base: int) -> int:
    """Position of the segment to be replaced: the least recently used that is neither dirty nor in use, or -1."""
    best = -1
    for number in range(state[base + w.SEGMENTS]):
        s = segment_at(state, base, number)
        if (
            state[s + w.LIVE] == 0
            and state[s + w.KIND] != w.DIRTY
            and (best < 0 or state[s + w.USED] < state[best + w.USED])
        ):
            best = s
    return best


@shared
def drop(state: NDArray, base: int, s: int, now: int) -> None:
    """A segment's data are given up."""
    if state[base + w.ACTIVE] == s:
        stop_media(state, base, now)
    state[s + w.KIND] = w.EMPTY
    state[s + w.USED] = 0
    state[s + w.STALE] = 0


@shared
def use(state: NDArray, base: int, s: int) -> None:
    """A command begins to use a segment."""
    state[base + w.CLOCK] += 1
    state[s + w.USED] = state[base + w.CLOCK]
    state[s + w.LIVE] += 1
