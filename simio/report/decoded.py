"""Packets of a trace: TCP segments with their options, UDP datagrams in fragments, and ICMP echo."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from simio.components.network.stack import IP_HEADER
from simio.machines.tcp.segment import Fields, fields
from simio.result.packets import SeenPacket

UDP_HEADER = 8
"""Bytes of a UDP header (RFC 768)."""


@dataclass(frozen=True)
class Option:
    """An option's text, and its bytes."""

    text: str
    data: bytes


NOP = Option("nop", b"\x01")


@dataclass(frozen=True)
class TcpSegment:
    """A TCP segment of a trace: its fields, and the options that only a SYN or an agreement of both ends brings.

    `stamps` is None without timestamps; `mss` and `shift` are those of a SYN.
    """

    fields: Fields
    stamps: tuple[int, int] | None
    mss: int | None
    shift: int | None
    permits: bool

    @classmethod
    def of(cls, packet: SeenPacket) -> TcpSegment:
        """The segment of a packet."""
        found, agreed = fields(packet.words), packet.point.agreed
        return cls(
            fields=found,
            stamps=found.stamps if agreed.get("timestamps") and not found.reset else None,
            mss=agreed["mss"] if found.syn else None,
            shift=agreed.get("shift") if found.syn else None,
            permits=found.syn and bool(agreed.get("sack")),
        )

    @property
    def flags(self) -> str:
        """Flags as tcpdump writes them."""
        own = self.fields
        letters = (("S", own.syn), ("F", own.fin), ("R", own.reset), ("P", own.push), (".", own.ack > 0))
        return "".join(letter for letter, there in letters if there)

    @property
    def options(self) -> list[Option]:
        """Options in the order of 4.4BSD, each padded in front to whole words of 4 bytes.

        MSS: RFC 9293, section 3.7.1; window scale: RFC 7323, section 2.2; timestamps: section 3.2 and appendix A;
        SACK permitted and SACK: RFC 2018, sections 2 and 3.
        """
        found: list[Option] = []
        if self.mss is not None:
            found.append(Option(f"mss {self.mss}", struct.pack("!BBH", 2, 4, self.mss)))
        if self.shift is not None:
            found += [NOP, Option(f"wscale {self.shift}", struct.pack("!BBB", 3, 3, self.shift))]
        if self.permits:
            found += [NOP, NOP, Option("sackOK", struct.pack("!BB", 4, 2))]
        if self.stamps is not None:
            value, echo = self.stamps
            found += [NOP, NOP, Option(f"TS val {value} ecr {echo}", struct.pack("!BBII", 8, 10, value, echo))]
        if blocks := self.fields.blocks:
            text = "".join(f"{{{start}:{end}}}" for start, end in blocks)
            edges = [edge % 2**32 for block in blocks for edge in block]
            data = struct.pack(f"!BB{len(edges)}I", 5, 2 + 4 * len(edges), *edges)
            found += [NOP, NOP, Option(f"sack {len(blocks)} {text}", data)]
        return found


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
        """True if fragments come after it."""
        return self.offset + self.data < self.total

    @property
    def text(self) -> str:
        """Its position as older tcpdump writes it: number, bytes, offset, and + if more come; empty for a whole."""
        if self.data == self.total:
            return ""
        return f" (frag {self.number}:{self.data}@{self.offset}{'+' if self.more else ''})"

    @classmethod
    def of(cls, packet: SeenPacket) -> Fragment:
        """The fragment in the words of a packet, see `simio.components.network.capture.Point`."""
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
