"""TCP segments of a packet trace: their fields, and their options as tcpdump names them and as the wire has them."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from simio.machines.tcp.layout import FIN, PUSH, RESET, SYN
from simio.result.packets import SeenPacket

_LOW = 2**31 - 1


@dataclass(frozen=True)
class Option:
    """An option's text, and its bytes."""

    text: str
    data: bytes


NOP = Option("nop", b"\x01")


@dataclass(frozen=True)
class Segment:
    """A TCP segment. Sequence numbers count from each end's SYN, which is 0; sizes in bytes, `window` as on the wire.

    `ack` is 0 where there is no acknowledgement; `blocks` are the ranges that a SACK option reports, end excluded.
    """

    seq: int
    length: int
    syn: bool
    fin: bool
    push: bool
    ack: int
    window: int
    stamps: tuple[int, int] | None
    blocks: tuple[tuple[int, int], ...]
    mss: int | None
    shift: int | None
    permits: bool
    reset: bool

    @classmethod
    def of(cls, packet: SeenPacket) -> Segment:
        """The segment that the words of a packet hold, as `simio.machines.tcp` puts them."""
        first, second, stamps, *blocks = packet.words
        agreed = packet.point.agreed
        flags, ack = first >> 16 & 7, second >> 16
        reset = flags == RESET
        syn = bool(flags & SYN) and not reset
        starts = [(ack + (block >> 31), block & _LOW) for block in blocks if block]
        return cls(
            seq=first >> 19,
            length=first & 0xFFFF,
            syn=syn,
            fin=bool(flags & FIN) and not reset,
            push=bool(flags & PUSH),
            ack=ack,
            window=second & 0xFFFF,
            stamps=(stamps >> 31, stamps & _LOW) if agreed.get("timestamps") and not reset else None,
            blocks=tuple((start, start + length) for start, length in starts),
            mss=agreed["mss"] if syn else None,
            shift=agreed.get("shift") if syn else None,
            permits=syn and bool(agreed.get("sack")),
            reset=reset,
        )

    @property
    def flags(self) -> str:
        """Flags as tcpdump writes them."""
        return "".join(
            letter
            for letter, there in (
                ("S", self.syn),
                ("F", self.fin),
                ("R", self.reset),
                ("P", self.push),
                (".", self.ack > 0),
            )
            if there
        )

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
            found += [
                NOP,
                NOP,
                Option(f"TS val {value} ecr {echo}", struct.pack("!BBII", 8, 10, value, echo)),
            ]
        if self.blocks:
            text = "".join(f"{{{start}:{end}}}" for start, end in self.blocks)
            edges = [edge % 2**32 for block in self.blocks for edge in block]
            data = struct.pack(f"!BB{len(edges)}I", 5, 2 + 4 * len(edges), *edges)
            found += [NOP, NOP, Option(f"sack {len(self.blocks)} {text}", data)]
        return found
