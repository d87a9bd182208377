"""The way of packets over bonds, where which member takes a packet shows only while the program runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from simio.components.network.bond import BondEnd, Hop, Ports, ports
from simio.components.network.capture import Capture
from simio.components.network.interface import Interface
from simio.components.network.packet import Left, NetworkSwitch, Packet, Wire
from simio.components.network.path import Network, NetworkPath
from simio.components.network.switch import PacketSwitch
from simio.errors import RunError, quote
from simio.program.builder import Builder, Register, Variable


class BondedPath(NetworkPath):
    """A way with bonds, in one direction.

    `of` gives that of a flow: a path like any other, if each of its members is known before the run.
    """

    def __init__(
        self,
        p: Builder,
        hosts: tuple[int, int],
        hops: Sequence[Hop],
        sources: Sequence[Interface],
        targets: Sequence[Interface],
        switches: Sequence[NetworkSwitch],
        capture: Capture | None = None,
        traffic_class: int = 0,
    ) -> None:
        """`hosts` are the numbers of both, `sources` and `targets` the interfaces of each wire at the two ends."""
        wires = [hop.whole(p) for hop in hops]
        super().__init__(sources[0], targets[0], wires, switches, capture, traffic_class)
        self.p = p
        self.hosts, self.hops = hosts, tuple(hops)
        self.sources, self.targets = tuple(sources), tuple(targets)

    @property
    def by_ports(self) -> bool:
        """See `NetworkPath.by_ports`."""
        return any(hop.by_ports for hop in self.hops)

    def of(self, ports: Ports | None, number: Variable | None = None) -> NetworkPath:
        """See `NetworkPath.of`."""
        hops = [hop.of(self.hosts, ports, number) for hop in self.hops]
        sources = [self.sources[member] for member in hops[0].members]
        targets = [self.targets[member] for member in hops[-1].members]
        rest = self.switches, self.capture, self.traffic_class
        if all(hop.single for hop in hops):
            wires = [hop.wires[0] for hop in hops]
            path = NetworkPath(sources[0], targets[0], wires, *rest)
        else:
            path = BondedPath(self.p, self.hosts, hops, sources, targets, *rest)
        path.spread = [
            (all_of if all_of.by_ports else own).whole(self.p) for all_of, own in zip(self.hops, hops, strict=True)
        ]
        return path

    def send(
        self, packet: Packet, deliver: Callable[[], None], driven: bool = False, gone: Left | None = None
    ) -> None:
        """See `NetworkPath.send`.

        The ways over the members of a bond meet again at its far end. A register says by which a packet has come, 0
        for one that is lost, which passes all that follows.
        """
        packet = replace(packet, traffic_class=self.traffic_class)
        with self.p.scope():
            came = self.p.register(0)
            self._leave(packet, came, driven, gone)
            for number in range(1, len(self.hops)):
                self._cross(number, packet, came)
            self._arrive(packet, came, deliver)

    def _early(self, number: int) -> bool:
        """True if the switch behind a hop begins to pass a packet on before all of it has come."""
        if number == len(self.switches) or not self.switches[number].cuts_through:
            return False
        return self.hops[number].wires[0].streams and (number == 0 or self.switches[number - 1].streams)

    def _leave(self, packet: Packet, came: Register, driven: bool, gone: Left | None) -> None:
        """The way from the sending host to the end of the first hop."""
        if packet.flow:
            packet.flow.seen(self.source.name, (packet.length, *packet.words), sent=True)
        hop, own = self.hops[0], replace(packet, unsent=gone)
        for place in hop.each(own):
            with self.sources[place].sending(own, driven) as left:

                def leaves(left: Left = left) -> None:
                    left()
                    if gone:
                        gone()

                with hop.wires[place].crossing(packet, self._early(0), leaves):
                    came.set(place + 1)

    def _cross(self, number: int, packet: Packet, came: Register) -> None:
        """Through a switch, to the end of the hop behind it."""
        p, hop, switch = self.p, self.hops[number], self.switches[number - 1]
        with p.scope():
            before = p.register(came)
            came.set(0)
            with p.when(before > 0):
                for place in hop.each(packet):
                    for incoming in self._incoming(number, before):
                        streaming, early = self._early(number - 1), self._early(number)
                        with switch.forward(packet, incoming, hop.wires[place], streaming, early):
                            came.set(place + 1)

    def _incoming(self, number: int, before: Register) -> Iterator[Wire]:
        """Run a for loop's body for each wire into a switch that makes a difference there; gives the wire."""
        wires, switch = self.hops[number - 1].wires, self.switches[number - 1]
        sheet = switch.sheet if isinstance(switch, PacketSwitch) else None
        if len(wires) == 1 or not (sheet and (sheet.buffering == "input" or sheet.pause_above)):
            yield wires[0]
            return
        for place, wire in enumerate(wires, 1):
            with self.p.when(before == place):
                yield wire

    def _arrive(self, packet: Packet, came: Register, deliver: Callable[[], None]) -> None:
        """The receiving host takes the packet."""
        for target in self._taking(came):

            def received(target: Interface = target) -> None:
                if packet.flow:
                    packet.flow.seen(target.name, (packet.length, *packet.words), sent=False)
                deliver()

            target.receive(packet, received)

    def _taking(self, came: Register) -> Iterator[Interface]:
        """Run a for loop's body for each interface, emitted for when it has the packet; ports may share one."""
        if len({target.name for target in self.targets}) == 1:
            with self.p.when(came > 0):
                yield self.targets[0]
            return
        for place, target in enumerate(self.targets, 1):
            with self.p.when(came == place):
                yield target


