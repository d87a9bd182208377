"""RAID 5 without one of its members: what it held is computed from all the others.

Any bytes of a member are the exclusive or of the same bytes of the others (D. A. Patterson, G. Gibson and R. H. Katz,
"A case for redundant arrays of inexpensive disks (RAID)", SIGMOD 1988). Plans are those of `layout`, in which the
failed member is another one in each stripe; so a request has steps for each member that it can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial

from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes.layout import (
    Piece,
    Update,
    WritePlan,
    plan_read,
    plan_write,
    touched_units,
)
from simio.components.volumes.parity import ParityEngine
from simio.components.volumes.raid5 import Raid5
from simio.components.volumes.requests import Verb, check_request, scope
from simio.machines.failing.requests import MOST
from simio.program.builder import Builder, Register


class DegradedRaid5(Raid5):
    """A RAID 5 whose member number `failed` is never asked."""

    def __init__(
        self,
        p: Builder,
        name: str,
        members: Sequence[BlockDevice],
        unit: int,
        parity: ParityEngine,
        failed: int,
    ) -> None:
        super().__init__(p, name, members, unit, parity)
        self.failed = failed

    def one_of(self, number: Register, verb: Verb, at: Register, size: int, aligned: int) -> None:
        """A request of a member that is not the failed one, in the calling thread."""
        for member in self._others():
            with self.p.when(number, "==", member), self.p.loop(1):
                self.ask(member, verb, at, size, aligned)

    def _others(self) -> Iterator[int]:
        return (member for member in range(self.width) if member != self.failed)

    def _each(self, stripe: Register, emit: Callable[[int], None]) -> None:
        """Steps for each member of a plan that the failed one can be, in a request that begins in a stripe."""
        p = self.p
        with p.loop(1):
            failed = p.register()
            p.let(failed, "ADD", stripe, self.failed)
            p.let(failed, "MOD", failed, self.width)
            for member in range(self.width):
                with p.when(failed, "==", member):
                    emit(member)

    def read(self, at: Register, size: int, aligned: int) -> None:
        """Read what there is; what is on the failed member comes from all others."""
        check_request(self.name, size, aligned, self.sector)
        if self._within_unit(size, aligned):
            self._read_within(at, size, aligned)
            return
        grain = self._grain(aligned)

        def emit(stripe: Register, begin: int) -> None:
            def without(failed: int) -> None:
                pieces, rebuilt = plan_read_without(failed, self.width, self.unit, begin, size)
                with self.parity.gathered(size) if rebuilt else nullcontext():
                    for piece in pieces:
                        self._piece("read", stripe, piece, grain)
                    self.p.join()
                    if rebuilt:
                        self.parity.xor(self.width - 1, rebuilt)

            self._each(stripe, without)

        self._by_place(at, size, aligned, emit)

    def write(self, at: Register, size: int, aligned: int) -> None:
        """Write data and parity to who is there, so that what the failed member would hold can be computed."""
        check_request(self.name, size, aligned, self.sector)
        if self._within_unit(size, aligned):
            self._write_within(at, size, aligned)
            return
        grain = self._grain(aligned)

        def emit(stripe: Register, begin: int) -> None:
            def without(failed: int) -> None:
                update = partial(plan_update_without, failed)
                plan = plan_write(self.width, self.unit, begin, size, update)
                self._write(stripe, plan, grain, self._with_parity(plan, failed))

            self._each(stripe, without)

        self._by_place(at, size, aligned, emit)

    def _with_parity(self, plan: WritePlan, failed: int) -> int:
        """How many of the whole stripes of a plan have their parity on a member that is there."""
        stripes = range(plan.first, plan.first + plan.stripes)
        return sum((failed + stripe) % self.width != self.width - 1 for stripe in stripes)

    def _there(self) -> Iterable[int]:
        return self._others()

    # --- requests that lie in one unit -----------------------------------------------------------------------

    def _read_within(self, at: Register, size: int, aligned: int) -> None:
        p = self.p
        with self._found(at, aligned) as (stripe, column, place):
            self._member_of(column, column, stripe)
            self.one_of(column, "read", place, size, self._within_grain(aligned))
            with p.when(column, "==", self.failed), self.parity.gathered(size):
                for member in self._others():
                    with self.child():
                        self.ask(member, "read", place, size, self._within_grain(aligned))
                p.join()
                self.parity.xor(self.width - 1, size)

    def _write_within(self, at: Register, size: int, aligned: int) -> None:
        """Without parity there are only data to write; without the unit, parity follows from the rest of the stripe;
        else from old data and old parity."""
        p = self.p
        with self._found(at, aligned) as (stripe, column, place):
            parity, how = p.register(), p.register(_MODIFY)
            self._member_of(column, column, stripe)
            self._member_of(parity, self.width - 1, stripe)
            with p.when(parity, "==", self.failed):
                p.let(how, "SET", _PLAIN)
            with p.when(column, "==", self.failed):
                p.let(how, "SET", _RECONSTRUCT)
            grain = self._within_grain(aligned)

            def each(verb: Verb, *members: Register) -> None:
                for member in members:
                    with self.child():
                        self.one_of(member, verb, place, size, grain)
                p.join()

            with p.when(how, "==", _PLAIN):
                each("write", column)
            with p.when(how, "==", _MODIFY):
                each("read", column, parity)
                self.parity.xor(3, size)
                each("write", column, parity)
            with p.when(how, "==", _RECONSTRUCT):
                for member in self._others():
                    with p.when(parity, "!=", member), self.child():
                        self.ask(member, "read", place, size, grain)
                p.join()
                self.parity.xor(self.width - 1, size)
                each("write", parity)


_PLAIN, _MODIFY, _RECONSTRUCT = range(3)


class FirstLost:
    """A volume without the first of several members that its driver has given up; what two of them have is lost.

    `without` are the volumes without each of these members, and `words` those that say which are given up.
    """

    def __init__(self, p: Builder, without: Mapping[int, BlockDevice], words: Mapping[int, int]) -> None:
        self.p = p
        self.without = without
        self.words = words
        device = next(iter(without.values()))
        self.name, self.capacity, self.sector = device.name, device.capacity, device.sector

    def read(self, at: Register, size: int, aligned: int) -> None:
        """Read without it; what is on another that is given up as well fails."""
        self._request("read", at, size, aligned)

    def write(self, at: Register, size: int, aligned: int) -> None:
        """Write without it; what would be on another that is given up as well fails."""
        self._request("write", at, size, aligned)

    def _request(self, verb: Verb, at: Register, size: int, aligned: int) -> None:
        p = self.p
        with scope(p):
            word, lost = p.register(), p.register(-1)
            for place, gone in self.words.items():
                p.call(word, MOST, gone)
                with p.when(word, ">", 0), p.when(lost, "<", 0):
                    p.let(lost, "SET", place)
            for place, device in self.without.items():
                with p.when(lost, "==", place), scope(p):
                    (device.read if verb == "read" else device.write)(at, size, aligned)


def plan_read_without(failed: int, members: int, unit: int, begin: int, size: int) -> tuple[tuple[Piece, ...], int]:
    """What to read of the others if this member of the plan has failed, and how many bytes to compute from it."""
    wanted = plan_read(members, unit, begin, size)
    lost = [piece for piece in wanted if piece.member == failed]
    pieces: list[Piece] = []
    for member in range(members):
        if member != failed:
            own = [piece for piece in wanted if piece.member == member]
            spans = sorted((piece.offset, piece.offset + piece.size) for piece in (*own, *lost))
            pieces += [Piece(member, low, high - low) for low, high in _merged(spans)]
    return tuple(pieces), sum(piece.size for piece in lost)


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in ascending order, with those that touch as one."""
    found: list[tuple[int, int]] = []
    for low, high in spans:
        if found and low <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return found


