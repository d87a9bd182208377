"""Where RAID 5 keeps data and parity, and what a read or a write of some bytes asks of the members.

The layout is left-symmetric (E. K. Lee and R. H. Katz, "Performance consequences of parity placement in disk arrays",
ASPLOS-IV, 1991; the default of Linux md): with n members, stripe s has its parity on member n - 1 - s mod n, and its
n - 1 data units on the members that follow, around. Seen from a member s places further left, each stripe looks the
same; so a `Piece` names its member as in stripe 0, and member m of the plan of a request that begins in stripe s is
member (m - s) mod n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Piece:
    """`size` bytes on a member, at `offset` from where the first stripe of the request begins on each member."""

    member: int
    offset: int
    size: int


@dataclass(frozen=True)
class Update:
    """A write of a part of one stripe: `reads`, then parity of `sources` blocks of `size` bytes, then `writes`."""

    reads: tuple[Piece, ...]
    sources: int
    size: int
    writes: tuple[Piece, ...]


@dataclass(frozen=True)
class WritePlan:
    """Whole stripes, `stripes` of them from number `first` of the request on, and parts of stripes."""

    first: int
    stripes: int
    updates: tuple[Update, ...]


def plan_read(members: int, unit: int, begin: int, size: int) -> tuple[Piece, ...]:
    """What to read for `size` bytes from `begin` within a stripe; units that adjoin on a member are one piece.

    Parity is not read, so that a long request is cut on each member where its parity units lie.
    """
    pieces: dict[int, list[Piece]] = {}
    place, end = begin, begin + size
    while place < end:
        number, within = divmod(place, unit)
        stripe, column = divmod(number, members - 1)
        amount = min(unit - within, end - place)
        piece = Piece((column - stripe) % members, stripe * unit + within, amount)
        known = pieces.setdefault(piece.member, [])
        if known and known[-1].offset + known[-1].size == piece.offset:
            piece = Piece(piece.member, known[-1].offset, known.pop().size + amount)
        known.append(piece)
        place += amount
    return tuple(piece for known in pieces.values() for piece in known)


def plan_write(
    members: int, unit: int, begin: int, size: int, update: Callable[[int, int, int, int, int], Update]
) -> WritePlan:
    """What to do for a write of `size` bytes from `begin` within a stripe; `update` plans parts of stripes."""
    stripe = (members - 1) * unit
    end = begin + size
    first = 1 if begin else 0
    updates = []
    if begin or end < stripe:
        updates.append(update(members, unit, 0, begin, min(end, stripe)))
    if end > stripe and end % stripe:
        updates.append(update(members, unit, end // stripe, 0, end % stripe))
    return WritePlan(first, max(end // stripe - first, 0), tuple(updates))


def plan_update(members: int, unit: int, stripe: int, begin: int, end: int) -> Update:
    """A write of bytes `begin` to `end` of the data of one stripe, which are not all.

    Parity follows either from old data and old parity (read-modify-write) or from what the stripe holds beside the
    new data (reconstruct-write), whichever reads fewer pieces; reconstruction if they are equally many, as in Linux
    md (drivers/md/raid5.c).
    """

    def piece(column: int, low: int, high: int) -> Piece:
        return Piece((column - stripe) % members, stripe * unit + low, high - low)

    touched = dict(touched_units(members, unit, begin, end))
    low = min(start for start, _ in touched.values())
    high = max(stop for _, stop in touched.values())
    data = [piece(column, *span) for column, span in touched.items()]
    parity = piece(members - 1, low, high)
    modify = [*data, parity]
    reconstruct = []
    for column in range(members - 1):
        start, stop = touched.get(column, (high, high))
        reconstruct += [piece(column, *span) for span in ((low, start), (stop, high)) if span[0] < span[1]]
    if len(modify) < len(reconstruct):
        return Update(tuple(modify), 2 * len(data) + 1, high - low, (*data, parity))
    return Update(tuple(reconstruct), members - 1, high - low, (*data, parity))


def touched_units(members: int, unit: int, begin: int, end: int) -> Iterator[tuple[int, tuple[int, int]]]:
    """Each data unit of a stripe that bytes `begin` to `end` lie on, and which of its bytes."""
    for column in range(members - 1):
        low, high = max(begin - column * unit, 0), min(end - column * unit, unit)
        if low < high:
            yield column, (low, high)
