"""What all volumes share: members that fit together, requests that fit the volume, steps for some of the cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Literal

from simio import units
from simio.components.storage.interfaces import BlockDevice
from simio.errors import RunError
from simio.program.builder import Builder, Register

Verb = Literal["read", "write"]

CASES = 64
"""Sizes, or places in a stripe, for which steps of their own are emitted at most."""


class Members:
    """Block devices of one sector size, and the concurrent requests that a volume makes of them.

    Every request of a volume joins its children, so whoever calls one has no joined child under way.
    """

    def __init__(self, p: Builder, name: str, members: Sequence[BlockDevice]) -> None:
        sectors = sorted({member.sector for member in members})
        if len(sectors) > 1:
            sizes = " and ".join(size_text(sector) for sector in sectors)
            raise RunError(f"the members of volume {name!r} have sectors of different size: {sizes}")
        self.p = p
        self.name = name
        self.members = tuple(members)
        self.sector = sectors[0]

    @property
    def smallest(self) -> int:
        """Bytes of the smallest member."""
        return min(member.capacity for member in self.members)

    def ask(self, member: int, verb: Verb, at: Register, size: int, aligned: int) -> None:
        """One request of one member, in the calling thread."""
        device = self.members[member]
        (device.read if verb == "read" else device.write)(at, size, aligned)

    def child(self) -> AbstractContextManager[None]:
        """A joined child that makes a request of a member."""
        return self.p.fork(f"{self.name}: member", joined=True)

    def one_of(self, number: Register, verb: Verb, at: Register, size: int, aligned: int) -> None:
        """A request of the member whose number is in a register, in the calling thread."""
        for member in range(len(self.members)):
            with self.p.when(number, "==", member), scope(self.p):
                self.ask(member, verb, at, size, aligned)


def scope(p: Builder) -> AbstractContextManager[None]:
    """A block whose registers are free again after it."""
    return p.loop(1)


@contextmanager
def case(p: Builder, register: Register, value: int, certain: bool) -> Iterator[None]:
    """Steps for when the register has this value; no condition, and so no doubt for the bound, if it always has."""
    with nullcontext() if certain else p.when(register, "==", value):
        yield


def check_request(name: str, size: int, aligned: int, grain: int) -> None:
    """Raise RunError for a request that is not made of the volume's sectors."""
    if size % grain or aligned % grain or size < 1:
        raise RunError(
            f"volume {name!r} is made of sectors of {size_text(grain)}: blocks of {size_text(size)} at multiples "
            f"of {size_text(aligned)} cannot be read or written; make both a multiple of {size_text(grain)}"
        )


def check_aligned(p: Builder, at: Register, aligned: int) -> None:
    """End the run, by a division by zero, if a caller does not keep its word about where requests begin.

    The cases that steps were emitted for hold for such addresses only; none would fit another, and nothing be read.
    """
    with scope(p):
        rest = p.register()
        p.let(rest, "MOD", at, aligned)
        with p.when(rest, "!=", 0):
            p.let(rest, "DIV", rest, 0)


def too_many(name: str, size: int, aligned: int, unit: int) -> RunError:
    """The error for a request that falls on stripe units in more ways than there are to be steps for."""
    return RunError(
        f"blocks of {size_text(size)} at multiples of {size_text(aligned)} fall on the stripe units of volume "
        f"{name!r}, {size_text(unit)} each, in more than {CASES} ways; make the block a divisor or a multiple of the "
        "unit, and its addresses multiples of the block"
    )


def size_text(size: int) -> str:
    """A size in bytes as a message tells it."""
    return units.format_quantity(size, "size")
