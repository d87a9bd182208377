"""Disk or volume and address at which a server has each client's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio import units
from simio.components.faults.incarnations import of_incarnation
from simio.components.files.cached import Mount
from simio.components.files.served import ServedFile
from simio.components.network.nfs import ServerStorage
from simio.components.network.nfs_storage import OwnDisks, ThirdParty
from simio.components.site import Site
from simio.description.model import Workload
from simio.errors import RunError

if TYPE_CHECKING:
    from simio.workloads.nfs import Nfs

GRAIN = 1 << 20
"""Files begin at multiples of this many bytes, one after another."""


def server_storage(site: Site, workload: Workload[Nfs], number: int, server: str, incarnation: int) -> ServerStorage:
    """The storage of the file of client `number`, from 0 on, that `server` serves; files go to the disks in turn.

    A cache is that of one incarnation of the server.
    Raises RunError for a storage manager that is a port as well, and for files that do not fit.
    """
    params = workload.params
    assert params.storage is not None
    targets = site.targets(params.storage)
    name = targets[number % len(targets)]
    manager = params.manager
    if manager in params.to:
        raise RunError(f"workload {workload.name!r}: {manager!r} is the storage manager, and a port as well")
    host, into = (manager, server) if manager else (server, None)
    device = site.device(host, name, into)
    extent = -(-params.size // GRAIN) * GRAIN
    start = number // len(targets) * extent
    if start + extent > device.capacity:
        size, room = (units.format_quantity(n, "size") for n in (start + extent, device.capacity))
        raise RunError(f"workload {workload.name!r} has files of {size} on {name!r}, which holds {room}")
    file = ServedFile(
        Mount(site.kernel(host), site.file_system(workload, name).sheet, device),
        of_incarnation(f"{workload.name} file {number + 1} on {name}", incarnation),
        (start, params.size),
        params.transfer,
        incarnation,
    )
    sharing = -(-len(params.readers) // len(targets))
    _check_dirty(workload, file, sharing)
    if not manager:
        return OwnDisks(file)
    metadata = site.kernel(params.metadata) if params.metadata else None
    return ThirdParty(file, site.kernel(server), metadata)


def _check_dirty(workload: Workload[Nfs], file: ServedFile, sharing: int) -> None:
    """Refuse a cache that could be full of groups of blocks of which one each is missing: none would be written."""
    params = workload.params
    if params.access == "read" or params.version == 2 or params.manager:
        return
    # A later incarnation of the server may begin within a group.
    most = sharing * (params.biods + 2 + bool(file.crashes)) * file.together * file.transfer
    if file.sheet.dirty_limit < most:
        limit, need = (units.format_quantity(n, "size") for n in (file.sheet.dirty_limit, most))
        raise RunError(
            f"workload {workload.name!r} may have {need} of unfinished groups of blocks in the cache, whose "
            f"dirty_limit is {limit}; use fewer biods or a smaller write_behind"
        )
