"""Workloads: the parameters of each kind of application program.

The parameters of a kind are a frozen pydantic model.  A field marked `Refers` names a host or a group of
disks of the scenario, and ``routes`` names the pairs of such fields that data flows between; the loader
checks both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import Field

from .quantities import Count, Extent, Flag, Limit, Text, Time, Values


@dataclass(frozen=True)
class Refers:
    """Marks a field as the name of something in the scenario: ``host`` or ``disks``."""

    to: str


HostName = Annotated[Text, Refers("host")]
DiskGroup = Annotated[Text, Refers("disks")]


class WorkloadParams(Values):
    """The parameters of one kind of workload.

    ``routes`` lists the pairs of field names (Python's, not the YAML key) that data flows between.
    """

    routes: ClassVar[tuple[tuple[str, str], ...]] = ()


W = TypeVar("W", bound=type[WorkloadParams])
_WORKLOADS: dict[str, type[WorkloadParams]] = {}


def register_workload(kind: str, model: W) -> W:
    """Make ``model`` the parameters of workloads of kind ``kind``; a second model for it is refused."""
    if _WORKLOADS.setdefault(kind, model) is not model:
        raise ValueError(f"a workload kind {kind!r} is registered already")
    return model


def workload_kinds() -> dict[str, type[WorkloadParams]]:
    """The registered kinds, sorted by name, each with its parameters."""
    return dict(sorted(_WORKLOADS.items()))


def references(model: type[WorkloadParams]) -> dict[str, str]:
    """The fields of ``model`` that name something in the scenario, and what they name."""
    return {
        name: mark.to
        for name, field in model.model_fields.items()
        for mark in field.metadata
        if isinstance(mark, Refers)
    }


def yaml_key(model: type[WorkloadParams], field: str) -> str:
    """What a field is called in a scenario file."""
    alias: Any = model.model_fields[field].alias
    return str(alias or field)


class Blast(WorkloadParams):
    """Processes that send packets from memory on one host to memory on another, as fast as they can."""

    routes = (("from_", "to"),)

    from_: HostName = Field(alias="from", description="host that sends")
    to: HostName = Field(description="host that receives")
    size: Extent = Field(description="bytes a packet")
    processes: Count = Field(1, le=4096, description="sending processes, each with its own buffer")
    packets: Count = Field(description="packets each process sends")
    sink: Flag = Field(True, description="whether a process on the receiving host reads the packets")


class Storage(WorkloadParams):
    """What readers and writers of disks, files and volumes have in common."""

    host: HostName = Field(description="host that the program runs on")
    block: Extent = Field(description="bytes a request")
    size: Extent = Field(description="bytes from or to each device")
    pattern: Literal["sequential", "strided", "random"] = Field(
        "sequential", description="order of the blocks"
    )
    stride: Limit = Field(None, description="strided: distance between the beginnings of blocks")
    think: Time = Field(0, description="mean of an exponential pause before each request; 0 s for none")
    depth: Count = Field(1, le=4096, description="requests that a thread has outstanding (asynchronous I/O)")
    threads: Literal["each", "one"] = Field(
        "each", description="each: a thread for each device; one: a single thread visits the devices in turn"
    )
    processes: Count = Field(1, le=4096, description="threads for each device, each with a part of it")
    passes: Count = Field(1, description="how often the range is gone through")

    @property
    def sizes(self) -> dict[int, int]:
        """Sizes of requests, each with its weight."""
        return {self.block: 1}

    @property
    def extent(self) -> int:
        """Bytes of each device that requests reach to, from its beginning."""
        if self.pattern == "random":
            return max(self.sizes)
        return -(-self.size // self.block) * (self.stride or self.block) if self.stride else self.size


class Reader(Storage):
    """Threads that read disks, files or volumes block by block."""

    routes = (("host", "from_"),)

    from_: DiskGroup = Field(alias="from", description="what is read: a disk, a group of disks, or a volume")
    access: Literal["raw", "direct", "buffered", "nocopy", "mmap"] = Field(
        "raw",
        description="raw or direct: past the cache; buffered: through it; nocopy: without the copy; mmap",
    )
    window: Limit = Field(None, description="mmap: bytes mapped at once; none: the block")


class Writer(Storage):
    """Threads that write disks, files or volumes block by block."""

    routes = (("host", "to"),)

    to: DiskGroup = Field(description="what is written: a disk, a group of disks, or a volume")
    access: Literal["raw", "direct", "buffered"] = Field("raw", description="as for a reader")
    sync: Flag = Field(False, description="buffered: bytes count when the device has them")


register_workload("blast", Blast)
register_workload("reader", Reader)
register_workload("writer", Writer)
