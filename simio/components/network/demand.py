"""The certain demands of a connection on links, CPUs and windows, for the bound; nothing here emits a step.

No byte can cost less than as one of a full segment: headers, framing and what layers do a packet are shared by most
bytes there. So the demand of a byte in full segments, times the bytes, is a lower bound of what a transfer needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import floor

from simio.components.network.ethernet import EthernetWire
from simio.components.network.packet import Wire
from simio.components.network.path import NetworkPath
from simio.components.network.tcp import Endpoint
from simio.components.passage import claim
from simio.program.builder import Builder, Handle
from simio.program.service import ceil_div, ratio

_LENGTHS = 64
"""Lengths that are tried, up to that of a full segment, since padding to cells can make a shorter one waste less."""


def declare(sender: Endpoint, receiver: Endpoint, size: int) -> None:
    """A thread that passes here gives the sender `size` bytes, which the receiver will have in the end."""
    p = sender.p
    p.promise(size)
    for resource, byte in least_times(sender, receiver):
        claim(p, resource, floor(size * byte))
    window = min(sender.send_space, receiver.window)
    p.occupy(p.window(f"{sender.name} window", window), size * _round_trip(sender, receiver))


def least_times(sender: Endpoint, receiver: Endpoint) -> Iterator[tuple[Handle, Fraction]]:
    """Least time in ps that a byte of data takes of each wire, bus, CPU and lock of an endpoint, for `claim`."""
    yield from wire_times(_wires(sender.path), sender.mss, sender.headers)
    yield from bus_times(sender.path, 1 + ratio(sender.headers, sender.mss))
    yield from _end_times(sender, receiver)


def declare_datagrams(p: Builder, path: NetworkPath, size: int, headers: int, count: int, total: int) -> None:
    """A thread that passes here sends `count` datagrams of `size` bytes behind `headers`, each whole in one packet.

    Of the `total` that it sends in the end, the last has arrived before the gap behind it; each has a share of that.
    Those that are lost on the way need no more of it. So this holds for a program all of whose bytes come in such
    datagrams, as then no others take the time that is left.
    """
    for wire in _wires(path):
        packet = size + headers
        gap = wire.gap if isinstance(wire, EthernetWire) else 0
        claim(p, wire.wire, count * (wire.time(packet) - ceil_div(gap, total)))
    for resource, byte in bus_times(path, 1 + ratio(headers, size)):
        claim(p, resource, count * floor(size * byte))


def _wires(path: NetworkPath) -> list[Wire]:
    """The wires of a flow, and as one those of a bond of which it has one member, which limits all flows together."""
    own = {wire.wire for wire in path.wires}
    return [*path.wires, *(wire for wire in path.spread if wire.wire not in own)]


def _end_times(sender: Endpoint, receiver: Endpoint) -> Iterator[tuple[Handle, Fraction]]:
    """The same of CPUs and locks alone."""
    for end, byte in _stacks(sender, receiver):
        yield end.stack.host.cpu, byte
        yield end.lock, byte


def wire_times(wires: Iterable[Wire], mss: int, headers: int) -> Iterator[tuple[Handle, Fraction]]:
    """The same of wires alone, for segments of `mss` bytes behind `headers`."""
    for wire in wires:
        yield wire.wire, _wire_byte(wire, mss, headers)


def bus_times(path: NetworkPath, carried: Fraction) -> Iterator[tuple[Handle, Fraction]]:
    """The same of the buses that the adapters at both ends sit on, which `carried` bytes cross for one of data."""
    for end, read in ((path.source, True), (path.target, False)):
        passage = end.passage(read)
        for what, byte in (*passage.resources.items(), *passage.windows.items()):
            yield what, byte * carried


def shared_times(sender: Endpoint, receiver: Endpoint) -> Iterator[tuple[Handle, Fraction]]:
    """The same of wires, buses and CPUs alone, for a byte that may go over any of several connections."""
    yield from wire_times(sender.path.spread, sender.mss, sender.headers)
    yield from bus_times(sender.path, 1 + ratio(sender.headers, sender.mss))
    locks = {end.lock for end in (sender, receiver)}
    yield from (each for each in _end_times(sender, receiver) if each[0] not in locks)


def _stacks(sender: Endpoint, receiver: Endpoint) -> Iterator[tuple[Endpoint, Fraction]]:
    """Least CPU time in ps of TCP and IP a byte, at both ends."""
    out, into = sender.stack.sheet, receiver.stack.sheet
    for end, cost in ((sender, out.tcp_send + out.ip_send), (receiver, into.tcp_receive + into.ip_receive)):
        if end.whole_buffers:
            continue
        byte = cost * end.stack.host.scale / end.mss
        yield end, byte if end.path.source.checksum else byte + end.stack.checksum_byte


def _wire_byte(wire: Wire, mss: int, headers: int) -> Fraction:
    """Least time of a wire a byte of data, in ps."""
    least, of = wire.time(mss + headers), mss
    for data in range(max(mss - _LENGTHS, 1), mss):
        time = wire.time(data + headers)
        if time * of < least * data:
            least, of = time, data
    return ratio(least, of)


def _round_trip(sender: Endpoint, receiver: Endpoint) -> int:
    """Least time from when a byte is sent until its acknowledgement is there, in ps."""
    wires = [*sender.path.wires, *receiver.path.wires]
    return sum(wire.delay + wire.head() for wire in wires)
