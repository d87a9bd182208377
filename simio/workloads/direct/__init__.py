"""Processes on cores that read and write drives past the cache, through an interface of the kernel or around it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from simio.components.block.interfaces import INTERFACES
from simio.components.block.layer import Process
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
from simio.workloads import register_workload
from simio.workloads.common.ending import check_ends
from simio.workloads.common.room import check_room, check_sectors
from simio.workloads.direct.requests import Arriving, DirectRequests

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
    check_ends(site, workload, "requests")
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
    check_sectors(workload, device, "block", params.block)
    check_room(workload, device, params.span or params.block, "span")
