"""A parallel SCSI bus: phases, arbitration, disconnection (SCSI-2, ANSI X3.131-1994, clause 6; SPI to SPI-3).

The bus has one holder at a time. It is granted by SCSI ID, 7 first, then 6 to 0, then 15 to 8. Commands, messages and
status go by asynchronous handshakes, a byte each; data go at the fastest synchronous rate on which bus, adapter
and drive agree, and into or out of the host's memory at the same time.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from simio import units
from simio.components.host.bus import DmaPath, dma_byte
from simio.components.storage.connection import BusTransport, Connection
from simio.description.model import Link
from simio.description.sheets.scsi import ScsiAdapter, ScsiDisk, ScsiLink
from simio.errors import RunError
from simio.program.builder import Builder, Handle, Operand, least, since
from simio.program.service import SECOND, ceil_times, ratio

PRIORITIES = (7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8)
"""SCSI IDs, those that win arbitration first (SCSI-2 clause 6.1.2; SPI for those above 7)."""
IDENTIFY = 1
"""Bytes of the IDENTIFY message (SCSI-2 clause 6.6.7)."""
QUEUE_TAG = 2
"""Bytes of a SIMPLE QUEUE TAG message (SCSI-2 clause 6.6.17)."""
DISCONNECT = 1
"""Bytes of the DISCONNECT message (SCSI-2 clause 6.6.5)."""
SAVE_DATA_POINTER = 1
"""Bytes of the SAVE DATA POINTER message (SCSI-2 clause 6.6.20)."""
STATUS = 1
"""Bytes of status (SCSI-2 clause 7.3)."""
BURST = 4096
"""Bytes of a write in a row to a drive that waits for its media, where it takes them as they come."""
COMMAND_COMPLETE = 1
"""Bytes of the COMMAND COMPLETE message (SCSI-2 clause 6.6.4)."""


class ScsiBus:
    """A SCSI bus as a resource that is granted by SCSI ID, and how long its phases take.

    `adapters` and `devices` name its members: adapters have the IDs from 7 down, devices those from 0 up that are
    left. Raises RunError for more of them, or more cable, than the bus takes.
    """

    def __init__(self, p: Builder, link: Link[ScsiLink], adapters: Sequence[str], devices: Sequence[str]) -> None:
        self.p = p
        self.name = link.name
        self.sheet = sheet = link.part.sheet
        number = len(adapters) + len(devices)
        most = min(sheet.devices, 8 * sheet.width)
        if number > most:
            raise RunError(
                f"SCSI bus {link.name!r} joins {number} devices, adapters included; it takes {most}",
                at=f"links.{link.name}",
            )
        if link.length > sheet.longest:
            length, longest = (units.format_quantity(n, "length") for n in (link.length, sheet.longest))
            raise RunError(
                f"SCSI bus {link.name!r} is {length} long; it works up to {longest}", at=f"links.{link.name}"
            )
        ids = sorted(range(most), key=PRIORITIES.index)
        self.ids = dict(zip(adapters, ids, strict=False))
        left = iter(sorted(set(range(most)) - set(self.ids.values())))
        self.ids |= dict(zip(devices, left, strict=False))
        self.bus = p.resource(link.name)
        self.window = p.window(link.name, 1)
        self.handshake = sheet.handshake + ceil_times(4, link.length * sheet.propagation)

    def priority(self, name: str) -> int:
        """Place of an adapter or device among those that arbitrate; zero wins."""
        return PRIORITIES.index(self.ids[name])

    @property
    def arbitration(self) -> int:
        """Bus free and arbitration phases of a bus that was idle, in ps."""
        sheet = self.sheet
        return 2 * sheet.bus_settle_delay + sheet.bus_free_delay + sheet.arbitration_delay + sheet.bus_clear_delay

    @property
    def selection(self) -> int:
        """A selection or reselection phase, in ps."""
        sheet = self.sheet
        return 4 * sheet.deskew_delay + sheet.bus_settle_delay + sheet.selection_response

    def phase(self, count: int) -> int:
        """A phase of `count` bytes of command, message or status, in ps."""
        return self.sheet.bus_settle_delay + count * self.handshake

    def seize(self, name: str) -> None:
        """Arbitrate and win. Quick arbitration gives a waiting device the bus without a bus free phase."""
        p, quick = self.p, self.sheet.quick_arbitration
        if quick is None:
            p.seize(self.bus, priority=self.priority(name))
            p.advance(self.arbitration)
            return
        with p.scope():
            begun = p.now()
            p.seize(self.bus, priority=self.priority(name))
            waited = p.register(since(begun))
            with p.when(waited > 0):
                p.advance(quick)
            with p.when(waited == 0):
                p.advance(self.arbitration)

    def data_byte(self, adapter: ScsiAdapter, drive: ScsiDisk) -> Fraction:
        """Time of a byte of data at what bus, adapter and drive have agreed on, in ps."""
        sheet = self.sheet
        width = min(sheet.width, adapter.width, drive.width)
        if adapter.synchronous is None or drive.synchronous is None:
            return ratio(self.handshake, width)
        transfers = min(sheet.transfer_rate, adapter.synchronous / adapter.width, drive.synchronous / drive.width)
        return SECOND / (transfers * width)


class ScsiTransport(BusTransport):
    """Commands from one adapter to one drive over a SCSI bus.

    After a command the drive disconnects, and reselects the host when it has `unit` bytes; it keeps the bus for what
    is ready at once, and otherwise saves the data pointer and disconnects. Without disconnection the bus is held
    from selection to the end of the command. Without tagged queuing the drive has one command at a time.
    """

    def __init__(
        self,
        p: Builder,
        bus: ScsiBus,
        host_bus: DmaPath,
        adapter_sheet: ScsiAdapter,
        drive_sheet: ScsiDisk,
        device: str,
        adapter: str,
    ) -> None:
        self.p = p
        self.bus, self.window = bus, bus.window
        self.host_bus = host_bus
        self.sheet = adapter_sheet
        self.device, self.adapter = device, adapter
        self.unit = self.burst = drive_sheet.piece
        self.byte = max(bus.data_byte(adapter_sheet, drive_sheet), dma_byte(adapter_sheet))
        self.pace = self.host_bus.duration(drive_sheet.sector, self.byte) if drive_sheet.reconnect is None else 0
        if self.pace and not drive_sheet.write_cache:
            self.burst = BURST
        self.tag = QUEUE_TAG if adapter_sheet.tagged else 0
        self.connection = Connection(p, bus.bus, f"{device} to {adapter}")

    def request(self) -> None:
        """Arbitration, selection, MESSAGE OUT, COMMAND and, where allowed, DISCONNECT."""
        p, bus = self.p, self.bus
        if not self.sheet.tagged:
            p.seize(self._only())
        phases = bus.selection + bus.phase(IDENTIFY + self.tag) + bus.phase(self.sheet.command_bytes)
        if self.sheet.disconnect:
            phases += bus.phase(DISCONNECT)
        self._occupy(phases)
        bus.seize(self.adapter)
        p.advance(phases)
        if self.sheet.disconnect:
            p.release(bus.bus)

    def reply(self) -> None:
        """STATUS and COMMAND COMPLETE; the bus is free."""
        p, bus = self.p, self.bus
        phases = bus.phase(STATUS) + bus.phase(COMMAND_COMPLETE)
        self._occupy(phases)
        self._connect()
        p.advance(phases)
        p.release(bus.bus)
        if not self.sheet.tagged:
            p.release(self._only())

    def _data(self, amount: Operand, read: bool) -> None:
        settle = self.bus.sheet.bus_settle_delay
        self._occupy(settle + self.host_bus.duration(least(amount), self.byte, read))
        self._connect()
        self.p.advance(settle)
        self.host_bus.transfer(amount, self.byte, read)
        if self.sheet.disconnect:
            self.connection.linger(self.bus.phase(SAVE_DATA_POINTER + DISCONNECT))

    def _connect(self) -> None:
        """The drive reselects the host unless it is connected."""
        if not self.sheet.disconnect:
            return
        with self.connection.opened():
            self.bus.seize(self.device)
            self.p.advance(self.bus.selection + self.bus.phase(IDENTIFY + self.tag))

    def _only(self) -> Handle:
        """The turn of commands to a drive that queues none."""
        return self.p.resource(f"{self.device} untagged from {self.adapter}", lock=True)

    def _occupy(self, time: int) -> None:
        self.p.occupy(self.bus.window, time)
