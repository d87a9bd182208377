"""A disk drive with a Fibre Channel port: one command after another from the mechanism to the wire."""

from __future__ import annotations

from fractions import Fraction

from simio.components.storage import Transport
from simio.description.model import Disk
from simio.machines import disk as mechanism
from simio.machines.calls import DISK_BEGIN, DISK_READY, DISK_TAKE
from simio.program.builder import Builder, Register
from simio.program.service import SECOND, ceil_times


class DiskDrive:
    """Mechanism, track buffer and read-ahead are the machine's (`simio.machines.disk`); here is the drive's
    controller: it takes commands in order, waits for sectors to be in the buffer and sends them as frames."""

    def __init__(self, p: Builder, disk: Disk) -> None:
        self.p = p
        self.name = disk.name
        self.sheet = sheet = disk.part.sheet
        self.turn = p.resource(disk.name, turn=True)
        self.media = p.window(f"{disk.name} media", 1)
        zones = [(zone.cylinders, zone.sectors) for zone in sheet.zones]
        self.sectors = sum(cylinders * sectors for cylinders, sectors in zones) * sheet.heads
        revolution = ceil_times(SECOND, 1 / sheet.rotation)
        track = revolution + min(sheet.track_skew, sheet.cylinder_skew)
        self.media_sector = Fraction(track, max(sectors for _, sectors in zones))
        self.state = p.machine(
            disk.name,
            mechanism.initial(
                revolution=revolution,
                heads=sheet.heads,
                zones=zones,
                track_skew=sheet.track_skew,
                cylinder_skew=sheet.cylinder_skew,
                head_switch=sheet.head_switch,
                seek=(sheet.seek_single, sheet.seek_average, sheet.seek_full),
                segment=sheet.buffer // sheet.segments // sheet.sector,
            ),
        )

    def sectors_of(self, size: int) -> int:
        """Sectors that `size` bytes take."""
        return -(-size // self.sheet.sector)

    @property
    def capacity(self) -> int:
        """Bytes that can be read; the last sector stays unused as the end of the read-ahead."""
        return (self.sectors - 1) * self.sheet.sector

    def read(self, sector: Register, size: int, transport: Transport) -> None:
        """A read command: `size` bytes from `sector` on go to the host over `transport`."""
        p = self.p
        p.occupy(self.media, ceil_times(self.sectors_of(size), self.media_sector))
        with p.hold(self.turn):
            p.advance(self.sheet.command_overhead)
            answer = p.register()
            p.call(answer, DISK_BEGIN, self.state, sector, self.sectors_of(size))
            unit = max(transport.unit // self.sheet.sector, 1)
            for sectors in p.pieces(self.sectors_of(size), unit):
                p.call(answer, DISK_READY, self.state, sectors)
                p.advance(0, answer, 1)
                transport.send(sectors * self.sheet.sector)
                p.call(answer, DISK_TAKE, self.state, sectors)

    def write(self, sector: Register, size: int, transport: Transport) -> None:
        """Not a path that is modelled yet."""
        raise NotImplementedError("writes to a disk")
