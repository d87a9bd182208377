"""Other work for the CPUs of a host, as long as other workloads last."""

from __future__ import annotations

from pydantic import Field

from simio.components.site import Site
from simio.description.model import Workload
from simio.description.quantities import Duration, Time
from simio.description.workloads import HostName, WorkloadParams
from simio.workloads import register_workload
from simio.workloads.common.sockets import Streams


class Compute(WorkloadParams):
    """Other work on a host, which competes for its CPUs as long as the other workloads last; nothing is delivered."""

    host: HostName = Field(description="host that computes")
    processes: Streams = Field(1, description="processes at once")
    busy: Duration = Field(description="CPU time at a stretch, at the reference clock of the kernel")
    idle: Time = Field(0, description="mean of the exponential pause after each; 0 s: none")


@register_workload("compute", Compute)
def compute(site: Site, workload: Workload[Compute]) -> None:
    """`processes` that hold a CPU for `busy` ps at a time, as processes do, each with a random pause after it."""
    p, params, name = site.p, workload.params, workload.name
    host = site.host(params.host)
    pause = p.exponential(f"{name} idle", params.idle) if params.idle else None
    with p.thread(f"{name} on {params.host}", count=params.processes, daemon=True), p.forever():
        host.work(params.busy)
        if pause:
            rest = p.register()
            p.draw(rest, pause)
            p.wait(rest)
