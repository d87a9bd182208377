"""A packet trace as lines of text, in the form of tcpdump."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from simio.report.decoded import UDP_HEADER, Fragment, TcpSegment, echo
from simio.result.packets import LostPacket, SeenPacket

_SECOND = 10**12


def lines(packets: Iterable[SeenPacket | LostPacket], at: tuple[str, ...] = ()) -> Iterator[str]:
    """A line a packet, seconds first; one that was dropped or lost has a line of its own.

    Seconds are cut to whole nanoseconds. With several hosts in `at`, lines say where a packet was seen; with any,
    what was lost elsewhere is left out.
    """
    for packet in packets:
        if isinstance(packet, LostPacket):
            if not at or _host(packet.by) in at:
                yield f"{seconds(packet.time)} {packet.by} {packet.how} a packet, length {packet.length}"
            continue
        where = f"{packet.point.interface} {'Out' if packet.sent else 'In'} " if len(at) > 1 else ""
        yield f"{seconds(packet.time)} {where}{line(packet)}"


def seconds(time: int) -> str:
    """A time in ps as seconds with nine digits after the point."""
    return f"{time // _SECOND}.{time % _SECOND // 1000:09d}"


def line(packet: SeenPacket) -> str:
    """A packet: its ends and its contents."""
    point = packet.point
    if point.protocol == "icmp":
        return f"{point.source} > {point.target}: ICMP {echo(packet)}"
    if point.protocol == "tcp":
        return f"{_ends(packet)}: {_segment(TcpSegment.of(packet))}"
    fragment = Fragment.of(packet)
    if fragment.offset:
        return f"{point.source} > {point.target}: {point.protocol}{fragment.text}"
    return f"{_ends(packet)}: {point.protocol.upper()}, length {fragment.total - UDP_HEADER}{fragment.text}"


def _host(by: str) -> str:
    """The host of an interface ("host.adapter") or of a socket ("name at host"); something else for others."""
    return by.rpartition(" at ")[2].partition(".")[0]


def _ends(packet: SeenPacket) -> str:
    point = packet.point
    return f"{point.source}.{point.source_port} > {point.target}.{point.target_port}"


def _segment(segment: TcpSegment) -> str:
    """A segment; sequence numbers stand where tcpdump has them: with data, SYN, FIN and RST."""
    own = segment.fields
    parts = [f"Flags [{segment.flags}]"]
    if own.length:
        parts.append(f"seq {own.seq}:{own.seq + own.length}")
    elif own.syn or own.fin or own.reset:
        parts.append(f"seq {own.seq}")
    if own.ack:
        parts.append(f"ack {own.ack}")
    parts.append(f"win {own.window}")
    if segment.options:
        parts.append(f"options [{','.join(option.text for option in segment.options)}]")
    return ", ".join([*parts, f"length {own.length}"])
