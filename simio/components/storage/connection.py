"""A connection over a shared medium, kept as long as there are data to send over it, and transports over a bus."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from simio.components.host.bus import DmaPath
from simio.components.passage import Passage
from simio.program.builder import Builder, Handle, Operand


class Connection:
    """A device's hold of a shared medium while it is connected.

    A device that has sent what it had does not know whether more will be ready at once: the connection lingers
    until the end of the instant. What is sent at the same instant goes over it; otherwise a child closes it.
    """

    def __init__(self, p: Builder, medium: Handle, name: str) -> None:
        self.p = p
        self.medium = medium
        self.kept = p.variable(f"{name} connection")

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Be connected; the body, which seizes the medium, runs unless the connection lingers."""
        p = self.p
        with p.scope():
            kept = self.kept.swap(0)
            with p.when(kept == 0):
                yield

    def linger(self, closing: int) -> None:
        """Keep the connection for this instant; then let it go, which takes `closing` ps."""
        p = self.p
        with p.scope():
            self.kept.store(1)
            with p.fork("disconnect"):
                kept = self.kept.swap(0)
                with p.when(kept == 1):
                    self.close(closing)

    def close(self, closing: int) -> None:
        """Let the medium go after `closing` ps."""
        self.p.advance(closing)
        self.p.release(self.medium)


class BusTransport:
    """Commands from one adapter to one drive over a bus of several drives, with data through the adapter.

    `window` is the bus as the bound sees it, `byte` the time of a byte over bus and adapter, in ps.
    """

    any_size = True
    host_bus: DmaPath
    window: Handle
    byte: Fraction

    def send(self, amount: Operand) -> None:
        """Data in, through the adapter into the host's memory."""
        self._data(amount, read=False)

    def fetch(self, amount: Operand) -> None:
        """Data out, from the host's memory through the adapter."""
        self._data(amount, read=True)

    def passage(self, writes: bool) -> Passage:
        """The bus to the drive, and the host's bus and memory."""
        return Passage(windows={self.window: self.byte}) + self.host_bus.passage(writes)

    def _data(self, amount: Operand, read: bool) -> None:
        """Move data over both buses. To be defined by each bus."""
        raise NotImplementedError
