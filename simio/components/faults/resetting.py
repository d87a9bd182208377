"""Connections of a host that crashes: its end is gone at once, the other learns of it by a reset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.components.faults.condition import uncounted
from simio.components.host.host import INTERRUPT
from simio.components.network.packet import Packet
from simio.components.network.stack import IP_HEADER, TCP_HEADER
from simio.machines.tcp import connection
from simio.machines.tcp.layout import RESET

if TYPE_CHECKING:
    from simio.components.network.tcp_protocol import TcpProtocol

_RESET = RESET << 16
"""First word of a segment that resets, but for its sequence number."""


def refuse(end: TcpProtocol, packet: Packet) -> None:
    """Answer a segment of a connection that nothing is known of: by a reset that has its acknowledgement's number.

    RFC 9293, section 3.10.7.1. One that comes is taken without a look at its number, as nobody forges any.
    """
    p, stack, checksum = end.p, end.stack, end.path.source.checksum
    with p.scope():
        first, none = p.register(packet.words[1] // 2**16 * 2**19 + _RESET), p.register(0)
        stack.receive(stack.sheet.tcp_receive, none, checksum)
        stack.send(stack.sheet.tcp_send, none, checksum, INTERRUPT)
        end.path.source.drive(INTERRUPT)
        p.spawn(end.segment, IP_HEADER + TCP_HEADER, first, *[0] * (end.segment.parameters - 2))


def crash(end: TcpProtocol) -> None:
    """The thread that ends a connection of a host at its first crash, if it has one: its program is over, too."""
    p, name = end.p, f"{end.name} crash"
    if len(end.incarnations) == 1:
        return
    with uncounted(p, name), p.fork(name, delay=end.incarnations.crashes[0][0], daemon=True):
        bits = p.answer(connection.accept, end.state, _RESET, 0)
        end.follow(bits)
