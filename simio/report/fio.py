"""Results of jobs in the shape of fio's own JSON (`--output-format=json`, fio 3), for all that reads that."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from simio.formats.fio import NAMES
from simio.result.jobs import percentile_of, rate, value_of
from simio.result.model import CaseResult, JobRun, JobSide, JobTimes
from simio.version import VERSION

PERCENTILES = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99)
"""Percentiles that fio reports unless a job says which."""
SIDES = ("read", "write", "trim")
NOTHING = JobSide(0, 0, JobTimes(), JobTimes(), JobTimes())
_STEPS = (2, 4, 10, 20, 50, 100, 250, 500, 750, 1000)
"""Upper ends of fio's classes of latencies in ns, us and ms."""
_MS = 10**9


def as_fio_json(case: CaseResult, bins: bool) -> str:
    """The jobs of a case as fio prints them; with `bins` as `--output-format=json+` does."""
    common = _common(case.jobs)
    found = {
        "fio version": f"fio-3.33 simulated by simio {VERSION}",
        # A simulated run has no date, and the same scenario gives the same text.
        "timestamp": 0,
        "timestamp_ms": 0,
        "time": "Thu Jan  1 00:00:00 1970",
        "global options": common,
        "jobs": [_job(run, common, bins) for run in case.jobs],
        "disk_util": [],
    }
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _common(jobs: Sequence[JobRun]) -> dict[str, str]:
    """The options that several jobs have alike."""
    first, *others = (run.options for run in jobs)
    return {
        name: value for name, value in first.items() if others and all(value == each.get(name) for each in others)
    }


def _job(run: JobRun, common: Mapping[str, str], bins: bool) -> dict[str, Any]:
    span = max(run.ended - run.begun, 1)
    times = _together(side.lat for side in run.sides.values())
    named = {NAMES[direction]: side for direction, side in run.sides.items()}
    percentiles = run.percentiles or PERCENTILES
    return {
        "jobname": run.name,
        "groupid": run.group,
        "error": 0,
        "eta": 0,
        "elapsed": -(-run.ended // 10**12),
        "job options": {name: value for name, value in run.options.items() if name not in common},
        **{name: _side(named.get(name, NOTHING), span, percentiles, bins) for name in SIDES},
        "sync": {"total_ios": run.syncs.count, "lat_ns": _times(run.syncs, percentiles, bins)},
        "job_runtime": round(span / _MS) * run.members,
        "usr_cpu": round(100 * run.user / span, 6),
        "sys_cpu": round(100 * run.system / span, 6),
        "ctx": sum(side.requests for side in run.sides.values()),
        "majf": 0,
        "minf": 0,
        "iodepth_level": _levels(run.depths),
        "iodepth_submit": _batches(4),
        "iodepth_complete": _batches(4),
        **_latencies(times),
        "latency_depth": run.depth,
        "latency_target": 0,
        "latency_percentile": 100.0,
        "latency_window": 0,
    }


def _side(side: JobSide, span: int, percentiles: Iterable[float], bins: bool) -> dict[str, Any]:
    bandwidth = rate(side.bytes, span)
    kilobytes, requests = bandwidth / 1024, rate(side.requests, span)
    return {
        "io_bytes": side.bytes,
        "io_kbytes": side.bytes // 1024,
        "bw_bytes": int(bandwidth),
        "bw": int(kilobytes),
        "iops": round(requests, 6),
        "runtime": round(span / _MS) if side.requests else 0,
        "total_ios": side.requests,
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": _times(side.slat, (), bins),
        "clat_ns": _times(side.clat, percentiles, bins),
        "lat_ns": _times(side.lat, (), bins),
        # A simulated run is one sample of its rate, from its beginning to its end.
        **{f"bw_{name}": int(kilobytes) for name in ("min", "max")},
        "bw_agg": 100.0 if side.requests else 0.0,
        "bw_mean": round(kilobytes, 6),
        "bw_dev": 0.0,
        "bw_samples": int(side.requests > 0),
        **{f"iops_{name}": int(requests) for name in ("min", "max")},
        "iops_mean": round(requests, 6),
        "iops_stddev": 0.0,
        "iops_samples": int(side.requests > 0),
    }


def _times(times: JobTimes, percentiles: Iterable[float], bins: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "min": times.least,
        "max": times.most,
        "mean": round(times.mean, 6),
        "stddev": round(times.deviation, 6),
        "N": times.count,
    }
    if times.count and (wanted := list(percentiles)):
        found["percentile"] = {f"{each:.6f}": percentile_of(times.bins, times.count, each) for each in wanted}
    if times.count and bins:
        found["bins"] = {str(value_of(number)): count for number, count in times.bins}
    return found


def _together(times: Iterable[JobTimes]) -> list[tuple[int, int]]:
    """Values in ns with their numbers, of several directions."""
    return [(value_of(number), count) for each in times for number, count in each.bins]


def _latencies(times: list[tuple[int, int]]) -> dict[str, dict[str, float]]:
    """Shares in percent of latencies in fio's classes of ns, us and ms, each up to below its number."""
    total = sum(count for _, count in times) or 1
    found: dict[str, dict[str, float]] = {}
    least = 0
    for unit, factor, more in (("ns", 1, ()), ("us", 1000, ()), ("ms", 10**6, (2000,))):
        classes: dict[str, float] = {}
        for end in (*_STEPS, *more):
            inside = sum(count for value, count in times if least <= value < end * factor)
            classes[str(end)] = round(100 * inside / total, 6)
            least = end * factor
        found[f"latency_{unit}"] = classes
    beyond = sum(count for value, count in times if value >= least)
    found["latency_ms"][">=2000"] = round(100 * beyond / total, 6)
    return found


def _levels(depths: Mapping[int, float]) -> dict[str, float]:
    found = {str(level): round(depths.get(level, 0.0), 6) for level in (1, 2, 4, 8, 16, 32)}
    return {**found, ">=64": round(depths.get(64, 0.0), 6)}


def _batches(size: int) -> dict[str, float]:
    """Requests submitted, or looked at, together: all in one class."""
    return {name: 100.0 if name == str(size) else 0.0 for name in ("0", "4", "8", "16", "32", "64", ">=64")}
