"""A network adapter with its driver: queue, rings, DMA and interrupts, at either end of a packet's path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from simio.components.faults.rings import RingFaults
from simio.components.host.bus import BusMaster, dma_byte
from simio.components.host.host import PROCESS
from simio.components.host.kernel import UnixKernel
from simio.components.network.handler import PacketInterrupts
from simio.components.network.interface import OutputQueue
from simio.components.network.packet import Left, Packet, Wire
from simio.components.network.pause import Receiver
from simio.components.passage import Passage
from simio.description.model import Adapter
from simio.description.sheets.network import NetworkCard
from simio.description.sheets.pausing import PauseSheet
from simio.program.builder import Builder, Register


class NetworkInterface:
    """An adapter as its host's stack sees it: packets go out in the order in which they are handed over.

    A packet that is sent waits in the interface's queue (drop when full), then for a descriptor of the transmit ring
    and room on the adapter, which fetches it by DMA whole and sends it. One that arrives is stored on the adapter
    (drop when full), written to a buffer of the receive ring and served by the driver at interrupt level.
    """

    cores = None

    def __init__(self, p: Builder, kernel: UnixKernel, adapter: Adapter[NetworkCard]) -> None:
        self.p = p
        self.kernel = kernel
        self.host = kernel.host
        self.adapter = adapter
        self.sheet = adapter.part.sheet
        self.name = adapter.part.name
        self.mtu: int | None = self.sheet.mtu
        self.checksum: bool = self.sheet.checksum
        bus, byte = self.host.bus(adapter.bus), dma_byte(self.sheet)
        self.fetching = BusMaster(bus, f"{self.name} transmit", byte)
        self.storing = BusMaster(bus, f"{self.name} receive", byte)
        self.processor = p.resource(f"{self.name} processor") if self.sheet.packet_time else None
        self.transmit_room: int = self.sheet.transmit_buffer
        pausing = self.sheet if isinstance(self.sheet, PauseSheet) else None
        self.receive_room: int = pausing.least_memory if pausing else self.sheet.receive_buffer
        self.output = OutputQueue(
            p, kernel, self.name, self.sheet.queue, self.sheet.transmit_ring, self.sheet.transmit_cost
        )
        self.outgoing = p.container(
            f"{self.name} transmit buffer", self.sheet.transmit_buffer, self.sheet.transmit_buffer
        )
        self.buffers = p.container(
            f"{self.name} receive ring", self.sheet.receive_ring, self.sheet.receive_ring, "packets"
        )
        self.incoming = Receiver(p, self.name, pausing) if pausing else None
        """Its memory for packets that have come; None if a sender has to wait for room there."""
        if self.incoming is None:
            self.room = p.container(
                f"{self.name} receive buffer", self.sheet.receive_buffer, self.sheet.receive_buffer
            )
        self.rings = RingFaults(p, self.name, adapter.resets, self.host.description.crashes)
        self.interrupts = PacketInterrupts(
            p, kernel, f"{self.name} receive", self.sheet.receive_cost, self.sheet.coalesce_count,
            self.sheet.coalesce_delay,
        )  # fmt: skip
        self.sent = PacketInterrupts(p, kernel, f"{self.name} sent", 0, max(self.sheet.transmit_interrupt, 1))

    def port(self, number: int) -> NetworkInterface:
        """A port of a card with several at a bond: each has rings, memory and interrupts of its own, on one bus."""
        if number == 1:
            return self
        part = replace(self.adapter.part, name=f"{self.name} port {number}")
        return NetworkInterface(self.p, self.kernel, replace(self.adapter, part=part))

    def drive(self, priority: int = PROCESS) -> None:
        """See `Interface.drive`."""
        self.output.drive(priority)

    @contextmanager
    def sending(self, packet: Packet, driven: bool) -> Iterator[Left]:
        """See `Interface.sending`."""
        p = self.p
        with self.rings.leaving(packet) as departure, self.output.passed(packet, driven):
            departure.queued()
            p.get(self.outgoing, packet.length)
            p.get(self.fetching.order, 1)
            with departure.fetched():
                self._process()
                self.fetching.move(packet.length, read=True)
            if self.sheet.overlapped:
                p.put(self.fetching.order, 1)

            def left() -> None:
                if not self.sheet.overlapped:
                    p.put(self.fetching.order, 1)
                p.put(self.outgoing, packet.length)
                self.output.sent()
                departure.left()
                if self.sheet.transmit_interrupt:
                    self.sent.note()

            with departure.sent(left):
                yield left

    def receive(self, packet: Packet, deliver: Callable[[], None]) -> None:
        """See `Interface.receive`."""
        with self.rings.arriving(packet, lambda: self.refused(packet)) as came:
            if self.incoming is None:
                self._store(packet)
                self.p.put(self.room, packet.length)
                self._interrupt(packet, came, deliver)
                return
            memory = self.incoming.of(packet)
            with memory.entered(packet, packet.length):
                self._store(packet)
                memory.leave(packet.length)
                self._interrupt(packet, came, deliver)

    def passage(self, read: bool) -> Passage:
        """See `Interface.passage`."""
        return self.storing.bus.passage(read)

    def refused(self, packet: Packet) -> None:
        """A packet is lost for which the sender had room reserved."""
        if self.incoming is None:
            self.p.put(self.room, packet.length)

    def fed_by(self, wire: Wire) -> None:
        """Packets come over a wire, which the adapter may send pause frames against."""
        if self.incoming:
            self.incoming.fed_by(wire)

    def reserve(self, packet: Packet) -> None:
        """See `Interface.reserve`: without credit nothing may be sent."""
        if self.incoming is None:
            self.p.get(self.room, packet.length)

    def _store(self, packet: Packet) -> None:
        """DMA into a buffer of the receive ring."""
        self.p.get(self.buffers, 1)
        with self.storing.turn():
            self._process()
            self.storing.move(packet.length)

    def _interrupt(self, packet: Packet, came: Register | None, deliver: Callable[[], None]) -> None:
        with self.interrupts.served():
            self.p.put(self.buffers, 1)
            with self.rings.served(packet, came):
                deliver()

    def _process(self) -> None:
        """The adapter's own processor takes a packet up."""
        if self.processor:
            with self.p.hold(self.processor):
                self.p.advance(self.sheet.packet_time)
