"""Objects over HTTP, as S3 has them: read by ranges or written in parts, over several connections."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from simio.components.site import Site
from simio.description.arrivals import Arrivals
from simio.description.mixtures import OptionalSizes
from simio.description.model import Workload
from simio.description.quantities import (
    Count,
    Duration,
    Extent,
    Flag,
    Limit,
    OptionalRate,
    OrNone,
    Time,
    Values,
    refusal,
)
from simio.description.sheets.base import size_text
from simio.description.workloads import HostNames, OptionalStorage, WorkloadParams
from simio.workloads import register_workload
from simio.workloads.common.sizes import Classes, SizeDistribution, check_sizes, in_parts, lognormal, weighted
from simio.workloads.common.sockets import Streams
from simio.workloads.objects.service import ObjectService

LEAST_PART, MOST_PART = 5 << 20, 5 << 30
"""Bytes of a part of a multipart upload, but for the last (Amazon S3 User Guide, "multipart upload limits")."""
MOST_PARTS = 10_000
"""Parts of an upload (the same)."""


class FirstByte(Values):
    """A server's time until an answer begins: lognormal, as of work that has many causes of delay."""

    median: Duration = Field(description="time that half of the answers begin within")
    p99: Duration = Field(description="time that 99 of 100 begin within")

    @model_validator(mode="after")
    def _ascends(self) -> FirstByte:
        if self.p99 < self.median:
            raise refusal("a p99 below the median", "median and p99 in ascending order", field="p99")
        return self

    @property
    def times(self) -> list[tuple[int, int]]:
        """Times in ps with weights, the closer together the longer and rarer they are."""
        return in_parts(lognormal(self.median, self.p99))


class Objects(WorkloadParams):
    """Transfers of objects one after another, each in parts that its connections take in turn (HTTP/1.1).

    A connection has one request at a time: a GET of a range, or a PUT of a part. Connections stay open.
    """

    users: ClassVar[str | None] = "transfers"
    routes: ClassVar[tuple[tuple[str, str], ...]] = (("from_", "to"), ("to", "storage"))
    network: ClassVar[bool] = True

    from_: HostNames = Field(alias="from", description="host of the clients, or list of hosts that have one in turn")
    to: HostNames = Field(description="host that serves, or list of hosts that connections go to in turn")
    storage: OptionalStorage = Field(
        None,
        description="disk, volume or group of disks of the servers that has the objects; none: their memory",
    )
    access: Literal["get", "put"] = Field("get", description="operation of the clients")
    object: OptionalSizes = Field(
        None,
        description="bytes of an object, or sizes with weights, one drawn for each transfer of one; none: in sizes",
    )
    sizes: SizeDistribution | None = Field(
        None, description="distribution of the bytes of objects; none: object has them"
    )
    classes: Classes = Field(
        (64 << 10, 1 << 20, 16 << 20),
        description="objects of several sizes: largest sizes of the classes that times are reported for, ascending",
    )
    part: Extent = Field(8 << 20, description="bytes of a range or part; an object that is not larger is not divided")
    objects: Count = Field(1000, description="objects that there are, of which one after another is drawn")
    transfers: Streams = Field(1, description="transfers at once, each of one object after another")
    connections: Annotated[Count, Field(le=1024)] = Field(8, description="connections of a transfer")
    count: Count = Field(description="objects of a transfer")
    arrivals: Arrivals | None = Field(
        None, description="when objects are asked for, of each transfer its share; none: one after another"
    )
    first_byte: FirstByte | None = Field(
        None, description="the servers' time until an answer begins, beside their storage and CPUs; none: none"
    )
    stream: OptionalRate = Field(
        None, description="rate at which a server has the bytes of one answer ready; none: as its storage allows"
    )
    tls: Flag = Field(True, description="whether data are encrypted, at the rate of AES-GCM of both ends' CPUs")
    request: Extent = Field(700, description="bytes of a request's header, with its signature")
    header: Extent = Field(500, description="bytes of an answer's header")
    buffer: Extent = Field(256 * 1024, description="bytes a read() or write() of the programs, and of storage")
    work: Time = Field(0, description="CPU time of the server a request, on a CPU of its kernel's reference_clock")
    client_work: Time = Field(0, description="the same of the client")
    threads: Annotated[Annotated[Count, Field(le=4096)] | None, OrNone()] = Field(
        None, description="threads of a server, each with one request at a time; none: one a connection"
    )
    window: Limit = Field(None, description="socket buffers at both ends; none: those of the stacks")

    @cached_property
    def weighted(self) -> list[tuple[int, int]]:
        """Sizes of objects with their weights."""
        return weighted(self.object, self.sizes)

    @property
    def largest(self) -> int:
        """Bytes of the largest object."""
        return max(size for size, _ in self.weighted)

    @model_validator(mode="after")
    def _fits_an_upload(self) -> Objects:
        if self.transfers < len(self.from_):
            found = f"{self.transfers} with {len(self.from_)} hosts in from"
            raise refusal(found, "one a host at least", field="transfers")
        check_sizes({"object": self.object, "sizes": self.sizes}, self.classes)
        parts = -(-self.largest // self.part)
        if self.access == "get" or parts == 1:
            return self
        if not LEAST_PART <= self.part <= MOST_PART:
            raise refusal(size_text(self.part), "5 MiB to 5 GiB, as S3 takes parts", field="part")
        if parts > MOST_PARTS:
            least = size_text(-(-self.largest // MOST_PARTS))
            raise refusal(f"{parts} parts", f"at most {MOST_PARTS}", f"parts of {least} at least", "part")
        return self


@register_workload("objects", Objects)
def objects(site: Site, workload: Workload[Objects]) -> None:
    """Transfers with their connections, and for each of these a thread of a server; the bytes of objects count."""
    ObjectService(site, workload).emit()
