"""The SCSI side of a host adapter on Fibre Channel: requests become commands to a disk, several at a time."""

from __future__ import annotations

from simio.components.disk import DiskDrive
from simio.components.fibre_channel import COMMAND, RESPONSE, Path
from simio.components.host import Host
from simio.components.kernel import UnixKernel
from simio.description.model import Adapter
from simio.program.builder import Builder, Handle, Register


class RawDisk:
    """A disk as a raw device of a host: the driver, its queue for this disk, and a position to read from."""

    def __init__(
        self,
        p: Builder,
        kernel: UnixKernel,
        adapter: Adapter,
        drive: DiskDrive,
        out: Path,
        back: Path,
        done: Handle,
    ) -> None:
        self.p = p
        self.kernel = kernel
        self.host: Host = kernel.host
        self.sheet = adapter.part.sheet
        self.bus = self.host.bus(adapter.bus)
        self.drive = drive
        self.out, self.back = out, back
        self.done = done
        self.queue = p.resource(f"{drive.name} queue", self.sheet.queue_depth, turn=True)
        self.sector: Register | None = None

    def open(self) -> Register:
        """The calling thread's position, as a register that holds a sector number, at the start of the disk."""
        self.sector = self.p.register(0)
        return self.sector

    def write(self, size: int) -> None:
        """Not a path that is modelled yet."""
        raise NotImplementedError("raw writes to a disk")

    def read(self, size: int) -> None:
        """Read `size` bytes at the position and move it on; returns when every command is done."""
        p, sector = self.p, self.sector
        assert sector is not None
        for request in self.kernel.requests(size):
            self.host.work(self.kernel.sheet.block_request + self.sheet.command_cost)
            with p.fork("command", joined=True):
                self._command(sector, request)
            p.let(sector, "ADD", sector, self.drive.sectors_of(request))
        p.join()

    def _command(self, sector: Register, size: int) -> None:
        """One SCSI read: command out, data frames and status back, interrupt."""
        p = self.p
        with p.hold(self.queue):
            with self.out.frame("FCP_CMND", COMMAND, 0, joined=True):
                pass
            p.join()
            self.drive.read(sector, size, self.back, self.bus)
            with self.back.frame("FCP_RSP", RESPONSE, self.bus.duration(RESPONSE), joined=True):
                self.bus.transfer(RESPONSE)
            p.join()
        self.kernel.interrupt()
        p.mark(self.done, size)
