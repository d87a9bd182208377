"""Packets of a protocol of one's own, over whatever carries packets from one host to another."""

from pydantic import Field

from simio.components.network.packet import Packet
from simio.components.site import Site
from simio.description.model import Workload
from simio.description.quantities import Count, Extent, Time
from simio.description.workloads import HostName, WorkloadParams
from simio.program.builder import Register, since
from simio.workloads import register_workload


class Probe(WorkloadParams):
    """Packets that are sent at a rate, and timed."""

    routes = (("from_", "to"),)
    network = True

    from_: HostName = Field(alias="from", description="host that sends")
    to: HostName = Field(description="host that receives")
    size: Extent = Field(description="bytes a packet")
    count: Count = Field(description="packets in all")
    period: Time = Field(description="time from packet to packet")


@register_workload("probe", Probe)
def probe(site: Site, workload: Workload[Probe]) -> None:
    """A packet each period, whether the one before has arrived or not; those that arrive record their time."""
    p, params = site.p, workload.params
    path = site.network.path(params.from_, params.to)
    took = p.observation(f"{workload.name}: on its way", "latency", "ps")

    def packet(length: Register, sent: Register) -> None:
        """The thread that is a packet; `sent` is its only field."""

        def arrived() -> None:
            p.mark(took, since(sent))
            p.mark(site.delivered, length)

        path.send(Packet(length, (sent,)), arrived)

    one = p.procedure(f"{workload.name} packet", 2, packet)
    with p.thread(f"{workload.name}: sender on {params.from_}"), p.loop(params.count):
        p.spawn(one, params.size, p.now())
        p.promise(params.size)
        for wire in path.wires:
            p.demand(wire.wire, wire.time(params.size))
        p.advance(params.period)
