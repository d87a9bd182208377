"""RAID 5: where data and parity are, and what a read or a write of some bytes takes of the members.

The layout is left-symmetric (E. K. Lee and R. H. Katz, "Performance consequences of parity placement in disk arrays",
ASPLOS-IV, 1991; the default of Linux md): of n members, column k of stripe s is on member (k - s) mod n. The last
column has the parity, the others the stripe's data units in their order. Bytes of a lost member are the exclusive or
of the same bytes of all others (D. A. Patterson, G. Gibson and R. H. Katz, "A case for redundant arrays of
inexpensive disks (RAID)", SIGMOD 1988).
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.volume import layout as c

PLAIN, MODIFY, RECONSTRUCT, COMPUTE = range(4)
"""How the parity of a part of a stripe follows: not at all; from old data and old parity; from the data that stay;
from everything, where some of the data that stay have to be computed first."""


@shared
def stripe_size(state: NDArray, base: int) -> int:
    """Bytes of data in a stripe."""
    return (state[base + c.MEMBERS] - 1) * state[base + c.UNIT]


@shared
def piece(state: NDArray, base: int, member: int, offset: int, end: int) -> int:
    """Note a piece on a member, from `offset` to before `end`; the answer to who asks for the next."""
    state[base + c.OFFSET] = offset
    state[base + c.AMOUNT] = end - offset
    return member + 1


# --- reads ---------------------------------------------------------------------------------------------------


@shared
def reach(state: NDArray, base: int, x: int, member: int, row: int) -> int:
    """Bytes of a member's unit in a stripe that are among the first `x` of the volume; 0 for a unit of parity."""
    members, unit = state[base + c.MEMBERS], state[base + c.UNIT]
    column = (member + row) % members
    if column == members - 1:
        return 0
    return min(max(x - (row * (members - 1) + column) * unit, 0), unit)