class Bonds:
    """The bonds of a network, each of whose ends is made once, when first used."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.links = [link for link in network.system.links if link.member]
        names = dict.fromkeys(link.member.of for link in self.links if link.member)
        self.numbers = {name: number for number, name in enumerate(names)}
        self._hops: dict[tuple[str, str, str], Hop] = {}
        self._ports: dict[tuple[str, int], list[Interface]] = {}

    def path(self, ways: Sequence[tuple[str, tuple[str, str]]], ends: tuple[str, str], rdma: bool) -> BondedPath:
        """The way over links, each with its two ends, between two adapters.

        Raises RunError for adapters that cannot be at a bond.
        """
        network, hosts = self.network, list(self.network.system.hosts)
        hops = [self._hop(link, *own) for link, own in ways]
        self._check(hops, ends[1], rdma)
        sources, targets = self._at(ends[0], hops[0]), self._at(ends[1], hops[-1])
        for target, wire in zip(targets, hops[-1].wires, strict=True):
            network.attach(sources[0], target, wire)
        switches = [network.switch(name) for _, (_, name) in ways[:-1]]
        for switch, hop in zip(switches, hops, strict=False):
            if isinstance(switch, PacketSwitch):
                for wire in hop.wires:
                    switch.pauses(wire)
        numbers = hosts.index(ends[0].partition(".")[0]), hosts.index(ends[1].partition(".")[0])
        rest = switches, network.capture, network.traffic_class()
        return BondedPath(network.p, numbers, hops, sources, targets, *rest)

    def _check(self, hops: Sequence[Hop], name: str, rdma: bool) -> None:
        first = next(hop.end for hop in hops if hop.end)
        if rdma:
            raise RunError(
                f"RDMA over the bond {quote(first.of)} is not modelled; use single links", f"links.{first.of}.bond"
            )
        last, (host, _, key) = hops[-1].end, name.partition(".")
        part = self.network.system.hosts[host].adapters[key].part
        if last and last.bond.mode == "balance-rr" and part.kind == "multiqueue-ethernet":
            raise RunError(
                f"packets that take the members of {quote(last.of)} in turn cannot come to {quote(name)} "
                f"({part.model}), whose ports share their queues: what each port would merge by itself is not "
                "modelled; use mode 802.3ad",
                f"links.{last.of}.bond.mode",
            )

    def _hop(self, name: str, source: str, target: str) -> Hop:
        """The wire of a link from one end to the other, or those of the bond that it is in."""
        network = self.network
        member = network.links[name].member
        if member is None:
            return Hop((network.wire(name, source, target),))
        key = member.of, source, target
        if key not in self._hops:
            links = [link for link in self.links if link.member and link.member.of == member.of]
            wires = tuple(network.wire(link.name, source, target) for link in links)
            number = 2 * self.numbers[member.of] + links[0].ends.index(source)
            self._hops[key] = Hop(wires, tuple(range(len(wires))), BondEnd(network.p, links, wires, number))
        return self._hops[key]

    def _at(self, name: str, hop: Hop) -> list[Interface]:
        """The interfaces of an adapter at each wire of a hop."""
        key = name, len(hop.wires)
        if key not in self._ports:
            interface = self.network.interface(name)
            self._ports[key] = [interface] if hop.single else ports(interface, len(hop.wires))
        return self._ports[key]
