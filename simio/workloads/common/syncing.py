"""Writes that have to be stored: fsync() after them, O_SYNC and O_DSYNC, on files and devices."""

from __future__ import annotations

from typing import Literal, Protocol

from simio.components.files.cached import Mount
from simio.components.files.journal import FileSystemJournal
from simio.components.files.writeback import WrittenFile
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.program.builder import Builder, Handle, Register
from simio.workloads.common.streams import Access

Mode = Literal["", "sync", "dsync"]
"""Flags with which a file was opened: O_SYNC stores data and metadata with each write, O_DSYNC data only."""


class Stored(Protocol):
    """Something written to, whose data can be stored."""

    def sync(self, data_only: bool = False) -> None:
        """Emit fsync(), or fdatasync()."""


class DeviceStored:
    """A device, or a file whose file system has no journal: fsync() flushes the device."""

    def __init__(self, device: BlockDevice) -> None:
        self.device = device

    def changed(self) -> None:
        """Nothing."""

    def sync(self, data_only: bool = False) -> None:
        """See `Stored.sync`."""
        self.device.flush()


class JournalledFile:
    """A file that is written past the cache; its metadata are in a journal."""

    def __init__(self, journal: FileSystemJournal, name: str) -> None:
        self.journal, self.name = journal, name

    def changed(self) -> None:
        """See `Stored.changed`."""
        self.journal.changed(self.name)

    def sync(self, data_only: bool = False) -> None:
        """See `Stored.sync`."""
        self.journal.sync(self.name, data_only)


class CachedWrites(Access):
    """Writes into the cache; bytes count when write() returns, which with O_SYNC is when they are stored."""

    def __init__(self, p: Builder, file: WrittenFile, mode: Mode, delivered: Handle) -> None:
        self.p, self.file, self.mode, self.delivered = p, file, mode, delivered

    def request(self, at: Register, size: int, aligned: int, again: bool) -> None:
        """One write()."""
        self.file.write(at, size)
        if self.mode:
            self.file.sync(self.mode == "dsync")
        self.p.mark(self.delivered, size)


class StoredWrites(Access):
    """Writes past the cache by another access, which are reported to files and drives."""

    def __init__(self, access: Access, stored: DeviceStored | JournalledFile, mode: Mode) -> None:
        self.access, self.stored, self.mode = access, stored, mode

    def request(self, at: Register, size: int, aligned: int, again: bool) -> None:
        """One request, and what stores it."""
        self.access.request(at, size, aligned, again)
        self.stored.changed()
        if self.mode:
            self.stored.sync(self.mode == "dsync")


def journal(site: Site, mount: Mount) -> FileSystemJournal:
    """The journal of a mounted file system, made when something first uses it."""
    key = mount.kernel.host.name, mount.device.name
    if key not in site.journals:
        site.journals[key] = FileSystemJournal(mount)
    return site.journals[key]


def written_file(site: Site, mount: Mount, name: str, span: tuple[int, int]) -> WrittenFile:
    """A file in the page cache, which all who write it share; `span` is its first byte on the device and its size."""
    key = mount.kernel.host.name, mount.device.name, name
    if key not in site.written:
        site.written[key] = WrittenFile(mount, name, span, journal(site, mount))
    return site.written[key]
