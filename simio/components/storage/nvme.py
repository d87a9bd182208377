"""NVMe over PCI Express: commands by doorbell and fetch, data and completions over lanes of a drive's own.

The host writes a doorbell, the drive reads submission queue entries from memory, moves data by reads and posted
writes of its own, and posts a completion entry and an interrupt message (NVMe Base Specification 2.0, section 3).
"""

from __future__ import annotations

from collections.abc import Sequence

from simio.components.host.bus import DmaPath
from simio.components.host.pcie import PcieBus
from simio.components.passage import Passage
from simio.description.model import Link
from simio.description.sheets.nvme import NvmeAdapter, NvmeDrive, NvmeLink
from simio.errors import RunError
from simio.machines.ssd import queues
from simio.program.builder import Builder, Operand
from simio.program.service import ceil_times

SUBMISSION = 64
"""Bytes of a submission queue entry (NVMe Base 2.0, 3.3.3.1)."""
COMPLETION = 16
"""Bytes of a completion queue entry (NVMe Base 2.0, 3.3.3.2)."""
DOORBELL = 4
"""Bytes of a doorbell register (NVMe over PCIe Transport 1.0, 3.1.2)."""
DRIVE_LANES = 4
"""Lanes of a drive of these forms (PCI Express SFF-8639 Module Specification; M.2; SFF-TA-1006)."""
MESSAGE = 4
"""Bytes of an interrupt message, MSI-X (PCI Express Base Specification 3.0, 6.1.4)."""


class NvmeSlots:
    """The slots of a host's drives."""

    def __init__(self, p: Builder, link: Link[NvmeLink], adapters: Sequence[str], devices: Sequence[str]) -> None:
        """Raises RunError for several hosts or adapters, and for more drives than there are slots."""
        if len(adapters) != 1:
            raise RunError(
                f"slots {link.name!r} have {len(adapters)} adapters; a drive is in one host", at=f"links.{link.name}"
            )
        if len(devices) > link.part.sheet.slots:
            raise RunError(
                f"{link.name!r} has {link.part.sheet.slots} slots, and {len(devices)} drives",
                at=f"links.{link.name}",
            )


class NvmeTransport:
    """Commands, data and completions between a host and one drive, which has its lanes for itself."""

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
        """Raises RunError for a bus that is not PCI Express."""
        if not isinstance(bus, PcieBus):
            raise RunError(f"NVMe drive {device!r} needs PCI Express, and {adapter!r} is on a bus of another kind")
        self.p = p
        self.bus = lanes = bus.of_its_own(f"{device} lanes", drive_sheet)
        if lanes.sheet.lanes > DRIVE_LANES:
            p.tell(
                f"each NVMe drive behind {adapter} has {lanes.sheet.lanes} lanes for itself, as its bus "
                f"{bus.part.name} has: drives of M.2, U.2, U.3 and E1.S have {DRIVE_LANES}, as buses/pcie-5-x4 has"
            )
        self.unit = drive_sheet.page
        self.burst = drive_sheet.largest
        self.cached = lanes.root.sheet.device_share is not None
        sheet, byte = lanes.sheet, lanes.byte
        entry = ceil_times(SUBMISSION, byte)
        self.queue = p.machine(
            f"{device} submission queue",
            queues.initial(
                lanes.delay + ceil_times(DOORBELL + sheet.request, byte),
                ceil_times(sheet.request + sheet.answer, byte) + lanes.latency(cached=True) + entry,
                entry,
                drive_sheet.fetches,
            ),
        )
        p.tally(device, "entries fetched", self.queue + queues.ENTRIES, "entries")
        p.tally(device, "fetches", self.queue + queues.FETCHES, "reads")

    def request(self) -> None:
        """The doorbell, and the fetch of the entry, alone or with others."""
        with self.p.scope():
            self.p.wait(self.p.answer(queues.submit, self.queue))

    def send(self, amount: Operand) -> None:
        """Posted writes to the host's memory, or its cache; the drive continues when they have left it."""
        self.bus.write(amount, cached=self.cached)

    def fetch(self, amount: Operand) -> None:
        """Reads of the host's memory."""
        self.bus.read(amount)

    def reply(self) -> None:
        """The completion entry and the interrupt message, behind all data; the fetch's request is counted here."""
        self.bus.post(COMPLETION, MESSAGE)

    def passage(self, writes: bool) -> Passage:
        """The lanes in one direction, and the host's memory."""
        return self.bus.passage(writes)
