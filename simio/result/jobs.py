"""Jobs of fio as their run shows them: bytes, requests, the distribution of times, CPU time, depths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from simio.description.model import System, Workload
from simio.description.workloads import WorkloadParams
from simio.engines.outcome import Outcome
from simio.program.service import SECOND
from simio.program.steps import CPU_TIME, Program
from simio.result.model import JobRun, JobSide, JobTimes, Throughput
from simio.result.usage import areas_between
from simio.wording import listed

Ints = NDArray[np.int64]
NANOSECOND = 1000
KIND = "fio"


def job_runs(system: System, program: Program, outcome: Outcome) -> tuple[JobRun, ...]:
    """The jobs of all fio workloads of a system, as a run shows them; a clone with a report of its own is one."""
    found: list[JobRun] = []
    for workload in system.workloads.values():
        if workload.kind == KIND:
            found += _Reader(system, workload, program, outcome).runs()
    return tuple(found)


def jobs_in_turn(jobs: Sequence[JobRun]) -> Iterator[str]:
    """Notes on jobs that run one after another (stonewall): those that have done nothing, and the figures of all."""
    idle = [job.label for job in jobs if not any(side.requests for side in job.sides.values())]
    ran = sorted((job for job in jobs if job.label not in idle), key=lambda job: job.begun)
    if idle and ran:
        yield f"{listed(idle)} did nothing before the run ended: a longer run.until, or a shorter runtime, shows more"
    if any(before.ended <= after.begun for before, after in pairwise(ran)):
        told = "throughput, limit and use are over the time of all; each job has its own below"
        yield f"jobs ran one after another: {told}"


@dataclass
class _Seen:
    """Marks of a job: instants and values of each kind of time, for each direction."""

    lat: dict[int, tuple[Ints, Ints]] = field(default_factory=dict)
    slat: dict[int, tuple[Ints, Ints]] = field(default_factory=dict)
    clat: dict[int, tuple[Ints, Ints]] = field(default_factory=dict)
    bytes: dict[int, tuple[Ints, Ints]] = field(default_factory=dict)


class _Reader:
    def __init__(
        self, system: System, workload: Workload[WorkloadParams], program: Program, outcome: Outcome
    ) -> None:
        self.system, self.workload, self.program, self.outcome = system, workload, program, outcome
        self.rows = {mark.name: row for row, mark in enumerate(program.marks)}

    def runs(self) -> Iterable[JobRun]:
        from simio.workloads.fio import Fio
        from simio.workloads.fio.layout import labels
        from simio.workloads.fio.syncing import sync_of

        params = self.workload.params
        assert isinstance(params, Fio)
        host = self.system.hosts[params.host]
        scale = host.kernel.sheet.reference_clock / host.cpu.sheet.clock
        for job, group, label, members in labels(params.jobs):
            seen = self._seen(label, job.directions)
            whole = [values for times in seen.lat.values() for values in [times] if len(values[0])]
            started = min((int((done - took).min()) for done, took in whole), default=0)
            begun = started + job.ramp_time
            ended = max((int(done.max()) for done, _ in whole), default=begun)
            sides = {direction: _side(seen, direction, begun, ended) for direction in job.directions}
            program = float(params.program * scale)
            requests = sum(side.requests for side in sides.values())
            yield JobRun(
                workload=self.workload.name,
                name=job.name,
                label=label,
                group=group,
                members=members,
                options=job.options,
                begun=begun,
                ended=ended,
                sides=sides,
                user=requests * program / members,
                system=self._system(params.host, label, members, (started, begun, ended), requests, program),
                depths=_depths(whole, begun, members),
                depth=job.depth,
                percentiles=tuple(float(each) for each in job.percentiles),
                syncs=_times(*self._marks(sync_of(self.workload.name, label)), begun),
            )

    def _seen(self, label: str, directions: Iterable[int]) -> _Seen:
        from simio.workloads.fio.process import bytes_of, times_of

        seen = _Seen()
        for direction in directions:
            names = times_of(self.workload.name, label, direction)
            for kind, name in zip((seen.lat, seen.slat, seen.clat), names, strict=True):
                kind[direction] = self._marks(name)
            seen.bytes[direction] = self._marks(bytes_of(self.workload.name, label, direction))
        return seen

    def _marks(self, name: str) -> tuple[Ints, Ints]:
        found = self.outcome.marks[self.outcome.marks[:, 1] == self.rows.get(name, -1)]
        return found[:, 0], found[:, 2]

    def _system(
        self, host: str, label: str, members: int, span: tuple[int, int, int], requests: int, program: float
    ) -> float:
        """CPU time of a process but for fio's own, in ps.

        That of processes on cores is known. Else it is what the CPUs of the host did meanwhile, interrupts included,
        in proportion to the requests of all jobs that ran then.
        """
        started, begun, ended = span
        owners = [f"{self.workload.name}: {label}{which}" for which in _numbers(members)]
        tallies = {tally.owner: tally.at for tally in self.program.tallies if tally.what == CPU_TIME}
        if owners[0] in tallies:
            used = sum(int(self.outcome.state[tallies[owner]]) for owner in owners if owner in tallies) * NANOSECOND
            # Of the whole run, the ramp included: in proportion.
            used = used * (ended - begun) // max(ended - started, 1)
            return max(used - requests * program, 0.0) / members
        names = [resource.name for resource in self.program.resources]
        if f"{host}.cpu" not in names or ended <= begun:
            return 0.0
        busy = float(areas_between(self.outcome, Throughput(0, begun, ended, 0))[2 * names.index(f"{host}.cpu")])
        lats = [row for row, mark in enumerate(self.program.marks) if mark.role == "delivered"]
        marks = self.outcome.marks
        inside = np.isin(marks[:, 1], lats) & (marks[:, 0] > begun) & (marks[:, 0] <= ended)
        share = requests / max(int(np.count_nonzero(inside)), requests, 1)
        return max(busy * share - requests * program, 0.0) / members


def _numbers(members: int) -> list[str]:
    return [f" {number + 1}" for number in range(members)] if members > 1 else [""]


def _side(seen: _Seen, direction: int, begun: int, ended: int) -> JobSide:
    times, amounts = seen.bytes[direction]
    lat = _times(*seen.lat[direction], begun)
    # A process without requests outstanding has no submission apart: fio's clat then is all but a little of its lat.
    clat = _times(*seen.clat[direction], begun) if len(seen.clat[direction][0]) else lat
    return JobSide(
        bytes=int(amounts[(times > begun) & (times <= ended)].sum()),
        requests=lat.count,
        lat=lat,
        slat=_times(*seen.slat[direction], begun),
        clat=clat,
    )


def _times(done: Ints, took: Ints, begun: int) -> JobTimes:
    """Statistics of times in ns, and how many fall into each of fio's bins."""
    values = took[done > begun] // NANOSECOND
    if not len(values):
        return JobTimes()
    mean = float(values.mean())
    spread = sqrt(float(((values - mean) ** 2).sum()) / (len(values) - 1)) if len(values) > 1 else 0.0
    bins, counts = np.unique(bin_of(values), return_counts=True)
    return JobTimes(
        len(values),
        int(values.min()),
        int(values.max()),
        mean,
        spread,
        tuple(zip(bins.tolist(), counts.tolist(), strict=True)),
    )


