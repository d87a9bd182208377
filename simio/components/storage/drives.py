"""The drive of each kind of disk."""

from __future__ import annotations

from simio.components.storage.interfaces import StorageDrive
from simio.description.model import Disk, fits
from simio.description.sheets import Sheet
from simio.description.sheets.disks import Drive
from simio.errors import RunError
from simio.program.builder import Builder


def make_drive(p: Builder, disk: Disk[Sheet]) -> StorageDrive:
    """The drive of a disk. Raises RunError for an ideal device, which has none."""
    if fits(disk, Drive):
        return _mechanical(p, disk)
    # A run with none of these imports nothing of them.
    from simio.description.sheets.cloud import CloudVolume
    from simio.description.sheets.flash import FlashDrive

    if fits(disk, FlashDrive):
        from simio.components.storage.ssd import SolidStateDrive

        return SolidStateDrive(p, disk)
    if fits(disk, CloudVolume):
        from simio.components.storage.cloud import CloudDrive

        return CloudDrive(p, disk)
    raise RunError(f"disk {disk.name!r} is of kind {disk.part.kind!r}, which this workload cannot read")


def _mechanical(p: Builder, disk: Disk[Drive]) -> StorageDrive:
    """A drive with platters, which may fail to read."""
    if disk.read_errors:
        from simio.components.faults.failing_disk import FailingDrive

        return FailingDrive(p, disk)
    from simio.components.storage.disk import DiskDrive

    return DiskDrive(p, disk)
