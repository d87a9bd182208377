"""The reference engine's threads, and the resources and containers that they wait for, on plain SimPy events.

`simpy.Resource` and its kind schedule zero-delay events of their own, which changes which of two same-time events
is first; here a thread that has to wait gets one event, and whoever wakes it triggers that event.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import simpy

from simio.engines.outcome import Status, Wait


class Abort(Exception):
    """Ends a run because of what a thread did; carries the status."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.name)
        self.status = status


@dataclass(eq=False)
class Thread:
    """One running thread; `wait` and `what` say what it waits for."""

    serial: int
    name: int
    pc: int
    registers: list[int]
    daemon: bool
    instance: int = 0
    parent: Thread | None = None
    children: int = 0
    alive: bool = True
    wait: Wait = Wait.READY
    what: int = 0
    amount: int = 0
    priority: int = 0
    woken: simpy.Event | None = None


class Area:
    """Integral of a level over time."""

    def __init__(self, env: Any, level: int) -> None:
        # Any: SimPy types the time as a float, and here it is an int.
        self.env, self.level, self.total, self.since = env, level, 0, 0

    def change(self, delta: int) -> None:
        now = self.env.now
        self.total += self.level * (now - self.since)
        self.since = now
        self.level += delta

    def upto(self, time: int) -> int:
        return self.total + self.level * (time - self.since)


class Server:
    """A resource: units in use, and a line in order of (priority, arrival)."""

    def __init__(self, env: Any, units: int) -> None:
        self.units = units
        self.in_use, self.line = Area(env, 0), Area(env, 0)
        self.waiting: list[Thread] = []
        self.seizes = self.waits = self.longest = 0

    def seize(self, thread: Thread, units: int, priority: int) -> bool:
        """Take the units if they are free and no thread as urgent waits, else join the line; False if it waits."""
        self.seizes += 1
        first = self.waiting[0] if self.waiting else None
        if self.in_use.level + units <= self.units and (first is None or first.priority > priority):
            self.in_use.change(units)
            return True
        thread.amount, thread.priority = units, priority
        behind = bisect_right(self.waiting, priority, key=attrgetter("priority"))
        self.waiting.insert(behind, thread)
        self.line.change(1)
        self.waits += 1
        self.longest = max(self.longest, len(self.waiting))
        return False

    def release(self, units: int) -> None:
        """Give units back and grant from the head of the line while the head fits.

        Raises Abort for more units than are held.
        """
        if units > self.in_use.level:
            raise Abort(Status.RELEASED)
        self.in_use.change(-units)
        while self.waiting and self.in_use.level + self.waiting[0].amount <= self.units:
            thread = self.waiting.pop(0)
            self.line.change(-1)
            self.in_use.change(thread.amount)
            wake(thread)


class Store:
    """A container: a level, and one line of waiting puts and one of waiting gets."""

    def __init__(self, env: Any, capacity: int, level: int) -> None:
        self.capacity = capacity
        self.content = Area(env, level)
        self.lowest = self.highest = level
        self.put_total = self.got_total = self.blocked = 0
        self.puts: deque[Thread] = deque()
        self.gets: deque[Thread] = deque()

    def exchange(self, thread: Thread, amount: int, putting: bool) -> bool:
        """Put or get at once if it fits and no thread waits for the same, else join the line; False if it waits.

        Raises Abort for an amount below zero, or above what the container ever holds.
        """
        if amount < 0:
            raise Abort(Status.NEGATIVE)
        if amount > self.capacity:
            raise Abort(Status.OVERFULL)
        line = self.puts if putting else self.gets
        if not line and self._fits(amount, putting):
            self._move(amount, putting)
            self._serve()
            return True
        thread.amount = amount
        line.append(thread)
        self.blocked += 1
        return False

    def _fits(self, amount: int, putting: bool) -> bool:
        level = self.content.level
        return level + amount <= self.capacity if putting else level >= amount

    def _move(self, amount: int, putting: bool) -> None:
        if putting:
            self.content.change(amount)
            self.put_total += amount
            self.highest = max(self.highest, self.content.level)
        else:
            self.content.change(-amount)
            self.got_total += amount
            self.lowest = min(self.lowest, self.content.level)

    def _serve(self) -> None:
        progress = True
        while progress:
            progress = False
            for line, putting in ((self.gets, False), (self.puts, True)):
                while line and self._fits(line[0].amount, putting):
                    thread = line.popleft()
                    self._move(thread.amount, putting)
                    wake(thread)
                    progress = True


def wake(thread: Thread) -> None:
    """Schedule a waiting thread for now, behind everything that is already due now."""
    thread.wait = Wait.READY
    assert thread.woken is not None
    thread.woken.succeed()
