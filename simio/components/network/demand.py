"""The certain demands of a connection on links, CPUs and windows, for the bound; nothing here emits a step.

No byte can cost less than as one of a full segment: headers, framing and what layers do a packet are shared by most
bytes there. So the demand of a byte in full segments, times the bytes, is a lower bound of what a transfer needs.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor

from simio.components.network.packet import Wire
from simio.components.network.tcp import Endpoint

_LENGTHS = 64
"""Lengths up to that of a full segment that are looked at: of what pads to cells, another may waste less a byte."""


def declare(sender: Endpoint, receiver: Endpoint, size: int) -> None:
    """Whoever passes here gives the sender `size` bytes, which the receiver will have in the end."""
    p = sender.p
    p.promise(size)
    for wire in sender.path.wires:
        p.demand(wire.wire, floor(size * _wire_byte(wire, sender.mss, sender.headers)))
    out, into = sender.stack.sheet, receiver.stack.sheet
    for end, cost in ((sender, out.tcp_send + out.ip_send), (receiver, into.tcp_receive + into.ip_receive)):
        if end.whole_buffers:
            continue
        host = end.stack.host
        byte = Fraction(cost) * host.scale / end.mss
        if not end.path.source.checksum:
            byte += end.stack.checksum_byte
        p.demand(host.cpu, floor(size * byte))
        p.demand(end.lock, floor(size * byte))
    window = min(sender.send_space, receiver.window)
    p.occupy(p.window(f"{sender.name} window", window), size * _round_trip(sender, receiver))


def _wire_byte(wire: Wire, mss: int, headers: int) -> Fraction:
    """Least time of a wire a byte of data, in ps."""
    least, of = wire.time(mss + headers), mss
    for data in range(max(mss - _LENGTHS, 1), mss):
        time = wire.time(data + headers)
        if time * of < least * data:
            least, of = time, data
    return Fraction(least, of)


def _round_trip(sender: Endpoint, receiver: Endpoint) -> int:
    """Least time from when a byte is sent until its acknowledgement is there, in ps."""
    wires = [*sender.path.wires, *receiver.path.wires]
    return sum(wire.delay + wire.head() for wire in wires)
