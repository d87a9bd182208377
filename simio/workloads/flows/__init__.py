"""Flows: transfers that arrive one after another, each over a new TCP connection, and how long each takes."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from simio.components.site import Site
from simio.description.arrivals import Arrivals
from simio.description.mixtures import OptionalSizes
from simio.description.model import Workload
from simio.description.quantities import Count, Extent, Limit, OptionalCount, Share, TrafficClass, refusal
from simio.description.workloads import HostNames, WorkloadParams
from simio.workloads import register_workload
from simio.workloads.common.ending import check_ends
from simio.workloads.common.sizes import Classes, SizeDistribution, check_one, check_sizes

MOST_PAIRS = 4096


class Flows(WorkloadParams):
    """Transfers that arrive whatever becomes of those before, each over a new TCP connection from end to end.

    The time of a flow is that from its arrival until its last byte is read.
    """

    network: ClassVar[bool] = True

    from_: HostNames = Field(alias="from", description="host that sends, or list of hosts that each do")
    to: HostNames = Field(description="host that receives, or list of hosts: each from any to each other")
    size: OptionalSizes = Field(None, description="bytes of a flow, or sizes with weights; none: there are sizes")
    sizes: SizeDistribution | None = Field(
        None, description="distribution of the bytes of a flow; none: there is a size"
    )
    arrivals: Arrivals | None = Field(
        None, description="when flows arrive, each pair of hosts having its share; none: there is a load"
    )
    load: Share = Field(
        None,
        description="share of the link that flows load most, headers included, which they take in the mean; flows "
        "arrive at random",
    )
    count: Annotated[OptionalCount, Field(description="flows in all; none: until the run ends")] = None
    connections: Annotated[Count, Field(le=20000)] = Field(
        64, description="connections that a pair of hosts has at most at once; a flow beyond waits for one"
    )
    classes: Classes = Field(
        (100_000, 10_000_000), description="largest sizes of the classes that times are reported for, ascending"
    )
    traffic_class: TrafficClass = Field(
        0,
        description="class of their packets both ways, 0 to 7, the most urgent, for queues with one for each "
        "(discipline `priority`)",
    )
    window: Limit = Field(None, description="socket buffers at both ends; none: those of the stacks")
    buffer: Extent = Field(128 * 1024, description="bytes of a read() of the receiver")

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Hosts that send and receive: each of one list with each of the other, but for itself."""
        return [(near, far) for near in self.from_ for far in self.to if near != far]

    @model_validator(mode="after")
    def _is_one_load(self) -> Flows:
        check_sizes({"size": self.size, "sizes": self.sizes}, self.classes)
        both = {"load": self.load, "arrivals": self.arrivals}
        check_one(both, "a load such as '60%', or arrivals such as {rate: 1000 /s}")
        if not 1 <= len(self.pairs) <= MOST_PAIRS:
            raise refusal(f"{len(self.pairs)} pairs of hosts", f"from 1 to {MOST_PAIRS}", field="to")
        for key, hosts in (("from", self.from_), ("to", self.to)):
            if len(set(hosts)) < len(hosts):
                raise refusal("a host twice", "each host once", field=key)
        return self


@register_workload("flows", Flows)
def flows(site: Site, workload: Workload[Flows]) -> None:
    """The flows of each pair of hosts; the bytes that are read count.

    Raises RunError for flows that never end, and for stacks that do not distinguish an old connection from a new one.
    """
    from simio.workloads.flows.pair import AllFlows

    check_ends(site, workload, "count")
    AllFlows(site, workload).emit()
