"""Readers of disks, files and volumes."""

from __future__ import annotations

from simio.components.files.cached import CachedFile, MappedFile
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.program.builder import Builder, Handle, Register
from simio.workloads.streams import Access, emit, unbuffered


def reader(site: Site, workload: Workload) -> None:
    """Threads that read `size` bytes of each target in blocks; see `simio.description.workloads.storage.Reader`."""
    params = workload.params
    kernel, targets = site.kernel(params.host), site.targets(params.from_)

    def make(device: BlockDevice, thread: str, span: tuple[int, int], delivered: Handle) -> Access:
        if params.access in ("raw", "direct"):
            direct = params.access == "direct"
            return unbuffered(site, kernel.read_unbuffered, device, direct, delivered)
        file_system = site.file_system(workload, device.name)
        if params.access == "mmap":
            threads = 1 if params.threads == "one" else len(targets) * params.processes
            file = MappedFile(site.p, kernel, file_system, device, (workload.name, threads))
            return Mapped(site.p, file, params.window, delivered)
        sequential = params.pattern == "sequential"
        cached = CachedFile(site.p, kernel, file_system, device, thread, span, sequential)
        return Cached(site.p, cached, params.access == "buffered", delivered)

    emit(site, workload, targets, make)


class Cached(Access):
    """Reads through the cache, with or without the copy into the program's buffer."""

    def __init__(self, p: Builder, file: CachedFile, copy: bool, delivered: Handle) -> None:
        self.p, self.file, self.copy, self.delivered = p, file, copy, delivered

    def open(self) -> None:
        """Opens the file."""
        self.file.open()

    def rewind(self) -> None:
        """Goes to the file's beginning."""
        self.file.rewind()

    def request(self, at: Register, size: int, aligned: int, again: bool) -> None:
        """One read(); a later pass finds a file in the cache that fits into it whole."""
        kept = again and self.file.size <= self.file.sheet.cache
        self.file.read(at, size, aligned, self.copy, kept)
        self.p.mark(self.delivered, size)


class Mapped(Access):
    """Reads by touching mapped pages."""

    def __init__(self, p: Builder, file: MappedFile, window: int | None, delivered: Handle) -> None:
        self.p, self.file, self.window, self.delivered = p, file, window, delivered

    def request(self, at: Register, size: int, aligned: int, again: bool) -> None:
        """One block, mapped in windows."""
        self.file.read(at, size, aligned, self.window or size)
        self.p.mark(self.delivered, size)
