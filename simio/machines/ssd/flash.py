"""Flash in time: planes that read, dies that program and erase, channels that carry pages.

A read is given its instants when it comes: reads of a plane go one after another, and ahead of what programs. A
program or erase that is under way is suspended for a read, once for all reads that come while it stands still, and
goes on afterwards; so its end is known only when it comes, and whoever waits for it asks again then.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.ssd import layout as w


@shared
def die_at(state: NDArray, base: int, die: int) -> int:
    """Row of a die."""
    return base + state[base + w.DIE_ROWS] + w.DIE_COLUMNS * die


@shared
def read_page(state: NDArray, base: int, now: int, die: int, plane: int, kind: int) -> int:
    """Instant at which an array read that is asked for now has a page in its register."""
    readers = state[base + w.READERS]
    p = base + state[base + w.PLANE_ROWS] + die * readers + plane % readers
    d = die_at(state, base, die)
    start = max(now, state[p])
    time = state[base + w.READS + kind]
    if start < state[d + w.FINISH] and start + time > state[d + w.BEGIN]:
        start = between(state, base, d, start, time)
    elif state[d + w.HOLDER] < 0:
        state[base + w.WORKED] += time // readers
    state[p] = start + time
    return start + time


@shared
def between(state: NDArray, base: int, d: int, start: int, time: int) -> int:
    """The instant at which a read of a die that programs or erases can begin; what it delays ends later."""
    if start < state[d + w.BEGIN]:
        later = start + time - state[d + w.BEGIN]
        state[d + w.BEGIN] += later
        state[d + w.FINISH] += later
        return start
    if start <= state[d + w.HALTED]:
        later = start + time + state[base + w.RESUME] - state[d + w.HALTED]
        if later > 0:
            state[d + w.HALTED] += later
            state[d + w.FINISH] += later
        return start
    if state[d + w.HALTS] >= state[base + w.SUSPENSIONS]:
        return state[d + w.FINISH]
    state[d + w.HALTS] += 1
    state[d + w.HALTED] = start + state[base + w.SUSPEND] + time + state[base + w.RESUME]
    state[d + w.FINISH] += state[d + w.HALTED] - start
    return start + state[base + w.SUSPEND]


@shared
def quiet_at(state: NDArray, base: int, now: int, die: int) -> int:
    """Instant from which on no plane of a die reads."""
    p = base + state[base + w.PLANE_ROWS] + die * state[base + w.READERS]
    at = now
    for reader in range(state[base + w.READERS]):
        at = max(at, state[p + reader])
    return at


@shared
def work_die(state: NDArray, base: int, now: int, die: int, time: int) -> int:
    """Begin a program or an erase as soon as no plane of the die reads; returns when it ends as far as is known."""
    d = die_at(state, base, die)
    state[d + w.BEGIN] = quiet_at(state, base, now, die)
    state[d + w.FINISH] = state[d + w.BEGIN] + time
    state[d + w.HALTED] = -1
    state[d + w.HALTS] = 0
    return state[d + w.FINISH]


@shared
def carry(state: NDArray, base: int, now: int, channel: int, sectors: int) -> int:
    """Take a channel for the transfer of so many sectors of a page; returns when it ends."""
    c = base + state[base + w.CHANNEL_ROWS] + channel
    time = carrying(state, base, sectors)
    state[base + w.CARRIED] += time
    state[c] = max(now, state[c]) + time
    return state[c]


@shared
def carrying(state: NDArray, base: int, sectors: int) -> int:
    """Time that the transfer of so many sectors of a page takes of a channel."""
    return state[base + w.PAGE_FIXED] + sectors * state[base + w.SECTOR_MOVES]
