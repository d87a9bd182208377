"""Readers of raw devices: one process a disk, block after block."""

from __future__ import annotations

from simio import units
from simio.description.model import Workload
from simio.errors import RunError
from simio.lower import Site
from simio.program.builder import Handle


def reader(site: Site, workload: Workload) -> None:
    """One thread a disk of the group reads `size` bytes in blocks, in sequence or at random, with think time."""
    p, params = site.p, workload.params
    latency = p.observation(f"{workload.name}: block", "latency", "ps")
    for disk in site.system.disks.values():
        if params.from_ in (disk.group, disk.name):
            _read(site, workload, disk.name, latency)


def _read(site: Site, workload: Workload, disk: str, latency: Handle) -> None:
    p, params = site.p, workload.params
    kernel, device = site.kernel(params.host), site.device(params.host, disk)
    delivered = site.stream(f"{workload.name}: {disk}")
    site.drive(disk).sequential = params.pattern == "sequential" and len(site.system.workloads) == 1
    blocks, rest = divmod(params.size, params.block)
    places = device.capacity // params.block
    if params.size > device.capacity and params.pattern == "sequential" or not places:
        size, room = (units.format_quantity(n, "size") for n in (params.size, device.capacity))
        raise RunError(f"workload {workload.name!r} reads {size} from {disk!r}, which holds {room}")
    think = p.exponential(f"{workload.name}: think before {disk}", params.think) if params.think else None
    place = (
        p.uniform(f"{workload.name}: place on {disk}", 0, places - 1) if params.pattern == "random" else None
    )
    with p.thread(f"{workload.name}: reader of {disk}"):
        at, begun, pause = p.register(0), p.register(), p.register()

        def block(size: int) -> None:
            if think:
                p.draw(pause, think)
                with p.fork("think", joined=True):
                    p.advance(0, pause, 1)
                p.join()
            if place:
                p.draw(at, place)
                p.let(at, "MUL", at, params.block)
            p.let(begun, "SINCE", 0)
            kernel.read_unbuffered(device, at, size, params.block)
            p.let(begun, "SINCE", begun)
            p.mark(latency, begun)
            p.mark(delivered, size)
            if not place:
                p.let(at, "ADD", at, size)

        with p.loop(blocks):
            block(params.block)
        if rest:
            block(rest)
