"""The way of packets from one host's adapter to another's, over links and switches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

import networkx as nx

from simio.components.kernel import UnixKernel
from simio.components.network.adapter import NetworkInterface
from simio.components.network.ethernet import EthernetWire
from simio.components.network.hippi_ip import HippiCircuit, HippiHop, HippiInterface
from simio.components.network.interface import Interface
from simio.components.network.packet import Left, Packet, Wire
from simio.components.network.switch import PacketSwitch
from simio.description.model import Adapter, Link, System
from simio.errors import RunError
from simio.program.builder import Builder
from simio.units import format_quantity
from simio.wiring.graph import route

MakeWire = Callable[[Builder, Link, str, str], Wire]

WIRES: dict[str, MakeWire] = {"ethernet": EthernetWire}
"""Kinds of link that carry packets: what makes one direction of it, from one port to another."""

MakeInterface = Callable[[Builder, UnixKernel, Adapter], Interface]

INTERFACES: dict[str, MakeInterface] = {"network": NetworkInterface, "hippi": HippiInterface}
"""Kinds of adapter that carry packets."""


class NetworkPath:
    """The way of packets in one direction, from the sending host's stack to the receiving one's."""

    def __init__(
        self,
        source: Interface,
        target: Interface,
        wires: Sequence[Wire],
        switches: Sequence[PacketSwitch],
    ) -> None:
        self.source, self.target = source, target
        self.wires, self.switches = wires, switches
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

    def send(self, packet: Packet, deliver: Callable[[], None], driven: bool = False) -> None:
        """Emit a packet's way, in the packet's own thread; `deliver` emits what the receiving stack does with it.

        A packet that is dropped ends here with a mark of the role "other", NAME dropped or NAME lost, and its
        length: nothing may follow in its thread. With `driven`, the sender has spent the driver's CPU time
        (`source.drive`) already.
        """
        with self.source.sending(packet, driven) as left, self._hop(0, packet, left):
            self.target.receive(packet, deliver)

    @contextmanager
    def _hop(self, number: int, packet: Packet, left: Left) -> Iterator[None]:
        """One wire and all that follows it; the body runs at the receiving adapter."""
        wire = self.wires[number]
        if number + 1 == len(self.wires):
            with wire.crossing(packet, left=left):
                yield
            return
        switch, onward = self.switches[number], self.wires[number + 1]
        with (
            wire.crossing(packet, early=switch.cuts_through, left=left),
            switch.passing(packet, wire, onward) as then_left,
            self._hop(number + 1, packet, then_left),
        ):
            yield


class Network:
    """All that carries packets in a system: each interface, wire and switch is made once, when first used."""

    def __init__(
        self, p: Builder, system: System, graph: nx.Graph, kernel: Callable[[str], UnixKernel]
    ) -> None:
        self.p = p
        self.system = system
        self.graph = graph
        self.kernel = kernel
        self.links = {link.name: link for link in system.links}
        self._interfaces: dict[str, Interface] = {}
        self._hops: dict[tuple[str, str, str], HippiHop] = {}
        self._wires: dict[tuple[str, str, str], Wire] = {}
        self._switches: dict[str, PacketSwitch] = {}

    def path(self, source: str, target: str) -> NetworkPath:
        """The shortest way from one host to another; each is named, or an adapter of it ("host.adapter").

        Raises RunError where there is none, or where it leads through something that carries no packets.
        """
        way = route(self.graph, source, target)
        ports = [node for node in way.nodes if self.graph.nodes[node]["cls"] in ("adapter", "switch", "disk")]
        links = way.of_class(self.graph, "link")
        ends = way.of_class(self.graph, "adapter")
        if len(ends) != 2 or len(links) != len(ports) - 1 or way.of_class(self.graph, "disk"):
            raise RunError(f"no path of links and switches leads from {source!r} to {target!r}")
        first, last = self.interface(ends[0]), self.interface(ends[1])
        hops = list(zip(links, pairwise(ports), strict=True))
        if isinstance(first, HippiInterface) and isinstance(last, HippiInterface):
            return NetworkPath(first, last, [self._circuit(hops, ports[1:-1], last)], [])
        wires = [self._wire(link, *ends) for link, ends in hops]
        switches = [self._switch(name) for name in ports[1:-1]]
        return NetworkPath(first, last, wires, switches)

    def interface(self, name: str) -> Interface:
        """The interface of an adapter, "host.adapter"; raises RunError if it carries no packets."""
        if name not in self._interfaces:
            host, key = name.split(".", 1)
            adapter = self.system.hosts[host].adapters[key]
            if adapter.part.kind not in INTERFACES:
                raise RunError(
                    f"{name!r} ({adapter.part.model}) is of kind {adapter.part.kind!r}, which carries no packets"
                )
            make = INTERFACES[adapter.part.kind]
            self._interfaces[name] = make(self.p, self.kernel(host), adapter)
        return self._interfaces[name]

    def _circuit(
        self, hops: Sequence[tuple[str, tuple[str, str]]], switches: Sequence[str], target: HippiInterface
    ) -> HippiCircuit:
        """HIPPI connections over these links, each with its two ends."""
        for link, ends in hops:
            if (link, *ends) not in self._hops:
                self._hops[(link, *ends)] = HippiHop(self.p, self.links[link], *ends)
        ways = [self._hops[(link, *ends)] for link, ends in hops]
        circuit = HippiCircuit(
            self.p, ways, [self.system.switches[name] for name in switches], target.sheet.ready_window
        )
        target.target = circuit.target
        return circuit

    def _wire(self, link: str, source: str, target: str) -> Wire:
        key = (link, source, target)
        if key not in self._wires:
            part = self.links[link].part
            if part.kind not in WIRES:
                raise RunError(f"{link!r} is a link of kind {part.kind!r}, which carries no packets")
            self._wires[key] = WIRES[part.kind](self.p, self.links[link], source, target)
        return self._wires[key]

    def _switch(self, name: str) -> PacketSwitch:
        if name not in self._switches:
            self._switches[name] = PacketSwitch(self.p, self.system.switches[name])
        return self._switches[name]
