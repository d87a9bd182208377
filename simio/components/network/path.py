"""The way of packets from one host's adapter to another's, over links and switches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from simio.components.host.kernel import UnixKernel
from simio.components.network.adapter import NetworkInterface
from simio.components.network.atm import AtmSwitch, AtmWire
from simio.components.network.beside import WaysBeside, tell_of_narrow
from simio.components.network.capture import Capture, Flow
from simio.components.network.csma import SharedEthernet, SharedEthernetWire
from simio.components.network.emulated import EmulatedWire
from simio.components.network.ethernet import EthernetWire
from simio.components.network.fc_ip import FibreChannelRoute
from simio.components.network.fddi import FddiRing, FddiWire
from simio.components.network.hippi_ip import HippiCircuit, HippiHop, HippiInterface
from simio.components.network.ideal import IdealInterface
from simio.components.network.interface import Interface
from simio.components.network.packet import Left, NetworkSwitch, Packet, Wire
from simio.components.network.switch import PacketSwitch
from simio.components.network.virtual import VirtualInterface
from simio.components.storage.fibre_channel import Hop
from simio.description.model import Adapter, Link, System, fits
from simio.description.model import Switch as SwitchDescription
from simio.description.sheets.fibre_channel import FibreChannelLink, FibreChannelSwitch
from simio.description.sheets.hippi import HippiLink, HippiSwitch
from simio.description.sheets.network import FibreChannelNetworkAdapter
from simio.errors import RunError
from simio.program.builder import Builder, Variable
from simio.topology import Route, Topology
from simio.units import format_quantity

if TYPE_CHECKING:
    from simio.components.network.bonded import Bonds

MakeWire = Callable[[Builder, Link, str, str], Wire]

WIRES: dict[str, MakeWire] = {"ethernet": EthernetWire, "atm": AtmWire, "emulated": EmulatedWire}
"""Kinds of link that carry packets: what makes one direction of it, from one port to another."""

SHARED_WIRES: dict[str, tuple[Callable[[Builder, Link], Any], Callable[[Builder, Any, str, str], Wire]]] = {
    "ethernet-shared": (SharedEthernet, SharedEthernetWire),
    "fddi": (FddiRing, FddiWire),
}
"""Kinds of link that stations share: what makes the medium, and what makes the use of it by one to reach another."""

MakeSwitch = Callable[[Builder, SwitchDescription], NetworkSwitch]

SWITCHES: dict[str, MakeSwitch] = {"ethernet": PacketSwitch, "atm": AtmSwitch}
"""Kinds of switch that packets cross."""

MakeInterface = Callable[[Builder, UnixKernel, Adapter], Interface]


def _queued(p: Builder, kernel: UnixKernel, adapter: Adapter) -> Interface:
    from simio.components.network.queued import QueuedInterface

    return QueuedInterface(p, kernel, adapter)


INTERFACES: dict[str, MakeInterface] = {
    "network": NetworkInterface,
    "fibre-channel-network": NetworkInterface,
    "hippi": HippiInterface,
    "ideal-network": IdealInterface,
    "virtual-network": VirtualInterface,
    "multiqueue-ethernet": _queued,
}
"""Kinds of adapter that carry packets."""


_NOTHING: Mapping[str, int] = {}


class NetworkPath:
    """The way of packets in one direction, from the sending host's stack to the receiving one's."""

    def __init__(
        self,
        source: Interface,
        target: Interface,
        wires: Sequence[Wire],
        switches: Sequence[NetworkSwitch],
        capture: Capture | None = None,
        traffic_class: int = 0,
    ) -> None:
        """Packets that it sends are of the class `traffic_class`."""
        self.source, self.target = source, target
        self.traffic_class = traffic_class
        self.capture = capture
        self.wires, self.switches = wires, switches
        self.spread = wires
        """The wires of all flows between the same hosts: of a bond that goes by ports, all as one."""
        limits = [wire.mtu for wire in wires] + [end.mtu for end in (source, target) if end.mtu]
        self.mtu = min(limits)
        """Largest IP datagram that fits all the way, in bytes."""
        self._check_buffers()

    def _check_buffers(self) -> None:
        """A packet that does not fit an adapter's memory could never leave or arrive."""
        source, target = self.source, self.target
        for end, room, use in (
            (source, source.transmit_room, "sent"),
            (target, target.receive_room, "received"),
        ):
            if room < self.mtu:
                has, need = (format_quantity(size, "size") for size in (room, self.mtu))
                raise RunError(f"{end.name!r} has {has} for packets to be {use}, and they have up to {need}")
        for switch, wire in zip(self.switches, self.wires[1:], strict=True):
            if isinstance(switch, PacketSwitch):
                switch.check(self.mtu, wire)

    @property
    def by_ports(self) -> bool:
        """True if flows between other ports may take another way."""
        return False

    def of(self, ports: tuple[int, int] | None, number: Variable | None = None) -> NetworkPath:
        """The way of a flow between two ports, or of packets without any.

        With `number`, several flows have it one after another, and that is a number of each, from 1.
        """
        return self

    def flow(self, protocol: str, ports: tuple[int, int], agreed: Mapping[str, int] = _NOTHING) -> Flow | None:
        """The flow in a packet trace from a port at the source to one at the target; None if there is no trace."""
        if self.capture is None:
            return None
        source, target = (end.name.partition(".")[0] for end in (self.source, self.target))
        return self.capture.flow(protocol, (source, target), ports, agreed)

    def send(
        self, packet: Packet, deliver: Callable[[], None], driven: bool = False, gone: Left | None = None
    ) -> None:
        """Emit a packet's way, in the packet's own thread; `deliver` emits the receiving stack's work on it.

        A packet that is dropped ends here with a mark of the role "other", NAME dropped or NAME lost, and its
        length: nothing may follow in its thread. With `driven`, the sender has spent the driver's CPU time
        (`source.drive`) already. `gone` emits what follows when the packet has left the source, or is dropped there.
        """
        packet = replace(packet, traffic_class=self.traffic_class)
        if packet.flow:
            packet.flow.seen(self.source.name, (packet.length, *packet.words), sent=True)

        def received() -> None:
            if packet.flow:
                packet.flow.seen(self.target.name, (packet.length, *packet.words), sent=False)
            deliver()

        early = bool(self.switches) and self.switches[0].cuts_through and self.wires[0].streams
        with self.source.sending(replace(packet, unsent=gone), driven) as left:
            self.target.reserve(packet)

            def leaves() -> None:
                left()
                if gone:
                    gone()

            with self.wires[0].crossing(packet, early, leaves), self._onward(0, packet, early):
                self.target.receive(packet, received)

    @contextmanager
    def _onward(self, number: int, packet: Packet, streaming: bool) -> Iterator[None]:
        """Emit the way on from the end of one wire; the body runs at the receiving adapter."""
        if number == len(self.switches):
            yield
            return
        switch, wires = self.switches[number], self.wires
        following = self.switches[number + 1 : number + 2]
        early = switch.streams and wires[number + 1].streams and any(s.cuts_through for s in following)
        with (
            switch.forward(packet, wires[number], wires[number + 1], streaming, early),
            self._onward(number + 1, packet, early),
        ):
            yield


