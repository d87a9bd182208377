"""The fields of a segment, from the words that endpoints exchange (see `simio.machines.tcp`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simio.machines.tcp.layout import FIN, PUSH, RESET, SYN

_LOW = 2**31 - 1


@dataclass(frozen=True)
class Fields:
    """A segment's fields; sequence numbers count from each end's SYN, which is 0, sizes in bytes.

    `ack` is 0 if there is no acknowledgement. `stamps` are a timestamp and its echo, of a segment that has them;
    `blocks` are the ranges that a SACK option reports, end excluded.
    """

    seq: int
    length: int
    syn: bool
    fin: bool
    push: bool
    reset: bool
    ack: int
    window: int
    stamps: tuple[int, int]
    blocks: tuple[tuple[int, int], ...]


def fields(words: Sequence[int]) -> Fields:
    """The fields in the words of a segment: two words and timestamps, then SACK blocks if any."""
    first, second, stamps, *blocks = words
    flags, ack = first >> 16 & 7, second >> 16
    reset = flags == RESET
    # Bit 62: a range below the acknowledgement, which has arrived twice (RFC 2883).
    starts = [
        (ack - (block >> 31 & _LOW) if block >> 62 else ack + (block >> 31), block & _LOW)
        for block in blocks
        if block
    ]
    return Fields(
        seq=first >> 19,
        length=first & 0xFFFF,
        syn=bool(flags & SYN) and not reset,
        fin=bool(flags & FIN) and not reset,
        push=bool(flags & PUSH),
        reset=reset,
        ack=ack,
        window=second & 0xFFFF,
        stamps=(stamps >> 31, stamps & _LOW),
        blocks=tuple((start, start + length) for start, length in starts),
    )
