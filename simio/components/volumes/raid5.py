"""RAID 5: data and parity units go round the members."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from math import gcd

from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes.layout import Piece, Update, WritePlan, plan_read, plan_update, plan_write
from simio.components.volumes.parity import ParityEngine
from simio.components.volumes.requests import (
    CASES,
    Members,
    Verb,
    case,
    check_aligned,
    check_request,
    scope,
    too_many,
)
from simio.program.builder import Builder, Register


class Raid5(Members):
    """What a request asks of the members is planned beforehand for each place in a stripe where it can begin.

    Requests that lie in one unit each, wherever they are in it, have steps of their own, in which the unit is found
    when they run.
    """

    def __init__(
        self, p: Builder, name: str, members: Sequence[BlockDevice], unit: int, parity: ParityEngine
    ) -> None:
        super().__init__(p, name, members)
        self.unit = unit
        self.parity = parity
        self.width = len(self.members)
        self.stripe = (self.width - 1) * unit
        self.capacity = self.smallest // unit * self.stripe

    def read(self, at: Register, size: int, aligned: int) -> None:
        """Read every piece, all at once; done when the last one is."""
        check_request(self.name, size, aligned, self.sector)
        if self._within_unit(size, aligned):
            self._read_within(at, size, aligned)
            return

        def emit(stripe: Register, begin: int) -> None:
            for piece in plan_read(self.width, self.unit, begin, size):
                self._piece("read", stripe, piece, self._grain(aligned))
            self.p.join()

        self._by_place(at, size, aligned, emit)

    def write(self, at: Register, size: int, aligned: int) -> None:
        """Write data and parity; whole stripes and parts of stripes at the same time."""
        check_request(self.name, size, aligned, self.sector)
        if self._within_unit(size, aligned):
            self._write_within(at, size, aligned)
            return
        self._by_place(
            at,
            size,
            aligned,
            lambda stripe, begin: self._write(
                stripe, plan_write(self.width, self.unit, begin, size, plan_update), self._grain(aligned)
            ),
        )

    # --- requests of any size, by where in a stripe they begin -----------------------------------------------

    def _by_place(self, at: Register, size: int, aligned: int, emit: Callable[[Register, int], None]) -> None:
        """Steps for each place in a stripe where a request begins; `emit` gets the stripe's number and the place."""
        p = self.p
        step = gcd(aligned, self.stripe)
        places = range(0, self.stripe, step)
        if len(places) > CASES:
            raise too_many(self.name, size, aligned, self.unit)
        with scope(p):
            check_aligned(p, at, aligned)
            stripe, place = p.register(), p.register()
            p.let(stripe, "DIV", at, self.stripe)
            p.let(place, "MOD", at, self.stripe)
            for begin in places:
                with case(p, place, begin, len(places) == 1):
                    emit(stripe, begin)

    def _grain(self, aligned: int) -> int:
        """The first stripe of a request begins on each member at a multiple of this."""
        return aligned // self.stripe * self.unit if aligned % self.stripe == 0 else self.unit

    def _piece(self, verb: Verb, stripe: Register, piece: Piece, grain: int) -> None:
        """A joined child that reads or writes a piece."""
        p = self.p
        with self.child():
            member, place = p.register(), p.register()
            self._member_of(member, piece.member, stripe)
            p.let(place, "MUL", stripe, self.unit)
            p.let(place, "ADD", place, piece.offset)
            self.one_of(member, verb, place, piece.size, gcd(grain, piece.offset))

    def _write(self, stripe: Register, plan: WritePlan, grain: int, parities: int | None = None) -> None:
        """Write whole stripes, whose parity is computed for `parities` of them or all, and parts of stripes."""
        p = self.p
        several = len(plan.updates) + (plan.stripes > 0) > 1
        if plan.stripes:
            with p.fork(f"{self.name}: stripes", joined=True) if several else nullcontext():
                self._write_stripes(stripe, plan, grain, plan.stripes if parities is None else parities)
        for update in plan.updates:
            with p.fork(f"{self.name}: part", joined=True) if several else nullcontext():
                self._update(stripe, update, grain)
        if several:
            p.join()

    def _there(self) -> Iterable[int]:
        """The members that take part in writes of whole stripes."""
        return range(self.width)

    def _write_stripes(self, stripe: Register, plan: WritePlan, grain: int, parities: int) -> None:
        """Parity of the new data, then one request a member, each of which takes data and parity units."""
        p = self.p
        if parities:
            self.parity.xor(self.width - 1, parities * self.unit)
        with scope(p):
            place, begin = p.register(), plan.first * self.unit
            p.let(place, "MUL", stripe, self.unit)
            p.let(place, "ADD", place, begin)
            for member in self._there():
                with self.child():
                    self.ask(member, "write", place, plan.stripes * self.unit, gcd(grain, begin))
            p.join()

    def _update(self, stripe: Register, update: Update, grain: int) -> None:
        for piece in update.reads:
            self._piece("read", stripe, piece, grain)
        self.p.join()
        if update.sources:
            self.parity.xor(update.sources, update.size)
        for piece in update.writes:
            self._piece("write", stripe, piece, grain)
        self.p.join()

    # --- requests that lie in one unit -------------------------------------------------------------------

    def _within_grain(self, aligned: int) -> int:
        """Such a request begins on its member at a multiple of this."""
        return gcd(aligned, self.unit)

    def _within_unit(self, size: int, aligned: int) -> bool:
        """Whether no request of this size crosses from one unit to the next."""
        return size <= gcd(aligned, self.unit)

    def _read_within(self, at: Register, size: int, aligned: int) -> None:
        with self._found(at, aligned) as (stripe, column, place):
            self._member_of(column, column, stripe)
            self.one_of(column, "read", place, size, self._within_grain(aligned))

    def _write_within(self, at: Register, size: int, aligned: int) -> None:
        p = self.p
        update = plan_update(self.width, self.unit, 0, 0, size)
        with self._found(at, aligned) as (stripe, column, place):

            def each(verb: Verb, pieces: Sequence[Piece]) -> None:
                for piece in pieces:
                    with self.child():
                        member = p.register(piece.member)
                        if piece.member < self.width - 1:
                            p.let(member, "ADD", member, column)
                            p.let(member, "MOD", member, self.width - 1)
                        self._member_of(member, member, stripe)
                        self.one_of(member, verb, place, size, self._within_grain(aligned))
                p.join()

            each("read", update.reads)
            self.parity.xor(update.sources, update.size)
            each("write", update.writes)

    @contextmanager
    def _found(self, at: Register, aligned: int) -> Iterator[tuple[Register, Register, Register]]:
        """Registers with the stripe's number, that of the data unit in it, and the address on each member."""
        p = self.p
        with scope(p):
            check_aligned(p, at, aligned)
            stripe, column, place = p.register(), p.register(), p.register()
            p.let(stripe, "DIV", at, self.stripe)
            p.let(column, "MOD", at, self.unit)
            p.let(place, "MUL", stripe, self.unit)
            p.let(place, "ADD", place, column)
            p.let(column, "MOD", at, self.stripe)
            p.let(column, "DIV", column, self.unit)
            yield stripe, column, place

    def _member_of(self, into: Register, column: Register | int, stripe: Register) -> None:
        """The member that holds a column of a stripe, the last column being parity."""
        self.p.let(into, "SUB", column, stripe)
        self.p.let(into, "MOD", into, self.width)
