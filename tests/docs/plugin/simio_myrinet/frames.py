"""Frames from a program on one host to a program on another, over one link."""

from collections.abc import Callable
from fractions import Fraction

from pydantic import Field

from simio.components.host.host import Computer
from simio.components.site import Site
from simio.description.model import Workload, fits
from simio.description.quantities import Count, Extent
from simio.description.workloads import HostName, WorkloadParams
from simio.program.service import ceil_times, per_byte
from simio.workloads import register_workload

from .sheets import MyrinetAdapter, MyrinetLink


class Frames(WorkloadParams):
    """A process that sends frames as fast as it can; what finds no room at the far end waits on the line."""

    routes = (("from_", "to"),)

    from_: HostName = Field(alias="from", description="host that sends")
    to: HostName = Field(description="host that receives")
    size: Extent = Field(description="bytes of data a frame")
    frames: Count = Field(description="frames in all")


class Line:
    """The wiring between two hosts, and the steps of a frame at either end."""

    def __init__(self, site: Site, source: str, target: str) -> None:
        path = site.graph.route(source, target)
        (name,) = path.of_category(site.graph, "link")
        links = {link.name: link for link in site.system.links if fits(link, MyrinetLink)}
        link = links[name]
        self.site, self.p, self.sheet = site, site.p, link.part.sheet
        self.delay = ceil_times(1, link.length * Fraction(self.sheet.propagation))
        self.wire = site.p.resource(f"{source}>{target}")
        self.ends = path.of_category(site.graph, "adapter")
        _, card, _ = self._card(1)
        self.arrived = site.p.container(f"{target} arrived", card.buffer, unit="bytes")

    def _card(self, end: int) -> tuple[Computer, MyrinetAdapter, str]:
        """Host, datasheet and bus of the card at an end: 0 sends, 1 receives."""
        host, key = self.ends[end].split(".", 1)
        adapter = self.site.system.hosts[host].adapters[key]
        assert fits(adapter, MyrinetAdapter)
        return self.site.host(host), adapter.part.sheet, adapter.bus

    def send(self, size: int) -> None:
        """System call, driver, DMA to the card, the line; the sender goes on when the frame has left."""
        host, card, bus = self._card(0)
        self.site.kernel(host.name).system_call()
        host.work(card.frame_cost)
        host.bus(bus).transfer(size, per_byte(card.dma))
        with self.p.hold(self.wire):
            self.p.advance(0, size + self.sheet.overhead, per_byte(self.sheet.rate))
        with self.p.fork("frame", delay=self.delay):
            self.p.put(self.arrived, size)

    def receive(self, size: int) -> None:
        """DMA to memory, interrupt, driver, system call."""
        host, card, bus = self._card(1)
        self.p.get(self.arrived, size)
        host.bus(bus).transfer(size, per_byte(card.dma))
        kernel = self.site.kernel(host.name)
        kernel.interrupt()
        host.work(card.frame_cost)
        kernel.system_call()
        self.p.mark(self.site.delivered, size)


def run(site: Site, workload: Workload[Frames], before: Callable[[], None] = lambda: None) -> Line:
    """One thread that sends and one that receives; `before` emits what a frame waits for before it is sent."""
    p, params = site.p, workload.params
    line = Line(site, params.from_, params.to)
    with p.thread(f"{workload.name}: sender on {params.from_}"), p.loop(params.frames):
        before()
        line.send(params.size)
    with p.thread(f"{workload.name}: receiver on {params.to}"), p.loop(params.frames):
        line.receive(params.size)
    return line


@register_workload("frames", Frames)
def frames(site: Site, workload: Workload[Frames]) -> None:
    """Frame after frame."""
    run(site, workload)
