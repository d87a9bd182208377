"""Values of a job of fio for a measured quantity, over its own time and not that of the whole run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simio import units
from simio.description.measured import MeasuredRow
from simio.formats.fio import NAMES
from simio.result.jobs import NANOSECOND, percentile_of, rate
from simio.result.model import JobRun, JobSide, JobTimes

_PERCENT = {"p50": 50.0, "p99": 99.0}


def job_value(jobs: Sequence[JobRun], row: MeasuredRow) -> float | None:
    """The value of a row in its unit, if it is of a job; else None."""
    if row.quantity == "process":
        shares = [
            100 * (job.user + job.system) / max(job.ended - job.begun, 1)
            for job in jobs
            if row.of in (job.label, f"{job.workload}: {job.label}")
        ]
        return shares[0] if shares else None
    for job, name, side, times in _sides(jobs):
        if row.of not in (name, name.partition(": ")[2]):
            continue
        span = job.ended - job.begun
        if row.quantity == "requests":
            return float(units.convert(rate(side.requests, span), "request_rate", row.unit))
        if row.quantity == "stream":
            return float(units.convert(rate(side.bytes, span), "rate", row.unit))
        if row.quantity == "latency":
            return float(units.convert(times.mean * NANOSECOND, "time", row.unit))
        if row.quantity in _PERCENT:
            tail = percentile_of(times.bins, times.count, _PERCENT[row.quantity])
            return float(units.convert(tail * NANOSECOND, "time", row.unit))
    return None


def _sides(jobs: Sequence[JobRun]) -> Iterator[tuple[JobRun, str, JobSide, JobTimes]]:
    """Each job with the names of its streams and observations, and the times that these are of."""
    for job in jobs:
        for direction, side in job.sides.items():
            name = f"{job.workload}: {job.label} {NAMES[direction]}"
            yield job, name, side, side.lat
            yield job, f"{name}s", side, side.lat
            yield job, f"{name} submission", side, side.slat
            yield job, f"{name} completion", side, side.clat
        syncs = JobSide(0, job.syncs.count, job.syncs, JobTimes(), job.syncs)
        if job.syncs.count:
            yield job, f"{job.workload}: {job.label} sync", syncs, job.syncs
