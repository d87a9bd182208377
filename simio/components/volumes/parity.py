"""What computes parity: the host's CPU, or the engine of an array controller."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from simio.components.host import Host
from simio.program.builder import Builder
from simio.program.service import ceil_times, per_byte


class ParityEngine(Protocol):
    """Exclusive or of blocks."""

    def xor(self, sources: int, size: int) -> None:
        """Combine `sources` blocks of `size` bytes into one; returns when that is done."""


class SoftwareParity:
    """The host's CPU reads every source and writes the result; the slower of CPU and memory decides.

    `byte` is the time, in ps of the reference CPU, that a byte of a source takes.
    """

    def __init__(self, host: Host, byte: Fraction) -> None:
        self.host = host
        self.byte = byte

    def xor(self, sources: int, size: int) -> None:
        """A CPU is busy for sources * size bytes, while (sources + 1) * size bytes cross memory."""
        p = self.host.p
        with p.fork(f"{self.host.name}: parity", joined=True), p.hold(self.host.memory):
            p.advance(0, (sources + 1) * size, self.host.memory_byte)
        self.host.work(ceil_times(sources * size, self.byte))
        p.join()


class ControllerParity:
    """An engine beside the controller's processors, which combines `rate` bytes of sources a second."""

    def __init__(self, p: Builder, name: str, rate: Fraction) -> None:
        self.p = p
        self.engine = p.resource(f"{name} parity")
        self.byte = per_byte(rate)

    def xor(self, sources: int, size: int) -> None:
        """The engine is busy for sources * size bytes."""
        with self.p.hold(self.engine):
            self.p.advance(0, sources * size, self.byte)
