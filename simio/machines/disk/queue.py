"""The commands that the drive holds, and which of them, or which dirty data, the arm turns to next.

A free arm is given away at the very instant at which it becomes free, or at which a command comes that can have
it: no command that could start waits beside a free arm. FIFO takes the oldest that can start; the elevator goes
on in its direction to the nearest cylinder, and turns where there is none (LOOK; A. G. Merten, "Some
quantitative techniques for file organization", 1970); the shortest positioning time first counts seek, settling
and rotation (SPTF, also SATF; M. Seltzer, P. Chen and J. Ousterhout, "Disk scheduling revisited", USENIX Winter
1990; D. M. Jacobson and J. Wilkes, HP Laboratories HPL-CSP-91-7, 1991). Ties go to the older. Dirty data of a
write cache wait until no command wants the arm, unless a command waits for room.
"""

from __future__ import annotations

from numpy.typing import NDArray

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
from simio.machines.disk.geometry import aligned, track_of, travel
from simio.machines.disk.layout import (
    ACTIVE,
    DESTAGED,
    DIRECTION,
    DIRTY,
    ELEVATOR,
    END,
    FIFO,
    FREE,
    GIVEN,
    HEADS,
    HELD,
    HIT_TIME,
    KIND,
    LACKING,
    LACKS,
    LATEST,
    LIVE,
    MISS_TIME,
    NEXT,
    PLACE,
    QUEUED,
    SCHEDULING,
    SECTORS,
    SEGMENT,
    SEGMENTS,
    SERVED,
    SINCE,
    SLOTS,
    STATUS,
    STOP,
    TAKEN,
    TICKET,
    TICKETS,
    WAITING,
    WRITE_CACHE,
    WRITES,
)
from simio.machines.door import machine
from simio.machines.shared import shared

BEHIND = 2**40
"""More cylinders than any disk has: what lies behind the elevator comes after all that lies ahead."""


@shared
def is_command(state: NDArray, base: int, now: int, tag: int, writes: int) -> bool:
    """Whether the disk can be asked now about a command of this kind."""
    if now > LATEST or tag < 0 or tag >= state[base + SLOTS]:
        return False
    c = command_at(state, base, tag)
    return (state[c + STATUS] == QUEUED or state[c + STATUS] == SERVED) and state[c + WRITES] == writes


@shared
def has_sectors(state: NDArray, base: int, now: int, sector: int, count: int) -> bool:
    """Whether the disk has so many sectors from this one on, and can be asked now."""
    return (
        now <= LATEST
        and sector >= 0
        and count >= 1
        and sector < state[base + SECTORS]
        and count <= state[base + SECTORS] - sector
    )


@machine("disk")
def controller_time(state: NDArray, base: int, now: int, sector: int, count: int) -> int:
    """Time of the controller for a read that arrives now, beyond what every command takes; -1 if refused."""
    if not has_sectors(state, base, now, sector, count):
        return -1
    hit = lookup(state, base, now, sector, sector + count) >= 0
    return state[base + HIT_TIME] if hit else state[base + MISS_TIME]


@machine("disk")
def enqueue(state: NDArray, base: int, now: int, sector: int, size: int) -> int:
    """A command arrives for `size // 2` sectors, a write if `size` is odd; its tag, or -1 if it is refused."""
    if size < 0 or not has_sectors(state, base, now, sector, size >> 1):
        return -1
    for tag in range(state[base + SLOTS]):
        c = command_at(state, base, tag)
        if state[c + STATUS] == FREE:
            state[base + TICKETS] += 1
            state[c + STATUS] = QUEUED
            state[c + NEXT] = state[c + GIVEN] = sector
            state[c + END] = sector + (size >> 1)
            state[c + TICKET] = state[base + TICKETS]
            state[c + WRITES] = size & 1
            state[c + PLACE] = -1
            state[c + LACKS] = state[c + HELD] = 0
            return tag
    return -1


@shared
def wait(state: NDArray, base: int) -> int:
    """One more thread waits to be woken. Returns 0."""
    state[base + WAITING] += 1
    return 0


