"""A volume of a storage service: token buckets before it, a latency behind."""

from __future__ import annotations

from simio.components.passage import Passage
from simio.components.storage.interfaces import Transport
from simio.description.model import Disk
from simio.description.sheets.cloud import CloudVolume
from simio.machines.ssd import buckets
from simio.program.builder import Builder, Operand, Register
from simio.program.roles import CREDITS_LEFT
from simio.program.service import SECOND, ceil_times, per_byte

DEPTH = 65535
"""Commands that the service has at once: the most of an NVMe queue."""


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
        p.tally(disk.name, "its provisioned requests", waited + buckets.REQUESTS, "ps")
        p.tally(disk.name, "its burst rate of requests", waited + buckets.BURST, "ps")
        p.tally(disk.name, "its provisioned bytes", waited + buckets.RATE, "ps")
        p.servers(disk.name, "rate of requests", self.state + buckets.TAKEN + buckets.BURST, 1)
        p.servers(disk.name, "rate of bytes", self.state + buckets.TAKEN + buckets.RATE, 1)
        if sheet.credits:
            p.tally(disk.name, CREDITS_LEFT, self.state + buckets.CREDITS, "requests")
            p.gauge(disk.name, CREDITS_LEFT, self.state + buckets.CREDITS, "requests")

    @property
    def depth(self) -> int:
        """Commands that the service has at once."""
        return DEPTH

    @property
    def passage(self) -> Passage:
        """Nothing, as requests are limited by buckets alone."""
        return Passage()

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
        with p.scope():
            with p.label("buckets", self.name):
                p.wait(p.answer(buckets.wait, self.state, size))
            p.advance(self.sheet.latency)
            if self.beyond:
                beyond = p.register()
                p.draw(beyond, self.beyond)
                p.wait(beyond)
