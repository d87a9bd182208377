"""Writers of disks, files and volumes."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, model_validator

from simio.components.files.cached import CachedFile, Mount
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.description.quantities import Flag, refusal
from simio.description.workloads import HostName, Storage, WorkloadParams
from simio.errors import RunError
from simio.program.builder import Builder, Handle, Register
from simio.workloads import register_workload
from simio.workloads.common.blocks import BlockParams
from simio.workloads.common.streams import Access, Unbuffered, emit


class _To(WorkloadParams):
    """The ends of a write."""

    host: HostName = Field(description="host that writes")
    to: Storage = Field(description="disk, group of disks or volume that is written")
    access: Literal["raw", "direct", "buffered"] = Field(
        "raw", description="how the program gets at the data, see below"
    )


class Writer(BlockParams, _To):
    """Processes that write devices block by block."""

    users: ClassVar[str | None] = "processes"
    routes = (("host", "to"),)

    sync: Flag = Field(False, description="whether a write is flushed to the device before it counts as done")

    @model_validator(mode="after")
    def _fits_the_access(self) -> Writer:
        self._check_access(self.access)
        if self.sync and self.access == "raw":
            raise refusal("sync with access raw", "false", "no file is written, so there is none to flush", "sync")
        return self


@register_workload("writer", Writer)
def writer(site: Site, workload: Workload[Writer]) -> None:
    """Threads that write `size` bytes to each target in blocks; as `Writer` says."""
    params = workload.params
    kernel = site.kernel(params.host)

    def make(device: BlockDevice, thread: str, span: tuple[int, int], delivered: Handle) -> Access:
        if params.access in ("raw", "direct"):
            access = Unbuffered(site, kernel.write_unbuffered, device, params.access == "direct", delivered)
            return _stored(site, workload, device, thread, access) if params.sync else access
        mount = Mount(kernel, site.file_system(workload, device.name).sheet, device)
        if mount.sheet.dirty_background is not None:
            from simio.workloads.common.syncing import CachedWrites, written_file

            if params.pattern == "random":
                # Blocks are drawn from the whole device, and pages are kept of the file alone.
                raise RunError(
                    "random blocks of a whole device are not written through a cache with dirty limits; "
                    "use access: direct, or kind: fio",
                    ".pattern",
                )
            return CachedWrites(
                site.p, written_file(site, mount, thread, span), "sync" if params.sync else "", delivered
            )
        sequential = params.pattern == "sequential"
        file = CachedFile(mount, thread, span, sequential)
        return Behind(site.p, file, params.sync, delivered)

    emit(site, workload, site.targets(params.to), make)


def _stored(site: Site, workload: Workload[Writer], device: BlockDevice, thread: str, access: Access) -> Access:
    """The writes of an access to a file that was opened with O_SYNC: its journal, or a flush, is waited for."""
    from simio.workloads.common.syncing import DeviceStored, JournalledFile, StoredWrites, journal

    stored: DeviceStored | JournalledFile = DeviceStored(device)
    if site.has_file_system(device.name):
        mount = Mount(site.kernel(workload.params.host), site.file_system(workload, device.name).sheet, device)
        if mount.sheet.journal_record:
            stored = JournalledFile(journal(site, mount), thread)
    return StoredWrites(access, stored, "sync")


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
