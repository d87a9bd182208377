"""A sender whose pace is set by a SimPy process: a rule that would be tiresome as steps."""

from collections.abc import Generator
from typing import Any

from pydantic import Field

from simio.components.site import Site
from simio.description.model import Workload
from simio.description.quantities import Extent
from simio.engines.guests import GuestIO
from simio.workloads import register_workload

from .frames import Frames, run

FIRST = 200_000_000
"""Pause between two frames at the start, in ps."""


class Paced(Frames):
    """The same, but a process written in Python says when each frame may go."""

    limit: Extent = Field(description="backlog at the receiver from which the sender slows down")


@register_workload("paced", Paced)
def paced(site: Site, workload: Workload[Paced]) -> None:
    """Each frame takes a permit; the process below hands them out."""
    params = workload.params
    permits = site.p.container(f"{workload.name}: permits", unit="frames")
    pauses = site.p.observation(f"{workload.name}: pause", "latency", "ps")
    line = run(site, workload, before=lambda: site.p.get(permits, 1))

    def pace(io: GuestIO) -> Generator[Any, Any, None]:
        pause = FIRST
        for _ in range(params.frames):
            yield io.put(permits.name, 1)
            yield io.advance(pause)
            crowded = io.level(line.arrived.name) >= params.limit
            pause = pause * 5 // 4 if crowded else max(pause - pause // 16, 1)
            io.mark(pauses.name, pause)

    site.p.guest(f"{workload.name}: pace", pace)
