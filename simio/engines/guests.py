"""The interface of a process written in Python to a run of the reference engine.

    def monitor(io):
        while True:
            yield io.advance(1_000_000)
            io.mark("queue", io.level("challenge.hippi stored"))

Such a generator yields the events that these methods return; amounts and times are whole numbers. It is started
by a plug-in's lowering with `builder.guest(name, function)`.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Protocol

import simpy

from simio.engines.outcome import Wait

if TYPE_CHECKING:
    from simio.engines.queues import Server, Store, Thread
    from simio.program.steps import Program


class GuestRun(Protocol):
    """The part of a run of the reference engine that a guest uses."""

    env: Any
    program: Program
    servers: list[Server]
    stores: list[Store]
    threads: dict[int, Thread]

    def record(self, mark: int, value: int) -> None: ...

    def ended(self, thread: Thread) -> None: ...


class GuestIO:
    """Access of one Python process to the run: time, resources, containers, marks, all by name."""

    def __init__(self, run: GuestRun, thread: Thread) -> None:
        self._run = run
        self._thread = thread
        program = run.program
        self._resources = {r.name: row for row, r in enumerate(program.resources)}
        self._containers = {k.name: row for row, k in enumerate(program.containers)}
        self._marks = {m.name: row for row, m in enumerate(program.marks)}

    @property
    def env(self) -> simpy.Environment:
        """The SimPy environment, for processes and events of one's own."""
        return self._run.env

    @property
    def now(self) -> int:
        """The time in ps."""
        return int(self._run.env.now)

    def advance(self, time: int) -> simpy.Event:
        """Wait for `time` ps."""
        return self._run.env.timeout(int(time))

    def seize(self, resource: str, units: int = 1, priority: int = 0) -> simpy.Event:
        """Wait for units of a resource."""
        row = self._resources[resource]
        return self._event(self._run.servers[row].seize(self._thread, units, priority), Wait.RESOURCE, row)

    def release(self, resource: str, units: int = 1) -> None:
        """Give units back."""
        self._run.servers[self._resources[resource]].release(units)

    def put(self, container: str, amount: int) -> simpy.Event:
        """Wait until the amount fits."""
        row = self._containers[container]
        return self._event(self._run.stores[row].exchange(self._thread, amount, putting=True), Wait.PUT, row)

    def get(self, container: str, amount: int) -> simpy.Event:
        """Wait until the amount is there."""
        row = self._containers[container]
        return self._event(self._run.stores[row].exchange(self._thread, amount, putting=False), Wait.GET, row)

    def level(self, container: str) -> int:
        """Present level of a container."""
        return self._run.stores[self._containers[container]].content.level

    def mark(self, mark: str, value: int) -> None:
        """Record a value now."""
        self._run.record(self._marks[mark], int(value))

    def _event(self, granted: bool, wait: Wait, what: int) -> simpy.Event:
        if granted:
            return self._run.env.timeout(0)
        self._thread.wait, self._thread.what = wait, what
        self._thread.woken = self._run.env.event()
        return self._thread.woken


def life(run: GuestRun, thread: Thread, function: Any) -> Generator[simpy.Event, Any, None]:
    """The process of a guest, from the start of the run to its end."""
    yield from function(GuestIO(run, thread))
    thread.alive = False
    del run.threads[thread.serial]
    run.ended(thread)
