"""A disk's state and a clock: commands one after another, each call made at the instant that the drive would."""

from __future__ import annotations

import numpy as np

from simio.machines import disk
from simio.machines.disk import arm, queue, reading
from simio.machines.door import Called, call

MS = 10**9
US = 10**6

# A made-up drive with numbers that divide: 6 ms a revolution, 4 heads, three zones.
REVOLUTION = 6 * MS
HEADS = 4
ZONES = [(1000, 600), (1000, 500), (1000, 400)]
CYLINDERS = 3000
TRACK_SKEW = 900 * US
CYLINDER_SKEW = 1200 * US
HEAD_SWITCH = 300 * US
SINGLE, AVERAGE, FULL = 500 * US, 4 * MS, 8 * MS
SEGMENT = 800
SECTORS = HEADS * sum(cylinders * sectors for cylinders, sectors in ZONES)
CYLINDER = HEADS * 600
"""Sectors of a cylinder of the outer zone."""


class Drive:
    """One read at a time; a wait for more than the command has left is the next command, for what follows."""

    def __init__(self, segment: int = SEGMENT, **options) -> None:
        sheet = disk.initial(
            ZONES, (SINGLE, AVERAGE, FULL), revolution=REVOLUTION, heads=HEADS, track_skew=TRACK_SKEW,
            cylinder_skew=CYLINDER_SKEW, head_switch=HEAD_SWITCH, segment=segment, **options,
        )  # fmt: skip
        # Something stands before the disk's state, as it does in a program with several machines.
        self.state = np.array([99] * 7 + sheet, dtype=np.int64)
        self.now = 0
        self.tag = -1
        self.at = self.left = 0
        self.free_at: int | None = None
        self.freed = -1

    def ask(self, function: Called, a: int = 0, b: int = 0) -> int:
        return int(call(function, self.state, 7, self.now, a, b))

    def begin(self, sector: int, count: int = 1) -> None:
        """A read command; the one before is ended."""
        self.end()
        self.tag = self.ask(queue.enqueue, sector, 2 * count)
        assert self.tag >= 0
        self.at, self.left = sector, count
        state = self.ask(reading.begin, self.tag)
        assert state in (1, 2)
        self.free_at = None
        if state == 2:
            media = self.ask(arm.media_time, self.tag)
            assert media >= 0
            self.free_at = self.now + media if media else None

    def end(self) -> None:
        if self.free_at is not None and self.free_at <= self.now:
            assert self.ask(arm.free, self.tag) >= 0
            self.free_at = None
        if self.tag >= 0:
            assert self.free_at is None, "the command leaves before the media has read it"
            assert self.ask(reading.end, self.tag) >= 0
            self.tag = -1

    def wait(self, count: int) -> int:
        """Wait for `count` sectors and take them; the instant at which they were there."""
        if self.tag < 0:
            self.begin(self.at, count)
        delay = self.ask(reading.next_unit, self.tag, count)
        assert delay >= 0
        self.now += delay
        self.at += count
        self.left -= count
        if not self.left:
            self.end()
        return self.now

    def delay(self, count: int) -> int:
        """Duration that `wait` would take; nothing changes."""
        kept = self.state.copy(), self.now, self.tag, self.at, self.left, self.free_at
        began = self.now
        end = self.wait(count)
        self.state, self.now, self.tag, self.at, self.left, self.free_at = kept
        return end - began

    def read(self, sector: int, count: int = 1) -> int:
        self.begin(sector, count)
        return self.wait(count)


def stream(drive: Drive, sectors: int, unit: int = 1) -> list[int]:
    """Instants at which the next `sectors` sectors have been read, `unit` at a time."""
    return [drive.wait(unit) for _ in range(sectors // unit)]
