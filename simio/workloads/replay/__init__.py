"""Replay of a recorded trace: the requests that a disk had, made again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PrivateAttr, model_validator

from simio import units
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.description.quantities import Name, Text, refusal
from simio.description.workloads import HostName, Storage, WorkloadParams
from simio.errors import RunError
from simio.machines import records
from simio.program.builder import Register
from simio.workloads import register_workload
from simio.workloads.common.room import check_room
from simio.workloads.replay.formats import BLOCK, FORMATS, Request, read

RESPONSE = "response"
"""What the observation of a request's time is of."""
MOST_BYTES = 2**28
"""Bytes of a trace file."""


class Replay(WorkloadParams):
    """The requests of a trace file, made again on a disk or volume past the cache."""

    routes = (("host", "storage"),)

    host: HostName = Field(description="host that makes the requests")
    storage: Storage = Field(description="disk or volume that has the addresses of the trace")
    trace: Text = Field(description="file of the trace, relative to the file that names it")
    format: Annotated[str, Name(FORMATS)] = Field(description="format of the trace, see below")
    mode: Literal["closed", "recorded"] = Field(
        "closed",
        description=(
            "closed: one request at a time, after the recorded pause; recorded: each at its recorded time, however "
            "many are outstanding"
        ),
    )
    _requests: tuple[Request, ...] = PrivateAttr(default=())

    @model_validator(mode="after")
    def _has_pauses(self) -> Replay:
        if self.mode == "closed" and self.format == "disksim-ascii":
            raise refusal("closed", "recorded", "format disksim-ascii has arrivals and no pauses", "mode")
        return self

    def with_files(self, folder: Path) -> Self:
        """See `WorkloadParams.with_files`."""
        from simio.loading.yamlfiles import read_file

        path = folder / self.trace
        text = read_file(path, what="trace file", most=MOST_BYTES)
        filled = self.model_copy()
        filled._requests = read(text, str(path), self.format)
        return filled

    @property
    def requests(self) -> tuple[Request, ...]:
        """The requests of the trace, once it has been read."""
        return self._requests

    @property
    def measured_times(self) -> Mapping[str, tuple[int, ...]]:
        """See `WorkloadParams.measured_times`."""
        times = tuple(request.response for request in self._requests if request.response is not None)
        return {RESPONSE: times} if times else {}

    @property
    def waits(self) -> list[int]:
        """Time before each request in ps: closed, since the end of the one before it, else since its start."""
        if self.mode == "closed":
            return [0, *(request.pause or 0 for request in self._requests[:-1])]
        starts = self._starts()
        return [after - before for before, after in zip([0, *starts[:-1]], starts, strict=True)]

    def _starts(self) -> list[int]:
        starts, now = [], 0
        for request in self._requests:
            starts.append(now if request.arrival is None else request.arrival)
            now += (request.response or 0) + (request.pause or 0)
        return starts


@register_workload("replay", Replay)
def replay(site: Site, workload: Workload[Replay]) -> None:
    """A thread that takes one request after the other from a table of them."""
    p, params, name = site.p, workload.params, workload.name
    device = _device(site, workload)
    rows = zip(params.waits, params.requests, strict=True)
    table = p.machine(
        f"{name}: trace", records.initial((wait, one.place, one.size, one.writes) for wait, one in rows)
    )
    kernel = site.kernel(params.host)
    delivered = site.stream(f"{name}: {device.name}")
    took = p.observation(f"{name}: {RESPONSE}", "latency", "ps")

    def request(at: Register, size: Register, writes: Register) -> None:
        def call(verb: Callable[..., Any]) -> None:
            with p.scope():
                verb(device, at, size, BLOCK)

        with p.timed(took):
            with p.when(writes == 0):
                call(kernel.read_unbuffered)
            with p.when(writes == 1):
                call(kernel.write_unbuffered)
        p.mark(delivered, size)

    with p.thread(f"{name}: replay of {device.name}"):
        at, size, writes, pause = p.register(), p.register(), p.register(), p.register()
        with p.loop(len(params.requests)):
            p.call(pause, records.wait, table)
            p.call(at, records.place, table)
            p.call(size, records.extent, table)
            writes.set(size % 2)
            size.set(size // 2)
            with p.fork("pause", joined=True):
                p.wait(pause)
            p.join()
            if params.mode == "closed":
                request(at, size, writes)
            else:
                with p.fork("request"):
                    request(at, size, writes)


def _device(site: Site, workload: Workload[Replay]) -> BlockDevice:
    """The device of the trace. Raises RunError if it is several, too small, or takes other requests only."""
    params = workload.params
    targets = site.targets(params.storage)
    if len(targets) > 1:
        raise RunError(
            f"workload {workload.name!r} replays the trace of one device on {len(targets)} disks; name one of them, "
            "or make a volume of them",
            at=".storage",
        )
    device = site.device(params.host, targets[0])
    end = max(request.place + request.size for request in params.requests)
    check_room(workload, device, end)
    if any(n % device.sector for request in params.requests for n in (request.place, request.size)):
        sector = units.format_quantity(device.sector, "size")
        raise RunError(
            f"workload {workload.name!r} asks for blocks of {BLOCK} B; {device.name!r} takes whole sectors of "
            f"{sector}",
            at=".storage",
        )
    return device
