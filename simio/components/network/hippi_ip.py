"""IP over HIPPI (RFC 2067): a card that stores a packet before it connects, and circuits through switches.

A packet is one HIPPI packet with a header of 40 bytes, and a connection of its own: HIPPI-FP (8 bytes), HIPPI-LE (24)
and the IEEE 802.2 LLC and SNAP headers (8). It goes in bursts of up to 256 words, each of which the destination has
to allow with a READY (HIPPI-PH, ISO/IEC 11518-1). What follows from the bursts is computed for a packet at once: how
long it is on the wire, when the receiving card, which moves bursts to memory as they come, is done, and for how long
the source waits when that is slower than the wire.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from simio.components.host.bus import BusMaster
from simio.components.host.host import PROCESS
from simio.components.host.kernel import UnixKernel
from simio.components.network.handler import PacketInterrupts
from simio.components.network.interface import OutputQueue
from simio.components.network.packet import Left, Packet
from simio.components.passage import Passage
from simio.description.model import Adapter, Link, Switch
from simio.description.sheets.hippi import HippiAdapter, HippiLink, HippiSwitch
from simio.machines.network import queue
from simio.machines.network.queue import initial
from simio.program.builder import Builder, Handle, Operand, Register, minimum
from simio.program.service import SECOND, ceil_times, clocks, per_byte, ratio
from simio.program.steps import UNBOUNDED

HEADER = 40
"""Bytes of HIPPI-FP, HIPPI-LE, LLC and SNAP headers before an IP datagram (RFC 2067, section 3)."""
MTU = 65280
"""Largest IP datagram over HIPPI in bytes (RFC 2067, section 4)."""


class HippiHop:
    """One direction of a HIPPI link: its connection and its wire."""

    def __init__(self, p: Builder, link: Link[HippiLink], source: str, target: str) -> None:
        self.sheet = link.part.sheet
        self.name = f"{source}>{target}"
        self.target = target
        self.connection = p.resource(f"{self.name} connection", lock=True)
        self.wire = p.resource(self.name)
        self.delay = ceil_times(1, link.length * self.sheet.propagation)
        self.busy = p.machine(f"{self.name} busy", initial(1))


class HippiCircuit:
    """Connections from one card to another, straight or through switches, each for one packet.

    A circuit holds every link on its way from when it is asked for until the packet's last burst. Where a port of a
    switch is busy, a source that camps on waits for it and keeps what it has; one that does not is rejected and tries
    again (HIPPI-SC, ANSI X3.222, camp-on bit of the I-field).
    """

    streams = False
    header = 0

    def __init__(
        self, p: Builder, hops: Sequence[HippiHop], switches: Sequence[Switch[HippiSwitch]], window: int
    ) -> None:
        """`switches` lie between the hops; `window` is the number of bursts that the target allows ahead."""
        self.p = p
        self.hops = hops
        self.sheet = hops[0].sheet
        self.wire = hops[0].wire
        self.switches = [switch.part.sheet for switch in switches]
        self.name = ">".join((hops[0].name.split(">")[0], *(hop.target for hop in hops)))
        self.mtu = MTU
        self.wire = hops[-1].connection
        self.delay: int = sum(hop.delay for hop in hops) + sum(sheet.latency for sheet in self.switches)
        self.burst: int = self.sheet.burst_words * self.sheet.word
        self.target = HippiTarget(p, hops[-1].target, window, self.burst)

    def clocks_of(self, length: int) -> int:
        """Clocks of the bursts of a packet of `length` bytes."""
        words = -(-(length + HEADER) // self.sheet.word)
        return words + -(-words // self.sheet.burst_words) * self.sheet.gap_words

    def time(self, length: int) -> int:
        """Time that the wire is taken by the bursts of a packet of `length` bytes that nothing delays, in ps."""
        return clocks(self.clocks_of(length), self.sheet.clock)

    def head(self) -> int:
        """Nothing cuts through a circuit: it is one."""
        return 0

    def span(self, length: Operand) -> Operand:
        """Time of the bursts of a packet of `length` bytes, in ps."""
        sheet = self.sheet
        words = self.p.register((length + (HEADER + sheet.word - 1)) // sheet.word)
        bursts = (words + (sheet.burst_words - 1)) // sheet.burst_words
        return ceil_times(words + bursts * sheet.gap_words, ratio(SECOND, sheet.clock))

    @contextmanager
    def crossing(self, packet: Packet, early: bool = False, left: Left | None = None) -> Iterator[None]:
        """Connect and send; the body runs when the first burst has arrived (`HippiTarget` waits for the rest)."""
        p = self.p
        with p.scope():
            self._connect()
            time = p.register(self.span(packet.length))
            with p.fork("bursts"):
                self._send(time, left)
            first = self.span(minimum(packet.length, self.burst - HEADER))
            p.advance(self.delay, first, 1)
            yield

    def _send(self, time: Register, left: Left | None) -> None:
        """The bursts leave, the last of them when the target has allowed it; then the circuit is given up."""
        p = self.p
        for hop in self.hops:
            p.seize(hop.wire)
        p.wait(time)
        p.get(self.target.allowed, 1)
        if left:
            left()
        with p.fork("last burst", delay=self.delay):
            p.put(self.target.whole, 1)
        for hop in self.hops:
            p.release(hop.wire)
        p.release(self.hops[0].connection)
        for hop, sheet in zip(self.hops[1:], self.switches, strict=True):
            p.release(hop.connection)
            if not sheet.camp_on:
                with p.scope():
                    p.call(p.register(), queue.leave, hop.busy, 1)

    def _connect(self) -> None:
        """REQUEST goes link by link and CONNECT comes back; then the packet starts."""
        p = self.p
        p.seize(self.hops[0].connection)
        for before, hop, sheet in zip(self.hops, self.hops[1:], self.switches, strict=False):
            p.advance(before.delay + sheet.latency)
            if not sheet.camp_on:
                self._try(hop, sheet.retry)
            p.seize(hop.connection)
        connect = clocks(self.sheet.connect_words, self.sheet.clock)
        p.advance(connect + self.hops[-1].delay + self.delay)

    def _try(self, hop: HippiHop, retry: int) -> None:
        """Request a port until it is free; the link to the switch is occupied meanwhile."""
        p = self.p
        with p.scope():
            free = p.register()
            with p.until(free != 0):
                p.call(free, queue.enter, hop.busy, 1)
                with p.when(free == 0):
                    p.advance(retry)


class HippiTarget:
    """Signals between source and target of a circuit: READY, and the arrival of the last burst."""

    def __init__(self, p: Builder, name: str, window: int, burst: int) -> None:
        self.p = p
        self.window, self.burst = window, burst
        self.allowed: Handle = p.container(f"{name} allowed", unit="packets")
        self.whole: Handle = p.container(f"{name} complete", unit="packets")

    def take(self, packet: Packet, master: BusMaster) -> None:
        """DMA of a packet's bursts as they come.

        The source may be `window` bursts ahead, so that it can send the last ones when all but these are in memory;
        and the last burst cannot be moved before it has come.
        """
        p = self.p
        with p.scope():
            ahead = p.register(packet.length - self.window * self.burst)
            last = p.register(minimum(packet.length, self.burst))
            middle = p.register(packet.length - last)
            with p.when(ahead > 0):
                master.move(ahead)
                middle.set(middle - ahead)
            p.put(self.allowed, 1)
            with p.when(middle > 0):
                master.move(middle)
            p.get(self.whole, 1)
            master.move(last)


class HippiInterface:
    """The HIPPI card as an interface of IP: one packet at a time is fetched and then sent.

    The card keeps a packet of up to `store_limit` bytes until all of it has come from memory, and then connects; of a
    larger one it sends the beginning while the rest comes.
    """

    cores = None

    def __init__(self, p: Builder, kernel: UnixKernel, adapter: Adapter[HippiAdapter]) -> None:
        self.p = p
        self.kernel = kernel
        self.host = kernel.host
        self.sheet = adapter.part.sheet
        self.name = adapter.part.name
        self.mtu: int | None = min(self.sheet.ip_mtu, MTU)
        self.checksum: bool = self.sheet.checksum
        self.transmit_room = self.receive_room = self.sheet.buffer
        sheet, bus = self.sheet, self.host.bus(adapter.bus)
        transmit, receive = (
            raw if cost is None else cost
            for cost, raw in (
                (sheet.ip_transmit_cost, sheet.transmit_cost),
                (sheet.ip_receive_cost, sheet.receive_cost),
            )
        )
        self.fetching = BusMaster(bus, f"{self.name} transmit", per_byte(sheet.transmit_dma))
        self.storing = BusMaster(bus, f"{self.name} receive", per_byte(sheet.receive_dma))
        self.output = OutputQueue(p, kernel, self.name, sheet.ip_queue, sheet.ip_ring, transmit)
        self.card = p.resource(f"{self.name} send", lock=True)
        self.buffers = p.container(f"{self.name} receive ring", sheet.ip_ring, sheet.ip_ring, "packets")
        self.interrupts = PacketInterrupts(p, kernel, f"{self.name} receive", receive)
        self.sent = PacketInterrupts(p, kernel, f"{self.name} sent", 0, max(sheet.ip_transmit_interrupt, 1))
        self.splits = sheet.store_limit < self.mtu
        if self.splits:
            self.rest = p.container(f"{self.name} rest", UNBOUNDED, unit="packets")
        self.target: HippiTarget

    def join(self, circuit: HippiCircuit) -> None:
        """Take the packets that come over a circuit, and allow their bursts."""
        self.target = circuit.target

    def drive(self, priority: int = PROCESS) -> None:
        """See `Interface.drive`."""
        self.output.drive(priority)

    @contextmanager
    def sending(self, packet: Packet, driven: bool) -> Iterator[Left]:
        """See `Interface.sending`."""
        p = self.p
        with self.output.passed(packet, driven):
            p.seize(self.card)
            with p.label("adapter", self.name):
                p.advance(self.sheet.ip_packet_time)
            self._fetch(packet)

            def left() -> None:
                if self.splits:
                    p.get(self.rest, 1)
                p.release(self.card)
                self.output.sent()
                if self.sheet.ip_transmit_interrupt:
                    self.sent.note()

            yield left

    def passage(self, read: bool) -> Passage:
        """See `Interface.passage`."""
        return self.storing.bus.passage(read)

    def _fetch(self, packet: Packet) -> None:
        """DMA of the data that the card stores before it connects; the rest follows by itself."""
        p = self.p
        if not self.splits:
            self.fetching.move(packet.length, read=True)
            return
        with p.scope():
            part = p.register(minimum(packet.length, max(self.sheet.store_limit, 1)))
            self.fetching.move(part, read=True)
            part.set(packet.length - part)
            with p.fork("rest"):
                with p.when(part > 0):
                    self.fetching.move(part, read=True)
                p.put(self.rest, 1)

    def reserve(self, packet: Packet) -> None:
        """A card without room allows no bursts; see `HippiTarget`."""

    def receive(self, packet: Packet, deliver: Callable[[], None]) -> None:
        """See `Interface.receive`; the card moves bursts to a buffer in host memory while others come."""
        p = self.p
        p.get(self.buffers, 1)
        with self.storing.turn():
            self.target.take(packet, self.storing)
            with p.label("adapter", self.name):
                p.advance(self.sheet.ip_packet_time)
        with self.interrupts.served():
            p.put(self.buffers, 1)
            deliver()
