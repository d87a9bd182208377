"""Engines of parity: a host (`simio.components.host.host.Computer.xor`), or the engine of an array controller."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from typing import Protocol

from simio.program.builder import Builder
from simio.program.service import per_byte


class ParityEngine(Protocol):
    """Exclusive or of blocks."""

    def xor(self, sources: int, size: int, weighted: bool = False) -> None:
        """Combine `sources` blocks of `size` bytes, `weighted` in a Galois field; returns when that is done."""

    def gathered(self, size: int) -> AbstractContextManager[None]:
        """The steps inside read all that a request of `size` bytes takes, some of which are computed of the rest."""

    def kept(self) -> AbstractContextManager[None]:
        """Nothing that is read inside goes on at once."""


class ControllerParity:
    """An engine beside the controller's processors, which combines `rate` bytes of sources a second."""

    def __init__(self, p: Builder, name: str, rate: Fraction) -> None:
        self.p = p
        self.engine = p.resource(f"{name} parity")
        self.byte = per_byte(rate)

    def xor(self, sources: int, size: int, weighted: bool = False) -> None:
        """The engine is busy for sources * size bytes."""
        with self.p.hold(self.engine):
            self.p.advance(0, sources * size, self.byte)

    def gathered(self, size: int) -> AbstractContextManager[None]:
        """No step, as the data are in place."""
        return nullcontext()

    def kept(self) -> AbstractContextManager[None]:
        """End of the way."""
        return nullcontext()
