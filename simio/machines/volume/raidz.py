"""RAIDZ: records of a fixed size, each with parity of its own, one after another over all members.

OpenZFS, module/zfs/vdev_raidz.c (vdev_raidz_asize, vdev_raidz_map_alloc), and its documentation (Basic Concepts,
RAIDZ). A record of d sectors on n members with p parities has ceil(d / (n - p)) rows with p sectors of parity each;
what it takes is padded to a multiple of p + 1 sectors. Its first sector is where that of the record before ended: of
the sectors of all members, counted row by row, it has those from slot * taken on. The first p columns from there have
parity, the others the data, in their order.

A record is read whole, as its checksum is over all of it, and written whole, to a new place: parts of records are
never modified. Records are where they were put in order; new ones go to the free half of the room, one after another.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.volume import layout as c

GAP = 32768
"""Bytes between two reads of a member up to which they are one (zfs_vdev_read_gap_limit)."""


@shared
def taken(state: NDArray, base: int) -> int:
    """Sectors of a record with its parity and padding."""
    data, parities = state[base + c.RECORD], state[base + c.PARITIES]
    rows = -(-data // (state[base + c.MEMBERS] - parities))
    whole = data + rows * parities
    return -(-whole // (parities + 1)) * (parities + 1)


@shared
def columns(state: NDArray, base: int) -> int:
    """Columns of a record that have anything: all members, or fewer for a small record."""
    return min(state[base + c.MEMBERS], state[base + c.RECORD] + state[base + c.PARITIES])


@shared
def height(state: NDArray, base: int, column: int) -> int:
    """Sectors of a column of a record; parity is as high as the highest."""
    parities = state[base + c.PARITIES]
    data = state[base + c.MEMBERS] - parities
    full, rest = state[base + c.RECORD] // data, state[base + c.RECORD] % data
    return full + (1 if rest > 0 and column < rest + parities else 0)


@shared
def first_slot(state: NDArray, base: int) -> int:
    """The slot of the first record of the open request, where it is read."""
    return state[base + c.AT] // (state[base + c.RECORD] * state[base + c.UNIT])


@shared
def count(state: NDArray, base: int) -> int:
    """Records that the open request touches."""
    size = state[base + c.RECORD] * state[base + c.UNIT]
    return (state[base + c.AT] + state[base + c.SIZE] - 1) // size - state[base + c.AT] // size + 1


@shared
def column_of(state: NDArray, base: int, slot: int, member: int) -> int:
    """The column that a member has of the record in a slot."""
    members = state[base + c.MEMBERS]
    return (member - slot * taken(state, base)) % members


@shared
def changed(state: NDArray, base: int) -> int:
    """Records of a write that change in part, and so are read: 1 for the first, 2 for the last, 3 for both."""
    size = state[base + c.RECORD] * state[base + c.UNIT]
    at, end = state[base + c.AT], state[base + c.AT] + state[base + c.SIZE]
    first = at % size > 0 or end < at - at % size + size
    last = end % size > 0 and count(state, base) > 1
    return (1 if first else 0) + (2 if last else 0)


@shared
def recovered(state: NDArray, base: int, slot: int) -> int:
    """Bytes of a record's data that the lost member had."""
    lost = state[base + c.PRESENT]
    if lost >= state[base + c.MEMBERS]:
        return 0
    column = column_of(state, base, slot, lost)
    if column < state[base + c.PARITIES] or column >= columns(state, base):
        return 0
    return height(state, base, column) * state[base + c.UNIT]


@shared
def begin_records(state: NDArray, base: int) -> int:
    """Begin a phase; returns what is computed: of reads what is lost, of writes the parity of all records."""
    number, data = count(state, base), state[base + c.MEMBERS] - state[base + c.PARITIES]
    state[base + c.SLOT] = first_slot(state, base)
    if state[base + c.VERB] == c.READ:
        size = 0
        for record in range(number):
            size += recovered(state, base, state[base + c.SLOT] + record)
        return size * c.SOURCES + data if size else 0
    if state[base + c.PHASE] == c.WRITE:
        if state[base + c.CURSOR] + number > state[base + c.SLOTS]:
            state[base + c.CURSOR] = min(state[base + c.SLOTS] // 2, max(state[base + c.SLOTS] - number, 0))
        state[base + c.SLOT] = state[base + c.CURSOR]
        state[base + c.CURSOR] += number
    return number * state[base + c.RECORD] * state[base + c.UNIT] * c.SOURCES + state[base + c.PARITIES]


@shared
def record_piece(state: NDArray, base: int, slot: int, member: int) -> bool:
    """Note what a read of a record takes of a member, if anything: its data, or parity in the place of lost data."""
    column = column_of(state, base, slot, member)
    parities = state[base + c.PARITIES]
    if member == state[base + c.PRESENT] or column >= columns(state, base):
        return False
    # One of the parities is enough; the lost member does not have it, since it has data.
    if column < parities and (column > 0 or recovered(state, base, slot) == 0):
        return False
    begins = slot * taken(state, base)
    members, unit = state[base + c.MEMBERS], state[base + c.UNIT]
    state[base + c.OFFSET] = (begins + column) // members * unit
    state[base + c.AMOUNT] = height(state, base, column) * unit
    return True


@shared
def run_piece(state: NDArray, base: int, slot: int, number: int, member: int) -> bool:
    """Note what a member has of records that lie one after another, with parity and padding, as one piece.

    OpenZFS adds up what adjoins and reads across short gaps (module/zfs/vdev_queue.c, vdev_queue_aggregate).
    """
    members, unit = state[base + c.MEMBERS], state[base + c.UNIT]
    begins, ends = slot * taken(state, base), (slot + number) * taken(state, base)
    low, high = -(-(begins - member) // members), -(-(ends - member) // members)
    if low >= high or member == state[base + c.PRESENT]:
        return False
    state[base + c.OFFSET] = low * unit
    state[base + c.AMOUNT] = (high - low) * unit
    return True


@shared
def next_record(state: NDArray, base: int) -> int:
    """The next piece of the phase; its member plus 1, or 0 after the last."""
    members, unit, number = state[base + c.MEMBERS], state[base + c.UNIT], count(state, base)
    slot, reads, begins = state[base + c.SLOT], state[base + c.VERB] == c.READ, state[base + c.PHASE] == c.READ
    if reads and not begins:
        return 0
    partly = 0 if reads else changed(state, base)
    joined = not begins or (reads and number > 1 and height(state, base, 0) * unit <= GAP)
    while state[base + c.PLACE] < (members if joined else number * members):
        record, member = state[base + c.PLACE] // members, state[base + c.PLACE] % members
        state[base + c.PLACE] += 1
        if joined:
            found = run_piece(state, base, slot, number, member)
        else:
            edge = (1 if record == 0 else 0) + (2 if record > 0 and record == number - 1 else 0)
            found = (reads or partly & edge > 0) and record_piece(state, base, slot + record, member)
        if found:
            return member + 1
    return 0


@shared
def record_extent(state: NDArray, base: int, which: int) -> int:
    """Start (`which` is 0) or end (1) of the open request's records on the members, in bytes of whole rows."""
    slot = first_slot(state, base) + which * count(state, base)
    row = slot * taken(state, base) // state[base + c.MEMBERS]
    return (row + which) * state[base + c.UNIT]
