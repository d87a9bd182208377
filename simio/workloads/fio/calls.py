"""Calls of the processes of fio: on any CPU of a host, or each on a core through an interface."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simio.components.block.layer import Process
from simio.components.block.schedulers import Scheduler
from simio.components.host.host import PROCESS
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.description.sheets.linux import LinuxKernelSheet
from simio.errors import RunError, quote
from simio.formats.fio.job import ASYNCHRONOUS, WRITE, Job
from simio.machines.block import layout as c
from simio.program.builder import Handle, Register
from simio.program.steps import CPU_TIME
from simio.workloads.common.streams import Access, Unbuffered
from simio.workloads.fio.layout import Clone

if TYPE_CHECKING:
    from simio.workloads.fio import Fio


class Calls:
    """Requests of one process, past the cache or through it, on any CPU of the host."""

    def __init__(self, site: Site, workload: Workload[Fio], job: Job) -> None:
        self.site, self.p, self.workload, self.job = site, site.p, workload, job
        self.kernel = site.kernel(workload.params.host)

    def device(self, name: str) -> BlockDevice:
        """A disk or volume as the process sees it."""
        return self.site.device(self.workload.params.host, name, reports_failures=self.job.direct)

    def unbuffered(self, device: BlockDevice, direction: int, delivered: Handle) -> Access:
        """Requests past the cache."""
        call = self.kernel.write_unbuffered if direction == WRITE else self.kernel.read_unbuffered
        return Unbuffered(self.site, call, device, True, delivered)

    def enter(self) -> None:
        """Emit what comes before each request: fio's own time, and a call before those of the interface, if any."""
        if self.workload.params.program:
            with self.p.label("fio", self.kernel.host.name):
                self.kernel.host.work(self.workload.params.program)
        if self.job.engine == "sync" and self.job.random:
            # Before read() or write() it calls lseek(), which psync does not need.
            self.kernel.system_call()

    def leave(self) -> None:
        """Once a request is done, before fio looks at it."""

    def sync(self) -> None:
        """fsync() is called; its waits follow."""
        self.kernel.system_call()

    def spin(self, time: int) -> None:
        """Keep a CPU busy for a time, in ps."""
        with self.p.label("fio", self.kernel.host.name), self.p.hold(self.kernel.host.cpu, priority=PROCESS):
            self.p.wait(time)


class OnDevice(Access):
    """Requests of a process on a core, which has paid for its part of them before."""

    def __init__(
        self, process: Process, scheduler: Scheduler, device: BlockDevice, direction: int, delivered: Handle
    ) -> None:
        self.p, self.process, self.scheduler = process.p, process, scheduler
        self.device, self.writes, self.delivered = device, direction == WRITE, delivered

    def request(self, at: Register, size: int, aligned: int, again: bool) -> None:
        """Carry a request to the drive and its answer back, as the scheduler lets it pass."""
        with self.scheduler.admitted(self.process.name, self.writes):
            (self.device.write if self.writes else self.device.read)(at, size, aligned)
        self.p.mark(self.delivered, size)


class CoreCalls(Calls):
    """Requests of one process past the cache, on a core of its own or one that it shares."""

    def __init__(self, site: Site, workload: Workload[Fio], name: str, clone: Clone, seat: ProcessCores) -> None:
        super().__init__(site, workload, clone.job)
        layer = site.block_layer(workload.params.host)
        self.process = Process(layer, name, seat.core, interface(self.job), seat.helper)
        disks = list(dict.fromkeys(disk for span in clone.spans for disk in site.system.disks_of(span.device)))
        self.schedulers = {disk: layer.scheduler(disk, self.process.interface, seat.users) for disk in disks}
        self.scheduler = self.schedulers[disks[0]]
        # One cost for all requests: that of their mean size.
        way = layer.way(
            disks[0],
            workload.params.program,
            self.job.mean_size,
            self.job.registered,
            self.scheduler,
            self.job.together,
        )
        self.process.start(way, self.job.depth, seat.companions)
        if not name.endswith(" 1"):
            self.p.tally(name, CPU_TIME, self.process.state + c.WORKED, "ns")

    def device(self, name: str) -> BlockDevice:
        """See `Calls.device`."""
        return self.process.device(name)

    def unbuffered(self, device: BlockDevice, direction: int, delivered: Handle) -> Access:
        """See `Calls.unbuffered`."""
        scheduler = self.schedulers.get(device.name, self.scheduler)
        return OnDevice(self.process, scheduler, device, direction, delivered)

    def enter(self) -> None:
        """The turn of the process on its core: it takes a request that is done, and submits the next."""
        self.process.take_core()
        self.process.submit(self.scheduler)

    def leave(self) -> None:
        """Wait for the core."""
        self.process.take_core()
        self.p.release(self.process.core.resource)

    def sync(self) -> None:
        """See `Calls.sync`."""
        self.spin(self.kernel.host.span(self.kernel.sheet.system_call))

    def spin(self, time: int) -> None:
        """See `Calls.spin`."""
        with self.p.hold(self.process.core.resource, priority=PROCESS):
            self.process.core.spend(time)


@dataclass(frozen=True)
class ProcessCores:
    """The core of a process and of a kernel thread that submits for it; the processes on its core, and in all."""

    core: int
    helper: int | None = None
    companions: int = 1
    users: int = 1


def interface(job: Job) -> str:
    """The name of the interface between a job and its drive."""
    if job.engine not in ASYNCHRONOUS:
        return "psync"
    return f"{job.engine}-{job.polling}" if job.polling else job.engine


def make_calls(site: Site, workload: Workload[Fio], names: Sequence[str], clones: Sequence[Clone]) -> Iterator[Calls]:
    """The calls of each process, by its name. Raises RunError for options that the host's kernel does not know."""
    host = workload.params.host
    sheet = site.system.hosts[host].kernel.sheet
    if not isinstance(sheet, LinuxKernelSheet):
        for job in workload.params.jobs:
            _without_cores(job, host)
        yield from (Calls(site, workload, clone.job) for clone in clones)
        return
    seats = _seats(clones, site.system.hosts[host].cpus)
    shared = Counter(seat.core for seat in seats)
    users = sum(clone.job.direct for clone in clones)
    for name, clone, seat in zip(names, clones, seats, strict=True):
        failing = any(site.can_fail(span.device) for span in clone.spans)
        if not clone.job.direct or failing:
            yield Calls(site, workload, clone.job)
            continue
        yield CoreCalls(site, workload, name, clone, ProcessCores(seat.core, seat.helper, shared[seat.core], users))


def _without_cores(job: Job, host: str) -> None:
    given = {"cpus_allowed": job.cpus, "hipri or sqthread_poll": job.polling, "fixedbufs": job.registered}
    for option, value in given.items():
        if value:
            raise RunError(
                f"job {quote(job.name)} has {option}, and the kernel of {host!r} knows neither cores nor io_uring; "
                "take one of kind 'linux', or list the option in 'ignore'",
                at=".host",
            )


def _seats(clones: Sequence[Clone], cpus: int) -> list[ProcessCores]:
    """The core of each process: of those that its job allows, or of all, one after another."""
    found, number = [], 0
    for clone in clones:
        allowed = clone.job.cpus or tuple(range(cpus))
        place = clone.number if clone.job.cpus else number
        core = allowed[place % len(allowed)]
        number += 1
        helper = None
        if clone.job.polling == "sqpoll":
            helper = clone.job.helper
            if helper is None:
                helper = allowed[(place + 1) % len(allowed)] if clone.job.cpus else (core + 1) % cpus
                number += 1
        found.append(ProcessCores(core, helper))
    return found
