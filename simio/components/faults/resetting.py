"""Connections of a host that crashes: its end is gone at once, the other learns of it by a reset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.components.host.host import INTERRUPT
from simio.components.network.packet import Packet
from simio.components.network.stack import IP_HEADER, TCP_HEADER
from simio.machines.tcp import connection
from simio.machines.tcp.layout import RESET

if TYPE_CHECKING:
    from simio.components.network.tcp import Endpoint

_RESET = RESET << 16
"""First word of a segment that resets, but for its sequence number."""


def refuse(end: Endpoint, packet: Packet) -> None:
    """Answer a segment of a connection that nothing is known of: by a reset that has its acknowledgement's number.

    RFC 9293, section 3.10.7.1. One that comes is taken without a look at its number, as nobody forges any.
    """
    p, stack, checksum = end.p, end.stack, end.path.source.checksum
    with p.loop(1):
        first, none = p.register(), p.register(0)
        p.let(first, "DIV", packet.words[1], 2**16)
        p.let(first, "MUL", first, 2**19)
        p.let(first, "ADD", first, _RESET)
        stack.receive(stack.sheet.tcp_receive, none, checksum)
        stack.send(stack.sheet.tcp_send, none, checksum, INTERRUPT)
        end.path.source.drive(INTERRUPT)
        p.spawn(end.segment, IP_HEADER + TCP_HEADER, first, *[0] * (end.segment.parameters - 2))


def crash(end: Endpoint) -> None:
    """The thread that ends a connection of a host at its first crash, if it has one: its program is over, too."""
    p = end.p
    if len(end.boots) == 1:
        return
    name = f"{end.name} crash"
    with p.thread(name, daemon=True), p.loop(1):
        now = p.register()
        p.let(now, "SINCE", 0)
        # Condition that always holds: the run may end before, so that the bound must not count on any of it.
        with p.when(now, "==", 0), p.fork(name, delay=end.boots.crashes[0][0], daemon=True):
            bits = p.register()
            p.call(bits, connection.accept, end.state, _RESET, 0)
            end.follow(bits)
