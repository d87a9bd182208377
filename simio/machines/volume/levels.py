"""Levels in which each member has at most one piece of a request: stripe, concatenation, mirror, RAID 3.

`reach(x, i)` is how many of the volume's first x bytes lie on member i. A request of `size` bytes at `at` asks
member i for reach(at + size, i) - reach(at, i) bytes, which lie there without a gap from reach(at, i) on.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.rotation import following
from simio.machines.shared import shared
from simio.machines.volume import layout as c


@shared
def reach(state: NDArray, base: int, x: int, member: int) -> int:
    """Bytes of a member among the first `x` of the volume."""
    if state[base + c.LEVEL] == c.CONCAT:
        first = state[base + c.ENDS + member]
        return min(max(x, first), state[base + c.ENDS + member + 1]) - first
    if state[base + c.LEVEL] == c.MIRROR:
        return x
    if state[base + c.LEVEL] == c.RAID3:
        return x // (state[base + c.MEMBERS] - 1)
    unit = state[base + c.UNIT]
    stripe = unit * state[base + c.MEMBERS]
    return x // stripe * unit + min(max(x % stripe - member * unit, 0), unit)


@shared
def turn(state: NDArray, base: int) -> int:
    """The member of a mirror that serves the next read; each of its three conditions has a rotation of its own."""
    members, lost = state[base + c.MEMBERS], state[base + c.PRESENT]
    if lost >= members:
        return following(state, base + c.TURNS + (0 if lost == members else 2), members)
    member = following(state, base + c.TURNS + 1, members - 1)
    return member + 1 if member >= lost else member


@machine("volume")
def after(state: NDArray, base: int, member: int, lost: int) -> int:
    """The member of a mirror that is read after another has failed to; -1 for a member that the mirror lacks."""
    members = state[base + c.MEMBERS]
    if member < 0 or member >= members:
        return -1
    following_one = (member + 1) % members
    return (following_one + 1) % members if following_one == lost else following_one


@shared
def takes_part(state: NDArray, base: int, member: int) -> bool:
    """True if a member is asked in the present phase if it has any of the bytes."""
    lost = state[base + c.PRESENT]
    if state[base + c.PHASE] != state[base + c.VERB] or member == lost:
        return False
    if state[base + c.LEVEL] != c.RAID3 or state[base + c.VERB] == c.WRITE:
        return True
    parity = state[base + c.MEMBERS] - 1
    return member < parity or lost < parity


@shared
def next_share(state: NDArray, base: int) -> int:
    """The next member that is asked, plus 1; 0 after the last."""
    at, end = state[base + c.AT], state[base + c.AT] + state[base + c.SIZE]
    if state[base + c.LEVEL] == c.MIRROR and state[base + c.PHASE] == c.READ:
        if state[base + c.PLACE] > 0 or state[base + c.VERB] == c.WRITE:
            return 0
        state[base + c.PLACE] = 1
        state[base + c.OFFSET] = at
        state[base + c.AMOUNT] = end - at
        return turn(state, base) + 1
    while state[base + c.PLACE] < state[base + c.MEMBERS]:
        member = state[base + c.PLACE]
        state[base + c.PLACE] += 1
        offset = reach(state, base, at, member)
        amount = reach(state, base, end, member) - offset
        if amount > 0 and takes_part(state, base, member):
            state[base + c.OFFSET] = offset
            state[base + c.AMOUNT] = amount
            return member + 1
    return 0


@shared
def raid3_parity(state: NDArray, base: int) -> int:
    """Parity that a RAID 3 computes: of every write if it has a member for it, of reads where data are lost."""
    lost, data = state[base + c.PRESENT], state[base + c.MEMBERS] - 1
    if lost == data or (state[base + c.VERB] == c.READ and lost > data):
        return 0
    return state[base + c.SIZE] // data * c.SOURCES + data
