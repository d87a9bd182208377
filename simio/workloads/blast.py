"""blast and sink: packets from a program's memory on one host to a program's memory on another."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from simio.components.network.hippi import HippiCard, connect
from simio.components.site import Site
from simio.description.arrivals import Arrivals
from simio.description.model import Workload, fits
from simio.description.quantities import Count, Extent, Flag
from simio.description.sheets.hippi import HippiAdapter, HippiLink
from simio.description.workloads import HostName, WorkloadParams
from simio.errors import RunError
from simio.workloads import register_workload
from simio.workloads.common.arrivals import ArrivalProcess


class Blast(WorkloadParams):
    """Processes that send packets from memory on one host to memory on another, back to back or as they arrive."""

    routes = (("from_", "to"),)

    from_: HostName = Field(alias="from", description="host that sends")
    to: HostName = Field(description="host that receives")
    size: Extent = Field(description="bytes a packet")
    processes: Annotated[Count, Field(le=4096)] = Field(1, description="sending processes, each with its own buffer")
    packets: Count = Field(description="packets each process sends")
    arrivals: Arrivals | None = Field(
        None, description="when packets are to be sent, by whichever process is free; none: one after another"
    )
    sink: Flag = Field(True, description="whether a process on the receiving host reads the packets")


@register_workload("blast", Blast)
def blast(site: Site, workload: Workload[Blast]) -> None:
    """`processes` senders each write `packets` packets of `size` bytes; one sink reads them all."""
    p, params = site.p, workload.params
    sender, receiver = _cards(site, params.from_, params.to, params.sink)
    total = params.packets * params.processes
    latency = p.observation(f"{workload.name}: write", "latency", "ps")
    arrivals = ArrivalProcess(p, workload.name, params.arrivals) if params.arrivals else None
    if params.arrivals:
        p.load(workload.name, latency, params.arrivals.mean, count=total)
    with (
        p.thread(f"{workload.name}: sender on {params.from_}", count=params.processes),
        p.loop(params.packets),
        p.timed(latency, arrivals.wait() if arrivals else None),
    ):
        sender.kernel.write_raw(sender, params.size)
    if params.sink:
        with p.thread(f"{workload.name}: sink on {params.to}"), p.loop(total):
            receiver.kernel.read_raw(receiver, params.size)
            p.mark(site.delivered, params.size)
    else:
        with p.thread(f"{workload.name}: card of {params.to}"), p.loop(total):
            receiver.discard(params.size)
            p.mark(site.delivered, params.size)


def _cards(site: Site, source: str, target: str, read: bool) -> tuple[HippiCard, HippiCard]:
    """The cards at the two ends of the HIPPI link between two hosts."""
    path = site.graph.route(source, target)
    adapters, links = path.of_category(site.graph, "adapter"), path.of_category(site.graph, "link")
    by_name = {link.name: link for link in site.system.links}
    link = by_name[links[0]] if len(adapters) == 2 and len(links) == 1 else None
    if link is None or not fits(link, HippiLink):
        raise RunError(f"raw HIPPI needs a direct HIPPI link between {source!r} and {target!r}, not {path.nodes}")
    sender, receiver = (_card(site, *name.split(".", 1)) for name in adapters)
    connect(link, sender, receiver, read)
    return sender, receiver


def _card(site: Site, host: str, key: str) -> HippiCard:
    adapter = site.system.hosts[host].adapters[key]
    if not fits(adapter, HippiAdapter):
        raise RunError(f"{adapter.part.name!r} ({adapter.part.model}) carries commands to disks, no packets")
    return HippiCard(site.p, site.kernel(host), adapter)
