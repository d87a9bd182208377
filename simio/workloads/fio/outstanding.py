"""The requests of one process that are outstanding: issued, submitted, complete, and looked at."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import NamedTuple

from simio.formats.fio.job import Job
from simio.machines import fio as machine
from simio.program.builder import Builder, Handle, Register, minimum, since
from simio.workloads.common.streams import Access
from simio.workloads.fio.calls import Calls

FSYNC = 2**62
"""Mark of an fsync() in the ring, in place of an instant."""


class RequestTimes(NamedTuple):
    """Observations of fio's times of requests: all of it, the submission, and what follows that."""

    lat: Handle
    slat: Handle | None = None
    clat: Handle | None = None


class Outstanding:
    """Up to `depth` requests at a time, as fio keeps them (backend.c, do_io and wait_for_completions).

    A process issues requests until there is no room, and then looks at as many completions as its job says. Until it
    looks, a request that is complete counts as outstanding, and its latency grows: so fio measures it.
    """

    def __init__(
        self, p: Builder, name: str, calls: Calls, job: Job, depth: int, times: dict[int, RequestTimes]
    ) -> None:
        """`times` are the observations of each direction."""
        self.p, self.name, self.calls, self.job, self.depth, self.times = p, name, calls, job, depth, times
        self.submitted = None
        self.syncs: Handle | None = None
        """Times of fsync(), if the job calls it."""
        if depth > 1:
            self.ring = p.machine(f"{name}: completions", machine.ring(depth))
            self.complete = p.container(f"{name}: complete", unit="requests")
            self.submitted = p.container(f"{name}: submitted", unit="requests") if job.submit != 1 else None

    def open(self) -> None:
        """Once, inside the thread."""
        if self.depth > 1:
            self.flying = self.p.register(0)
        if self.submitted:
            self.waiting = self.p.register(0)

    def issue(self, access: Access, at: Register, direction: int, size: int, aligned: int) -> None:
        """One request, waited for or in a thread of its own; then room for the next one is made."""
        p, job = self.p, self.job
        if self.depth == 1:
            with p.timed(self.times[direction].lat), p.scope():
                submitted = self._enter(direction)
                access.request(at, size, aligned, False)
                self.calls.leave()
                if clat := self.times[direction].clat:
                    p.mark(clat, since(submitted))
            return
        with p.scope():
            begun = p.now()
            submitted = self._enter(direction)
            with p.fork(f"{self.name}: request"):
                if self.submitted:
                    p.get(self.submitted, 1)
                access.request(at, size, aligned, False)
                p.call(begun, machine.completed, self.ring, begun * 2 + direction, submitted)
                p.put(self.complete, 1)
        self.flying.set(self.flying + 1)
        if self.submitted:
            self.waiting.set(self.waiting + 1)
            with p.when(self.waiting >= (job.submit or job.iodepth)):
                self._submit()
        self._make_room()

    def sync(self, emit: Callable[[], None]) -> None:
        """fsync(), waited for or as a request among the others."""
        p = self.p
        if self.depth == 1:
            self.sync_now(emit)
            return
        with p.fork(f"{self.name}: fsync"):
            self.sync_now(emit)
            with p.scope():
                p.answer(machine.completed, self.ring, p.register(FSYNC), 0)
            p.put(self.complete, 1)
        self.flying.set(self.flying + 1)
        self._make_room()

    def sync_now(self, emit: Callable[[], None]) -> None:
        """fsync() that is waited for."""
        assert self.syncs is not None
        with self.p.timed(self.syncs):
            emit()

    def _enter(self, direction: int) -> Register:
        """The submission of a request; a register with its end."""
        p = self.p
        begun = p.now()
        self.calls.enter()
        if slat := self.times[direction].slat:
            p.mark(slat, since(begun))
        begun.set(since(0))
        return begun

    def _make_room(self) -> None:
        p, job = self.p, self.job
        if not job.reap:
            with p.scope(), p.loop(p.answer(machine.ready, self.ring)):
                self._take()
        with p.when(self.flying >= self.depth):
            self._submit()
            with p.scope(), p.loop(p.register(minimum(self.flying, job.reap or 1)) if job.reap > 1 else 1):
                self._take()
            if job.low is not None:
                with p.while_(self.flying > job.low):
                    self._take()

    def _submit(self) -> None:
        """Hand over the requests that wait for being enough."""
        if self.submitted:
            self.p.put(self.submitted, self.waiting)
            self.waiting.set(0)

    def _take(self) -> None:
        """Look at the oldest completion, waiting for one."""
        p = self.p
        p.get(self.complete, 1)
        self.calls.leave()
        with p.scope():
            begun = p.answer(machine.oldest, self.ring)
            submitted = p.answer(machine.reaped, self.ring)
            for direction, times in self.times.items():
                with ExitStack() as only:
                    if len(self.times) > 1:
                        only.enter_context(p.when(begun % 2 == direction))
                    if self.syncs:
                        only.enter_context(p.when(begun != FSYNC))
                    only.enter_context(p.scope())
                    p.mark(times.lat, since(begun // 2))
                    if times.clat:
                        p.mark(times.clat, since(submitted))
        self.flying.set(self.flying - 1)

    def quiesce(self) -> None:
        """Wait for all that is outstanding."""
        if self.depth > 1:
            self._submit()
            with self.p.while_(self.flying > 0):
                self._take()
