"""Other work for the CPUs of a host, as long as other workloads last."""

from __future__ import annotations

from simio.components.site import Site
from simio.description.model import Workload


def compute(site: Site, workload: Workload) -> None:
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
