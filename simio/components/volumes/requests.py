"""Requests that fit a volume, and the messages for those that do not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from fractions import Fraction
from typing import Literal

from simio import units
from simio.errors import RunError
from simio.program.builder import Builder, Register

Verb = Literal["read", "write"]
VERBS: tuple[Verb, Verb] = ("read", "write")
"""By the numbers that the planner has for them."""


def scope(p: Builder) -> AbstractContextManager[None]:
    """A block whose registers are free again after it."""
    return p.loop(1)


@contextmanager
def case(p: Builder, register: Register, value: int, only: bool, share: Fraction | int = 0) -> Iterator[None]:
    """Steps for when the register has this value, which it has for a `share` of requests at least.

    No condition, and so no doubt for the bound, if it is the only value that the register can have.
    """
    with nullcontext() if only else p.when(register, "==", value, share=share):
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
    with scope(p):
        rest = p.register()
        p.let(rest, "MOD", at, aligned)
        with p.when(rest, "!=", 0):
            p.let(rest, "DIV", rest, 0)


def size_text(size: int) -> str:
    """A size in bytes as messages write it."""
    return units.format_quantity(size, "size")
