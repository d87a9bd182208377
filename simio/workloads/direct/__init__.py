"""Processes on cores that read and write drives past the cache, through an interface of the kernel or around it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from fractions import Fraction
from itertools import chain
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from simio.components.block.interfaces import INTERFACES
from simio.components.block.layer import Process
from simio.components.block.schedulers import Scheduler
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.arrivals import Arrivals
from simio.description.model import Workload
from simio.description.quantities import (
    Count,
    Extent,
    Flag,
    Limit,
    OptionalCount,
    OrNone,
    Quantity,
    Text,
    Time,
    Whole,
    refusal,
)
from simio.description.workloads import HostName, Storage, WorkloadParams
from simio.errors import RunError, quote
from simio.program.builder import Handle, Register, Variable, since
from simio.program.steps import ENDLESS
from simio.wording import counted
from simio.workloads import register_workload
from simio.workloads.common.arrivals import ArrivalProcess

MOST_IN_TURN = 64
"""Drives that a process goes through in turn."""


def _interface(name: str) -> str:
    if name not in INTERFACES:
        raise refusal(quote(name), f"an interface: {', '.join(INTERFACES)}")
    return name


class Direct(WorkloadParams):
    """Processes on cores of their own, each with requests outstanding to drives that it goes through in turn."""

    routes = (("host", "to"),)

    host: HostName = Field(description="host on which the processes run")
    to: Storage = Field(description="disk, group of disks or volume that they read and write")
    interface: Annotated[Text, AfterValidator(_interface)] = Field(
        "io_uring", description="interface between program and drive, see below"
    )
    registered: Flag = Field(
        False, description="whether files and buffers were registered before, as io_uring can (fixed buffers)"
    )
    block: Extent = Field(4096, description="bytes a request")
    align: Limit = Field(
        None, description="boundary at which buffers begin; one within a page lies on a page more; none: page"
    )
    pattern: Literal["random", "sequential"] = Field("random", description="order of the blocks")
    reads: Annotated[Fraction, Quantity("share")] = Field(
        Fraction(1), description="share of requests that read; the others write"
    )
    depth: Annotated[Annotated[Count, Field(le=65536)] | None, OrNone()] = Field(
        None,
        description="requests that a process keeps outstanding, over all its drives; none: 1, or of requests that "
        "arrive as many as its interface takes",
    )
    arrivals: Arrivals | None = Field(
        None, description="when requests arrive, whatever becomes of those before; none: one after another"
    )
    batch: Count = Field(1, description="requests that a process submits with one call of libaio or io_uring")
    begin: Literal["in turn", "last"] = Field(
        "in turn",
        description=(
            "drive to which requests go first: to one after the other in turn, or all to the last; where the last "
            "lags and drives are the limit, they gather there in any case, and a run that begins so can be shorter"
        ),
    )
    processes: Annotated[Count, Field(le=4096)] = Field(1, description="number of processes")
    requests: OptionalCount = Field(
        None,
        description="requests in all, rounded up to as many for each place, or with arrivals for each drive and "
        "process; none: until the run's time is over",
    )
    first_core: Whole = Field(0, description="core of the first process; the others follow in order")
    cores: OptionalCount = Field(None, description="cores that the processes share; none: one each")
    span: Extent | None = Field(None, description="bytes of each drive that are used; none: all")
    program: Time = Field(
        300_000, description="CPU time of the program itself a request, on a CPU of its kernel's reference_clock"
    )

    @model_validator(mode="after")
    def _consistent(self) -> Direct:
        deepest = INTERFACES[self.interface].deepest
        if deepest is not None and self.depth is not None and self.depth > deepest:
            raise refusal(str(self.depth), f"at most {deepest} with interface {self.interface}", field="depth")
        if self.reads > 1:
            raise refusal(f"{float(self.reads):g}", "a share of at most 100 %", field="reads")
        if self.span is not None and self.span < self.block:
            raise refusal(str(self.span), "at least a block", field="span")
        if self.arrivals and self.batch > 1:
            raise refusal(f"{self.batch}, with arrivals", "1", "each is submitted as it arrives", "batch")
        return self

    @property
    def places(self) -> int | None:
        """Requests that a process has outstanding at most; None: any number."""
        if self.depth is not None or not self.arrivals:
            return self.depth or 1
        return INTERFACES[self.interface].deepest


@register_workload("direct", Direct)
def direct(site: Site, workload: Workload[Direct]) -> None:
    """Each process has `depth` threads, of which each carries one request after another, or a thread for each request
    that arrives; as `Direct` says.

    Raises RunError for too many drives, and for processes that never end.
    """
    params, targets = workload.params, site.targets(workload.params.to)
    if len(targets) > MOST_IN_TURN:
        raise RunError(
            f"{params.to!r} is {len(targets)} drives; a process goes through {MOST_IN_TURN} at most", ".to"
        )
    if site.system.run.until is None and params.requests is None:
        raise RunError("the processes never end; give workload.direct.requests or run.until", ".requests")
    layer = site.block_layer(params.host)
    schedulers = [
        layer.scheduler(name, INTERFACES[params.interface], _users(site, params.host, name)) for name in targets
    ]
    disk = site.system.disks_of(targets[0])[0]
    way = layer.way(disk, params.program, params.block, params.registered, schedulers[0], params.batch, params.align)
    placed = list(_places(params))
    for number, (core, helper) in enumerate(placed, 1):
        name = f"{workload.name} {number}" if params.processes > 1 else workload.name
        process = Process(layer, name, core, params.interface, helper)
        companions = sum(other == core for other, _ in placed)
        own, helping = (_slot(placed, at, place) for place, at in enumerate((core, helper), 2 * number - 2))
        process.start(way, 0 if params.arrivals else params.places or 0, companions, own, helping)
        devices = [process.device(target) for target in targets]
        for device in devices:
            _check(workload, device)
        kind = Arriving if params.arrivals else DirectRequests
        kind(site, workload, process, list(zip(devices, schedulers, strict=True))).emit(number)


def _users(site: Site, host: str, target: str) -> int:
    """Processes on a host that go to a drive through the kernel."""
    return sum(
        params.processes
        for params in (workload.params for workload in site.system.workloads.values())
        if isinstance(params, Direct)
        and params.host == host
        and INTERFACES[params.interface].kernel
        and target in site.targets(params.to)
    )


def _places(params: Direct) -> Iterator[tuple[int, int | None]]:
    """The core of each process, and that of the kernel thread that submits for it, if it has one."""
    helps = INTERFACES[params.interface].helper
    count = params.cores or params.processes * (2 if helps else 1)
    for number in range(params.processes):
        if helps:
            yield params.first_core + 2 * number % count, params.first_core + (2 * number + 1) % count
        else:
            yield params.first_core + number % count, None


def _slot(placed: list[tuple[int, int | None]], core: int | None, own: int) -> tuple[int, int]:
    """Place of a thread on its core, and number of threads there; `own` is its place in the list of all."""
    same = [place for place, other in enumerate(chain.from_iterable(placed)) if other == core]
    return same.index(own), len(same)


def _check(workload: Workload[Direct], device: BlockDevice) -> None:
    params = workload.params
    if params.block % device.sector:
        raise RunError(
            f"{device.name!r} takes whole sectors of {counted(device.sector, 'byte')}, and a block has "
            f"{params.block}", ".block",
        )  # fmt: skip
    if (params.span or params.block) > device.capacity:
        raise RunError(f"{device.name!r} holds {counted(device.capacity, 'byte')}", ".span")


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
