"""Fibre Channel: links that carry frames under buffer-to-buffer credit, and switches that cut them through.

A frame of n bytes of payload takes SOF, header, CRC and EOF with it and is followed by at least six primitive
signals (FC-PH clause 17); the line code turns 8 bits into 10. A port sends only while it has credit, and gets
one back for each frame that the far end has freed (clause 18, buffer-to-buffer flow control).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from itertools import pairwise

from simio.description.model import Link, System, fits
from simio.description.sheets.disks import FibreChannelDisk
from simio.description.sheets.fibre_channel import FibreChannelAdapter, FibreChannelLink, FibreChannelSwitch
from simio.program.builder import Builder, Operand, OperandT, least, maximum
from simio.program.service import SECOND, ceil_times, ratio
from simio.topology import Route, Topology


def _byte_time(sheet: FibreChannelLink) -> Fraction:
    """Time of a byte on the line with its code, in ps."""
    return ratio(8 * sheet.code_bits, sheet.data_bits) * SECOND / sheet.signalling


class Hop:
    """One direction of a link, out of one port and into another, with the receiving port's credit."""

    def __init__(self, p: Builder, link: Link[FibreChannelLink], source: str, target: str, credit: int) -> None:
        self.p = p
        self.sheet = link.part.sheet
        self.name = f"{source}>{target}"
        self.wire = p.resource(self.name)
        self.window = p.window(f"{self.name} credit", credit)
        self.credit = p.container(f"{self.name} credit", credit, credit, "frames")
        self.delay = ceil_times(1, link.length * self.sheet.propagation)
        self.byte = p.once(self.sheet, partial(_byte_time, self.sheet))

    @property
    def overhead(self) -> int:
        """Bytes of a frame beside its payload, and of the gap behind it."""
        return self.sheet.frame_overhead + self.sheet.gap

    def frame_time(self, payload: OperandT) -> OperandT:
        """Time of a frame with its gap on the line, in ps."""
        return ceil_times(payload + self.overhead, self.byte)

    def free(self) -> None:
        """A buffer of the receiving port is free: a receiver-ready signal goes back over the link."""
        with self.p.fork("R_RDY", delay=self.delay):
            self.p.put(self.credit, 1)


class FramePath:
    """A walk over links, and over a switch between each two of them, for frames in one direction."""

    def __init__(self, p: Builder, hops: list[Hop], latencies: list[int], payload: int) -> None:
        self.p = p
        self.hops = hops
        self.latencies = latencies
        self.payload = min(payload, *(hop.sheet.max_payload for hop in hops))

    @contextmanager
    def frame(self, name: str, payload: Operand, drain: int, joined: bool = False) -> Iterator[None]:
        """Send a frame; the body runs at the far end, before the frame's buffer there is freed.

        The sender continues when the frame has left it. With `joined`, its next JOIN waits for the body. `drain` is
        the least time that the body takes, in ps.
        """
        with self._hop(0, name, payload, drain, joined):
            yield

    @contextmanager
    def _hop(self, number: int, name: str, payload: Operand, drain: int, joined: bool) -> Iterator[None]:
        """One hop. A switch starts to pass a frame on after its latency, and later where the way out is faster
        than the way in, so that it does not run dry in the middle of the frame."""
        p, hop = self.p, self.hops[number]
        time = hop.frame_time(payload)
        certain = hop.frame_time(least(payload))
        last = number + 1 == len(self.hops)
        passed = drain if last else self.latencies[number]
        p.occupy(hop.window, certain + 2 * hop.delay + passed)
        p.get(hop.credit, 1)
        p.seize(hop.wire)
        if not last:
            ahead = maximum(time - self.hops[number + 1].frame_time(payload), 0)
            # A fork's delay is a constant.
            certain = least(ahead)
            with p.fork(name, hop.delay + self.latencies[number] + certain, joined=joined):
                p.wait(ahead - certain)
                with self._hop(number + 1, name, payload, drain, joined):
                    yield
            p.wait(time)
            p.release(hop.wire)
            if number:
                self.hops[number - 1].free()
            return
        p.wait(time)
        p.release(hop.wire)
        if number:
            self.hops[number - 1].free()
            p.advance(hop.delay)
            yield
            hop.free()
        else:
            with p.fork(name, hop.delay, joined=joined):
                yield
                hop.free()


class Fabric:
    """All Fibre Channel links and switches of a system; finds the path of frames along a route."""

    def __init__(self, p: Builder, system: System, graph: Topology) -> None:
        self.p = p
        self.graph = graph
        self.links = {link.name: link for link in system.links if fits(link, FibreChannelLink)}
        parts = {disk.name: disk.part for disk in system.disks.values()}
        for host in system.hosts.values():
            parts |= {f"{host.name}.{key}": adapter.part for key, adapter in host.adapters.items()}
        self.ends = {
            name: part.sheet
            for name, part in parts.items()
            if isinstance(part.sheet, (FibreChannelAdapter, FibreChannelDisk))
        }
        self.switches = {
            switch.name: switch.part.sheet for switch in system.switches.values() if fits(switch, FibreChannelSwitch)
        }
        self.hops: dict[tuple[str, str], Hop] = {}

    def path(self, route: Route, reverse: bool = False) -> FramePath:
        """The path of frames between the ports at the two ends of a route, forward or back."""
        nodes = route.nodes[::-1] if reverse else route.nodes
        ports = [node for node in nodes if node in self.ends or node in self.switches]
        links = [node for node in nodes if node in self.links]
        hops = [self._between(link, *ends) for link, ends in zip(links, pairwise(ports), strict=True)]
        latencies = [self.switches[port].latency for port in ports[1:-1]]
        return FramePath(self.p, hops, latencies, self.ends[ports[0]].frame_payload)

    def _between(self, link: str, source: str, target: str) -> Hop:
        if (source, target) not in self.hops:
            port = self.ends.get(target) or self.switches[target]
            self.hops[source, target] = Hop(self.p, self.links[link], source, target, port.credit)
        return self.hops[source, target]
