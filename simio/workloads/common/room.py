"""Room on a disk or volume."""

from __future__ import annotations

from simio import units
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.errors import RunError


def check_room(workload: Workload, device: BlockDevice, size: int) -> None:
    """Raise RunError if a device does not hold the first `size` bytes that a workload uses of it."""
    if size > device.capacity:
        needed, there = (units.format_quantity(n, "size") for n in (size, device.capacity))
        raise RunError(
            f"workload {workload.name!r} needs {needed} of {device.name!r}, which holds {there}", at=".size"
        )
