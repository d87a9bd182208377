"""HIPPI: the channel's bursts and READY signals, and a card that stores a packet before it sends it.

HIPPI-PH (ISO/IEC 11518-1) moves words of 32 bits at 25 MHz in bursts of up to 256 words. The destination allows
each burst with a READY; the source counts them. A connection is set up for each packet here, as a sender does
that writes packet by packet.
"""

from __future__ import annotations

from collections.abc import Callable

from simio.components.host.host import Computer
from simio.components.host.kernel import UnixKernel
from simio.description.model import Adapter, Link
from simio.description.sheets.hippi import HippiAdapter, HippiLink
from simio.program.builder import Builder
from simio.program.service import ceil_times, clocks, per_byte


class HippiChannel:
    """One direction of a HIPPI link: its connection, wire, READY signals allowed ahead, and arrived bursts."""

    def __init__(
        self,
        p: Builder,
        link: Link[HippiLink],
        source: str,
        target: str,
        ready_window: int,
        drain: Callable[[int], int],
    ) -> None:
        """`drain` gives the least time in which the target passes on a burst of this many bytes, in ps."""
        self.p = p
        self.drain = drain
        self.sheet = link.part.sheet
        name = f"{source}>{target}"
        self.name = name
        self.connection = p.resource(f"{name} connection", lock=True)
        self.wire = p.resource(name)
        self.burst = self.sheet.burst_words * self.sheet.word
        self.delay = ceil_times(1, link.length * self.sheet.propagation)
        self.window = p.window(f"{name} READY", ready_window)
        self.ready = p.container(f"{name} READY", ready_window, ready_window, "bursts")
        self.arrived = p.container(f"{name} arrived", unit="bytes")
        self.accept = p.container(f"{name} accepted", unit="packets")

    def burst_time(self, size: int) -> int:
        """Time of a burst of `size` bytes with its checksum and gap, in ps."""
        words = -(-size // self.sheet.word)
        return clocks(words + self.sheet.gap_words, self.sheet.clock)

    def connect(self) -> None:
        """REQUEST and CONNECT over the cable and back, then the start of the packet."""
        self.p.advance(clocks(self.sheet.connect_words, self.sheet.clock) + 2 * self.delay)

    def send_burst(self, size: int) -> None:
        """Send one burst when the destination has allowed it."""
        p = self.p
        p.occupy(self.window, self.burst_time(size) + 2 * self.delay + self.drain(size))
        p.get(self.ready, 1)
        with p.hold(self.wire):
            p.advance(self.burst_time(size))
        with p.fork("burst", delay=self.delay):
            p.put(self.arrived, size)

    def allow_burst(self) -> None:
        """The destination has room again: a READY travels back to the source."""
        with self.p.fork("READY", delay=self.delay):
            self.p.put(self.ready, 1)


class HippiCard:
    """An adapter with memory of its own for packets, and its driver.

    Sending, the card takes a packet from host memory page by page. It stores up to `store_limit` bytes before
    it connects and sends, so that a short packet is on the bus and then on the wire, while a long one is on
    both at once. Receiving, it accepts a packet when a read has been posted and moves burst after burst to host
    memory, returning a READY for each; it cannot fall behind by more than the READYs it gave.
    """

    def __init__(self, p: Builder, kernel: UnixKernel, adapter: Adapter[HippiAdapter]) -> None:
        self.p = p
        self.kernel = kernel
        self.host: Computer = kernel.host
        self.sheet = adapter.part.sheet
        self.name = adapter.part.name
        self.bus = self.host.bus(adapter.bus)
        self.transmit_byte = per_byte(self.sheet.transmit_dma)
        self.receive_byte = per_byte(self.sheet.receive_dma)
        self.outgoing: HippiChannel | None = None
        self.incoming: HippiChannel | None = None

    def write(self, size: int) -> None:
        """Driver: one packet at a time, from set-up to the interrupt that says it is gone.

        A process that has to wait for the card sleeps, and is switched to when its turn comes.
        """
        p = self.p
        send = p.resource(f"{self.name} send", lock=True)
        self.kernel.slept(lambda: p.seize(send))
        with p.label("network drivers", self.host.name):
            self.host.work(self.sheet.transmit_cost)
        self._send(size)
        self.kernel.interrupt()
        p.release(send)

    def _send(self, size: int) -> None:
        p, channel = self.p, self.outgoing
        assert channel is not None
        self.stored = p.container(f"{self.name} stored", self.sheet.buffer, unit="bytes")
        with p.fork("dma", joined=True):
            self._fetch(size)
        first = min(size, self.sheet.store_limit) or min(size, channel.burst)
        p.get(self.stored, first)
        with p.hold(channel.connection):
            p.get(channel.accept, 1)
            channel.connect()
            self._bursts(channel, first, stored=True)
            self._bursts(channel, size - first, stored=False)
        p.join()

    def _fetch(self, size: int) -> None:
        """DMA of a packet's pages from host memory to the card."""
        p, page = self.p, self.kernel.sheet.page
        for amount in p.pieces(size, page):
            self.bus.transfer(amount, self.transmit_byte)
            p.put(self.stored, amount)

    def _bursts(self, channel: HippiChannel, size: int, stored: bool) -> None:
        """Send `size` bytes burst by burst, waiting for each to be on the card unless it is `stored`."""
        for amount in self.p.pieces(size, channel.burst):
            if not stored:
                self.p.get(self.stored, amount)
            channel.send_burst(amount)

    def read(self, size: int) -> None:
        """Driver: post a buffer for one packet of `size` bytes and wait until the card has filled it."""
        p, channel = self.p, self.incoming
        assert channel is not None
        with p.label("network drivers", self.host.name):
            self.host.work(self.sheet.receive_cost)
        p.put(channel.accept, 1)
        for amount in p.pieces(size, channel.burst):
            p.get(channel.arrived, amount)
            self.bus.transfer(amount, self.receive_byte)
            channel.allow_burst()
        self.kernel.interrupt()

    def discard(self, size: int) -> None:
        """A card without a reader accepts a packet and drops its bursts as they come."""
        p, channel = self.p, self.incoming
        assert channel is not None
        p.put(channel.accept, 1)
        for amount in p.pieces(size, channel.burst):
            p.get(channel.arrived, amount)
            channel.allow_burst()


def connect(link: Link[HippiLink], sender: HippiCard, receiver: HippiCard, read: bool) -> HippiChannel:
    """The channel from one card to the other over a direct link; `read`: a process reads what arrives."""

    def drain(size: int) -> int:
        return receiver.bus.duration(size, receiver.receive_byte) if read else 0

    channel = HippiChannel(sender.p, link, sender.name, receiver.name, receiver.sheet.ready_window, drain)
    sender.outgoing = receiver.incoming = channel
    return channel
