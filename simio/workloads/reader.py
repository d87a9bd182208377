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
    _refuse_the_rest(site, workload)
    latency = p.observation(f"{workload.name}: block", "latency", "ps")
    for disk in site.system.disks_of(params.from_):
        _read(site, workload, disk, latency)


def _refuse_the_rest(site: Site, workload: Workload) -> None:
    """Only what this lowering does is accepted, so that no parameter is passed over in silence."""
    params = workload.params
    plain = {"access": "raw", "depth": 1, "threads": "each", "processes": 1, "passes": 1, "stride": None}
    for key, value in plain.items():
        if getattr(params, key) != value:
            raise RunError(f"workload {workload.name!r}: {key} {getattr(params, key)} is not modelled yet")
    if not isinstance(params.block, int):
        raise RunError(f"workload {workload.name!r}: blocks of several sizes are not modelled yet")
    if params.from_ in site.system.volumes:
        raise RunError(f"workload {workload.name!r}: volumes ({params.from_!r}) are not modelled yet")


def _read(site: Site, workload: Workload, disk: str, latency: Handle) -> None:
    p, params = site.p, workload.params
    kernel, device = site.kernel(params.host), site.device(params.host, disk)
    delivered = site.stream(f"{workload.name}: {disk}")
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
