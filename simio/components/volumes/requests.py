"""Requests of a volume and of its members, and the messages for those that do not fit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from simio import units
from simio.components.storage.interfaces import BlockDevice
from simio.errors import RunError
from simio.program.builder import Builder, Register

Verb = Literal["read", "write"]
VERBS: tuple[Verb, Verb] = ("read", "write")
"""Both verbs, at the numbers that the planner has for them."""


@dataclass(frozen=True)
class Request:
    """`size` bytes at a multiple of `aligned`, while the members of a volume are `present`.

    That is the member that is lost, the number of members if none is, or more if the spare is in its place; of a
    RAID 6 a number below 0 if two are lost (`simio.machines.volume.planner.parts`).
    """

    verb: Verb
    at: Register
    size: int
    aligned: int
    present: int | Register

    def emit(self, device: BlockDevice) -> None:
        """Emit the request of a device, in the calling thread."""
        (device.read if self.verb == "read" else device.write)(self.at, self.size, self.aligned)

    def of(self, verb: Verb) -> Request:
        """The same bytes, read or written."""
        return replace(self, verb=verb)


@contextmanager
def case(p: Builder, register: Register, value: int, only: bool, share: Fraction | int = 0) -> Iterator[None]:
    """Steps for when the register has this value, which it has for a `share` of requests at least.

    No condition, and so no doubt for the bound, if it is the only value that the register can have.
    """
    with nullcontext() if only else p.when(register == value, share=share):
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

    Steps exist for the sizes of pieces that such addresses lead to; others would match none, and read nothing.
    """
    with p.scope():
        rest = p.register(at % aligned)
        with p.when(rest != 0):
            rest.set(rest // 0)


def size_text(size: int) -> str:
    """A size in bytes as messages write it."""
    return units.format_quantity(size, "size")
