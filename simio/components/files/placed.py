"""A device on which a file's bytes are counted from where the file begins, which is known only when it runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import gcd

from simio.components.passage import Passage
from simio.components.storage.interfaces import BlockDevice
from simio.program.builder import Builder, Register


class OffsetDevice:
    """`device` from the address in a register on, so that one file after another is written with the same steps."""

    any_size = False

    def __init__(self, p: Builder, device: BlockDevice, base: Register, grain: int) -> None:
        """`base` is always a multiple of `grain`; the caller moves it on from file to file."""
        self.p, self.device, self.base, self.grain = p, device, base, grain
        self.name, self.capacity, self.sector = device.name, device.capacity, device.sector

    def read(self, at: Register, size: int, aligned: int) -> None:
        """See `BlockDevice.read`; `at` is counted from the beginning of the file."""
        with self._place(at) as place:
            self.device.read(place, size, gcd(aligned, self.grain))

    def write(self, at: Register, size: int, aligned: int) -> None:
        """See `BlockDevice.write`; `at` is counted from the beginning of the file."""
        with self._place(at) as place:
            self.device.write(place, size, gcd(aligned, self.grain))

    def flush(self) -> None:
        """See `BlockDevice.flush`."""
        self.device.flush()

    def passage(self, writes: bool) -> Passage:
        """See `BlockDevice.passage`."""
        return self.device.passage(writes)

    @contextmanager
    def _place(self, at: Register) -> Iterator[Register]:
        with self.p.scope():
            yield self.p.register(self.base + at)
