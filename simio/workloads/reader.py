"""Readers of raw devices: one process a disk, block after block."""

from __future__ import annotations

from simio import units
from simio.components.scsi import RawDisk
from simio.description.model import Workload
from simio.errors import RunError
from simio.lower import Site
from simio.program.builder import Handle
from simio.wiring.graph import route


def reader(site: Site, workload: Workload) -> None:
    """One thread a disk of the group reads `size` bytes in blocks, in sequence or at random, with think time."""
    p, params = site.p, workload.params
    latency = p.observation(f"{workload.name}: block", "latency", "ps")
    for disk in site.system.disks.values():
        if params.from_ in (disk.group, disk.name):
            _read(site, workload, disk.name, latency)


def _read(site: Site, workload: Workload, disk: str, latency: Handle) -> None:
    p, params = site.p, workload.params
    device = _device(site, params.host, disk)
    blocks, rest = divmod(params.size, params.block)
    step = device.drive.sectors_of(params.block)
    places = (device.drive.sectors - 1) // step
    if params.size > device.drive.capacity and params.pattern == "sequential" or not places:
        size, room = (units.format_quantity(n, "size") for n in (params.size, device.drive.capacity))
        raise RunError(f"workload {workload.name!r} reads {size} from {disk!r}, which holds {room}")
    think = p.exponential(f"{workload.name}: think before {disk}", params.think) if params.think else None
    place = (
        p.uniform(f"{workload.name}: place on {disk}", 0, places - 1) if params.pattern == "random" else None
    )
    with p.thread(f"{workload.name}: reader of {disk}"):
        sector, begun, pause = device.open(), p.register(), p.register()

        def block(size: int) -> None:
            if think:
                p.draw(pause, think)
                with p.fork("think", joined=True):
                    p.advance(0, pause, 1)
                p.join()
            if place:
                p.draw(sector, place)
                p.let(sector, "MUL", sector, step)
            p.let(begun, "SINCE", 0)
            device.kernel.read_raw(device, size)
            p.let(begun, "SINCE", begun)
            p.mark(latency, begun)

        with p.loop(blocks):
            block(params.block)
        if rest:
            block(rest)


def _device(site: Site, host: str, disk: str) -> RawDisk:
    """The disk as a raw device of the host, over the adapter that the wiring leads through."""
    path = route(site.graph, host, disk)
    name = path.of_class(site.graph, "adapter")[0].split(".", 1)[1]
    adapter = site.system.hosts[host].adapters[name]
    out, back = site.fabric.path(path), site.fabric.path(path, reverse=True)
    return RawDisk(site.p, site.kernel(host), adapter, site.drive(disk), out, back, site.delivered)