@shared
def wake(state: NDArray, base: int) -> int:
    """Number of threads that wait and are to be woken, all of them."""
    waiting = state[base + WAITING]
    state[base + WAITING] = 0
    return waiting


@shared
def lack(state: NDArray, base: int, c: int, lacks: int) -> None:
    """A command begins or ceases to be among those that wait for room or for dirty data."""
    state[base + LACKING] += lacks - state[c + LACKS]
    state[c + LACKS] = lacks


@shared
def joins(state: NDArray, base: int, c: int, s: int) -> bool:
    """Whether a segment has room for what a read wants beside what other readers have still to be given."""
    if state[s + KIND] == DIRTY or state[s + LIVE] == 0:
        return True
    if state[base + ACTIVE] == s and state[c + NEXT] < state[s + TAKEN]:
        return False
    return state[c + END] - min(state[s + TAKEN], state[c + NEXT]) <= state[base + SEGMENT]


@shared
def can_start(state: NDArray, base: int, now: int, c: int) -> bool:
    """Whether the buffer lets a queued read start, were the arm free."""
    s = lookup(state, base, now, state[c + NEXT], state[c + END])
    if s >= 0:
        return joins(state, base, c, s)
    return s == -1 and least_used(state, base) >= 0


@shared
def older_waits(state: NDArray, base: int, c: int) -> bool:
    """Whether an older read is still in the queue."""
    for tag in range(state[base + SLOTS]):
        other = command_at(state, base, tag)
        if (
            state[other + STATUS] == QUEUED
            and not state[other + WRITES]
            and state[other + TICKET] < state[c + TICKET]
        ):
            return True
    return False


@shared
def cost(state: NDArray, base: int, now: int, here: int, sector: int, writes: bool) -> int:
    """What the scheduling has the arm go by: the least is served first."""
    if state[base + SCHEDULING] == FIFO:
        return 0
    there = track_of(state, base, sector)
    if state[base + SCHEDULING] == ELEVATOR:
        heads = state[base + HEADS]
        ahead = (there // heads - here // heads) * state[base + DIRECTION]
        return ahead if ahead >= 0 else BEHIND - ahead
    return aligned(state, base, now + travel(state, base, here, there, writes), sector) - now


@shared
def read_cost(state: NDArray, base: int, now: int, here: int, c: int) -> int:
    """`cost` of a read: of the first of its sectors that is not in the buffer."""
    sector = state[c + NEXT]
    s = lookup(state, base, now, sector, state[c + END])
    if s >= 0:
        if state[s + KIND] == DIRTY or has_read(state, base, s, now, state[c + END]):
            return 0
        if state[base + ACTIVE] == s and state[s + STOP] < 0:
            return 0
        sector = position(state, base, s, now)
    return cost(state, base, now, here, sector, False)


@shared
def choose(state: NDArray, base: int, now: int) -> int:
    """What the free arm turns to: the tag of a read, -2 - n for dirty segment n, or -1 for nothing."""
    here = arm_track(state, base, now)
    best = -1
    least = oldest = 0
    for tag in range(state[base + SLOTS]):
        c = command_at(state, base, tag)
        if state[c + STATUS] == QUEUED and not state[c + WRITES] and can_start(state, base, now, c):
            price = read_cost(state, base, now, here, c) if state[base + SCHEDULING] != FIFO else 0
            if best == -1 or price < least or (price == least and state[c + TICKET] < oldest):
                best = tag
                least = price
                oldest = state[c + TICKET]
    if best >= 0 and state[base + WRITE_CACHE] and not state[base + LACKING]:
        return best
    for number in range(state[base + SEGMENTS]):
        s = segment_at(state, base, number)
        if state[s + KIND] == DIRTY and written_up_to(state, base, s) > state[s + DESTAGED]:
            price = cost(state, base, now, here, state[s + DESTAGED], True)
            if best == -1 or price < least or (price == least and state[s + SINCE] < oldest):
                best = -2 - number
                least = price
                oldest = state[s + SINCE]
    return best
