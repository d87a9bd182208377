"""Calls that store the writes of a process of fio: fsync() after some of them, at the end, or with each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.components.files.cached import Mount
from simio.components.site import Site
from simio.description.model import Workload
from simio.errors import RunError
from simio.formats.fio.job import Job
from simio.program.builder import Handle, Register
from simio.workloads.common.streams import Access
from simio.workloads.fio.calls import Calls
from simio.workloads.fio.layout import Clone, DevicePart

if TYPE_CHECKING:
    from simio.workloads.common.syncing import Stored
    from simio.workloads.fio import Fio
    from simio.workloads.fio.outstanding import Outstanding


def sync_of(workload: str, label: str) -> str:
    """Name of the observation of a job's times of fsync()."""
    return f"{workload}: {label} sync"


class Syncing:
    """The files of a process as fsync() sees them."""

    def __init__(self, site: Site, workload: Workload[Fio], clone: Clone, calls: Calls) -> None:
        self.site, self.p, self.workload, self.clone, self.calls = site, site.p, workload, clone, calls
        self.job: Job = clone.job
        self.stored: dict[int, Stored] = {}
        """Functions that store the writes of an access, by its id."""
        self.since: Register | None = None

    @property
    def wanted(self) -> bool:
        """True if the process calls fsync()."""
        return self.job.writes and bool(self.job.synced[0] or self.job.end_fsync)

    def observation(self) -> Handle | None:
        """The times of fsync(), if it is called."""
        if not (self.wanted and self.stored):
            return None
        return self.p.observation(sync_of(self.workload.name, self.clone.label), "other", "ps")

    def past_cache(self, access: Access, span: DevicePart) -> Access:
        """Writes with direct=1, stored where the job wants that."""
        job = self.job
        if not (self.wanted or job.sync):
            return access
        from simio.workloads.common.syncing import DeviceStored, JournalledFile, StoredWrites, journal

        mount = self._mount(span)
        stored: DeviceStored | JournalledFile = DeviceStored(self.calls.device(span.device))
        if mount and mount.sheet.journal_record:
            stored = JournalledFile(journal(self.site, mount), span.file)
        writes = StoredWrites(access, stored, job.sync)
        self.stored[id(writes)] = stored
        return writes

    def through_cache(self, mount: Mount, span: DevicePart, delivered: Handle) -> Access:
        """Writes into the page cache, which all processes that write a file share."""
        from simio.workloads.common.syncing import CachedWrites, written_file

        file = written_file(self.site, mount, span.file, span.whole)
        writes = CachedWrites(self.p, file, self.job.sync, delivered)
        self.stored[id(writes)] = file
        return writes

    def _mount(self, span: DevicePart) -> Mount | None:
        """The file system that a file is on; None for a device."""
        if span.is_device:
            return None
        try:
            sheet = self.site.file_system(self.workload, span.device).sheet
        except RunError:
            return None
        host = self.workload.params.host
        return Mount(self.calls.kernel, sheet, self.site.device(host, span.device, reports_failures=True))

    def open(self) -> None:
        """Once, inside the thread."""
        if self.stored and self.job.synced[0] > 1:
            self.since = self.p.register(0)

    def after(self, access: Access, outstanding: Outstanding) -> None:
        """Emit what follows a write by an access: fsync(), if as many have come since the last one."""
        every, data_only = self.job.synced
        if not every or id(access) not in self.stored:
            return
        stored = self.stored[id(access)]

        def sync() -> None:
            self.calls.sync()
            stored.sync(data_only)

        if self.since is None:
            outstanding.sync(sync)
            return
        self.since.set(self.since + 1)
        with self.p.when(self.since >= every):
            self.since.set(0)
            outstanding.sync(sync)

    def end(self, outstanding: Outstanding) -> None:
        """Sync at the end of the job, with end_fsync."""
        if self.job.end_fsync:
            for stored in self.stored.values():
                self.calls.sync()
                outstanding.sync_now(stored.sync)