BITS = 6
"""Bits by which fio's bins distinguish values (stat.h, FIO_IO_U_PLAT_BITS)."""
LEVELS = 1 << BITS
BINS = 29 * LEVELS


def bin_of(values: Ints) -> Ints:
    """The number of fio's bin of each value: exact below 128, then 64 bins a doubling (stat.c, plat_val_to_idx)."""
    top = np.floor(np.log2(np.maximum(values, 1))).astype(np.int64)
    # log2 rounds up next to a power of two.
    top -= (np.int64(1) << top) > values
    shift = np.maximum(top - BITS, 0)
    found = np.where(values < 2 * LEVELS, values, (shift + 1) * LEVELS + ((values >> shift) & (LEVELS - 1)))
    return np.minimum(found, BINS - 1)


def value_of(number: int) -> int:
    """The value in the middle of a bin, which fio reports for it (stat.c, plat_idx_to_val)."""
    if number < 2 * LEVELS:
        return number
    shift = number // LEVELS - 1
    base = 1 << (shift + BITS)
    inside = number % LEVELS
    return base + inside * (1 << shift) + (1 << shift) // 2


def percentile_of(bins: Iterable[tuple[int, int]], count: int, percent: float) -> int:
    """A percentile of values in fio's bins: the bin in which that share of all is reached."""
    below, wanted = 0, percent / 100 * count
    last = 0
    for number, many in bins:
        below += many
        last = value_of(number)
        if below >= wanted:
            break
    return last


def _depths(whole: Iterable[tuple[Ints, Ints]], begun: int, members: int) -> Mapping[int, float]:
    """Share of requests in percent by the number outstanding when they were issued, in fio's classes."""
    done = np.concatenate([times for times, _ in whole]) if (whole := list(whole)) else np.empty(0, dtype=np.int64)
    if not len(done):
        return {}
    started = np.sort(done - np.concatenate([took for _, took in whole]))
    finished = np.sort(done)
    outstanding = np.arange(1, len(started) + 1) - np.searchsorted(finished, started, side="right")
    outstanding = (
        np.maximum(outstanding[started >= begun] // members, 1) if members > 1 else outstanding[started >= begun]
    )
    if not len(outstanding):
        return {}
    classes = np.minimum(np.floor(np.log2(np.maximum(outstanding, 1))).astype(np.int64), 6)
    counts = np.bincount(classes, minlength=7)
    return {1 << number: 100 * int(count) / len(outstanding) for number, count in enumerate(counts.tolist())}


def rate(amount: int, span: int) -> float:
    """An amount a second, over a time in ps."""
    return amount * SECOND / span if span > 0 else 0.0