def plan_update_without(failed: int, members: int, unit: int, stripe: int, begin: int, end: int) -> Update:
    """`plan_update` if this member of the plan has failed.

    If it holds parity, data are all there is to write. If it holds data that stay, these are not to be read: parity
    is modified. If it holds data that change, parity follows from the rest of the stripe; where only some of the
    bytes that parity changes in are new on it, the old ones have to be computed first, from everything.
    """

    def piece(column: int, low: int, high: int) -> Piece:
        return Piece((column - stripe) % members, stripe * unit + low, high - low)

    lost = (failed + stripe) % members
    touched = dict(touched_units(members, unit, begin, end))
    low = min(start for start, _ in touched.values())
    high = max(stop for _, stop in touched.values())
    data = tuple(piece(column, *span) for column, span in touched.items() if column != lost)
    parity = piece(members - 1, low, high)
    if lost == members - 1:
        return Update((), 0, 0, data)
    if lost not in touched:
        return Update((*data, parity), 2 * len(data) + 1, high - low, (*data, parity))
    if touched[lost] != (low, high):
        every = tuple(piece(column, low, high) for column in range(members) if column != lost)
        return Update(every, 2 * (members - 1), high - low, (*data, parity))
    reads = []
    for column in range(members - 1):
        if column != lost:
            start, stop = touched.get(column, (high, high))
            reads += [piece(column, *span) for span in ((low, start), (stop, high)) if span[0] < span[1]]
    return Update(tuple(reads), members - 1, high - low, (*data, parity))
