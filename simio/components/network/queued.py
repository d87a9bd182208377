"""An adapter with a queue for each core: rings and DMA over PCI Express, and the cores of connections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy

from simio.components.host.host import PROCESS
from simio.components.host.kernel import UnixKernel
from simio.components.network.interface import Cores, Wish
from simio.components.network.napi import Napi
from simio.components.network.packet import DropQueue, Left, Packet
from simio.components.network.pages import PageLists, PagePool
from simio.components.network.place import CorePlace, Places
from simio.components.passage import Passage
from simio.description.model import Adapter
from simio.description.sheets.queued import QueuedAdapter
from simio.description.sheets.stacks import TcpIpStack
from simio.errors import RunError
from simio.program.builder import Builder, Operand, Register
from simio.program.steps import UNBOUNDED


class QueuedInterface:
    """An adapter with queues, as its host's stack sees it.

    A packet that is sent takes a place in the ring, and the adapter reads its descriptor and data over PCI Express,
    several at once, and sends them. One that arrives is stored on the adapter, written to a buffer of its queue's
    ring with its completion, behind those that came before, and found by a poll; it is dropped where either is full.
    Raises RunError for a host without a stack.
    """

    transmit_room = UNBOUNDED

    def __init__(self, p: Builder, kernel: UnixKernel, adapter: Adapter[QueuedAdapter]) -> None:
        self.p = p
        self.kernel = kernel
        self.host = kernel.host
        self.sheet = sheet = adapter.part.sheet
        self.name = adapter.part.name
        self.mtu: int | None = sheet.mtu
        self.checksum: bool = sheet.checksum
        self.receive_room: int = sheet.receive_buffer
        self.bus = self.host.pcie(adapter.bus)
        part = self.host.description.stack
        if part is None:
            raise RunError(f"{self.name!r} has no stack to take its packets; give {self.host.name!r} one")
        stack: TcpIpStack = part.sheet
        self.places = Places(p, kernel, stack, sheet)
        self.processor = p.resource(f"{self.name} pipeline") if sheet.packet_time else None
        self.ring = p.container(f"{self.name} transmit ring", sheet.transmit_ring, sheet.transmit_ring, "packets")
        translated = self.bus.root.translations is not None
        self.line = p.container(f"{self.name} first packet", 1, 1, "packets") if translated else None
        self.incoming = DropQueue(p, f"{self.name} receive buffer", sheet.receive_buffer, self.name)
        # Posted writes of a device do not pass each other (PCI Express Base 3.0, 2.4.1).
        self.stores = p.resource(f"{self.name} stores", lock=True)
        self._queues: dict[int, Napi] = {}
        self.lists = PageLists(p, self.places, stack)
        self._pools: dict[int, PagePool] = {}
        self._peers: dict[str, int] = {}

    def port(self, number: int) -> QueuedInterface:
        """A port of a card with several at a bond: each has a transmit ring, and all share what receives."""
        if number == 1:
            return self
        one, room, name = copy(self), self.sheet.transmit_ring, f"{self.name} port {number}"
        one.ring = self.p.container(f"{name} transmit ring", room, room, "packets")
        one.line = self.p.container(f"{name} first packet", 1, 1, "packets") if self.line is not None else None
        return one

    def cores(self, number: int, wish: Wish, peer: str | None, fragments: bool) -> Cores:
        """The cores of a connection's program and of its queue, as wished; `number` counts connections.

        Programs then take the cores in turn. The adapter has a rule for each flow, which leads to the core of its
        program; or a hash chooses, for which Fibonacci hashing of the number stands, unless a queue is given. Flows
        of datagrams with the same `peer` are one to a hash of addresses; so are `fragments`, which have no ports that
        a hash or a rule could look at. Raises RunError for a core that the host lacks.
        """
        count = self.host.description.cpus
        queues = min(self.sheet.queues, count)
        core, queue = wish
        own = number % count if core is None else core
        if own >= count:
            raise RunError(f"{self.host.name!r} has CPUs 0 to {count - 1}, and none of number {own}", ".core")
        if self.sheet.steering == "flow" and not fragments:
            return own, own % queues
        if peer is not None and (fragments or self.sheet.udp_hash == "addresses"):
            number = self._peers.setdefault(peer, len(self._peers))
        return own, (number * 2654435761 >> 16) % queues if queue is None else queue

    def queue(self, core: int) -> Napi:
        """The queue whose interrupts go to a core, made when first used. Raises RunError for a core without one."""
        count = min(self.sheet.queues, self.host.description.cpus)
        if core >= count:
            raise RunError(f"{self.name!r} has queues for cores 0 to {count - 1}, and none for core {core}", ".queue")
        if core not in self._queues:
            place = self.places.softirq(core)
            name = f"{self.name} queue {core}"
            self._queues[core] = Napi(self.p, name, place, self.sheet)
        return self._queues[core]

    def pool(self, core: int) -> PagePool:
        """The pages of the queue whose interrupts go to a core."""
        if core not in self._pools:
            self._pools[core] = PagePool(self.p, f"{self.name} queue {core} pages", self.lists, core, self.sheet)
        return self._pools[core]

    def transmits(self, place: CorePlace) -> Napi:
        """The queue by which buffers go down from a place: that of its core (XPS)."""
        return self.queue(place.core.number % min(self.sheet.queues, self.host.description.cpus))

    def far(self, core: int) -> bool:
        """True if buffers that a core posts are memory of another socket than the adapter's."""
        return self.places.cores.socket(core) != self.bus.sheet.socket

    def drive(self, priority: int = PROCESS) -> None:
        """See `Interface.drive`: the costs of a stack on cores are those of `CorePlace`."""
        self.host.work(self.sheet.transmit_cost + self.sheet.doorbell, priority)

    @contextmanager
    def sending(self, packet: Packet, driven: bool) -> Iterator[Left]:
        """See `Interface.sending`."""
        p = self.p
        if not driven:
            self.drive()
        p.get(self.ring, 1)
        with p.scope():
            self._fetch(p.register(packet.length + self.sheet.transmit_descriptor))
        self._process()
        p.advance(self.sheet.latency)
        yield lambda: p.put(self.ring, 1)

    def _fetch(self, size: Register) -> None:
        """Read a packet with its descriptor; none gets ahead of those before it, whose pages an IOMMU may lack."""
        p = self.p
        if self.line is None:
            self.bus.read(size, cached=True)
            return
        with p.fork("packet", joined=True):
            self.bus.read(size, cached=True)
        p.get(self.line, 1)
        p.join()
        p.put(self.line, 1)

    def reserve(self, packet: Packet) -> None:
        """See `Interface.reserve`."""

    def receive(self, packet: Packet, deliver: Callable[[], None]) -> None:
        """See `Interface.receive`."""
        p, queue = self.p, self.queue(packet.queue)
        far = self.far(packet.queue)
        cached = not far and bool(self.bus.root.sheet.device_share)
        held = self.incoming, packet.length
        with self.incoming.entered(packet, packet.length), queue.ring.entered(packet, 1, held):
            p.advance(self.sheet.latency)
            self._process()
            with p.hold(self.stores):
                self.bus.write(packet.length, cached=cached, remote=far)
            if packet.joins:
                self.incoming.leave(packet.length)
                packet.joins.take(packet)
            else:
                self.bus.post(self.sheet.completion)
                self.incoming.leave(packet.length)
                self._polled(packet, deliver)

    def passage(self, read: bool) -> Passage:
        """See `Interface.passage`: a cache may have what is read, and take what comes."""
        return self.bus.passage(read, cached=read or bool(self.bus.root.sheet.device_share))

    def complete(self, packet: Packet, packets: Register, deliver: Callable[[], None]) -> None:
        """A buffer that the adapter has made of `packets` goes up: one completion, and their places in the ring."""
        self.bus.post(self.sheet.completion)
        self.queue(packet.queue).joined(packets)
        self._polled(packet, deliver, packets)

    def _polled(self, packet: Packet, deliver: Callable[[], None], packets: Operand = 1) -> None:
        """A poll finds a packet, or a buffer of `packets`; `deliver` emits the stack's work on it."""
        queue = self.queue(packet.queue)
        queue.arrived(packet.length)
        queue.ring.leave(packets)
        with queue.place.in_hand():
            self._pages(queue.place, packet)
            deliver()
            queue.next()

    def _pages(self, place: CorePlace, packet: Packet) -> None:
        """The driver takes a packet and the fragments, one a page, that it lies in."""
        p, page = self.p, self.kernel.sheet.page
        place.spend("packet")
        with p.scope():
            place.spend("fragment in", p.register((packet.length + (page - 1)) // page))

    def _process(self) -> None:
        """The adapter's own pipeline takes a packet up."""
        if self.processor:
            with self.p.hold(self.processor):
                self.p.advance(self.sheet.packet_time)
