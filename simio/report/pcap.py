"""A packet trace as a capture file that Wireshark and tcpdump read.

The format is that of G. Harris and M. Richardson, "PCAP Capture File Format", draft-ietf-opsawg-pcap: a file header,
then each packet behind a header of its own, here with nanoseconds and in little-endian order. The link type is RAW
(101): packets begin with their IP header (draft-ietf-opsawg-pcaplinktype).

Headers are as the simulated hosts would write them; data are taken to be zeros, of which checksums are right, and are
left out. Hosts have the addresses 10.0.0.1, 10.0.0.2 and so on.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from simio.components.network.icmp import ICMP_HEADER
from simio.components.network.stack import IP_HEADER, TCP_HEADER
from simio.report.decoded import Fragment, TcpSegment
from simio.result.packets import LostPacket, SeenPacket

MAGIC = 0xA1B23C4D
"""Says that times are in nanoseconds."""
RAW = 101
SNAP_LENGTH = 65535
PROTOCOLS = {"icmp": 1, "tcp": 6, "udp": 17}
"""Numbers of protocols in the IP header (RFC 1700)."""
_NETWORK = 10 << 24
_TIME_TO_LIVE = 64
_FIN, _SYN, _RESET, _PUSH, _ACK = 1, 2, 4, 8, 16
_MORE = 1 << 13
"""The flag "more fragments", in the word that has a fragment's offset in units of 8 bytes (RFC 791, section 3.1)."""


def capture_file(packets: Iterable[SeenPacket | LostPacket], hosts: Sequence[str]) -> bytes:
    """The file of a trace that saw each packet at one point; `hosts` are those of the scenario, in its order.

    Each packet has its time in the run as a time since 1970, cut to whole nanoseconds. Lost packets are left out.
    """
    addresses = {name: _NETWORK + number for number, name in enumerate(hosts, 1)}
    parts = [struct.pack("<IHHiIII", MAGIC, 2, 4, 0, 0, SNAP_LENGTH, RAW)]
    for packet in packets:
        if isinstance(packet, SeenPacket):
            point = packet.point
            kept = headers(packet, addresses[point.source], addresses[point.target])
            second, rest = divmod(packet.time, 10**12)
            whole = max(packet.length, len(kept))
            parts += [struct.pack("<IIII", second, rest // 1000, len(kept), whole), kept]
    return b"".join(parts)


def headers(packet: SeenPacket, source: int, target: int) -> bytes:
    """The headers of a packet from one address to another, that of IP first.

    The simulated SYN has the length of a segment without the options of a SYN; here it has them.
    """
    protocol = packet.point.protocol
    pseudo = struct.pack("!IIH", source, target, PROTOCOLS[protocol])
    place = Fragment(packet.number, 0, packet.length - IP_HEADER, packet.length - IP_HEADER)
    if protocol == "tcp":
        inner = _tcp(packet, pseudo)
    elif protocol == "icmp":
        inner = _icmp(packet)
    else:
        place = Fragment.of(packet)
        inner = b"" if place.offset else _udp(packet, place.total, pseudo)
    length = max(packet.length, IP_HEADER + len(inner))
    return _ip(place, length, PROTOCOLS[protocol], source, target) + inner


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071) of an even number of bytes."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _ip(place: Fragment, length: int, protocol: int, source: int, target: int) -> bytes:
    """An IP header without options (RFC 791, section 3.1)."""
    fragment = place.offset // 8 | (_MORE if place.more else 0)
    head = struct.pack("!BBHHHBB", 0x45, 0, length, place.number & 0xFFFF, fragment, _TIME_TO_LIVE, protocol)
    ends = struct.pack("!II", source, target)
    return head + struct.pack("!H", checksum(head + b"\0\0" + ends)) + ends


def _tcp(packet: SeenPacket, pseudo: bytes) -> bytes:
    """A TCP header with its options (RFC 9293, section 3.1); sequence numbers begin at 0 at both ends."""
    segment, point = TcpSegment.of(packet), packet.point
    own = segment.fields
    options = b"".join(option.data for option in segment.options)
    size = TCP_HEADER + len(options)
    flags = _FIN * own.fin | _SYN * own.syn | _RESET * own.reset
    flags |= _PUSH * own.push | _ACK * (own.ack > 0)
    seq, ack = own.seq % 2**32, own.ack % 2**32
    head = struct.pack("!HHIIBBH", point.source_port, point.target_port, seq, ack, size // 4 << 4, flags, own.window)
    length = struct.pack("!H", size + own.length)
    value = checksum(pseudo + length + head + options)
    return head + struct.pack("!HH", value, 0) + options


def _udp(packet: SeenPacket, length: int, pseudo: bytes) -> bytes:
    """A UDP header (RFC 768) of a datagram of `length` bytes with it."""
    head = struct.pack("!HHH", packet.point.source_port, packet.point.target_port, length)
    # A sum of zero is sent as all ones, since zero says that there is none.
    return head + struct.pack("!H", checksum(pseudo + head[4:] + head) or 0xFFFF)


def _icmp(packet: SeenPacket) -> bytes:
    """The header of an echo message (RFC 792): type 8 asks, 0 replies."""
    kind = 0 if packet.point.agreed.get("reply") else 8
    head, rest = (
        struct.pack("!BB", kind, 0),
        struct.pack("!HH", packet.point.source_port, packet.number & 0xFFFF),
    )
    message = head + struct.pack("!H", checksum(head + rest)) + rest
    assert len(message) == ICMP_HEADER
    return message