@shared
def first_wanted(state: NDArray, base: int, member: int) -> int:
    """Address on a member of the first byte from FROM on that is wanted: its own, or one to compute a lost one with.

    Returns -1 where there is none.
    """
    at, end = state[base + c.AT], state[base + c.AT] + state[base + c.SIZE]
    unit, stripe = state[base + c.UNIT], stripe_size(state, base)
    for row in range(max(state[base + c.FROM] // unit, at // stripe), (end - 1) // stripe + 1):
        best = unit
        for holder in (member, state[base + c.PRESENT]):
            low = reach(state, base, at, holder, row)
            wanted = holder < state[base + c.MEMBERS] and low < reach(state, base, end, holder, row)
            if wanted and row * unit + low >= state[base + c.FROM]:
                best = min(best, low)
        if best < unit:
            return row * unit + best
    return -1


@shared
def end_wanted(state: NDArray, base: int, member: int, offset: int) -> int:
    """Address on a member of the end of the wanted bytes that begin at an address."""
    at, end = state[base + c.AT], state[base + c.AT] + state[base + c.SIZE]
    unit = state[base + c.UNIT]
    more = True
    while more:
        more = False
        row, within = offset // unit, offset % unit
        for holder in (member, state[base + c.PRESENT]):
            if holder < state[base + c.MEMBERS]:
                low, high = reach(state, base, at, holder, row), reach(state, base, end, holder, row)
                if low <= within and within < high:
                    offset = row * unit + high
                    more = True
                    break
    return offset


@shared
def next_read(state: NDArray, base: int) -> int:
    """The next piece of a read, bytes that adjoin on a member being one; its member plus 1, or 0 after the last.

    The member of the first byte comes first; without a member, the one of the first stripe's first unit does.
    """
    members, lost = state[base + c.MEMBERS], state[base + c.PRESENT]
    first = state[base + c.AT] // state[base + c.UNIT]
    if lost < members:
        first = 0 if state[base + c.INSIDE] else -(state[base + c.AT] // stripe_size(state, base))
    while state[base + c.PLACE] < members:
        member = (first + state[base + c.PLACE]) % members
        offset = first_wanted(state, base, member) if member != lost else -1
        if offset >= 0:
            state[base + c.FROM] = end_wanted(state, base, member, offset)
            return piece(state, base, member, offset, state[base + c.FROM])
        state[base + c.PLACE] += 1
        state[base + c.FROM] = 0
    return 0


@shared
def read_parity(state: NDArray, base: int) -> int:
    """Parity that a read computes, for what it wants of the lost member."""
    members, lost = state[base + c.MEMBERS], state[base + c.PRESENT]
    if lost >= members:
        return 0
    at, end = state[base + c.AT], state[base + c.AT] + state[base + c.SIZE]
    stripe = stripe_size(state, base)
    size = 0
    for row in range(at // stripe, (end - 1) // stripe + 1):
        size += reach(state, base, end, lost, row) - reach(state, base, at, lost, row)
    return size * c.SOURCES + members - 1 if size else 0


# --- writes: whole stripes, then what begins inside a stripe, then what ends inside another -----------------------


@shared
def whole_from(state: NDArray, base: int) -> int:
    """Number of the first stripe that may be written whole."""
    return -(-state[base + c.AT] // stripe_size(state, base))


@shared
def whole_stripes(state: NDArray, base: int) -> int:
    """How many stripes are written whole."""
    end = state[base + c.AT] + state[base + c.SIZE]
    return max(end // stripe_size(state, base) - whole_from(state, base), 0)


@shared
def has_head(state: NDArray, base: int) -> bool:
    """Whether the stripe in which a write begins is not written whole."""
    at, end, stripe = state[base + c.AT], state[base + c.AT] + state[base + c.SIZE], stripe_size(state, base)
    return at % stripe > 0 or end < at + stripe


@shared
def has_tail(state: NDArray, base: int) -> bool:
    """Whether a write ends inside another stripe than that in which it begins."""
    at, end, stripe = state[base + c.AT], state[base + c.AT] + state[base + c.SIZE], stripe_size(state, base)
    return end % stripe > 0 and end // stripe > at // stripe


@shared
def write_parts(state: NDArray, base: int) -> int:
    """Number of parts of a write."""
    parts = 1 if whole_stripes(state, base) > 0 else 0
    parts += 1 if has_head(state, base) else 0
    return parts + (1 if has_tail(state, base) else 0)


@shared
def begin_part(state: NDArray, base: int, part: int) -> None:
    """Find part number `part` of a write; ROW is -1 for whole stripes."""
    at, end, stripe = state[base + c.AT], state[base + c.AT] + state[base + c.SIZE], stripe_size(state, base)
    if whole_stripes(state, base) > 0:
        part -= 1
    if part < 0:
        state[base + c.ROW] = -1
    elif part == 0 and has_head(state, base):
        state[base + c.ROW] = at // stripe
        state[base + c.FIRST] = at
        state[base + c.END] = min(end, (at // stripe + 1) * stripe)
    else:
        state[base + c.ROW] = end // stripe
        state[base + c.FIRST] = end // stripe * stripe
        state[base + c.END] = end


@shared
def column_of(state: NDArray, base: int, x: int) -> int:
    """Column of a byte of the volume in the stripe that is written in part."""
    return (x - state[base + c.ROW] * stripe_size(state, base)) // state[base + c.UNIT]


@shared
def start(state: NDArray, base: int, column: int) -> int:
    """First byte of a data unit that changes."""
    first = state[base + c.ROW] * stripe_size(state, base) + column * state[base + c.UNIT]
    return min(max(state[base + c.FIRST] - first, 0), state[base + c.UNIT])


@shared
def stop(state: NDArray, base: int, column: int) -> int:
    """First byte of a data unit behind those that change; `start` where none does."""
    first = state[base + c.ROW] * stripe_size(state, base) + column * state[base + c.UNIT]
    return min(max(state[base + c.END] - first, 0), state[base + c.UNIT])


@shared
def low(state: NDArray, base: int) -> int:
    """First byte of the parity unit that changes."""
    first = column_of(state, base, state[base + c.FIRST])
    return start(state, base, first) if first == column_of(state, base, state[base + c.END] - 1) else 0


@shared
def high(state: NDArray, base: int) -> int:
    """First byte of the parity unit behind those that change."""
    first = column_of(state, base, state[base + c.FIRST])
    same = first == column_of(state, base, state[base + c.END] - 1)
    return stop(state, base, first) if same else state[base + c.UNIT]


@shared
def touched(state: NDArray, base: int) -> int:
    """Data units in which bytes change."""
    first, last = state[base + c.FIRST], state[base + c.END] - 1
    return column_of(state, base, last) - column_of(state, base, first) + 1


@shared
def method(state: NDArray, base: int) -> int:
    """How the parity of a part of a stripe is made.

    With all members, whichever of MODIFY and RECONSTRUCT reads fewer pieces, RECONSTRUCT if they are equally many, as
    in Linux md (drivers/md/raid5.c). Lost data that stay cannot be read, so that parity is modified; where lost data
    change, parity follows from the rest of the stripe.
    """
    members, lost = state[base + c.MEMBERS], state[base + c.PRESENT]
    number = touched(state, base)
    if lost >= members:
        others = members - 1 - number
        if number > 1:
            others += 1 if start(state, base, column_of(state, base, state[base + c.FIRST])) > 0 else 0
            last = stop(state, base, column_of(state, base, state[base + c.END] - 1))
            others += 1 if last < state[base + c.UNIT] else 0
        return MODIFY if number + 1 < others else RECONSTRUCT
    column = (lost + state[base + c.ROW]) % members
    if column == members - 1:
        return PLAIN
    first, end = start(state, base, column), stop(state, base, column)
    if first == end:
        return MODIFY
    return RECONSTRUCT if first == low(state, base) and end == high(state, base) else COMPUTE


@shared
def write_parity(state: NDArray, base: int) -> int:
    """Parity of the part of a write that has begun; of whole stripes, of those that have a member for theirs."""
    members, lost, unit = state[base + c.MEMBERS], state[base + c.PRESENT], state[base + c.UNIT]
    if state[base + c.ROW] < 0:
        stripes, first = whole_stripes(state, base), whole_from(state, base)
        if lost < members:
            # The lost member has the parity of stripe s if (lost + s) mod n = n - 1.
            stripes -= (first + stripes + lost) // members - (first + lost) // members
        return stripes * unit * c.SOURCES + members - 1 if stripes else 0
    how = method(state, base)
    if how == PLAIN:
        return 0
    sources = members - 1
    if how == MODIFY:
        sources = 2 * touched(state, base) + 1
    elif how == COMPUTE:
        sources = 2 * (members - 1)
    return (high(state, base) - low(state, base)) * c.SOURCES + sources


@shared
def column_at(state: NDArray, base: int, place: int, how: int) -> int:
    """The column of a stripe that comes at a place in the order of a phase's pieces, parity being last.

    A request inside a unit begins with that unit; what makes up for a lost one is read in the order of members.
    """
    members = state[base + c.MEMBERS]
    if not state[base + c.INSIDE]:
        return place
    reads = state[base + c.PHASE] == c.READ
    if reads and how == RECONSTRUCT and state[base + c.PRESENT] < members:
        return (place + state[base + c.ROW]) % members
    if place == members - 1:
        return place
    return (column_of(state, base, state[base + c.FIRST]) + place) % (members - 1)


@shared
def next_update(state: NDArray, base: int) -> int:
    """The next piece of a part of a stripe; its member plus 1, or 0 after the last of the phase."""
    members, unit, row = state[base + c.MEMBERS], state[base + c.UNIT], state[base + c.ROW]
    how, writes = method(state, base), state[base + c.PHASE] == c.WRITE
    while state[base + c.PLACE] < members and (writes or how != PLAIN):
        column = column_at(state, base, state[base + c.PLACE], how)
        state[base + c.PLACE] += 1
        member = (column - row) % members
        first, end = low(state, base), high(state, base)
        if column < members - 1 and (writes or how == MODIFY):
            first, end = start(state, base, column), stop(state, base, column)
        elif how == RECONSTRUCT and not writes:
            if column == members - 1:
                end = first
            elif start(state, base, column) < stop(state, base, column):
                # Of a unit that changes, what is before or behind the bytes that do.
                if start(state, base, column) > first:
                    end = start(state, base, column)
                else:
                    first = stop(state, base, column)
        if member != state[base + c.PRESENT] and first < end:
            return piece(state, base, member, row * unit + first, row * unit + end)
    return 0


@shared
def next_write(state: NDArray, base: int) -> int:
    """The next piece of the part of a write that has begun; its member plus 1, or 0 after the last of the phase."""
    if state[base + c.ROW] >= 0:
        return next_update(state, base)
    if state[base + c.PHASE] == c.READ:
        return 0
    member = state[base + c.PLACE]
    if member == state[base + c.PRESENT]:
        member += 1
    if member >= state[base + c.MEMBERS]:
        return 0
    state[base + c.PLACE] = member + 1
    first = whole_from(state, base)
    end = first + whole_stripes(state, base)
    return piece(state, base, member, first * state[base + c.UNIT], end * state[base + c.UNIT])