class Network:
    """All that carries packets in a system: each interface, wire and switch is made once, when first used."""

    def __init__(
        self,
        p: Builder,
        system: System,
        graph: Topology,
        kernel: Callable[[str], UnixKernel],
        capture: Capture | None,
    ) -> None:
        self.p = p
        self.capture = capture
        self.system = system
        self.graph = graph
        self.kernel = kernel
        self.links = {link.name: link for link in system.links}
        self._interfaces: dict[str, Interface] = {}
        self._hops: dict[tuple[str, str, str], HippiHop] = {}
        self._wires: dict[tuple[str, str, str], Wire] = {}
        self._media: dict[str, Any] = {}
        self._switches: dict[str, NetworkSwitch] = {}
        self._passable: dict[frozenset[str], Topology] = {}
        self.beside = WaysBeside(system, graph, self._carries)

    def path(self, source: str, target: str, *, made: Callable[[str], Interface] | None = None) -> NetworkPath:
        """The shortest way from one host to another; each is named, or an adapter of it ("host.adapter").

        It takes only adapters that carry packets, and leads through no third host. `made` gives the interface of an
        adapter, if that is another than its stack's.
        Raises RunError where there is none, or where it leads through something that carries no packets.
        """
        way = self._way(source, target)
        stops = [node for node in way.nodes if self.graph.nodes[node]["category"] in ("adapter", "switch", "disk")]
        links = way.of_category(self.graph, "link")
        ends = way.of_category(self.graph, "adapter")
        if len(ends) != 2 or len(links) != len(stops) - 1 or way.of_category(self.graph, "disk"):
            raise RunError(f"no path of links and switches leads from {source!r} to {target!r}")
        self.beside.take(way)
        hops = list(zip(links, pairwise(stops), strict=True))
        if any(self.links[link].member for link in links):
            return self._bonds.path(hops, (ends[0], ends[1]), made is not None)
        interface = made or self.interface
        first, last = interface(ends[0]), interface(ends[1])
        if isinstance(first, HippiInterface) and isinstance(last, HippiInterface):
            return NetworkPath(first, last, [self._circuit(hops, stops[1:-1], last)], [], self.capture)
        if all(self.links[link].part.kind == "fibre-channel" for link in links):
            return NetworkPath(first, last, [self._fibre_channel(hops, first, last)], [], self.capture)
        wires = [self.wire(link, *ends) for link, ends in hops]
        self.attach(first, last, wires[-1])
        limits = [[wire.mtu, end.mtu or wire.mtu] for wire, end in ((wires[0], first), (wires[-1], last))]
        tell_of_narrow(self.p, links, [wire.mtu for wire in wires], [min(each) for each in limits])
        switches = [self.switch(name) for name in stops[1:-1]]
        for switch, wire in zip(switches, wires, strict=False):
            if isinstance(switch, PacketSwitch):
                switch.pauses(wire)
        return NetworkPath(first, last, wires, switches, self.capture, self.traffic_class())

    def attach(self, first: Interface, last: Interface, wire: Wire) -> None:
        """The interface at the end of a wire stops it, or is woken, by its kind."""
        if isinstance(last, NetworkInterface):
            last.fed_by(wire)
        if isinstance(first, VirtualInterface) and isinstance(last, VirtualInterface):
            last.woken_by(first)

    @cached_property
    def _bonds(self) -> Bonds:
        from simio.components.network.bonded import Bonds

        return Bonds(self)

    def traffic_class(self) -> int:
        """The class of the packets of the workload that is being lowered."""
        workload = self.system.workloads.get(self.p.doing)
        return getattr(workload.params, "traffic_class", 0) if workload else 0

    def _way(self, source: str, target: str) -> Route:
        """The shortest route, or the shortest passable one if packets cannot take that; if none is, the shortest."""
        nodes = self.graph.nodes
        way = self.graph.route(source, target)
        ends = way.of_category(self.graph, "adapter")
        if len(ends) == 2 and all(end in (source, target) or self._carries(end) for end in ends):
            return way
        barred = frozenset(
            name
            for name, values in nodes.items()
            if (values["category"] == "bus" and values["host"] not in (source, target))
            or (values["category"] == "adapter" and name not in (source, target) and not self._carries(name))
        )
        if barred not in self._passable:
            self._passable[barred] = self.graph.without(barred)
        with suppress(RunError):
            return self._passable[barred].route(source, target)
        return way

    def _carries(self, name: str) -> bool:
        host, key = name.split(".", 1)
        return self.system.hosts[host].adapters[key].part.kind in INTERFACES

    def interface(self, name: str) -> Interface:
        """The interface of an adapter, "host.adapter"; raises RunError if it carries no packets."""
        if name not in self._interfaces:
            host, key = name.split(".", 1)
            adapter = self.system.hosts[host].adapters[key]
            if adapter.part.kind not in INTERFACES:
                carrying = ", ".join(repr(kind) for kind in INTERFACES)
                raise RunError(
                    f"{name!r} ({adapter.part.model}) is of kind {adapter.part.kind!r}, which carries no packets of "
                    f"IP, and no other adapter of {host!r} leads there; kinds that do are {carrying}",
                    at=f"hosts.{host}",
                )
            make = INTERFACES[adapter.part.kind]
            self._interfaces[name] = make(self.p, self.kernel(host), adapter)
        return self._interfaces[name]

    def _circuit(
        self, hops: Sequence[tuple[str, tuple[str, str]]], switches: Sequence[str], target: HippiInterface
    ) -> HippiCircuit:
        """HIPPI connections over these links, each with its two ends."""
        for name, ends in hops:
            link = self.links[name]
            assert fits(link, HippiLink)
            if (name, *ends) not in self._hops:
                self._hops[(name, *ends)] = HippiHop(self.p, link, *ends)
        ways = [self._hops[(link, *ends)] for link, ends in hops]
        between = [switch for name in switches if fits(switch := self.system.switches[name], HippiSwitch)]
        circuit = HippiCircuit(self.p, ways, between, target.sheet.ready_window)
        target.join(circuit)
        return circuit

    def _fibre_channel(
        self, hops: Sequence[tuple[str, tuple[str, str]]], first: Interface, last: Interface
    ) -> FibreChannelRoute:
        """A way over Fibre Channel links, each with its two ends; commands to disks may use the same ones."""
        assert isinstance(first, NetworkInterface)
        assert isinstance(first.sheet, FibreChannelNetworkAdapter)
        assert isinstance(last, NetworkInterface)
        assert isinstance(last.sheet, FibreChannelNetworkAdapter)
        switches = [self.system.switches[target] for _, (_, target) in hops[:-1]]
        ports = [switch.part.sheet for switch in switches if fits(switch, FibreChannelSwitch)]
        credits = [*(port.credit for port in ports), last.sheet.credit]
        links = [link for name, _ in hops if fits(link := self.links[name], FibreChannelLink)]
        ways = [
            Hop(self.p, link, *ends, credit) for link, (_, ends), credit in zip(links, hops, credits, strict=True)
        ]
        latencies = [port.latency for port in ports]
        down = [span for link in links for span in link.down]
        return FibreChannelRoute(self.p, ways, credits, latencies, first.sheet.frame_payload, down, last.refused)

    def wire(self, link: str, source: str, target: str) -> Wire:
        """One direction of a link. Raises RunError if it carries no packets."""
        key = (link, source, target)
        if key not in self._wires:
            self._wires[key] = wire = self._make_wire(self.links[link], source, target)
            if isinstance(wire, EthernetWire):
                wire.opposite = partial(self.wire, link, target, source)
        return self._wires[key]

    def _make_wire(self, link: Link, source: str, target: str) -> Wire:
        kind = link.part.kind
        if kind in SHARED_WIRES:
            medium, wire = SHARED_WIRES[kind]
            if link.name not in self._media:
                self._media[link.name] = medium(self.p, link)
            return wire(self.p, self._media[link.name], source, target)
        if kind not in WIRES:
            raise RunError(f"{link.name!r} is a link of kind {kind!r}, which carries no packets")
        return WIRES[kind](self.p, link, source, target)

    def switch(self, name: str) -> NetworkSwitch:
        """A switch. Raises RunError if these packets cannot cross it."""
        if name not in self._switches:
            switch = self.system.switches[name]
            if switch.part.kind not in SWITCHES:
                raise RunError(f"{name!r} is a switch of kind {switch.part.kind!r}, which these packets cannot cross")
            self._switches[name] = SWITCHES[switch.part.kind](self.p, switch)
        return self._switches[name]
