"""IPI-3 commands: packets over the IPI physical bus, or over a HIPPI channel.

A command packet, information transfers in bursts and a response packet make a command (IPI-3, ISO 9318-3). On the
physical bus (IPI-1, ISO 9318-1) the master alone selects: a slave that has something asks for attention. Over HIPPI
each of these is a HIPPI packet of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from simio import units
from simio.components.host.bus import DmaPath, dma_byte
from simio.components.network.hippi import HippiChannel
from simio.components.passage import Passage
from simio.components.storage.connection import BusTransport, Connection
from simio.description.model import Link
from simio.description.sheets.ipi import IpiAdapter, IpiDisk, IpiLink
from simio.errors import RunError
from simio.program.builder import Builder, Operand, OperandT, least
from simio.program.service import ceil_div, ceil_times, per_byte

COMMAND = 18
"""Bytes of a read or write command packet: eight of header and ten of the command extent parameter."""
RESPONSE = 10
"""Bytes of a response packet: eight of header and two of major status."""
NOTIFICATION = 18
"""Bytes of the response packet by which a slave says over HIPPI that it can take the data of a write."""
FRAMING = 8
"""Bytes of the HIPPI-FP header (ANSI X3.210) of each packet over HIPPI."""


class IpiBus:
    """An IPI bus as a resource that its master gives, and how long its sequences take.

    The master hands out commands first, then serves slaves in the order in which they asked.
    `adapters` is its one master. Raises RunError for several, for more devices or for more cable than it takes.
    """

    def __init__(self, p: Builder, link: Link[IpiLink], adapters: Sequence[str], devices: Sequence[str]) -> None:
        self.p = p
        self.sheet = sheet = link.part.sheet
        if len(adapters) != 1:
            raise RunError(
                f"IPI bus {link.name!r} has {len(adapters)} adapters; it takes one, its master",
                at=f"links.{link.name}",
            )
        number = 1 + len(devices)
        if number > sheet.devices:
            joins = f"IPI bus {link.name!r} joins {number} devices, the master included"
            raise RunError(f"{joins}; it takes {sheet.devices}")
        if link.length > sheet.longest:
            length, longest = (units.format_quantity(n, "length") for n in (link.length, sheet.longest))
            raise RunError(
                f"IPI bus {link.name!r} is {length} long; it works up to {longest}", at=f"links.{link.name}"
            )
        self.bus = p.resource(link.name)
        self.window = p.window(link.name, 1)
        self.cable = ceil_times(4, link.length * sheet.propagation)

    @property
    def selection(self) -> int:
        """Selection of a slave, whose handshakes cross the cable four times, in ps."""
        return self.sheet.selection + self.cable

    @property
    def attention(self) -> int:
        """Finding out which slave asks, and its selection, in ps."""
        return self.sheet.attention + self.cable + self.selection

    def exchanges(self, amount: OperandT) -> OperandT:
        """Bus exchanges around the information transfers of `amount` bytes, in ps."""
        return ceil_div(amount, self.sheet.burst) * (self.sheet.bus_exchange + self.cable)

    def packet(self, amount: int) -> int:
        """Transfer of a packet of `amount` bytes, in ps."""
        return self.exchanges(amount) + ceil_times(amount, per_byte(self.sheet.rate))


class IpiTransport(BusTransport):
    """Commands from a master to one drive: packets and data over an IPI bus.

    A slave asks for the master when it has `unit` bytes, and keeps the bus for what is ready at once.
    """

    pace = 0

    def __init__(
        self,
        p: Builder,
        bus: IpiBus,
        host_bus: DmaPath,
        adapter_sheet: IpiAdapter,
        drive_sheet: IpiDisk,
        device: str,
        adapter: str,
    ) -> None:
        self.p = p
        self.bus, self.window = bus, bus.window
        self.host_bus = host_bus
        self.unit = self.burst = drive_sheet.reconnect
        self.byte = max(per_byte(min(bus.sheet.rate, drive_sheet.rate)), dma_byte(adapter_sheet))
        self.connection = Connection(p, bus.bus, f"{device} to {adapter}")

    def request(self) -> None:
        """The master selects the slave and hands it the command packet."""
        p, bus = self.p, self.bus
        time = bus.selection + bus.packet(COMMAND)
        p.occupy(bus.window, time)
        with p.hold(bus.bus):
            p.advance(time)

    def reply(self) -> None:
        """The slave's response packet."""
        p, time = self.p, self.bus.packet(RESPONSE)
        p.occupy(self.bus.window, time)
        self._connect()
        self.connection.close(time)

    def _data(self, amount: Operand, read: bool) -> None:
        p, bus, certain = self.p, self.bus, least(amount)
        p.occupy(bus.window, bus.exchanges(certain) + self.host_bus.duration(certain, self.byte, read))
        self._connect()
        p.wait(bus.exchanges(amount))
        self.host_bus.transfer(amount, self.byte, read)
        self.connection.linger(0)

    def _connect(self) -> None:
        """The slave asks for the master, and is selected, unless it is."""
        with self.connection.opened():
            self.p.seize(self.bus.bus, priority=1)
            self.p.advance(self.bus.attention)


