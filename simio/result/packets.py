"""The packets of a run that was traced, as they were seen, and those that were lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simio.components.network.capture import FIELDS, ROLE, ROOM, Point
from simio.engines.outcome import Aborted, Outcome
from simio.machines.network.queue import REFUSED
from simio.program.steps import Program

_ENDS = {" dropped": "dropped", " lost": "lost", " not reassembled": "did not reassemble"}
"""Endings of the names of marks of lost packets, and the words for their loss."""


@dataclass(frozen=True, slots=True)
class SeenPacket:
    """A packet of `length` bytes, IP header included, that was seen at a point at `time` ps, as the `number`th there.

    `words` are those of its transport; `sent` is false where it has arrived.
    """

    time: int
    point: Point
    number: int
    length: int
    words: tuple[int, ...]

    @property
    def sent(self) -> bool:
        """True if its own source saw it."""
        return self.point.host == self.point.source


@dataclass(frozen=True, slots=True)
class LostPacket:
    """A packet of `length` bytes that `by` dropped, lost or did not reassemble (`how`), at `time` ps.

    Where a socket drops a datagram, the length is of its data.
    """

    time: int
    by: str
    how: str
    length: int


@dataclass(frozen=True, eq=False)
class Packets:
    """A trace of packets in the order of time; iterating gives `SeenPacket` and `LostPacket`.

    `missing` is how many were seen after the trace was full, the first of them at or after `last` ps.
    """

    program: Program
    outcome: Outcome

    @property
    def missing(self) -> int:
        """Packets that were not kept, because the trace was full."""
        offsets = [offset for name, offset in self.program.machines if name == ROOM]
        return int(self.outcome.state[offsets[0] + REFUSED]) if offsets else 0

    @property
    def count(self) -> int:
        """Packets that were kept."""
        return len(self._rows(self._points())) // FIELDS

    def _points(self) -> dict[int, Point]:
        return {
            row: Point.of(mark.name, mark.unit) for row, mark in enumerate(self.program.marks) if mark.role == ROLE
        }

    def _losses(self) -> dict[int, tuple[str, str]]:
        """Name and kind of the marks of lost packets."""
        found = {}
        for row, mark in enumerate(self.program.marks):
            for end, how in _ENDS.items():
                if mark.role == "other" and mark.unit == "bytes" and mark.name.endswith(end):
                    found[row] = (mark.name.removesuffix(end), how)
        return found

    def _rows(self, marks: dict[int, Point] | dict[int, tuple[str, str]]) -> np.ndarray:
        """Places in the record of what these marks recorded."""
        return np.flatnonzero(np.isin(self.outcome.marks[:, 1], list(marks)))

    def __iter__(self) -> Iterator[SeenPacket | LostPacket]:
        points, losses = self._points(), self._losses()
        heads, lost = self._rows(points), self._rows(losses)
        # A run that ends with a fault may end within a packet.
        heads = heads[::FIELDS][: len(heads) // FIELDS]
        counts = dict.fromkeys(points, 0)
        record = self.outcome.marks
        # When the trace is full, losses continue; reporting them alone would look as if nothing else happened.
        if self.missing:
            lost = lost[lost < heads[-1]]
        for at in np.sort(np.concatenate([heads, lost])).tolist():
            time, mark, value = record[at].tolist()
            if mark in points:
                counts[mark] += 1
                words = tuple(record[at + 1 : at + FIELDS, 2].tolist())
                yield SeenPacket(time, points[mark], counts[mark], value, words)
            else:
                yield LostPacket(time, *losses[mark], value)


class AbortedTrace(Aborted):
    """A run that was aborted while its packets were traced; `packets` are those until then."""

    def __init__(self, message: str, outcome: Outcome, packets: Packets) -> None:
        super().__init__(message, outcome)
        self.packets = packets
