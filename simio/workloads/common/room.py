"""Room and sectors of a disk or volume, for what a workload asks of it."""

from __future__ import annotations

from simio import units
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.errors import RunError


def check_room(workload: Workload, device: BlockDevice, size: int, key: str = "size") -> None:
    """Raise RunError if a device does not hold the first `size` bytes that a workload uses of it, by its `key`."""
    if size > device.capacity:
        needed, there = (units.format_quantity(n, "size") for n in (size, device.capacity))
        raise RunError(
            f"workload {workload.name!r} needs {needed} of {device.name!r}, which holds {there}", at=f".{key}"
        )


def check_sectors(workload: Workload, device: BlockDevice, key: str, size: int) -> None:
    """Raise RunError if the `size` in bytes that a workload's `key` gives is no multiple of the device's sectors."""
    if size % device.sector:
        found, sector = (units.format_quantity(n, "size") for n in (size, device.sector))
        raise RunError(
            f"workload {workload.name!r} has a {key} of {found}; {device.name!r} takes whole sectors of {sector}",
            at=f".{key}",
        )
