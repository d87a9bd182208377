"""A network adapter that takes no time: what links and switches do is seen alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from simio.components.host.host import PROCESS
from simio.components.host.kernel import UnixKernel
from simio.components.network.packet import Left, Packet
from simio.components.passage import Passage
from simio.description.model import Adapter
from simio.description.sheets.network import IdealAdapter
from simio.program.builder import Builder
from simio.program.steps import UNBOUNDED


class IdealInterface:
    """Packets go from the stack to the wire, and from the wire to the stack, at once: no queue, bus or interrupt.

    What the wire cannot take yet waits for it in order, as much as there is.
    """

    transmit_room = UNBOUNDED
    receive_room = UNBOUNDED
    cores = None

    def __init__(self, p: Builder, kernel: UnixKernel, adapter: Adapter[IdealAdapter]) -> None:
        self.name = adapter.part.name
        self.mtu: int | None = adapter.part.sheet.mtu
        self.checksum: bool = adapter.part.sheet.checksum

    def drive(self, priority: int = PROCESS) -> None:
        """See `Interface.drive`."""

    @contextmanager
    def sending(self, packet: Packet, driven: bool) -> Iterator[Left]:
        """See `Interface.sending`."""
        yield lambda: None

    def reserve(self, packet: Packet) -> None:
        """See `Interface.reserve`."""

    def passage(self, read: bool) -> Passage:
        """See `Interface.passage`: no bus."""
        return Passage()

    def receive(self, packet: Packet, deliver: Callable[[], None]) -> None:
        """See `Interface.receive`."""
        deliver()
