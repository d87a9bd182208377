"""The commands that the drive holds, and which of them, or which dirty data, the arm turns to next.

A free arm is given away at the very instant at which it becomes free, or at which a command comes that can have
it: no command that could start waits beside a free arm. Which one has it, `simio.machines.disk.scheduling` says.
Dirty data of a write cache wait until no command wants the arm, unless a command waits for room.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.disk import layout as w
from simio.machines.disk.buffer import (
    arm_track,
    command_at,
    has_read,
    least_used,
    lookup,
    position,
    segment_at,
    written_up_to,
)
from simio.machines.disk.scheduling import angle_known_at, cost
from simio.machines.door import machine
from simio.machines.shared import shared


@shared
def is_command(state: NDArray, base: int, now: int, tag: int, writes: int) -> bool:
    """True if the disk can be asked now about a command of this kind."""
    if now > w.LATEST or tag < 0 or tag >= state[base + w.SLOTS]:
        return False
    c = command_at(state, base, tag)
    return (state[c + w.STATUS] == w.QUEUED or state[c + w.STATUS] == w.SERVED) and state[c + w.WRITES] == writes


@shared
def served_at(state: NDArray, base: int, now: int, tag: int, writes: int, count: int) -> int:
    """Row of a command of this kind that is served and has `count` more sectors; -1 if there is none."""
    if not is_command(state, base, now, tag, writes):
        return -1
    c = command_at(state, base, tag)
    return c if state[c + w.STATUS] == w.SERVED and 0 <= count <= state[c + w.END] - state[c + w.NEXT] else -1


@shared
def has_sectors(state: NDArray, base: int, now: int, sector: int, count: int) -> bool:
    """True if the disk has so many sectors from this one on, and can be asked now."""
    return (
        now <= w.LATEST
        and sector >= 0
        and count >= 1
        and sector < state[base + w.SECTORS]
        and count <= state[base + w.SECTORS] - sector
    )


@machine("disk")
def controller_time(state: NDArray, base: int, now: int, sector: int, count: int) -> int:
    """Time of the controller for a read that arrives now, beyond what every command takes; -1 if refused."""
    if not has_sectors(state, base, now, sector, count):
        return -1
    hit = lookup(state, base, now, sector, sector + count) >= 0
    return state[base + w.OVERHEADS + (0 if hit else 2) + state[base + w.PREVIOUS]]


@machine("disk")
def write_time(state: NDArray, base: int, now: int) -> int:
    """Time of the controller for a write that arrives now, beyond what every write takes."""
    if now > w.LATEST:
        return -1
    return state[base + w.OVERHEADS + 4 + state[base + w.PREVIOUS]]


@machine("disk")
def enqueue(state: NDArray, base: int, now: int, sector: int, size: int) -> int:
    """A command arrives for `size // 2` sectors, a write if `size` is odd; its tag, or -1 if it is refused."""
    if size < 0 or not has_sectors(state, base, now, sector, size >> 1):
        return -1
    for tag in range(state[base + w.SLOTS]):
        c = command_at(state, base, tag)
        if state[c + w.STATUS] == w.FREE:
            state[base + w.TICKETS] += 1
            state[c + w.STATUS] = w.QUEUED
            state[c + w.NEXT] = state[c + w.GIVEN] = sector
            state[c + w.BEGIN] = sector
            state[c + w.END] = sector + (size >> 1)
            state[c + w.TICKET] = state[base + w.TICKETS]
            state[c + w.WRITES] = size & 1
            state[c + w.PLACE] = -1
            state[c + w.IS_BLOCKED] = state[c + w.HELD] = state[c + w.PACE] = 0
            state[base + w.PREVIOUS] = size & 1
            return tag
    return -1


@shared
def wait(state: NDArray, base: int) -> int:
    """One more thread waits to be woken. Returns 0."""
    state[base + w.WAITING] += 1
    return 0


@shared
def wake(state: NDArray, base: int) -> int:
    """Number of threads that wait and are to be woken, all of them."""
    waiting = state[base + w.WAITING]
    state[base + w.WAITING] = 0
    return waiting


@shared
def set_blocked(state: NDArray, base: int, c: int, blocked: int) -> None:
    """Note whether a command waits for room or for dirty data."""
    state[base + w.BLOCKED] += blocked - state[c + w.IS_BLOCKED]
    state[c + w.IS_BLOCKED] = blocked


@shared
def joins(state: NDArray, base: int, c: int, s: int) -> bool:
    """True if a segment has room for what a read wants beside what other readers have still to be given."""
    if state[s + w.KIND] == w.DIRTY or state[s + w.LIVE] == 0:
        return True
    if state[base + w.ACTIVE] == s and state[c + w.NEXT] < state[s + w.TAKEN]:
        return False
    return state[c + w.END] - min(state[s + w.TAKEN], state[c + w.NEXT]) <= state[base + w.SEGMENT]


@shared
def can_start(state: NDArray, base: int, c: int, s: int, room: bool) -> bool:
    """True if the buffer lets a queued read start, were the arm free.

    `s` is what `lookup` found for it, and there is `room` if a segment may be replaced.
    """
    if s >= 0:
        return joins(state, base, c, s)
    return s == -1 and room and not follows(state, base, c)


@shared
def follows(state: NDArray, base: int, c: int) -> bool:
    """True if a read goes on where an older one ends that is not done: it is of its stream, and does not overtake."""
    for tag in range(state[base + w.SLOTS]):
        other = command_at(state, base, tag)
        status = state[other + w.STATUS]
        if (
            (status == w.QUEUED or (status == w.SERVED and state[other + w.NEXT] < state[other + w.END]))
            and not state[other + w.WRITES]
            and state[other + w.END] == state[c + w.NEXT]
            and state[other + w.TICKET] < state[c + w.TICKET]
        ):
            return True
    return False


@shared
def older_waits(state: NDArray, base: int, c: int) -> bool:
    """True if an older read is still in the queue."""
    for tag in range(state[base + w.SLOTS]):
        other = command_at(state, base, tag)
        if (
            state[other + w.STATUS] == w.QUEUED
            and not state[other + w.WRITES]
            and state[other + w.TICKET] < state[c + w.TICKET]
        ):
            return True
    return False


@shared
def read_cost(state: NDArray, base: int, now: int, known_at: int, here: int, c: int, s: int) -> int:
    """`cost` of a read: of the first of its sectors that is not in the buffer, where `lookup` found `s` for it."""
    sector = state[c + w.NEXT]
    if s >= 0:
        if state[s + w.KIND] == w.DIRTY or has_read(state, base, s, now, state[c + w.END]):
            return 0
        if state[base + w.ACTIVE] == s and state[s + w.STOP] < 0:
            return 0
        sector = position(state, base, s, now)
    return cost(state, base, known_at, here, sector, False)


@shared
def choose(state: NDArray, base: int, now: int) -> int:
    """Next work of the free arm: the tag of a read, -2 - n for dirty segment n, or -1 for nothing."""
    here = arm_track(state, base, now)
    known_at = angle_known_at(state, base, now, here)
    best = -1
    least = oldest = 0
    room = least_used(state, base) >= 0
    for tag in range(state[base + w.SLOTS]):
        c = command_at(state, base, tag)
        if state[c + w.STATUS] != w.QUEUED or state[c + w.WRITES]:
            continue
        s = lookup(state, base, now, state[c + w.NEXT], state[c + w.END])
        if can_start(state, base, c, s, room):
            price = read_cost(state, base, now, known_at, here, c, s) if not state[base + w.IN_ORDER] else 0
            if best == -1 or price < least or (price == least and state[c + w.TICKET] < oldest):
                best = tag
                least = price
                oldest = state[c + w.TICKET]
    if best >= 0 and state[base + w.WRITE_CACHE] and not state[base + w.BLOCKED]:
        return best
    for number in range(state[base + w.SEGMENTS]):
        s = segment_at(state, base, number)
        dirty = state[s + w.KIND] == w.DIRTY and state[s + w.RESERVED] > state[s + w.DESTAGED]
        if dirty and written_up_to(state, base, s) > state[s + w.DESTAGED]:
            price = cost(state, base, known_at, here, state[s + w.DESTAGED], True)
            if best == -1 or price < least or (price == least and state[s + w.SINCE] < oldest):
                best = -2 - number
                least = price
                oldest = state[s + w.SINCE]
    return best
