"""Writers of disks, files and volumes."""

from __future__ import annotations

from simio.components.files.cached import CachedFile
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.program.builder import Builder, Handle, Register
from simio.workloads.streams import Access, emit, unbuffered


def writer(site: Site, workload: Workload) -> None:
    """Threads that write `size` bytes to each target in blocks; see `simio.description.workloads.storage.Writer`."""
    params = workload.params
    kernel = site.kernel(params.host)

    def make(device: BlockDevice, thread: str, span: tuple[int, int], delivered: Handle) -> Access:
        if params.access in ("raw", "direct"):
            direct = params.access == "direct"
            return unbuffered(site, kernel.write_unbuffered, device, direct, delivered)
        file_system = site.file_system(workload, device.name)
        sequential = params.pattern == "sequential"
        file = CachedFile(site.p, kernel, file_system, device, thread, span, sequential)
        return Behind(site.p, file, params.sync, delivered)

    emit(site, workload, site.targets(params.to), make)


class Behind(Access):
    """Writes into the cache; bytes count when write() returns or, with `sync`, when the device has them."""

    def __init__(self, p: Builder, file: CachedFile, sync: bool, delivered: Handle) -> None:
        self.p, self.file, self.sync, self.delivered = p, file, sync, delivered

    def open(self) -> None:
        """Opens the file."""
        self.file.open()

    def rewind(self) -> None:
        """Goes to the file's beginning."""
        self.file.rewind()

    def request(self, at: Register, size: int, aligned: int, again: bool) -> None:
        """One write()."""
        self.file.write(at, size, aligned, self._count if self.sync else None)
        if not self.sync:
            self.p.mark(self.delivered, size)

    def _count(self, size: int) -> None:
        self.p.mark(self.delivered, size)

    def finish(self) -> None:
        """The end of the file is flushed like the rest of it."""
        self.file.flush_rest(self._count if self.sync else None)
