"""Readers of disks, files and volumes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field, model_validator

from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.description.quantities import Limit, refusal
from simio.description.sheets.base import size_text
from simio.description.workloads import HostName, Storage, WorkloadParams
from simio.program.builder import Builder, Handle, Register
from simio.workloads import register_workload
from simio.workloads.common.blocks import BlockParams
from simio.workloads.common.streams import Access, Unbuffered, emit

if TYPE_CHECKING:
    from simio.components.files.cached import CachedFile, MappedFile


class _From(WorkloadParams):
    """The ends of a read."""

    host: HostName = Field(description="host that reads")
    from_: Storage = Field(alias="from", description="disk, group of disks or volume that is read")
    access: Literal["raw", "direct", "buffered", "nocopy", "mmap"] = Field(
        "raw", description="how the program gets at the data, see below"
    )


class Reader(BlockParams, _From):
    """Processes that read devices block by block."""

    users: ClassVar[str | None] = "processes"
    routes = (("host", "from_"),)

    window: Limit = Field(None, description="mmap: bytes mapped at once; none: a block")

    @model_validator(mode="after")
    def _fits_the_access(self) -> Reader:
        self._check_access(self.access)
        if self.window is None:
            return self
        if self.access != "mmap":
            raise refusal(f"a window with access {self.access}", "none", "only mmap maps one", "window")
        if self.window > self.largest:
            raise refusal(size_text(self.window), f"at most the block, {size_text(self.largest)}", field="window")
        return self


@register_workload("reader", Reader)
def reader(site: Site, workload: Workload[Reader]) -> None:
    """Threads that read `size` bytes of each target in blocks; as `Reader` says."""
    params = workload.params
    kernel, targets = site.kernel(params.host), site.targets(params.from_)

    def make(device: BlockDevice, thread: str, span: tuple[int, int], delivered: Handle) -> Access:
        if params.access in ("raw", "direct"):
            return Unbuffered(site, kernel.read_unbuffered, device, params.access == "direct", delivered)
        from simio.components.files.cached import CachedFile, MappedFile, Mount

        mount = Mount(kernel, site.file_system(workload, device.name).sheet, device)
        # Random blocks lie anywhere on the device, and others in each pass.
        kept = params.pattern != "random" and params.size * len(targets) <= mount.sheet.cache
        if params.access == "mmap":
            threads = 1 if params.threads == "one" else len(targets) * params.processes
            file = MappedFile(mount, (workload.name, threads))
            return Mapped(site.p, file, params.window, delivered, kept)
        sequential = params.pattern == "sequential"
        cached = CachedFile(mount, thread, span, sequential)
        return Cached(site.p, cached, params.access == "buffered", delivered, kept)

    emit(site, workload, targets, make)


class Cached(Access):
    """Reads through the cache, with or without the copy into the program's buffer.

    `kept`: a later pass finds there what an earlier one has read.
    """

    def __init__(self, p: Builder, file: CachedFile, copy: bool, delivered: Handle, kept: bool = False) -> None:
        self.p, self.file, self.copy, self.delivered, self.kept = p, file, copy, delivered, kept

    def open(self) -> None:
        """Opens the file."""
        self.file.open()

    def rewind(self) -> None:
        """Goes to the file's beginning."""
        self.file.rewind()

    def request(self, at: Register, size: int, aligned: int, again: bool) -> None:
        """One read()."""
        self.file.read(at, size, aligned, self.copy, again and self.kept)
        self.p.mark(self.delivered, size)


class Mapped(Access):
    """Reads by touching mapped pages. `kept`: a later pass finds them in the cache."""

    def __init__(
        self, p: Builder, file: MappedFile, window: int | None, delivered: Handle, kept: bool = False
    ) -> None:
        self.p, self.file, self.window, self.delivered, self.kept = p, file, window, delivered, kept

    def request(self, at: Register, size: int, aligned: int, again: bool) -> None:
        """One block, mapped in windows."""
        self.file.read(at, size, aligned, self.window or size, again and self.kept)
        self.p.mark(self.delivered, size)
