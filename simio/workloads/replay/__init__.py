"""Replay of a recorded trace: the requests that disks had, made again."""

from __future__ import annotations

import hashlib
import json
from contextlib import nullcontext
from dataclasses import astuple
from fractions import Fraction
from math import gcd
from typing import Any, NamedTuple

from simio import units
from simio.components.site import Site
from simio.description.model import Workload
from simio.errors import RunError
from simio.formats.traces.files import TraceSummary
from simio.machines import records
from simio.program.builder import Register, since
from simio.program.roles import REQUEST, TRACE_PAUSE
from simio.program.service import SECOND
from simio.program.steps import HORIZON
from simio.workloads import register_workload
from simio.workloads.replay import rows
from simio.workloads.replay.addresses import Placement
from simio.workloads.replay.params import RESPONSE, Replay
from simio.workloads.replay.targets import Target, assigned, placement

MOST_DENOMINATOR = 10**6
"""Most in the denominator of the factor of times."""


@register_workload("replay", Replay)
def replay(site: Site, workload: Workload[Replay]) -> None:
    """A thread that takes one request after the other from a table, which is filled again when it is empty."""
    p, params, name = site.p, workload.params, workload.name
    summary = params.file.summary
    to = assigned(site, workload, summary)
    targets, placements = [], []
    for number, target in enumerate(dict.fromkeys(to.values())):
        device = site.device(params.host, target)
        asked = [each for each in summary.devices if to.get(each.name) == target]
        own = [(each.name, placement(workload, number, device, each)) for each in asked]
        targets.append(Target(site, workload, device, asked, gcd(*(each.grain for _, each in own))))
        placements += own
    count = sum(each.requests for each in summary.devices if each.name in to)
    chunk = min(count, rows.CHUNK)
    times = _times(workload, summary)
    state = records.initial(_identity(params, times, placements), chunk)
    table = p.machine(f"{name}: trace", state)
    p.feed(table, rows.TraceRows(params.file, times, tuple(placements), tuple(state[: records.COUNT]), chunk))
    _emit(site, workload, targets, table, count)
    rate = _rate(summary, times, count)
    if rate and params.mode == "recorded":
        p.load(name, p.observation(f"{name}: {RESPONSE}", "latency", "ps"), rate, count=count)


def _identity(params: Replay, times: rows.Times, placements: list[tuple[str, Placement]]) -> str:
    """SHA-256, as hexadecimal digits, of the values that decide the rows."""
    trace: Any = params.file
    form = params.format or trace.form.columns.model_dump(mode="json")
    to = [(device, *astuple(placement)) for device, placement in placements]
    values = (form, astuple(trace.choice), trace.summary.digest, astuple(times), to)
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()


def _times(workload: Workload[Replay], summary: TraceSummary) -> rows.Times:
    """Instants of the requests. Raises RunError if one is beyond the horizon of simulated time."""
    params = workload.params
    form, speed = params.form, params.speed
    origin = summary.first or 0
    if params.since is not None:
        origin = int(params.since)
    elif form.clock == "zero" and int(params.first) == 1:
        origin = 0
    exact = Fraction(speed.denominator, speed.numerator).limit_denominator(MOST_DENOMINATOR)
    times = rows.Times(params.mode, origin, int(params.start), (exact.numerator, exact.denominator))
    if params.mode == "recorded" and ((summary.last or 0) - origin) * exact + times.start >= HORIZON:
        last = units.format_quantity(int((summary.last or 0) - origin), "time")
        raise RunError(
            f"workload {workload.name!r} replays {last} of a trace, beyond the 106 days of simulated time; set until "
            "or last, or a higher speed",
            at=".speed",
        )
    return times


def _rate(summary: TraceSummary, times: rows.Times, count: int) -> Fraction | None:
    """Requests a second in the mean; None for a single one, or all at once."""
    span = Fraction((summary.last or 0) - (summary.first or 0)) * Fraction(*times.scale)
    return Fraction(count - 1) * SECOND / span if span and count > 1 else None


class _Registers(NamedTuple):
    """A thread's registers for its request."""

    wait: Register
    place: Register
    size: Register
    writes: Register
    target: Register
    number: Register


def _emit(site: Site, workload: Workload[Replay], targets: list[Target], table: int, count: int) -> None:
    p, params, name = site.p, workload.params, workload.name
    took = p.observation(f"{name}: {RESPONSE}", "latency", "ps")
    noted = p.observation(f"{name}: request", REQUEST, "") if site.requests else None
    slots = p.container(f"{name}: slots", params.depth, params.depth, "requests") if params.depth > 1 else None
    apart = params.mode == "recorded" or slots is not None

    def request(r: _Registers) -> None:
        for number, target in enumerate(targets):
            with p.when(r.target == number) if len(targets) > 1 else nullcontext():
                target.request(r.place, r.size, r.writes)

    start = int(params.start)
    alone = all(each.kind == workload.kind for each in site.system.workloads.values())
    if alone and start:
        # Nothing is asked for before, which is no part of the load.
        with p.thread(f"{name}: start", start=start):
            p.mark(p.observation(f"{name}: begun", "begun", "bytes"), 0)
            # The first delivery is not spread over the time before.
            for target in targets:
                p.mark(target.delivered, 0)
    with p.thread(f"{name}: replay of {targets[0].device.name if len(targets) == 1 else params.trace}"):
        if alone and not start:
            p.mark(p.observation(f"{name}: begun", "begun", "bytes"), 0)
        r = _Registers(*(p.register() for _ in range(6)))
        with p.loop(count):
            p.call(r.wait, records.wait, table)
            p.call(r.place, records.place, table)
            if len(targets) > 1 or noted:
                p.call(r.target, records.target, table)
            if noted:
                p.call(r.number, records.number, table)
            p.call(r.size, records.extent, table)
            r.writes.set(r.size % 2)
            r.size.set(r.size // 2)
            if slots:
                p.get(slots, 1)
            p.rest(r.wait, TRACE_PAUSE)
            with p.fork("request") if apart else nullcontext(), p.scope():
                begun = p.now() if noted else None
                with p.timed(took):
                    request(r)
                if noted and begun:
                    begun.set(since(begun))
                    # As `simio.result.requests.FIELDS` has them.
                    for value in (r.number, r.target, r.place, 2 * r.size + r.writes, begun):
                        p.mark(noted, value)
                if slots:
                    p.put(slots, 1)
