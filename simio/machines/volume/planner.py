"""A volume's calls of its planner: open a request, begin a phase of a part of it, then piece after piece.

Several threads plan requests of one volume with one planner. So whoever opens a request asks for all pieces of a
phase at once, before it waits for anything, and opens the request again for the next phase.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.volume import layout as c
from simio.machines.volume.levels import next_share, raid3_parity, reach
from simio.machines.volume.raid5 import (
    begin_write,
    is_spread,
    next_read,
    next_write,
    read_parity,
    stripe_size,
    write_parts,
)
from simio.machines.volume.raidz import begin_records, next_record, record_extent


@machine("volume")
def open_request(state: NDArray, base: int, at: int, size: int) -> int:
    """A request of `size` bytes at `at`. Returns 0; refuses an empty one."""
    if at < 0 or size < 1:
        return -1
    state[base + c.AT] = at
    state[base + c.SIZE] = size
    return 0


@machine("volume")
def parts(state: NDArray, base: int, kind: int, present: int) -> int:
    """Number of parts of the open request, which are served at the same time.

    `kind` is the verb, plus 2 for a request inside a stripe unit; `present` is as in `layout.PRESENT`; of a RAID 6
    two are lost below 0 (`layout.both`), and from members + 2 on one is beside another with a spare in its place.
    """
    members = state[base + c.MEMBERS]
    if state[base + c.LEVEL] != c.RAID6 and (present < 0 or present > members + 1):
        return -1
    if present > 2 * members + 1:
        return -1
    state[base + c.SECOND] = -1
    if present < 0:
        state[base + c.SECOND] = (-1 - present) % members
        present = (-1 - present) // members
    elif present > members + 1:
        present -= members + 2
    state[base + c.VERB] = kind % 2
    state[base + c.INSIDE] = kind // 2
    state[base + c.PRESENT] = present
    if is_spread(state, base) and kind % 2 == c.WRITE:
        return write_parts(state, base)
    return 1


@machine("volume")
def begin(state: NDArray, base: int, part: int, phase: int) -> int:
    """A phase of a part of the request begins. Returns the part's parity, as `layout.SOURCES` says, or 0."""
    state[base + c.PHASE] = phase
    state[base + c.PLACE] = 0
    state[base + c.FROM] = 0
    if state[base + c.LEVEL] == c.RAID3:
        return raid3_parity(state, base)
    if state[base + c.LEVEL] == c.RAIDZ:
        return begin_records(state, base)
    if not is_spread(state, base):
        return 0
    if state[base + c.VERB] == c.READ:
        return read_parity(state, base)
    return begin_write(state, base, part)


@machine("volume")
def next_piece(state: NDArray, base: int) -> int:
    """The member of the next piece of the phase, plus 1; 0 after the last."""
    if state[base + c.LEVEL] == c.RAIDZ:
        return next_record(state, base)
    if not is_spread(state, base):
        return next_share(state, base)
    if state[base + c.VERB] == c.WRITE:
        return next_write(state, base)
    return next_read(state, base) if state[base + c.PHASE] == c.READ else 0


@machine("volume", word=c.OFFSET)
def offset(state: NDArray, base: int) -> int:
    """Address of the latest piece on its member, in bytes."""
    return state[base + c.OFFSET]


@machine("volume")
def amount(state: NDArray, base: int) -> int:
    """Size of the latest piece, in bytes."""
    return state[base + c.AMOUNT]


@machine("volume")
def extent(state: NDArray, base: int, which: int) -> int:
    """Start (`which` is 0) or end (1) of the open request on the members, in whole units where parity goes round."""
    if state[base + c.LEVEL] == c.RAIDZ:
        return record_extent(state, base, which)
    x = state[base + c.AT] + which * state[base + c.SIZE]
    if not is_spread(state, base):
        return reach(state, base, x, 0)
    return (x + which * (stripe_size(state, base) - 1)) // stripe_size(state, base) * state[base + c.UNIT]
