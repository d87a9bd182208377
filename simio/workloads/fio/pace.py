"""Pace of the requests of one process: delays, rates, and pauses between requests."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from simio.formats.fio import NAMES
from simio.formats.fio.job import READ, WRITE, Job
from simio.program.builder import Builder, Register, since
from simio.program.service import SECOND
from simio.workloads.fio.calls import Calls
from simio.workloads.fio.outstanding import Outstanding


class Pace:
    """The times of a process; before it sleeps it waits for outstanding requests, as fio does."""

    def __init__(self, p: Builder, name: str, calls: Calls, job: Job, requests: Outstanding) -> None:
        self.p, self.name, self.calls, self.job, self.requests = p, name, calls, job, requests

    def delay(self) -> None:
        """startdelay, which counts from the start of fio."""
        p, (low, high) = self.p, self.job.start_delay
        if not high:
            return
        with p.scope():
            until = p.register(low)
            if high > low:
                p.draw(until, p.uniform(f"{self.name}: start", low, high))
            with p.when(until > p.now()):
                until.set(until - since(0))
                self.p.rest(until)

    def open(self) -> None:
        """Once, inside the thread, before the first request, which is due at once."""
        p, job = self.p, self.job
        limited = any(job.rate[d] for d in job.directions)
        self.due = {d: p.now() if job.rate[d] else p.register(0) for d in job.directions} if limited else {}
        self.since_pause = p.register(0) if job.thinktime_blocks > 1 and job.thinktime else None

    def wait(self, which: Register | None) -> None:
        """Wait until the next request is due.

        `which` has its direction, None where there is one only; if the other's is due before, it goes first.
        """
        p, due_of = self.p, self.due
        if not due_of:
            return
        with p.scope():
            due = p.register(due_of[self.job.directions[0]])
            if which is not None:
                other = p.register(due_of[WRITE])
                with p.when(which == WRITE):
                    due.set(due_of[WRITE])
                    other.set(due_of[READ])
                with p.when(due > p.now()), p.when(other < due):
                    due.set(other)
                    which.set(1 - which)
            with p.when(due > p.now()):
                # fio quiesces before it sleeps (io_u.c, rate_ddir).
                self.requests.quiesce()
                with p.when(due > p.now()):
                    due.set(due - since(0))
                    self.p.rest(due)

    def count(self, direction: int, size: int) -> None:
        """A request has used up its part of the rate."""
        p, rate = self.p, self.job.rate[direction]
        if not rate:
            return
        due = self.due[direction]
        if not self.job.poisson:
            due.set(due + size * SECOND // rate)
            return
        with p.scope():
            gap = p.register()
            smallest = self.job.sizes[direction][0][0]
            p.draw(gap, p.exponential(f"{self.name}: {NAMES[direction]} gap", smallest * SECOND // rate))
            due.set(due + gap)

    def think(self) -> None:
        """The pause after each block of requests, once all outstanding ones are complete."""
        p, job = self.p, self.job
        if not job.thinktime:
            return
        pause: AbstractContextManager[None] = nullcontext()
        if self.since_pause is not None:
            self.since_pause.set(self.since_pause + 1)
            pause = p.when(self.since_pause >= job.thinktime_blocks)
        with pause:
            if self.since_pause is not None:
                self.since_pause.set(0)
            self.requests.quiesce()
            spun = min(job.thinktime_spin, job.thinktime)
            if spun:
                self.calls.spin(spun)
            if job.thinktime > spun:
                self.p.rest(job.thinktime - spun)
            if job.ignore_thinktime:
                for due in self.due.values():
                    due.set(due + job.thinktime)
