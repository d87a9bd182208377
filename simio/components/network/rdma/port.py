"""An adapter for RDMA: pipelines, DMA without copies, memory for packets that arrive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from simio.components.host.host import PROCESS
from simio.components.host.kernel import UnixKernel
from simio.components.network.ethernet import EthernetWire
from simio.components.network.packet import Left, Packet, Wire
from simio.components.network.path import NetworkPath
from simio.components.network.pause import Receiver
from simio.components.passage import Passage
from simio.components.site import Site
from simio.description.model import Adapter, fits
from simio.description.sheets.rdma import MTUS, RdmaAdapter
from simio.errors import RunError
from simio.machines.rdma.layout import BASE, RETH
from simio.program.builder import Builder, Handle, Register
from simio.program.steps import UNBOUNDED


class RdmaPort:
    """One adapter, for all queue pairs of it (`Interface`): no packet of it costs its host CPU time."""

    transmit_room = UNBOUNDED
    mtu: int | None = None
    checksum = True
    cores = None

    def __init__(self, p: Builder, kernel: UnixKernel, adapter: Adapter[RdmaAdapter]) -> None:
        self.p, self.kernel, self.host = p, kernel, kernel.host
        self.sheet = sheet = adapter.part.sheet
        self.name = adapter.part.name
        self.receive_room: int = sheet.least_memory
        self.bus = self.host.pcie(adapter.bus)
        self.cached = self.bus.root.sheet.device_share is not None
        ways = ("send", "receive")
        self.pipelines = [p.resource(f"{self.name} {way} pipeline") for way in ways] if sheet.packet_time else []
        self.room = p.container(f"{self.name} packets ahead", sheet.ahead, sheet.ahead, "packets")
        self.line = p.container(f"{self.name} first packet", 1, 1, "packets")
        self._rooms: dict[int, Handle] = {}
        self.incoming = Receiver(p, self.name, sheet)

    def ahead(self, number: int, wire: Wire) -> Handle:
        """Places of packets of a class that are read ahead of a wire: its own, where classes there can be stopped."""
        if not (isinstance(wire, EthernetWire) and wire.stops_classes):
            return self.room
        if number not in self._rooms:
            ahead, name = self.sheet.ahead, f"{self.name} packets ahead of class {number}"
            self._rooms[number] = self.p.container(name, ahead, ahead, "packets")
        return self._rooms[number]

    def drive(self, priority: int = PROCESS) -> None:
        """See `Interface.drive`: programs post work requests, and no packets."""

    def reserve(self, packet: Packet) -> None:
        """See `Interface.reserve`."""

    @contextmanager
    def sending(self, packet: Packet, driven: bool) -> Iterator[Left]:
        """See `Interface.sending`; the payload has been read."""
        self._process(0)
        self.p.advance(self.sheet.latency)
        yield lambda: None

    def receive(self, packet: Packet, deliver: Callable[[], None]) -> None:
        """See `Interface.receive`: `deliver` is the transport of the adapter itself."""
        p = self.p
        with p.scope():
            size = p.register(packet.length)
            memory = self.incoming.of(packet)
            with memory.entered(packet, size):
                p.advance(self.sheet.latency)
                self._process(-1)
                deliver()
                memory.leave(size)

    def passage(self, read: bool) -> Passage:
        """See `Interface.passage`: of bytes of data, as headers do not leave the adapter."""
        return self.bus.passage(read, self.cached)

    def fetch(self, size: Register) -> None:
        """Read a payload, and wait until those of the packets before it have gone on."""
        p = self.p
        with p.when(size > 0), p.fork("payload", joined=True):
            self.bus.read(size, cached=self.cached)
        p.get(self.line, 1)
        p.join()
        p.put(self.line, 1)

    def store(self, size: Register) -> None:
        """Write a payload to where it belongs; returns when it has left the adapter."""
        with self.p.when(size > 0):
            self.bus.write(size, cached=self.cached)

    def _process(self, way: int) -> None:
        if self.pipelines:
            with self.p.hold(self.pipelines[way]):
                self.p.advance(self.sheet.packet_time)


class RdmaPorts:
    """The adapters for RDMA of a site, each made when first used, and the paths between them."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._ports: dict[str, RdmaPort] = {}

    def port(self, name: str) -> RdmaPort:
        """The adapter "host.adapter". Raises RunError for one of another kind."""
        if name not in self._ports:
            host, key = name.split(".", 1)
            adapter = self.site.system.hosts[host].adapters[key]
            if not fits(adapter, RdmaAdapter):
                raise RunError(
                    f"{name!r} ({adapter.part.model}) is of kind {adapter.part.kind!r}; RDMA needs one of kind "
                    "'rdma-ethernet', such as adapters/connectx-5-rdma"
                )
            self._ports[name] = RdmaPort(self.site.p, self.site.kernel(host), adapter)
        return self._ports[name]

    def named(self, host: str) -> str:
        """The adapter for RDMA of a host. Raises RunError if it has none, or several."""
        adapters = self.site.system.hosts[host].adapters
        found = [key for key, adapter in adapters.items() if fits(adapter, RdmaAdapter)]
        if len(found) != 1:
            has = f"has {len(found)} adapters" if found else "has no adapter"
            raise RunError(
                f"{host!r} {has} of kind 'rdma-ethernet'; give it one, such as adapters/connectx-5-rdma",
                at=f"hosts.{host}",
            )
        return f"{host}.{found[0]}"

    def path(self, source: str, target: str) -> NetworkPath:
        """The way from one host's adapter for RDMA to another's."""
        path = self.site.network.path(self.named(source), self.named(target), made=self.port)
        if isinstance(path.target, RdmaPort):
            path.target.incoming.fed_by(path.wires[-1])
        return path


def payload(paths: tuple[NetworkPath, NetworkPath], limits: tuple[int | None, ...]) -> int:
    """Payload of a full packet: the largest that fits both ways and the adapters' limits.

    Raises RunError where none does.
    """
    most = min(path.mtu for path in paths) - BASE - RETH
    wanted = min((limit for limit in limits if limit), default=MTUS[-1])
    found = [size for size in MTUS if size <= min(most, wanted)]
    if not found:
        raise RunError(
            f"no packet of RDMA fits an MTU of {most + BASE + RETH} bytes; the least has {MTUS[0]} bytes of data"
        )
    return found[-1]
