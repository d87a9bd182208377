"""The common parts of programs that copy files: parameters, where files lie, loops over buffers, rings of these."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from simio import units
from simio.components.files.cached import Mount
from simio.components.network.tcp import Endpoint
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.description.quantities import Extent, Flag, Limit, Time
from simio.description.sheets.filesystems import CachedFileSystem
from simio.description.workloads import HostName, Storage, WorkloadParams
from simio.errors import RunError
from simio.program.builder import Builder, Register
from simio.workloads.common.room import check_room, check_sectors

if TYPE_CHECKING:
    from simio.workloads.copy import Copy
    from simio.workloads.ftp import Ftp


class RemoteCopy(WorkloadParams):
    """A file that is read on one host and written on another, over TCP."""

    routes: ClassVar[tuple[tuple[str, str], ...]] = (
        ("from_", "to"),
        ("from_", "from_storage"),
        ("to", "to_storage"),
    )
    network: ClassVar[bool] = True

    from_: HostName = Field(alias="from", description="host that has the file")
    from_storage: Storage = Field(description="disk or volume of it that the file is on")
    to: HostName = Field(description="host that it is copied to")
    to_storage: Storage = Field(description="disk or volume of it that the copy is written to")
    file: Extent = Field(description="bytes of the file")
    window: Limit = Field(None, description="socket buffers at both ends; none: those of the stacks")
    nodelay: Flag = Field(False, description="whether TCP_NODELAY is set")
    start_within: Time = Field(
        0,
        description="the programs start at a random instant within this time, whatever kernels' timers are at",
    )
    aligned: Flag = Field(True, description="whether the programs' buffers begin on a page; those of malloc() do not")
    cached: Flag = Field(
        False, description="whether all of the file is in its host's cache from before, and no disk reads it"
    )


PLACE = 2**20
"""Files that lie on one device begin at multiples of this many bytes."""

Step = Callable[[Register, int], None]
"""Emits the work on this many bytes of a file at a place."""


def storage(site: Site, workload: Workload, host: str, name: str) -> BlockDevice:
    """The one device of a host that a name in the workload stands for; RunError if it is several."""
    found = site.targets(name)
    if len(found) != 1:
        raise RunError(
            f"workload {workload.name!r} copies a file, which lies on one disk or volume; {name!r} is a group of "
            f"{len(found)} disks"
        )
    return site.device(host, found[0])


def mounted(site: Site, workload: Workload, host: str, device: BlockDevice) -> Mount:
    """The file system of a device, mounted by a host; raises RunError if the device has none."""
    return Mount(site.kernel(host), file_system(site, workload, device), device)


def file_system(site: Site, workload: Workload, device: BlockDevice) -> CachedFileSystem:
    """The values of the file system of a device; raises RunError if it has none."""
    if not site.has_file_system(device.name):
        raise RunError(
            f"workload {workload.name!r} copies a file, and {device.name!r} has no file_system; give it one"
        )
    return site.file_system(workload, device.name).sheet


def check_cached(site: Site, workload: Workload[RemoteCopy], device: BlockDevice, files: int = 1) -> None:
    """RunError where `files` files should be in the cache from before, which has no room for them."""
    if not workload.params.cached:
        return
    size, room = files * workload.params.file, file_system(site, workload, device).cache
    if size > room:
        needed, found = (units.format_quantity(n, "size") for n in (size, room))
        raise RunError(f"workload {workload.name!r} has {needed} in the cache from before, which holds {found}")


def spans(
    workload: Workload[RemoteCopy | Copy], device: BlockDevice, number: int, first: int = 0
) -> list[tuple[int, int]]:
    """First byte and size of `number` files one after the other, not before byte `first`; RunError if too much."""
    size = workload.params.file
    stride = -(-size // PLACE) * PLACE
    begin = -(-first // PLACE) * PLACE
    check_room(workload, device, begin + (number - 1) * stride + size)
    return [(begin + one * stride, size) for one in range(number)]


def extents(site: Site, workload: Workload[RemoteCopy], device: BlockDevice, host: str, number: int) -> int:
    """Distance of the beginnings of `number` files that lie one after another from the first byte of a device on.

    They do so in whole pages or blocks of its file system, and one alone, 0 bytes apart, at the beginning.
    RunError if there is too little room.
    """
    unit = max(file_system(site, workload, device).block, site.kernel(host).sheet.page)
    stride = -(-workload.params.file // unit) * unit
    check_room(workload, device, (number - 1) * stride + workload.params.file)
    return stride if number > 1 else 0


def parts(workload: Workload, size: int, number: int, unit: int) -> list[tuple[int, int]]:
    """First byte and size of `number` parts of a file that differ by a unit at most; RunError if there are too few.

    All but the last are whole units.
    """
    whole = -(-size // unit)
    if whole < number:
        found, least = (units.format_quantity(n, "size") for n in (size, unit))
        raise RunError(
            f"workload {workload.name!r} cuts a file of {found} into {number} parts, which are multiples of {least}; "
            f"use at most {whole} streams"
        )
    edges = [min(whole * each // number * unit, size) for each in range(number + 1)]
    return [(begin, end - begin) for begin, end in pairwise(edges)]


def check_raw(workload: Workload[Copy | Ftp], device: BlockDevice) -> None:
    """RunError where a raw request would not be whole sectors."""
    for key in ("buffer", "file"):
        check_sectors(workload, device, key, getattr(workload.params, key))


def grain(start: int, buffer: int) -> int:
    """The largest common divisor of the places of a file's buffers."""
    return gcd(start, buffer)


def fill(p: Builder, end: Endpoint, size: int) -> None:
    """Read from a socket until `size` bytes have come, which the other end sends."""
    with p.scope():
        got, left = p.register(), p.register(size)
        with p.until(left == 0):
            end.read(got, left)
            left.set(left - got)


class Ring:
    """Buffers that one process fills and another empties, in turn."""

    def __init__(self, p: Builder, name: str, number: int, file: int, buffer: int) -> None:
        """A file of `file` bytes passes through `number` buffers of `buffer` bytes."""
        self.p, self.file, self.buffer, self.number = p, file, buffer, number
        self.free = [p.container(f"{name} buffer {n + 1} free", 1, 1, "buffers") for n in range(number)]
        self.full = [p.container(f"{name} buffer {n + 1} full", 1, 0, "buffers") for n in range(number)]

    def run(self, start: int, step: Step, filling: bool, at_once: bool = False) -> None:
        """Fill or empty buffers by `step`; `at_once`: as many as are available."""
        p = self.p
        wanted, left = (self.free, self.full) if filling else (self.full, self.free)
        at = p.register(start)
        for buffer, amount in p.turns(self.file, self.buffer, self.number):
            p.get(wanted[buffer], 1)
            if at_once:
                with p.fork("request"):
                    step(at, amount)
                    p.put(left[buffer], 1)
            else:
                step(at, amount)
                p.put(left[buffer], 1)
            at.set(at + amount)
