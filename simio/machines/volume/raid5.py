"""RAID 5 and RAID 6: where data and parity are, and what a read or a write of some bytes takes of the members.

The layout is left-symmetric (E. K. Lee and R. H. Katz, "Performance consequences of parity placement in disk arrays",
ASPLOS-IV, 1991; the default of Linux md): of n members, column k of stripe s is on member (k - s) mod n. The last
column has the parity, the others the stripe's data units in their order. Bytes of a lost member are the exclusive or
of the same bytes of all others (D. A. Patterson, G. Gibson and R. H. Katz, "A case for redundant arrays of
inexpensive disks (RAID)", SIGMOD 1988).

Of a RAID 6 the last two columns have P, the exclusive or of the data, and Q, a sum of them with weights of a Galois
field (H. P. Anvin, "The mathematics of RAID-6"; Linux lib/raid6). Without one member, what it had is computed of the
others but Q, as in a RAID 5; without two, of all that are left. An erasure code has any number of such sums
(I. S. Reed and G. Solomon, "Polynomial codes over certain finite fields", 1960), of which one is read to make up for
a lost member.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.volume import layout as c

PLAIN, MODIFY, RECONSTRUCT, COMPUTE = range(4)
"""Ways to the parity of a part of a stripe: none; from old data and old parity; from the data that stay;
from everything, where some of the data that stay have to be computed first."""


@shared
def parities(state: NDArray, base: int) -> int:
    """Units of parity in a stripe."""
    return state[base + c.PARITIES]


@shared
def is_spread(state: NDArray, base: int) -> bool:
    """True if parity goes round the members."""
    return c.RAID5 <= state[base + c.LEVEL] <= c.ERASURE


@shared
def has_q(state: NDArray, base: int, member: int, row: int) -> bool:
    """True if a member has parity beyond the first unit of a stripe, which one lost member is computed without."""
    members = state[base + c.MEMBERS]
    return state[base + c.SECOND] < 0 and (member + row) % members > members - parities(state, base)


@shared
def is_lost(state: NDArray, base: int, member: int) -> bool:
    """True if a member is lost."""
    return member == state[base + c.PRESENT] or member == state[base + c.SECOND]


@shared
def stripe_size(state: NDArray, base: int) -> int:
    """Bytes of data in a stripe."""
    return (state[base + c.MEMBERS] - parities(state, base)) * state[base + c.UNIT]


@shared
def reach(state: NDArray, base: int, x: int, member: int, row: int) -> int:
    """Bytes of a member's unit in a stripe that are among the first `x` of the volume; 0 for a unit of parity."""
    members, unit = state[base + c.MEMBERS], state[base + c.UNIT]
    column, data = (member + row) % members, members - parities(state, base)
    if column >= data:
        return 0
    return min(max(x - (row * data + column) * unit, 0), unit)


@shared
def piece(state: NDArray, base: int, member: int, offset: int, end: int) -> int:
    """Note a piece on a member, from `offset` to before `end`; its member plus 1."""
    state[base + c.OFFSET] = offset
    state[base + c.AMOUNT] = end - offset
    return member + 1


