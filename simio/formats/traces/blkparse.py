"""The text that blkparse prints of a Linux block trace, in its default form.

blkparse(1): device as major,minor; CPU; sequence number; seconds; process; action; RWBS; first sector + sectors;
process name. Sectors have 512 B. Action Q is a request that the block layer gets, D one that the driver gets (merged
and sorted by then), C its completion. A completion of the same sectors gives the response.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from simio.errors import quote
from simio.formats.traces.trace import (
    HIGHEST,
    LARGEST,
    LATEST,
    LEAVE_OUT,
    Batch,
    Clock,
    LineBlock,
    Mistake,
    Mistakes,
    integers,
    register_format,
)

SECTOR = 512
OUTSTANDING = 2**16
"""Requests whose completions are waited for before they are handed on."""
COMPLETES = "C"
_EVENT = re.compile(r"\d+,\d+$")
_DIGITS = 9
"""Digits of a nanosecond."""


@dataclass(frozen=True)
class Blkparse:
    """The requests of one action."""

    action: str
    about: str
    clock: Clock = "zero"
    arrivals: bool = True
    pauses: bool = False

    def batches(self, blocks: Iterable[LineBlock], file: str, ignore: Collection[str]) -> Iterator[Batch]:
        """See `TraceFormat.batches`."""
        events = _Events(self.action, ignore)
        mistakes = Mistakes(file)
        for block in blocks:
            for number, line in enumerate(block.data.split(b"\n"), block.first):
                try:
                    events.line(line.decode("utf-8", "replace").split(), number)
                except Mistake as mistake:
                    mistakes.add(number, mistake)
            if batch := events.batch(OUTSTANDING):
                yield batch
        mistakes.refuse()
        if batch := events.batch(0):
            yield batch


@dataclass
class _Events:
    """Requests in order, from the first on whose completion has not been seen."""

    action: str
    ignore: Collection[str]
    devices: list[str] = field(default_factory=list)
    rows: list[list[int]] = field(default_factory=list)
    """Line, first byte, bytes, 1 for a write, device, arrival, response."""
    pending: dict[tuple[str, int, int], list[int]] = field(default_factory=dict)
    """The request that a completion of a device's bytes is of."""

    def line(self, given: list[str], number: int) -> None:
        """Take note of an event; other lines, and other events, are passed over.

        Raises Mistake for an event that is not a read or write of sectors.
        """
        if len(given) < 7 or not _EVENT.match(given[0]) or given[5] not in (self.action, COMPLETES):
            return
        # A flush without data has the name of its process in place of the sectors.
        bare = "F" in given[6] and given[7:8] and given[7].startswith("[")
        device, time, action, kind = given[0], _time(given[3]), given[5], "flush" if bare else _kind(given[6])
        if kind in self.ignore:
            return
        if kind not in ("read", "write"):
            if action == COMPLETES:
                return
            raise Mistake(f"a {kind} ({given[6]})", "reads and writes", LEAVE_OUT.format(word=kind))
        if len(given) < 10 or given[8] != "+" or not (given[7].isdecimal() and given[9].isdecimal()):
            if action == COMPLETES:
                return
            raise Mistake(quote(" ".join(given[7:10])), "sector + sectors")
        place, size = int(given[7]) * SECTOR, int(given[9]) * SECTOR
        if place > HIGHEST or not 0 < size <= LARGEST:
            raise Mistake(quote(" ".join(given[7:10])), "sector + sectors, of 1 GiB at most")
        if action == COMPLETES:
            if row := self.pending.pop((device, place, size), None):
                row[6] = max(time - row[5], 0)
            return
        if device not in self.devices:
            self.devices.append(device)
        row = [number, place, size, kind == "write", self.devices.index(device), time, -1]
        self.rows.append(row)
        self.pending[device, place, size] = row

    def batch(self, outstanding: int) -> Batch | None:
        """The first requests, up to the first without completion that is among the last `outstanding`."""
        ready = max(len(self.rows) - outstanding, 0)
        while ready < len(self.rows) and self.rows[ready][6] >= 0:
            ready += 1
        rows, self.rows = self.rows[:ready], self.rows[ready:]
        for row in rows:
            if row[6] < 0:
                key = self.devices[row[4]], row[1], row[2]
                if self.pending.get(key) is row:
                    del self.pending[key]
        if not rows:
            return None
        lines, place, size, writes, device, arrival, response = (integers(each) for each in zip(*rows, strict=True))
        return Batch(
            lines, place, size, writes.astype(np.bool_), device, self.devices, arrival, None, response
        )  # fmt: skip


def _kind(rwbs: str) -> str:
    """The kind of request of blkparse's RWBS field."""
    if "D" in rwbs:
        return "discard"
    if "W" in rwbs:
        return "write"
    return "read" if "R" in rwbs else "flush"


def _time(word: str) -> int:
    seconds, _, rest = word.partition(".")
    if not (seconds + rest).isdecimal() or len(rest) > _DIGITS:
        raise Mistake(quote(word), "a time in seconds in column 4")
    time = int(seconds + rest.ljust(_DIGITS, "0")) * 1000
    if time >= LATEST:
        raise Mistake(quote(word), "a time of at most 53 days in column 4")
    return time


register_format("blkparse", Blkparse("Q", "blkparse, default text: requests as the block layer gets them (action Q)"))
register_format(
    "blkparse-issued", Blkparse("D", "blkparse, default text: requests as the driver gets them (action D)")
)
