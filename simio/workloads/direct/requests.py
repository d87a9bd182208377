"""The requests of a process on cores: some that it keeps outstanding, or those that arrive."""

from __future__ import annotations

from contextlib import nullcontext
from fractions import Fraction
from typing import TYPE_CHECKING

from simio.components.block.layer import Process
from simio.components.block.schedulers import Scheduler
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.program.builder import Handle, Register, Variable, since
from simio.program.steps import ENDLESS
from simio.workloads.common.arrivals import ArrivalProcess

if TYPE_CHECKING:
    from simio.workloads.direct import Direct


class DirectRequests:
    """The requests of one process, some of which it keeps outstanding."""

    def __init__(
        self,
        site: Site,
        workload: Workload[Direct],
        process: Process,
        drives: list[tuple[BlockDevice, Scheduler]],
    ) -> None:
        self.site, self.p, self.process, self.drives = site, site.p, process, drives
        self.params, self.name = workload.params, workload.name
        self.latency = self.p.observation(f"{self.name}: request", "latency", "ps")
        self.stream = site.stream(self.name)
        self.outside = process.layer.host.span(self.params.program)

    def emit(self, number: int) -> None:
        """The places of the process, each a thread that works until its share is done or time is over."""
        p, params = self.p, self.params
        places = self._placing(number)
        writes = self._writing(number)
        turns = self._turns()
        with p.thread(self.process.name, count=params.places or 1):
            at, begun = p.register(), p.register()
            first = self._first_drive()
            self.process.take_core()
            with p.loop(turns) if turns else p.forever(ENDLESS):
                for place, (device, scheduler) in enumerate(self.drives):
                    # Each thread may leave a drive out in its first turn.
                    often = Fraction((turns or ENDLESS) - 1, turns or ENDLESS)
                    with p.when(first <= place, share=often) if first else nullcontext():
                        begun.set(since(0))
                        self.process.submit(scheduler)
                        self._place(at, places)
                        self._carry(device, scheduler, at, writes)
                        self.process.take_core()
                        p.mark(self.latency, since(begun) - self.outside)
                        p.mark(self.stream, params.block)
                if first:
                    first.set(0)
            p.release(self.process.core.resource)

    def _first_drive(self) -> Register | None:
        """The drive that the thread begins with: the threads of a process begin with one after the other."""
        if len(self.drives) == 1:
            return None
        if self.params.begin == "last":
            return self.p.register(len(self.drives) - 1)
        first = self.p.variable(f"{self.process.name}: first drive").increment()
        first.set(first % len(self.drives))
        return first

    def _turns(self) -> int | None:
        """Turns of each place over all drives; None: for ever."""
        params = self.params
        if params.requests is None:
            return None
        places = 1 if params.arrivals else params.places or 1
        return max(-(-params.requests // (params.processes * places * len(self.drives))), 1)

    def _room(self) -> int:
        """Blocks of the part of each drive that is used."""
        return (self.params.span or min(device.capacity for device, _ in self.drives)) // self.params.block

    def _placing(self, number: int) -> Handle | Variable:
        """The distribution of random places, or the next block in order, each process having a part of its own."""
        p, room = self.p, self._room()
        if self.params.pattern == "random":
            return p.uniform(f"{self.process.name}: place", 0, room - 1)
        return p.variable(f"{self.process.name}: next block", (number - 1) * room // self.params.processes)

    def _place(self, at: Register, places: Handle | Variable) -> None:
        if isinstance(places, Variable):
            places.increment(into=at)
            at.set(at % self._room())
        else:
            self.p.draw(at, places)
        at.set(at * self.params.block)

    def _writing(self, number: int) -> Handle | None:
        reads = self.params.reads
        if reads in (0, 1):
            return None
        weights = [(0, reads.numerator), (1, reads.denominator - reads.numerator)]
        return self.p.discrete(f"{self.process.name}: writes", weights)

    def _carry(self, device: BlockDevice, scheduler: Scheduler, at: Register, writes: Handle | None) -> None:
        """Carry a request to the drive and its answer back."""
        p = self.p
        if writes is None:
            self._command(device, scheduler, at, not self.params.reads)
            return
        with p.scope():
            kind = p.register()
            p.draw(kind, writes)
            with p.when(kind == 0):
                self._command(device, scheduler, at, False)
            with p.when(kind == 1):
                self._command(device, scheduler, at, True)

    def _command(self, device: BlockDevice, scheduler: Scheduler, at: Register, writes: bool) -> None:
        """A request that the scheduler lets pass."""
        block = self.params.block
        with scheduler.admitted(self.process.name, writes):
            (device.write if writes else device.read)(at, block, block)


class Arriving(DirectRequests):
    """The requests of one process that arrive at times of their own, each of which is a thread."""

    def emit(self, number: int) -> None:
        """The thread to which requests arrive, for one drive after another."""
        p, params, process = self.p, self.params, self.process
        assert params.arrivals is not None
        turns, drives = self._turns(), len(self.drives)
        p.load(self.name, self.latency, params.arrivals.mean, count=(turns or 0) * drives * params.processes)
        places, writes = self._placing(number), self._writing(number)
        arrivals = ArrivalProcess(p, process.name, params.arrivals, params.processes)
        room = params.places
        slots = p.container(f"{process.name} slots", room, room, "requests") if room else None
        with p.thread(process.name), p.loop(turns) if turns else p.forever(ENDLESS):
            for device, scheduler in self.drives:
                with p.scope():
                    at, arrived = p.register(), arrivals.wait()
                    if slots:
                        p.get(slots, 1)
                    self._place(at, places)
                    with p.fork("request"):
                        self._come(arrived, bool(slots))
                        process.take_core()
                        process.submit(scheduler)
                        self._carry(device, scheduler, at, writes)
                        process.take_core()
                        process.take()
                        p.mark(self.latency, since(arrived))
                        p.mark(self.stream, params.block)
                        if slots:
                            p.put(slots, 1)

    def _come(self, arrived: Register, waits: bool) -> None:
        """The process learns of a request: by its arrival, or if that had to wait for another, when that is done."""
        if not waits:
            self.process.arrive()
            return
        with self.p.scope():
            late = self.p.register(since(arrived))
            with self.p.when(late == 0):
                self.process.arrive()
            with self.p.when(late > 0):
                self.process.find()
