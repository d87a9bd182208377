"""SATA and SAS: links of a drive each, and expanders with links that all drives share.

A drive on SATA has a link to the adapter for itself, on which one frame is under way at a time, each with a handshake
(Serial ATA 3, clause 9). On SAS, adapter or drive opens a connection, which takes a link of each stage of the way for
as long as it is open, and sends the frames of a burst in a row (SPL-4, INCITS 538).
"""

from __future__ import annotations

from collections.abc import Sequence

from simio.components.host.bus import DmaPath, dma_byte
from simio.components.passage import Passage
from simio.components.storage.connection import Connection
from simio.description.model import Link
from simio.description.sheets.serial import SataDisk, SataFlash, SerialAdapter, SerialLink
from simio.errors import RunError
from simio.program.builder import Builder, Handle, Operand
from simio.program.service import ceil_times


class SerialPorts:
    """The ports of an adapter: one a drive, or some that lead to expanders, of which all drives have any."""

    def __init__(self, p: Builder, link: Link[SerialLink], adapters: Sequence[str], devices: Sequence[str]) -> None:
        """Raises RunError for several adapters."""
        if len(adapters) != 1:
            raise RunError(
                f"links {link.name!r} join {len(adapters)} adapters; drives with two ports are not modelled",
                at=f"links.{link.name}",
            )
        self.sheet = sheet = link.part.sheet
        self.wide = p.resource(f"{link.name} wide port", sheet.wide) if sheet.wide else None
        self.ports = {device: p.resource(f"{device} port") for device in devices}


class SerialConnection(Connection):
    """A drive's hold of its port and of a link to the adapter."""

    def __init__(self, p: Builder, port: Handle, wide: Handle | None, opening: int, name: str) -> None:
        super().__init__(p, port, name)
        self.wide = wide
        self.opening = opening

    def seize(self) -> None:
        """Open a connection."""
        self.p.seize(self.medium)
        if self.wide:
            self.p.seize(self.wide)
        self.p.advance(self.opening)

    def close(self, closing: int) -> None:
        """Close the connection."""
        self.p.advance(closing)
        if self.wide:
            self.p.release(self.wide)
        self.p.release(self.medium)


class SerialTransport:
    """Commands from one adapter to one drive."""

    any_size = True
    pace = 0

    def __init__(
        self,
        p: Builder,
        ports: SerialPorts,
        bus: DmaPath,
        adapter_sheet: SerialAdapter,
        drive_sheet: SataDisk | SataFlash,
        device: str,
        adapter: str,
    ) -> None:
        self.p = p
        self.sheet = sheet = ports.sheet
        self.bus = bus
        self.unit = self.burst = drive_sheet.gathers
        self.byte = sheet.byte(drive_sheet.signalling)
        way = sheet.expanders * sheet.expander_latency
        frame = (sheet.payload + sheet.frame_overhead) * self.byte + sheet.handshake
        self.data_byte = max(frame / sheet.payload, dma_byte(adapter_sheet))
        self.port, self.wide = ports.ports[device], ports.wide
        self.delay: int = way
        opening = sheet.connection + 2 * way
        self.connection = SerialConnection(p, self.port, self.wide, opening, f"{device} to {adapter}")

    def frame(self, amount: int) -> int:
        """Time of a frame that is no data, in ps."""
        return ceil_times(amount + self.sheet.frame_overhead, self.byte) + self.sheet.handshake

    def request(self) -> None:
        """The command, over a connection of its own."""
        self.connection.seize()
        self.p.advance(self.delay + self.frame(self.sheet.command))
        self.connection.close(self.sheet.closing)

    def send(self, amount: Operand) -> None:
        """Data to the adapter and into the host's memory."""
        self._data(amount, read=False)

    def fetch(self, amount: Operand) -> None:
        """Data from the host's memory, through the adapter."""
        self._data(amount, read=True)

    def reply(self) -> None:
        """The response, over the connection of the data if that is open."""
        with self.connection.opened():
            self.connection.seize()
        self.p.advance(self.delay + self.frame(self.sheet.response))
        self.connection.close(self.sheet.closing)

    def passage(self, writes: bool) -> Passage:
        """The drive's port, the links that all drives share, and the host's bus and memory."""
        links = (self.port, self.wide) if self.wide else (self.port,)
        return Passage(dict.fromkeys(links, self.data_byte)) + self.bus.passage(writes)

    def _data(self, amount: Operand, read: bool) -> None:
        with self.connection.opened():
            self.connection.seize()
        self.p.advance(self.delay + self.frame(self.sheet.setup))
        self.bus.transfer(amount, self.data_byte, read)
        self.connection.linger(self.sheet.closing)
