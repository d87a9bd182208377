"""NVMe over PCI Express: commands by doorbell and fetch, data and completions as packets of a drive's own lanes.

The host writes a doorbell, the drive reads the submission queue entry from memory, moves data by reads and posted
writes of its own, and posts the completion entry and an interrupt message (NVMe Base Specification 2.0, section 3).
"""

from __future__ import annotations

from collections.abc import Sequence

from simio.components.host.bus import DmaPath
from simio.components.passage import Passage
from simio.description.model import Link
from simio.description.sheets.nvme import NvmeAdapter, NvmeDrive, NvmeLink
from simio.program.builder import Builder, Handle, Operand, OperandT
from simio.program.service import ceil_times

SUBMISSION = 64
"""Bytes of a submission queue entry (NVMe Base 2.0, 3.3.3.1)."""
COMPLETION = 16
"""Bytes of a completion queue entry (NVMe Base 2.0, 3.3.3.2)."""
DOORBELL = 4
"""Bytes of a doorbell register (NVMe PCIe transport 1.0, 3.1.2)."""
MESSAGE = 4
"""Bytes of an interrupt message, MSI-X (PCI Express Base Specification, 7.7.2)."""


class NvmeSlots:
    """The slots of a host's drives: PCIe lanes for each, and how long packets take on them."""

    def __init__(self, p: Builder, link: Link[NvmeLink], adapters: Sequence[str], devices: Sequence[str]) -> None:
        self.p = p
        self.sheet = sheet = link.part.sheet
        self.byte = sheet.byte
        self.up = {name: p.resource(f"{name} lanes to host") for name in devices}
        self.down = {name: p.resource(f"{name} lanes from host") for name in devices}
        self.packet = sheet.packet_overhead + sheet.control

    def line(self, amount: OperandT) -> OperandT:
        """Time on the lanes of `amount` bytes of data in packets, in ps."""
        packets = (amount + (self.sheet.max_payload - 1)) // self.sheet.max_payload
        return ceil_times(amount + packets * self.packet, self.byte)


class NvmeTransport:
    """Commands, data and completions between a host and one drive."""

    any_size = True
    pace = 0

    def __init__(
        self,
        p: Builder,
        slots: NvmeSlots,
        bus: DmaPath,
        adapter_sheet: NvmeAdapter,
        drive_sheet: NvmeDrive,
        device: str,
        adapter: str,
    ) -> None:
        self.p = p
        self.slots = slots
        self.bus = bus
        self.up, self.down = slots.up[device], slots.down[device]
        self.unit = drive_sheet.page
        self.burst = drive_sheet.largest

    def request(self) -> None:
        """The doorbell, a read of the entry and the answer to it, which the lanes carry beside data."""
        sheet = self.slots.sheet
        packets = 2 * self.slots.packet + DOORBELL + SUBMISSION
        self.p.advance(3 * sheet.latency + sheet.read_latency + ceil_times(packets, self.slots.byte))

    def send(self, amount: Operand) -> None:
        """Posted writes to the host's memory; the drive goes on when they have left it."""
        self._move(amount, self.up, read=False)

    def fetch(self, amount: Operand) -> None:
        """Reads of the host's memory: requests, and data that come back."""
        sheet = self.slots.sheet
        self.p.advance(2 * sheet.latency + sheet.read_latency)
        self._move(amount, self.down, read=True)

    def reply(self) -> None:
        """The completion entry and the interrupt message, behind all data."""
        p, slots = self.p, self.slots
        with p.hold(self.up):
            p.advance(slots.line(COMPLETION) + slots.line(MESSAGE))
        p.advance(slots.sheet.latency)

    def passage(self, writes: bool) -> Passage:
        """The lanes in one direction, and the host's bus and memory."""
        sheet = self.slots.sheet
        byte = self.slots.byte * (sheet.max_payload + self.slots.packet) / sheet.max_payload
        return Passage({self.down if writes else self.up: byte}) + self.bus.passage(writes)

    def _move(self, amount: Operand, lanes: Handle, read: bool) -> None:
        p = self.p
        with p.hold(lanes):
            p.wait(self.slots.line(amount))
        self.bus.transfer(amount, read=read)
