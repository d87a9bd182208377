"""Scenarios whose answers are known by hand: jobs that pass two stations, each with a server and a service time."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pydantic import Field

from simio.components.site import Site
from simio.description.model import Case, Part, Report, Run, Switch, System, Workload
from simio.description.quantities import Count, Flag, Time
from simio.description.sheets import Sheet
from simio.description.workloads import WorkloadParams

MS = 10**9
JOB = 1000
"""Bytes that a job delivers."""


class Station(Sheet):
    """A server with its service time."""

    service: Time = Field(description="time of a job")
    pause: Time = Field(0, description="time after a job in which nothing works")


class Jobs(WorkloadParams):
    """Jobs that pass the stations `first` and `second`."""

    jobs: Count = Field(description="how many")
    overlap: Flag = Field(True, description="whether the stations work at once")
    streams: Count = Field(1, description="how many streams a worker without overlap delivers to, a job each in turn")
    block: int = Field(JOB, description="bytes a job")


def station(name: str, service: int, pause: int = 0) -> Switch:
    return Switch(name, Part(name, "switch", "station", "switches/station", Station(service=service, pause=pause)))


def tandem(first: int, second: int, jobs: int = 60, *, pause: int = 0, **params: Any) -> Case:
    """Two stations in a row with service times in ps."""
    switches = {"first": station("first", first, pause), "second": station("second", second)}
    workload = Workload("work", "test-jobs", Jobs(jobs=jobs, **params))
    run, report = Run(warm_up=0), Report()
    return Case(0, {}, System("tandem", {}, {}, switches, (), {"work": workload}, run, report))


def lowered(site: Site, workload: Workload[Jobs]) -> None:
    p, params = site.p, workload.params
    sheets = [site.system.switches[name].part.sheet for name in ("first", "second")]
    servers = [p.resource(name) for name in ("first", "second")]
    if not params.overlap:
        streams = [site.delivered]
        if params.streams > 1:
            streams = [site.stream(f"work: {number}") for number in range(params.streams)]
        with p.thread("worker"), p.loop(params.jobs):
            for stream in streams:
                for number, what in enumerate(("serves first", "serves second")):
                    with p.label(what, "", True), p.hold(servers[number]):
                        p.advance(sheets[number].service)
                p.mark(stream, JOB)
        return
    passed = p.container("passed", unit="jobs")
    with p.thread("one"), p.loop(params.jobs):
        with p.hold(servers[0]):
            p.advance(sheets[0].service)
        with p.fork("on its way", delay=sheets[0].pause):
            p.put(passed, 1)
    with p.thread("two"), p.loop(params.jobs):
        p.get(passed, 1)
        with p.hold(servers[1]):
            p.advance(sheets[1].service)
        p.mark(site.delivered, JOB)


def rate(period: int | Fraction) -> Fraction:
    """Bytes a second where a job is delivered each `period` ps."""
    return Fraction(JOB * 10**12) / period