class IpiHippiTransport:
    """IPI-3 over a pair of HIPPI channels, `out` to the drive or array and `back` from it.

    The adapter moves a byte to and from memory in `out_byte` and `back_byte` ps, burst by burst, as it receives and
    sends; `unit` is what the far end gathers, and takes, at once.
    """

    any_size = False
    pace = 0

    def __init__(
        self,
        p: Builder,
        out: HippiChannel,
        back: HippiChannel,
        bus: DmaPath,
        out_byte: Fraction,
        back_byte: Fraction,
        unit: int,
    ) -> None:
        self.p = p
        self.out, self.back = out, back
        self.bus = bus
        self.out_byte, self.back_byte = out_byte, back_byte
        self.unit = self.burst = unit

    def request(self) -> None:
        """The command packet, from memory to the far end."""
        self._send(COMMAND)

    def send(self, amount: int) -> None:
        """A packet of data into the host's memory; returns when its last burst has left."""
        self._receive(amount)

    def fetch(self, amount: int) -> None:
        """The far end says that it can take the data; then a packet of it."""
        self._receive(NOTIFICATION)
        self.p.join()
        self._send(amount)

    def reply(self) -> None:
        """The response packet; returns when it, and so all data before it, are in memory."""
        self._receive(RESPONSE)
        self.p.join()

    def passage(self, writes: bool) -> Passage:
        """The channel in one direction, and the host's bus and memory."""
        channel = self.out if writes else self.back
        byte = Fraction(channel.burst_time(channel.burst), channel.burst)
        return Passage({channel.wire: byte}) + self.bus.passage(writes)

    def _receive(self, amount: int) -> None:
        """A packet to the host: the child moves each burst to memory and allows the next."""
        p, channel = self.p, self.back
        with p.hold(channel.connection):
            channel.connect()
            with p.fork("receive", joined=True):
                for size in p.pieces(FRAMING + amount, channel.burst):
                    p.get(channel.arrived, size)
                    self.bus.transfer(size, self.back_byte)
                    channel.allow_burst()
            for size in p.pieces(FRAMING + amount, channel.burst):
                channel.send_burst(size)

    def _send(self, amount: int) -> None:
        """A packet from the host; a burst is read from memory while the one before is sent."""
        p, channel = self.p, self.out
        staged = p.container(f"{channel.name} staged", 2 * channel.burst)
        with p.hold(channel.connection):
            with p.fork("prefetch"):
                for size in p.pieces(FRAMING + amount, channel.burst):
                    self.bus.transfer(size, self.out_byte, read=True)
                    p.put(staged, size)
            channel.connect()
            with p.fork("receive", joined=True):
                for size in p.pieces(FRAMING + amount, channel.burst):
                    p.get(channel.arrived, size)
                    channel.allow_burst()
            for size in p.pieces(FRAMING + amount, channel.burst):
                p.get(staged, size)
                channel.send_burst(size)
            p.join()
