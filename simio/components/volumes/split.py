"""Volumes that store each byte once: a request is split among members by its address.

`reach(x, i)` is how many of the volume's first x bytes lie on member i. Whatever the address, a request of `size`
bytes at `at` asks member i for reach(at + size, i) - reach(at, i) bytes, which lie there in one piece from
reach(at, i) on. A kind of volume says what `reach` is, and which amounts can come out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes.requests import (
    CASES,
    Members,
    Verb,
    case,
    check_aligned,
    check_request,
    scope,
    size_text,
    too_many,
)
from simio.errors import RunError
from simio.program.builder import Builder, Register

STARTS = 4096
"""Places of a request that are gone through one by one to find out which shares there are."""


@dataclass(frozen=True)
class Share:
    """What one member can be asked for: one of `sizes` bytes, in rising order, at a multiple of `aligned`."""

    sizes: tuple[int, ...]
    aligned: int


class Split(Members, ABC):
    """Splits a request among the members that it falls on, one request a member, all at the same time."""

    capacity: int

    @abstractmethod
    def reach(self, x: int, member: int) -> int:
        """Bytes of this member among the first `x` of the volume."""

    @abstractmethod
    def _reach(self, into: Register, at: Register, plus: int, member: int) -> None:
        """Steps that put reach(at + plus, member) into a register."""

    @abstractmethod
    def shares(self, size: int, aligned: int) -> list[Share]:
        """What requests of `size` bytes at multiples of `aligned` ask each member for."""

    def read(self, at: Register, size: int, aligned: int) -> None:
        """Read from every member that holds a part; done when the last one is."""
        self._request("read", at, size, aligned)

    def write(self, at: Register, size: int, aligned: int) -> None:
        """Write to every member that holds a part; done when the last one is."""
        self._request("write", at, size, aligned)

    def _request(self, verb: Verb, at: Register, size: int, aligned: int) -> None:
        p = self.p
        check_request(self.name, size, aligned, self.sector)
        shares = self.shares(size, aligned)
        with scope(p):
            check_aligned(p, at, aligned)
            begin, length = p.register(), p.register()
            for member, share in enumerate(shares):
                certain = len(share.sizes) == 1
                if share.sizes[-1]:
                    self._reach(begin, at, 0, member)
                if not certain:
                    self._reach(length, at, size, member)
                    p.let(length, "SUB", length, begin)
                for amount in filter(None, share.sizes):
                    with case(p, length, amount, certain), self.child():
                        self.ask(member, verb, begin, amount, share.aligned)
            p.join()


class Stripe(Split):
    """RAID 0: stripe units go to the members in turn."""

    def __init__(self, p: Builder, name: str, members: Sequence[BlockDevice], unit: int) -> None:
        super().__init__(p, name, members)
        self.unit = unit
        self.stripe = unit * len(members)
        self.capacity = self.smallest // unit * self.stripe

    def reach(self, x: int, member: int) -> int:
        """Whole stripes before `x`, and this member's part of the last one."""
        stripes, within = divmod(x, self.stripe)
        return stripes * self.unit + min(max(within - member * self.unit, 0), self.unit)

    def _reach(self, into: Register, at: Register, plus: int, member: int) -> None:
        p = self.p
        with scope(p):
            place = p.register()
            p.let(place, "ADD", at, plus)
            p.let(into, "MOD", place, self.stripe)
            p.let(into, "SUB", into, member * self.unit)
            p.let(into, "MAX", into, 0)
            p.let(into, "MIN", into, self.unit)
            p.let(place, "DIV", place, self.stripe)
            p.let(place, "MUL", place, self.unit)
            p.let(into, "ADD", into, place)

    def shares(self, size: int, aligned: int) -> list[Share]:
        """By going through the places in a stripe where a request can begin; RunError if that gives too many."""
        number = len(self.members)
        starts = self.stripe // gcd(aligned, self.stripe)
        within = gcd(aligned, self.unit)
        if size % self.stripe == 0 and starts > STARTS:
            return [Share((size // number,), within)] * number
        if size <= within and starts > STARTS:
            return [Share((0, size), within)] * number
        if starts > STARTS:
            raise too_many(self.name, size, aligned, self.unit)
        return [self._share(member, size, aligned, starts) for member in range(number)]

    def _share(self, member: int, size: int, aligned: int, starts: int) -> Share:
        sizes: set[int] = set()
        grain = starts * aligned // len(self.members)
        for start in range(0, starts * aligned, aligned):
            begin = self.reach(start, member)
            length = self.reach(start + size, member) - begin
            sizes.add(length)
            if length:
                grain = gcd(grain, begin)
            if len(sizes) > CASES:
                raise too_many(self.name, size, aligned, self.unit)
        return Share(tuple(sorted(sizes)), grain)


class Concatenation(Split):
    """One member after the other; a request across the end of a member is cut there."""

    def __init__(self, p: Builder, name: str, members: Sequence[BlockDevice]) -> None:
        super().__init__(p, name, members)
        self.ends = [0]
        for member in members:
            self.ends.append(self.ends[-1] + member.capacity // self.sector * self.sector)
        self.capacity = self.ends[-1]

    def reach(self, x: int, member: int) -> int:
        """The part of the member's own range that lies before `x`."""
        first, end = self.ends[member], self.ends[member + 1]
        return min(max(x, first), end) - first

    def _reach(self, into: Register, at: Register, plus: int, member: int) -> None:
        p = self.p
        first, end = self.ends[member], self.ends[member + 1]
        p.let(into, "ADD", at, plus - first)
        p.let(into, "MAX", into, 0)
        p.let(into, "MIN", into, end - first)

    def shares(self, size: int, aligned: int) -> list[Share]:
        """Nothing, or all of it, or what the places give that lie across an end; RunError for too many."""
        across = [
            start
            for end in self.ends[1:-1]
            for start in range(max((end - size) // aligned + 1, 0) * aligned, end, aligned)[: CASES + 1]
        ]
        shares = []
        for member, first in enumerate(self.ends[:-1]):
            sizes = {size} if len(self.members) == 1 else {0, size}
            sizes |= {self.reach(start + size, member) - self.reach(start, member) for start in across}
            if len(sizes) > CASES:
                raise RunError(
                    f"blocks of {size_text(size)} at multiples of {size_text(aligned)} lie across the end of a "
                    f"member of volume {self.name!r} in more than {CASES} ways; make their addresses multiples of "
                    "the block"
                )
            shares.append(Share(tuple(sorted(sizes)), gcd(aligned, first)))
        return shares
