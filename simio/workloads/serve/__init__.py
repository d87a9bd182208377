"""Requests to storage over a network: clients ask, and the threads of a server read or write objects and answer."""

from __future__ import annotations

from math import gcd
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from simio.components.site import Site
from simio.description.arrivals import Arrivals, check_think
from simio.description.mixtures import Mixture, Sizes
from simio.description.model import Workload
from simio.description.quantities import Count, Duration, Extent, Flag, Limit, OrNone, Part, Time, refusal
from simio.description.workloads import HostName, HostNames, Storage, WorkloadParams
from simio.workloads import register_workload
from simio.workloads.common.sockets import Streams
from simio.workloads.serve.datagrams import DatagramService
from simio.workloads.serve.server import Service

MOST_OBJECTS = 2**20
MOST_PATTERN = 4096


class Serve(WorkloadParams):
    """Clients that ask a server for objects on its storage, or give it objects, each by one request.

    An object has one of the sizes of `object`, and which one is asked for next is drawn by `popularity`.
    """

    users: ClassVar[str | None] = "connections"
    routes: ClassVar[tuple[tuple[str, str], ...]] = (("from_", "to"), ("to", "storage"))
    network: ClassVar[bool] = True

    from_: HostNames = Field(alias="from", description="host of the clients, or list of hosts that have one in turn")
    to: HostName = Field(description="host that serves")
    storage: Storage = Field(
        description="disk or volume of the server that has the objects, or group of disks that have them in turn"
    )
    transport: Literal["tcp", "udp"] = Field(
        "tcp", description="how requests travel: over connections, or as datagrams to one socket of the server"
    )
    timeout: Duration = Field(
        10**12, description="udp: time after which a request without an answer is sent again; doubles each time"
    )
    access: Literal["raw", "direct", "buffered"] = Field(
        "direct", description="how the server gets at the objects: past the cache of its kernel, or through it"
    )
    objects: Annotated[Count, Field(le=MOST_OBJECTS)] = Field(description="number of objects")
    object: Sizes = Field(description="bytes of an object, or sizes with weights, each of as many objects")
    popularity: Annotated[float, Field(strict=True, ge=0, le=4)] = Field(
        0.0,
        description="exponent of Zipf's law: the object of rank r is asked for in proportion to 1 / r^popularity; "
        "0: all alike",
    )
    cache: Limit = Field(
        None,
        description="bytes of objects that the server keeps in memory; none: with access buffered the cache of the "
        "file system, else no object",
    )
    warm: Flag = Field(True, description="whether the most popular objects are in the cache when the run begins")
    writes: Part = Field(0.0, description="share of requests that write the object instead of reading it")
    sync: Flag = Field(True, description="access buffered: whether a write is on the device before it is answered")
    request: Extent = Field(200, description="bytes of a request, beside an object that it writes")
    header: Extent = Field(300, description="bytes of an answer, beside an object that was read")
    work: Time = Field(
        0, description="CPU time of the server's program a request, on a CPU of its kernel's reference_clock"
    )
    threads: Annotated[Annotated[Count, Field(le=4096)] | None, OrNone()] = Field(
        None, description="threads of the server, each with one request at a time; none: one a connection"
    )
    connections: Streams = Field(
        1, description="connections at once, or clients over udp, each with one request outstanding"
    )
    count: Count = Field(description="transactions a connection")
    steps: Annotated[Count, Field(le=1000)] = Field(1, description="requests of a transaction, one after another")
    arrivals: Arrivals | None = Field(
        None, description="when transactions arrive, at each connection its share; none: one after another"
    )
    think: Time = Field(0, description="mean of an exponential pause between transactions; 0 s for none")
    window: Limit = Field(None, description="socket buffers at both ends; none: those of the stacks")
    nodelay: Flag = Field(True, description="whether TCP_NODELAY is set, so that small segments do not wait")

    @property
    def sizes(self) -> Mixture:
        """The sizes of objects with their weights, in ascending order."""
        return ((self.object, 1),) if isinstance(self.object, int) else self.object

    @property
    def largest(self) -> int:
        """Bytes of the largest object."""
        return self.sizes[-1][0]

    @model_validator(mode="after")
    def _arrivals_are_all(self) -> Serve:
        check_think(self.arrivals, self.think)
        other = {"timeout"} if self.transport == "tcp" else {"window", "nodelay"}
        for key in sorted(self.model_fields_set & other):
            raise refusal(f"{key}, over {self.transport}", "none", field=key)
        return self

    @model_validator(mode="after")
    def _fits(self) -> Serve:
        if self.connections < len(self.from_):
            raise refusal(
                f"{self.connections} with {len(self.from_)} hosts in from", "one a host at least", field="connections"
            )
        weights = [weight for _, weight in self.sizes]
        if sum(weights) > MOST_PATTERN * gcd(*weights):
            raise refusal(
                "weights that are too fine", f"a sum of at most {MOST_PATTERN} in lowest terms", field="object"
            )
        return self


@register_workload("serve", Serve)
def serve(site: Site, workload: Workload[Serve]) -> None:
    """Connections from the clients, and for each a thread of the server; the bytes of objects count."""
    (Service if workload.params.transport == "tcp" else DatagramService)(site, workload).emit()
