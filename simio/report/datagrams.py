"""UDP datagrams with their fragments, and ICMP echo, of a packet trace."""

from __future__ import annotations

from dataclasses import dataclass

from simio.components.network.stack import IP_HEADER
from simio.result.packets import SeenPacket

UDP_HEADER = 8
"""Bytes of a UDP header (RFC 768)."""


@dataclass(frozen=True)
class Fragment:
    """A fragment of a datagram, or all of it: bytes behind the IP header (RFC 791, section 3.1).

    `data` bytes from `offset` on, of `total`; `number` is the identification.
    """

    number: int
    offset: int
    data: int
    total: int

    @property
    def more(self) -> bool:
        """Whether fragments come after it."""
        return self.offset + self.data < self.total

    @property
    def text(self) -> str:
        """Its place as older tcpdump writes it: number, bytes, offset, and + if more come; nothing for a whole."""
        if self.data == self.total:
            return ""
        return f" (frag {self.number}:{self.data}@{self.offset}{'+' if self.more else ''})"

    @classmethod
    def of(cls, packet: SeenPacket) -> Fragment:
        """What the words of a packet say, see `simio.components.network.capture.Point`."""
        agreed = packet.point.agreed
        data = packet.length - IP_HEADER
        number = packet.words[agreed["number"] - 1] if "number" in agreed else packet.number
        if "fragment" not in agreed:
            return cls(number, 0, data, data)
        word = packet.words[agreed["fragment"] - 1]
        index, count, total = word & 0xFF, word >> 8 & 0xFF, word >> 16
        # All fragments but the last are alike.
        offset = total - data if index == count - 1 else index * data
        return cls(number, offset, data, total)


def echo(packet: SeenPacket) -> str:
    """An echo message; its length has the ICMP header, but not that of IP. The nth one at a point has number n."""
    kind = "reply" if packet.point.agreed.get("reply") else "request"
    length = packet.length - IP_HEADER
    return f"echo {kind}, id {packet.point.source_port}, seq {packet.number}, length {length}"
