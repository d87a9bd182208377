"""Links that lead the same way as others and that no packet takes, and links with an MTU below that of both ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from simio.components.network.stack import IP_HEADER, UDP_HEADER
from simio.description.model import System
from simio.program.builder import Builder
from simio.topology import Route, Topology
from simio.wording import and_others, listed

if TYPE_CHECKING:
    from simio.components.network.path import NetworkPath


class WaysBeside:
    """The links that packets take, and those beside them.

    `carries` tells whether an adapter, "host.adapter", carries packets.
    """

    def __init__(self, system: System, graph: Topology, carries: Callable[[str], bool]) -> None:
        self._system, self._graph, self._carries = system, graph, carries
        self._names = {link.name: link.member.of if link.member else link.name for link in system.links}
        """Names of links; a member of a bond has the name of the bond."""
        self._taken: set[str] = set()
        self._beside: dict[str, str] = {}
        """Links that lead the same way as one that packets take, each with the first such."""

    def take(self, route: Route) -> None:
        """Packets take this route."""
        nodes = route.nodes
        for before, link, behind in zip(nodes, nodes[1:], nodes[2:], strict=False):
            name = self._names.get(link, "")
            if name and name not in self._taken:
                self._taken.add(name)
                for other in self._parallel(before, behind):
                    self._beside.setdefault(other, name)

    def _parallel(self, one: str, other: str) -> Iterator[str]:
        """The links between two ends, an adapter standing for all of its host that carry packets."""
        adj = self._graph.adj
        for near, far in product(self._alike(one), self._alike(other)):
            few, many = sorted((adj[near], adj[far]), key=len)
            yield from (self._names[name] for name in few if name in many and name in self._names)

    def _alike(self, end: str) -> list[str]:
        host, _, key = end.partition(".")
        if not key:
            return [end]
        own = self._system.hosts[host].adapters
        names = [f"{host}.{name}" for name, adapter in own.items() if adapter.part.kind == own[key].part.kind]
        if self._carries(end):
            names += [name for name in (f"{host}.{other}" for other in own) if self._carries(name)]
        return list(dict.fromkeys(names))

    def tell(self, p: Builder) -> None:
        """Tell of the links that no packet takes."""
        for link, taken in self._beside.items():
            if link not in self._taken:
                p.tell(
                    f"no packet takes {link}, which leads the same way as {taken}: of several shortest ways all "
                    "packets take one. A bond spreads them over links of one kind"
                )


def tell_of_idle_classes(p: Builder, system: System) -> None:
    """Tell of switches and adapters none of whose lossless classes (pause_classes) has a workload's packets."""
    used = {getattr(workload.params, "traffic_class", 0) for workload in system.workloads.values()}
    adapters = (adapter.part for host in system.hosts.values() for adapter in host.adapters.values())
    found: dict[tuple[int, ...], list[str]] = {}
    for part in (*(switch.part for switch in system.switches.values()), *adapters):
        classes = getattr(part.sheet, "pause_classes", ())
        if classes and used.isdisjoint(classes):
            found.setdefault(classes, []).append(part.name)
    for classes, names in found.items():
        which = f"class {classes[0]}" if len(classes) == 1 else f"classes {listed([str(each) for each in classes])}"
        p.tell(
            f"no packet is of {which}, which {and_others(names)} would not lose (pause_classes): "
            "give a workload that traffic_class"
        )


def tell_of_cut(p: Builder, workload: str, size: int, path: NetworkPath) -> None:
    """Tell where a workload's datagrams of `size` bytes are cut for a part of the way, and the host would send more.

    A Linux socket forbids routers to cut them by default (ip(7), IP_MTU_DISCOVER), and cuts them once it is told.
    """
    own = min(each for each in (path.source.mtu, path.wires[0].mtu) if each)
    if own > path.mtu and size + IP_HEADER + UDP_HEADER > path.mtu:
        p.tell(
            f"{workload}: datagrams of {size} B go in fragments of {path.mtu} B, which all of the way takes, though "
            f"{path.source.name} takes {own} B: a router tells a host to do so (path MTU discovery, not modelled); "
            "with switches alone nothing does, and they would be lost"
        )


def tell_of_narrow(p: Builder, links: Sequence[str], mtus: Sequence[int], ends: Sequence[int]) -> None:
    """Tell where a link on the way takes only smaller packets than both `ends` do, which can then be sent.

    `mtus` are of the links, in bytes.
    """
    narrow = min(mtus)
    if narrow < min(ends):
        p.tell(
            f"packets are as large as {links[list(mtus).index(narrow)]} takes them, which is less than both ends do: "
            "there a switch drops larger ones, and a router asks for smaller ones (path MTU discovery), "
            "neither of which is modelled"
        )
