"""A network device of software alone: packets go through a queue in memory to another CPU, which is interrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property

from simio.components.host.host import INTERRUPT, PROCESS
from simio.components.host.kernel import UnixKernel
from simio.components.network.handler import PacketInterrupts
from simio.components.network.packet import DropQueue, Left, Packet
from simio.components.passage import Passage
from simio.description.model import Adapter
from simio.description.sheets.network import VirtualAdapter
from simio.machines.network import handler
from simio.machines.network.handler import RAISE
from simio.program.builder import Builder
from simio.program.labels import labelled
from simio.program.steps import UNBOUNDED

ANY = 2**30
"""Packets that may share an interrupt."""


class WokenInterrupts(PacketInterrupts):
    """Interrupts that another CPU sends: the first packet waits until that has done so, and others that come join it.

    In a virtual machine, sending one leaves the guest, which takes the sending CPU far longer than receiving it.
    """

    def __init__(self, p: Builder, kernel: UnixKernel, name: str, far: VirtualInterface, cost: int) -> None:
        """`far` is the interface that packets come from; `cost` is the driver's a packet."""
        super().__init__(p, kernel, name, cost, ANY, far.wake_cost)
        self.far = far

    def _expire_later(self) -> None:
        p = self.p
        batch = p.answer(handler.gathering, self.state)
        with p.fork("wake"):
            with p.label("interrupts", self.far.host.name):
                self.far.host.work(self.far.wake_cost, INTERRUPT)
            p.call(batch, handler.expire, self.state, batch)
            with p.when(batch == RAISE):
                self._enter()

    def _enter(self) -> None:
        """The handler gets a CPU, which first has to wake up if it is idle, and the first packet its turn."""
        p = self.p
        exit_time = self.host.description.cpu.sheet.idle_exit
        if not exit_time:
            super()._enter()
            return
        with p.scope():
            asked = p.now()
            p.seize(self.host.cpu, priority=INTERRUPT)
            with p.when(p.now() == asked), p.label("wake-ups", self.host.name):
                p.advance(exit_time)
            self._interrupted()


class VirtualInterface:
    """An end of a veth pair whose packets another CPU takes (receive packet steering).

    Linux drivers/net/veth.c: sending puts the packet itself, not a copy, into the backlog of the receiving CPU
    (net/core/dev.c, enqueue_to_backlog), which drops it if that is full and interrupts that CPU if it is not at it.
    What the wire between cannot take yet waits for it in order.
    """

    transmit_room = UNBOUNDED
    cores = None
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
        self.wake_cost = sheet.wake_cost
        self.receive_cost = sheet.receive_cost
        self.kernel = kernel
        self.far: VirtualInterface | None = None

    def woken_by(self, far: VirtualInterface) -> None:
        """Packets come from an interface whose CPU interrupts this one's."""
        self.far = far

    @cached_property
    def interrupts(self) -> PacketInterrupts:
        """The interrupts of this end, made when its first packet is sent."""
        if self.far is None or not (self.far.wake_cost or self.host.description.cpu.sheet.idle_exit):
            return PacketInterrupts(self.p, self.kernel, f"{self.name} receive", self.receive_cost)
        return WokenInterrupts(self.p, self.kernel, f"{self.name} receive", self.far, self.receive_cost)

    @labelled("network drivers", "host.name")
    def drive(self, priority: int = PROCESS) -> None:
        """See `Interface.drive`."""
        self.host.work(self.cost, priority)

    @contextmanager
    def sending(self, packet: Packet, driven: bool) -> Iterator[Left]:
        """See `Interface.sending`."""
        if not driven:
            self.drive()
        yield lambda: None

    def reserve(self, packet: Packet) -> None:
        """See `Interface.reserve`."""

    def passage(self, read: bool) -> Passage:
        """See `Interface.passage`: no bus."""
        return Passage()

    def receive(self, packet: Packet, deliver: Callable[[], None]) -> None:
        """See `Interface.receive`."""
        with self.backlog.entered(packet, 1), self.interrupts.served():
            self.backlog.leave(1)
            deliver()
