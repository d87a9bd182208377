"""A volume of a storage service: token buckets before it, a latency behind."""

from __future__ import annotations

from fractions import Fraction

from simio.components.passage import Passage
from simio.components.storage.interfaces import Transport
from simio.description.model import Disk
from simio.description.sheets.cloud import CloudVolume
from simio.machines.ssd import buckets
from simio.program.builder import Builder, Handle, Operand, Register
from simio.program.roles import CREDITS_LEFT
from simio.program.service import SECOND, ceil_times, per_byte

DEPTH = 65535
"""Commands that the service has at once: the most of an NVMe queue."""
REQUESTS, BURSTS, BYTES = "provisioned requests", "burst rate of requests", "provisioned bytes"
"""Names of the buckets."""


class CloudDrive:
    """Requests wait for the buckets, in the order in which they come, and then each for the service by itself."""

    any_size = True
    volatile = False

    def __init__(self, p: Builder, disk: Disk[CloudVolume]) -> None:
        self.p = p
        self.name = disk.name
        self.sheet = sheet = disk.part.sheet
        self.sequential = False
        self.sector: int = sheet.sector
        self.capacity = sheet.capacity // self.sector * self.sector
        gap = round(SECOND / sheet.requests)
        peak = round(SECOND / (sheet.burst_requests or sheet.requests))
        each = ceil_times(buckets.GRAIN, per_byte(sheet.rate))
        self.state = p.machine(disk.name, buckets.initial(gap, sheet.credits * gap, peak, each, sheet.unit))
        self.beyond = p.exponential(f"{disk.name} service", sheet.spread) if sheet.spread else None
        waited = self.state + buckets.WAITED
        p.tally(disk.name, f"its {REQUESTS}", waited + buckets.REQUESTS, "ps")
        p.tally(disk.name, f"its {BURSTS}", waited + buckets.BURST, "ps")
        p.tally(disk.name, f"its {BYTES}", waited + buckets.RATE, "ps")
        counts = BURSTS if sheet.credits else REQUESTS
        p.servers(disk.name, counts, self.state + buckets.TAKEN + buckets.BURST, 1)
        p.servers(disk.name, BYTES, self.state + buckets.TAKEN + buckets.RATE, 1)
        self.each = each
        self.bytes = self._window(BYTES, sheet.largest * each // buckets.GRAIN)
        self.counted = [self._counted(REQUESTS, gap, sheet.credits * gap)]
        """Windows of requests, each with the time in ps of a request."""
        if sheet.credits:
            self.counted.append(self._counted(BURSTS, peak, 0))
            p.tally(disk.name, CREDITS_LEFT, self.state + buckets.CREDITS, "requests")
            p.gauge(disk.name, CREDITS_LEFT, self.state + buckets.CREDITS, "requests")

    @property
    def depth(self) -> int:
        """Commands that the service has at once."""
        return DEPTH

    def _counted(self, what: str, time: int, full: int) -> tuple[Handle, int]:
        """A bucket of requests for the bound, each of which takes so long to fill; it begins `full` ps deep."""
        return self._window(what, full + -(-self.sheet.largest // self.sheet.unit) * time), time

    def _window(self, what: str, early: int) -> Handle:
        """A bucket for the bound: what it holds passes before it fills again, and so does the last request."""
        window = self.p.window(f"{self.name} {what}", 1)
        self.p.early(window, early)
        return window

    @property
    def passage(self) -> Passage:
        """The provisioned bytes, and of each request the buckets of requests."""
        visits: dict[tuple[Handle, ...], Fraction] = {(window,): Fraction(time) for window, time in self.counted}
        return Passage(windows={self.bytes: Fraction(self.each, buckets.GRAIN)}, visits=visits)

    def read(self, sector: Register, size: Operand, transport: Transport, failed: Register | None = None) -> None:
        """A read command of `size` bytes."""
        self._serve(size)
        transport.send(size)

    def write(self, sector: Register, size: Operand, transport: Transport, failed: Register | None = None) -> None:
        """A write command of `size` bytes."""
        transport.fetch(size)
        self._serve(size)

    def flush(self) -> None:
        """No step: the service has stored all completed writes."""

    def _serve(self, size: Operand) -> None:
        p = self.p
        if isinstance(size, int):
            p.occupy(self.bytes, size * self.each // buckets.GRAIN)
            for window, time in self.counted:
                p.occupy(window, -(-size // self.sheet.unit) * time)
        with p.scope():
            with p.label("buckets", self.name):
                p.wait(p.answer(buckets.wait, self.state, size))
            p.advance(self.sheet.latency)
            if self.beyond:
                beyond = p.register()
                p.draw(beyond, self.beyond)
                p.wait(beyond)
