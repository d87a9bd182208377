"""A network device of software alone: packets go through a queue in memory to another CPU, which is interrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from simio.components.host.host import PROCESS
from simio.components.host.kernel import UnixKernel
from simio.components.network.handler import PacketInterrupts
from simio.components.network.packet import DropQueue, Left, Packet
from simio.description.model import Adapter
from simio.description.sheets.network import VirtualAdapter
from simio.program.builder import Builder
from simio.program.labels import labelled
from simio.program.steps import UNBOUNDED


class VirtualInterface:
    """An end of a veth pair whose packets another CPU takes (receive packet steering).

    Linux drivers/net/veth.c: sending puts the packet itself, not a copy, into the backlog of the receiving CPU
    (net/core/dev.c, enqueue_to_backlog), which drops it if that is full and interrupts that CPU if it is not at it.
    What the wire between cannot take yet waits for it in order.
    """

    transmit_room = UNBOUNDED
    receive_room = UNBOUNDED

    def __init__(self, p: Builder, kernel: UnixKernel, adapter: Adapter[VirtualAdapter]) -> None:
        sheet = adapter.part.sheet
        self.p = p
        self.host = kernel.host
        self.cost = sheet.transmit_cost
        self.name = adapter.part.name
        self.mtu: int | None = sheet.mtu
        self.checksum: bool = sheet.checksum
        self.backlog = DropQueue(p, f"{self.name} backlog", sheet.backlog, self.name, "packets")
        # An interrupt is on its way as long as the first packet waits for it; what comes meanwhile shares it.
        count = sheet.backlog + 1 if sheet.wake_delay else 1
        self.interrupts = PacketInterrupts(
            p, kernel, f"{self.name} receive", sheet.receive_cost, count, sheet.wake_delay
        )

    @labelled("network drivers", "host.name")
    def drive(self, priority: int = PROCESS) -> None:
        """See `Interface.drive`."""
        self.host.work(self.cost, priority)

    @contextmanager
    def sending(self, packet: Packet, driven: bool = False) -> Iterator[Left]:
        """See `Interface.sending`."""
        if not driven:
            self.drive()
        yield lambda: None

    def reserve(self, packet: Packet) -> None:
        """See `Interface.reserve`."""

    def receive(self, packet: Packet, deliver: Callable[[], None]) -> None:
        """See `Interface.receive`."""
        with self.backlog.entered(packet, 1), self.interrupts.served():
            self.backlog.leave(1)
            deliver()
