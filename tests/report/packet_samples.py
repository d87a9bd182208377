"""Packets as a trace holds them, made by hand."""

from __future__ import annotations

from simio.components.network.capture import Point
from simio.result.packets import SeenPacket

SYN, FIN, PUSH = 1, 2, 4


def tcp(
    seq: int = 0, flags: int = 0, length: int = 0, ack: int = 0, window: int = 512,
    stamps: tuple[int, int] | None = None, blocks: tuple[tuple[int, int], ...] = (), time: int = 0,
    number: int = 1, **agreed: int,
) -> SeenPacket:  # fmt: skip
    """A segment from left's port 1025 to right's port 5001; blocks are (start, end)."""
    agreed = {"mss": 1460, **({"timestamps": 1, "shift": 3} if stamps else {}), **agreed}
    relative = [(start - ack) << 31 | end - start for start, end in blocks]
    words = (
        seq << 19 | flags << 16 | length,
        ack << 16 | window,
        stamps[0] << 31 | stamps[1] if stamps else 0,
        *relative,
        *[0] * (2 - len(blocks)),
    )
    size = 40 + length + (12 if stamps else 0) + (4 + 8 * len(blocks) if blocks else 0)
    return SeenPacket(time, Point("left.eth", "tcp", "left", 1025, "right", 5001, agreed), number, size, words)


_POINT = ("left", 1023, "right", 2049)


def udp(length: int) -> SeenPacket:
    """A datagram of `length` bytes with the IP header, from left's port 1023 to right's 2049."""
    return SeenPacket(0, Point("left.eth", "udp", *_POINT, {}), 1, length, (0,) * 5)


def fragments(*sizes: int) -> list[SeenPacket]:
    """Fragments of datagram 9 of these sizes, without the IP header; the first has the header of UDP."""
    point = Point("left.eth", "udp", *_POINT, {"number": 1, "fragment": 2})
    return [
        SeenPacket(0, point, index + 1, 20 + size, (9, index | len(sizes) << 8 | sum(sizes) << 16, 0, 0, 0))
        for index, size in enumerate(sizes)
    ]


def icmp(reply: int = 0, number: int = 1, time: int = 0) -> SeenPacket:
    """An echo of 56 bytes."""
    return SeenPacket(time, Point("left.eth", "icmp", "left", 7, "right", 7, {"reply": reply}), number, 84, (0,) * 5)
