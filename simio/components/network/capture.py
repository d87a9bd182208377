"""A packet trace: the fields of a packet are marked where it leaves a host and where it arrives, as by tcpdump.

A packet becomes `FIELDS` marks in a row of one observation with the role "packet": its length, then the words of
its transport. There is one observation for each flow and interface, whose name and unit say what the words mean.
Marks take no time, and nothing else happens between them: a run that is traced ends as it would without.

What sends packets asks its path for a flow and gives it to each packet: `Packet(length, words, path.flow(...))`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from simio.errors import RunError, did_you_mean, quote
from simio.machines.network import queue
from simio.machines.network.queue import initial
from simio.program.builder import Builder, Operand, Register

ROLE = "packet"
"""Role of the marks of packets."""
ROOM = "packet trace"
"""Name of the machine that counts packets: a queue that nothing leaves."""
FIELDS = 6
"""Marks of a packet: its length in bytes and five words."""
MOST_PACKETS = 1_000_000
"""Packets of a trace by default, at most: 144 MB."""

_NAME = re.compile(r"(.+): (\w+) (.+)\.(\d+) > (.+)\.(\d+)")


@dataclass(frozen=True)
class PacketTrace:
    """The packets of a run to keep: the first `limit`, as seen at the hosts `at`.

    A host sees what it hands to its interfaces and what their drivers hand to its stack. With no hosts, each packet
    is seen once, where it is sent.
    """

    limit: int = MOST_PACKETS
    at: tuple[str, ...] = ()


@dataclass(frozen=True)
class Point:
    """The place where packets of a flow were seen: an interface of its source, or of its target.

    A flow goes from a port of one host to a port of another. `agreed` says how to read its packets:

    - tcp: `mss` is the size in the MSS option; with `timestamps`, there are these and windows are scaled by the
      `shift` that the source offers; with `sack`, there are blocks. Words are those of `simio.machines.tcp`.
    - udp: `number` and `fragment` say which word, from 1, holds the datagram's number, and which a fragment's place
      (`simio.machines.network.reassembly.fragment_word`); without them, there are no fragments.
    - icmp: echo requests, or with `reply` replies; the ports are their identifier.
    """

    interface: str
    protocol: str
    source: str
    source_port: int
    target: str
    target_port: int
    agreed: Mapping[str, int] = field(default_factory=dict)

    @property
    def host(self) -> str:
        """The host that the interface is of."""
        return self.interface.partition(".")[0]

    @property
    def name(self) -> str:
        """Name of the observation."""
        ends = f"{self.source}.{self.source_port} > {self.target}.{self.target_port}"
        return f"{self.interface}: {self.protocol} {ends}"

    @property
    def unit(self) -> str:
        """Options that the ends agreed on, in words, as the unit of the observation."""
        return " ".join(f"{key} {value}" for key, value in self.agreed.items())

    @classmethod
    def of(cls, name: str, unit: str) -> Point:
        """The point whose name and unit these are. Raises ValueError if the name is of another observation."""
        found = _NAME.fullmatch(name)
        if found is None:
            raise ValueError(f"{name!r} is not the name of a point where packets are seen")
        interface, protocol, source, source_port, target, target_port = found.groups()
        words = unit.split()
        agreed = dict(zip(words[::2], (int(word) for word in words[1::2]), strict=True))
        return cls(interface, protocol, source, int(source_port), target, int(target_port), agreed)


class Capture:
    """Marks packets of a program's flows, as a trace asks for."""

    def __init__(self, p: Builder, trace: PacketTrace, hosts: list[str]) -> None:
        """Raises RunError if the trace is to be at something that is none of `hosts`."""
        for name in trace.at:
            if name not in hosts:
                near = did_you_mean(name, hosts) or f"there are {', '.join(hosts)}"
                raise RunError(f"no host {quote(name)} to trace packets at; {near}")
        self.p = p
        self.at = trace.at
        self.state = p.machine(ROOM, initial(trace.limit))
        self._numbers = 0

    def number(self) -> int:
        """The next identifier for messages that have no ports, from 1."""
        self._numbers += 1
        return self._numbers

    def flow(self, protocol: str, ends: tuple[str, str], ports: tuple[int, int], agreed: Mapping[str, int]) -> Flow:
        """Packets of a protocol from one host and port to another; see `Point` for `agreed`."""
        return Flow(self, Point("", protocol, ends[0], ports[0], ends[1], ports[1], agreed))

    def wanted(self, interface: str, sent: bool) -> bool:
        """True if packets are to be marked here."""
        return interface.partition(".")[0] in self.at if self.at else sent


@dataclass(frozen=True)
class Flow:
    """Packets of one protocol from one port to another; `point` lacks its interface."""

    capture: Capture
    point: Point

    def seen(self, interface: str, words: Sequence[Register], sent: bool) -> None:
        """Emit the marks of a packet that an interface sends, or has received, if there is room for them.

        `words` are its length and the words of its transport.
        """
        if not self.capture.wanted(interface, sent):
            return
        p, point = self.capture.p, self.point
        observation = p.observation(replace(point, interface=interface).name, ROLE, point.unit)
        with p.scope():
            fits = p.answer(queue.enter, self.capture.state, 1)
            with p.when(fits != 0):
                fields: list[Operand] = [*words, *[0] * (FIELDS - len(words))]
                for value in fields:
                    p.mark(observation, value)