@shared
def read_parity(state: NDArray, base: int) -> int:
    """Parity that a read computes, for what it wants of lost members."""
    members, lost, second = state[base + c.MEMBERS], state[base + c.PRESENT], state[base + c.SECOND]
    if lost >= members:
        return 0
    at, end, stripe = state[base + c.AT], state[base + c.AT] + state[base + c.SIZE], stripe_size(state, base)
    size = 0
    for row in range(at // stripe, (end - 1) // stripe + 1):
        size += reach(state, base, end, lost, row) - reach(state, base, at, lost, row)
        if second >= 0:
            size += reach(state, base, end, second, row) - reach(state, base, at, second, row)
    return size * c.SOURCES + members - parities(state, base) if size else 0


@shared
def read_next(state: NDArray, base: int, member: int) -> int:
    """The next piece on a member, from FROM on: its own bytes, and those to compute lost ones with; 0 for none."""
    at, end = state[base + c.AT], state[base + c.AT] + state[base + c.SIZE]
    unit, stripe, lost = state[base + c.UNIT], stripe_size(state, base), state[base + c.PRESENT]
    second = state[base + c.SECOND]
    first, last = -1, -1
    for row in range(max(state[base + c.FROM] // unit, at // stripe), (end - 1) // stripe + 1):
        low, high = reach(state, base, at, member, row), reach(state, base, end, member, row)
        other, other_end = unit, unit
        if lost < state[base + c.MEMBERS] and not has_q(state, base, member, row):
            other, other_end = reach(state, base, at, lost, row), reach(state, base, end, lost, row)
        third, third_end = unit, unit
        if second >= 0:
            third, third_end = reach(state, base, at, second, row), reach(state, base, end, second, row)
        # In the order in which they begin.
        if third < other:
            other, other_end, third, third_end = third, third_end, other, other_end
        if other < low:
            low, high, other, other_end = other, other_end, low, high
        if third < other:
            other, other_end, third, third_end = third, third_end, other, other_end
        for _ in range(3):
            begins, ends = row * unit + low, row * unit + high
            low, high, other, other_end = other, other_end, third, third_end
            if begins < ends and ends > state[base + c.FROM]:
                if first >= 0 and begins > last:
                    state[base + c.FROM] = last
                    return piece(state, base, member, first, last)
                first, last = begins if first < 0 else first, max(ends, last)
    if first < 0:
        return 0
    state[base + c.FROM] = last
    return piece(state, base, member, first, last)


@shared
def next_read(state: NDArray, base: int) -> int:
    """The next piece of a read, bytes that adjoin on a member being one; its member plus 1, or 0 after the last.

    The member of the first byte comes first; where one is lost, that of the first unit of the first stripe.
    """
    members, lost = state[base + c.MEMBERS], state[base + c.PRESENT]
    first = state[base + c.AT] // state[base + c.UNIT]
    if lost < members:
        first = 0 if state[base + c.INSIDE] else -(state[base + c.AT] // stripe_size(state, base))
    while state[base + c.PLACE] < members:
        member = (first + state[base + c.PLACE]) % members
        found = 0 if is_lost(state, base, member) else read_next(state, base, member)
        if found:
            return found
        state[base + c.PLACE] += 1
        state[base + c.FROM] = 0
    return 0


@shared
def write_parts(state: NDArray, base: int) -> int:
    """Number of parts of a write: whole stripes, part of the stripe it begins in, part of another it ends in."""
    at, end, stripe = state[base + c.AT], state[base + c.AT] + state[base + c.SIZE], stripe_size(state, base)
    parts = 1 if -(-at // stripe) < end // stripe else 0
    if at % stripe or end < at + stripe:
        parts += 1
    if end % stripe and end // stripe > at // stripe:
        parts += 1
    return parts


@shared
def begin_write(state: NDArray, base: int, part: int) -> int:
    """Find a part of a write, by its number; returns its parity, which whole stripes need where a member has it."""
    members, unit, lost = state[base + c.MEMBERS], state[base + c.UNIT], state[base + c.PRESENT]
    at, end, stripe = state[base + c.AT], state[base + c.AT] + state[base + c.SIZE], stripe_size(state, base)
    first = -(-at // stripe)
    stripes = max(end // stripe - first, 0)
    if stripes > 0 and part == 0:
        state[base + c.ROW] = -1
        state[base + c.LOW] = first * unit
        state[base + c.HIGH] = (first + stripes) * unit
        if lost < members and parities(state, base) == 1:
            # The lost member has the parity of stripe s if (lost + s) mod n = n - 1.
            stripes -= (first + stripes + lost) // members - (first + lost) // members
        sources = parities(state, base) * (members - parities(state, base))
        return stripes * unit * c.SOURCES + sources if stripes else 0
    row = end // stripe
    if part == (1 if stripes > 0 else 0) and (at % stripe or end < at + stripe):
        row = at // stripe
    state[base + c.ROW] = row
    state[base + c.FIRST] = max(at, row * stripe)
    state[base + c.END] = min(end, (row + 1) * stripe)
    return begin_update(state, base)


@shared
def begin_update(state: NDArray, base: int) -> int:
    """Find how the parity of a part of a stripe is made; returns it.

    With all members, or without one of two that have parity, MODIFY or RECONSTRUCT, whichever reads fewer pieces,
    RECONSTRUCT if they are equally many, as in Linux md (drivers/md/raid5.c). Lost data that stay cannot be read, so
    that parity is modified; where lost data change, parity follows from the rest of the stripe. Without two members,
    parity is modified if all lost data stay, follows from the rest if all of them change, and is computed of
    everything otherwise.
    """
    members, unit, lost = state[base + c.MEMBERS], state[base + c.UNIT], state[base + c.PRESENT]
    first, end, row = state[base + c.FIRST], state[base + c.END], state[base + c.ROW]
    touched = (end - 1) // unit - first // unit + 1
    low, high = first % unit, first % unit + end - first
    number = parities(state, base)
    others = members - number - touched
    if touched > 1:
        others += (1 if low > 0 else 0) + (1 if end % unit else 0)
        low, high = 0, unit
    how = MODIFY if touched + number < others else RECONSTRUCT
    column = (lost + row) % members
    second = state[base + c.SECOND]
    gone = 0
    if second >= 0:
        # Lost data that stay, that change, and of which some do.
        stay, change, mixed = 0, 0, 0
        for turn in range(2):
            member = second if turn else lost
            begins, ends = reach(state, base, first, member, row), reach(state, base, end, member, row)
            if (member + row) % members >= members - number:
                gone += 1
            elif begins == ends:
                stay += 1
            elif begins == low and ends == high:
                change += 1
            else:
                mixed += 1
        how = COMPUTE
        if gone == number:
            how = PLAIN
        elif mixed == 0 and change == 0:
            how = MODIFY
        elif mixed == 0 and stay == 0:
            how = RECONSTRUCT
    elif lost < members and (number == 1 or column < members - number):
        begins, ends = reach(state, base, first, lost, row), reach(state, base, end, lost, row)
        how = RECONSTRUCT if begins == low and ends == high else COMPUTE
        if column == members - 1:
            how = PLAIN
        elif begins == ends:
            how = MODIFY
    state[base + c.LOW], state[base + c.HIGH], state[base + c.HOW] = low, high, how
    left = number - gone
    sources = left * (members - number)
    if how == MODIFY:
        sources = left * (2 * touched + 1)
    elif how == COMPUTE:
        # Parity, and the lost data.
        sources += (left if second >= 0 else 1) * (members - number)
    return 0 if how == PLAIN else (high - low) * c.SOURCES + sources


@shared
def column_at(state: NDArray, base: int, place: int) -> int:
    """The column of a stripe that comes at a place in the order of a phase's pieces, parity being last.

    A request inside a unit begins with that unit; what makes up for a lost one is read in the order of members.
    """
    members, row = state[base + c.MEMBERS], state[base + c.ROW]
    if not state[base + c.INSIDE]:
        return place
    if state[base + c.PHASE] == c.READ and state[base + c.HOW] == RECONSTRUCT and state[base + c.PRESENT] < members:
        return (place + row) % members
    data = members - parities(state, base)
    if place >= data:
        return place
    return (state[base + c.FIRST] // state[base + c.UNIT] - row * data + place) % data


@shared
def next_update(state: NDArray, base: int) -> int:
    """The next piece of a part of a stripe; its member plus 1, or 0 after the last of the phase."""
    members, unit, row = state[base + c.MEMBERS], state[base + c.UNIT], state[base + c.ROW]
    how, writes = state[base + c.HOW], state[base + c.PHASE] == c.WRITE
    data = members - parities(state, base)
    while state[base + c.PLACE] < members and (writes or how != PLAIN):
        column = column_at(state, base, state[base + c.PLACE])
        state[base + c.PLACE] += 1
        member = (column - row) % members
        low, high = state[base + c.LOW], state[base + c.HIGH]
        begins, ends = (
            reach(state, base, state[base + c.FIRST], member, row),
            reach(state, base, state[base + c.END], member, row),
        )
        if column < data and (writes or how == MODIFY):
            low, high = begins, ends
        elif how == COMPUTE and not writes and has_q(state, base, member, row):
            high = low
        elif how == RECONSTRUCT and not writes:
            # Of a unit that changes, what is before or behind the bytes that do; nothing of parity.
            if column >= data:
                high = low
            elif begins < ends and begins > low:
                high = begins
            elif begins < ends:
                low = ends
        if not is_lost(state, base, member) and low < high:
            return piece(state, base, member, row * unit + low, row * unit + high)
    return 0


@shared
def next_write(state: NDArray, base: int) -> int:
    """The next piece of the part of a write that has begun; its member plus 1, or 0 after the last of the phase."""
    if state[base + c.ROW] >= 0:
        return next_update(state, base)
    while state[base + c.PHASE] == c.WRITE and state[base + c.PLACE] < state[base + c.MEMBERS]:
        member = state[base + c.PLACE]
        state[base + c.PLACE] += 1
        if not is_lost(state, base, member):
            return piece(state, base, member, state[base + c.LOW], state[base + c.HIGH])
    return 0
