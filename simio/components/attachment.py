"""How a host reaches a disk: the transport that the link between them calls for."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx

from simio.components.bus import ParallelBus
from simio.components.fcp import FcpTransport
from simio.components.fibre_channel import Fabric
from simio.components.scsi import ScsiBus, ScsiTransport
from simio.components.storage import Transport
from simio.description.model import Adapter, Link, System
from simio.errors import RunError
from simio.program.builder import Builder
from simio.wiring.graph import Route, route


class Attachments:
    """Every way from the hosts of a system to its disks; shared media are made once."""

    def __init__(self, p: Builder, system: System, graph: nx.Graph, fabric: Fabric) -> None:
        self.p = p
        self.system = system
        self.graph = graph
        self.fabric = fabric
        self.links = {link.name: link for link in system.links}
        self._buses: dict[str, ScsiBus] = {}
        self._kinds: dict[str, Callable[[Route, Link, str, str, ParallelBus], Transport]] = {
            "fibre-channel": self._fibre_channel,
            "scsi": self._scsi,
        }

    def adapter(self, host: str, disk: str) -> Adapter:
        """The adapter that the way from a host to a disk leads through."""
        name = route(self.graph, host, disk).of_class(self.graph, "adapter")[0]
        return self.system.hosts[host].adapters[name.split(".", 1)[1]]

    def transport(self, host: str, disk: str, bus: ParallelBus) -> Transport:
        """The transport from a host's adapter to a disk, data crossing the host's `bus`."""
        way = route(self.graph, host, disk)
        link = self.links[way.of_class(self.graph, "link")[0]]
        kind = link.part.kind
        if kind not in self._kinds:
            raise RunError(
                f"{host!r} reaches {disk!r} over a link of kind {kind!r}, which carries no SCSI commands"
            )
        port = way.of_class(self.graph, "adapter")[0]
        return self._kinds[kind](way, link, port, disk, bus)

    def _sheet(self, port: str):  # type: ignore[no-untyped-def]
        host, key = port.split(".", 1)
        return self.system.hosts[host].adapters[key].part.sheet

    def _fibre_channel(self, way: Route, link: Link, port: str, disk: str, bus: ParallelBus) -> Transport:
        return FcpTransport(self.p, self.fabric.path(way), self.fabric.path(way, reverse=True), bus)

    def _scsi(self, way: Route, link: Link, port: str, disk: str, bus: ParallelBus) -> Transport:
        if link.name not in self._buses:
            devices = [end for end in link.ends if end in self.system.disks]
            ports = [end for end in link.ends if end not in self.system.disks]
            self._buses[link.name] = ScsiBus(self.p, link, ports, devices)
        drive = self.system.disks[disk].part.sheet
        return ScsiTransport(self.p, self._buses[link.name], bus, self._sheet(port), drive, disk, port)
