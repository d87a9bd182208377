"""Bonds of several links (IEEE 802.1AX; Linux drivers/net/bonding): the choice of the member that takes a packet.

Each end chooses for what it sends. It knows of a member's failure, and of its return, when it has looked next; until
then it uses the member, and what it sends over it is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from simio.components.faults.condition import merged
from simio.components.network.interface import Interface
from simio.components.network.packet import Packet, Wire, dropped
from simio.description.bonds import Bond
from simio.description.model import Link
from simio.description.sheets import Sheet
from simio.machines.network import spread
from simio.program.builder import Builder, Handle, Operand, Variable

if TYPE_CHECKING:
    from simio.description.faults import Span

Ports = tuple[int, int]
"""Ports of a flow at its source and its target."""
Row = tuple[int, tuple[int, ...]]
"""A time in ps, and the numbers of the members that carry packets from then on."""


@runtime_checkable
class Ported(Protocol):
    """An adapter with rings of its own for each port."""

    def port(self, number: int) -> Interface:
        """The interface at a port, from 1."""


def ports(interface: Interface, count: int) -> list[Interface]:
    """The interfaces at so many ports of an adapter; one without rings is the same at all."""
    if isinstance(interface, Ported):
        return [interface.port(number) for number in range(1, count + 1)]
    return [interface] * count


def noticed(spans: Iterable[Span], period: int) -> list[Span]:
    """Spans in which a member is known to be down, by an end that looks at multiples of `period` (0: always)."""
    seen = [tuple(-(-time // period) * period if period else time for time in span) for span in merged(spans)]
    return [(begin, end) for begin, end in seen if begin < end]


def rows(bond: Bond, down: Sequence[Iterable[Span]]) -> list[Row]:
    """The members that carry packets from 0 ps on, where each is `down` in such spans.

    Of an active backup, one stays in use until it fails, and the first that is up follows.
    """
    known = [noticed(spans, bond.miimon) for spans in down]
    times = sorted({0, *(time for spans in known for span in spans for time in span)})
    found: list[Row] = []
    for now in times:
        up = tuple(
            number for number, spans in enumerate(known, 1) if not any(begin <= now < end for begin, end in spans)
        )
        if bond.mode == "active-backup":
            active = found[-1][1] if found else ()
            up = active if active and active[0] in up else up[:1]
        if not found or found[-1][1] != up:
            found.append((now, up))
    return found


class BondEnd:
    """One end of a bond, where packets leave for the other."""

    def __init__(self, p: Builder, links: Sequence[Link[Sheet]], wires: Sequence[Wire], number: int) -> None:
        """`links` are the members, `wires` their directions away from here; `number` is that of this end."""
        assert links[0].member
        self.p = p
        self.wires = tuple(wires)
        self.number = number
        self.of, self.bond = links[0].member.of, links[0].member.bond
        self.rows = rows(self.bond, [link.down for link in links])
        p.bond(self.of, [wire.name for wire in wires], self.one_at_a_time)

    @property
    def one_at_a_time(self) -> bool:
        """True if one member carries all packets until it fails."""
        return self.bond.mode == "active-backup"

    @property
    def steady(self) -> bool:
        """True if a flow has the same member all the time."""
        return len(self.rows) == 1 and self.bond.mode != "balance-rr"

    def key(self, hosts: tuple[int, int], ports: Ports | None) -> int:
        """The hash of a flow from one host to another, by number; without ports it is one of addresses."""
        by = (0, 0) if ports is None or not self.bond.by_ports else ports
        return spread.hashed((self.bond.seed, self.number, *hosts, *by))

    def fixed(self, key: int) -> int:
        """The member of a flow, from 0, where that is the same all the time."""
        up = self.rows[0][1]
        return up[key % len(up)] - 1

    @cached_property
    def state(self) -> int:
        """The choice as a machine."""
        name = f"{self.wires[0].name.rpartition(' ')[0]} bond"
        rotates = self.bond.mode == "balance-rr"
        return self.p.machine(name, spread.initial(rotates, self.rows, len(self.wires)))


class BondWire:
    """All members of a bond as one wire, for the bound: a packet takes one of them, and which is not known before."""

    def __init__(self, p: Builder, wires: Sequence[Wire], *, one_at_a_time: bool) -> None:
        """`one_at_a_time`: the members carry packets one after another, as those of an active backup."""
        first = wires[0]
        self.p, self.wires = p, wires
        self.places = 1 if one_at_a_time else len(wires)
        self.name = first.name.rpartition(" ")[0]
        self.mtu, self.delay, self.header, self.streams = first.mtu, first.delay, first.header, first.streams

    @property
    def wire(self) -> Handle:
        """A window with a place for a packet on each member that carries packets at a time."""
        return self.p.window(f"{self.name} members", self.places)

    def time(self, length: int) -> int:
        """See `Wire.time`."""
        return self.wires[0].time(length)

    def head(self) -> int:
        """See `Wire.head`."""
        return self.wires[0].head()

    def span(self, length: Operand) -> Operand:
        """See `Wire.span`."""
        return self.wires[0].span(length)


@dataclass(frozen=True)
class Hop:
    """The wires of which a packet takes one to the next switch or host; with several, `end` chooses.

    `members` are their numbers in the bond, from 0. `key` is the hash of a flow, of which `number` tells apart those
    that use a connection one after another.
    """

    wires: tuple[Wire, ...]
    members: tuple[int, ...] = (0,)
    end: BondEnd | None = None
    key: int = 0
    number: Variable | None = None

    @property
    def single(self) -> bool:
        """True if there is no choice."""
        return len(self.wires) == 1

    @property
    def by_ports(self) -> bool:
        """True if the ports of a flow count."""
        return self.end is not None and self.end.bond.by_ports

    def whole(self, p: Builder) -> Wire:
        """The one wire, or all of them as one, which nothing crosses as a whole."""
        if self.end is None or self.single:
            return self.wires[0]
        return cast("Wire", BondWire(p, self.wires, one_at_a_time=self.end.one_at_a_time))

    def of(self, hosts: tuple[int, int], ports: Ports | None, number: Variable | None) -> Hop:
        """The hop as a flow has it: with its only wire, if that is known before the run."""
        if self.end is None:
            return self
        if number is not None and self.by_ports:
            return replace(self, key=self.end.key(hosts, None), number=number)
        key = self.end.key(hosts, ports)
        if not self.end.steady:
            return replace(self, key=key)
        member = self.end.fixed(key)
        return Hop((self.wires[member],), (member,))

    def each(self, packet: Packet) -> Iterator[int]:
        """Run a for loop's body for each wire, emitted for when a packet takes it; gives its place in `wires`.

        A packet is dropped while no member is known to be up.
        """
        if self.end is None:
            yield 0
            return
        p = self.end.p
        with p.scope():
            member = p.register()
            number: Operand = self.number.load() if self.number else 0
            p.call(member, spread.choose, self.end.state, self.key, number)
            with p.when(member == 0):
                dropped(p, self.end.of, packet)
            for place in range(len(self.wires)):
                with p.when(member == place + 1):
                    yield place
