"""Measured rows of a JSON of fio: requests and bytes a second, times, and CPU time, of each job and direction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from simio.errors import SimioError
from simio.formats.fio import NAMES
from simio.formats.fio.job import ASYNCHRONOUS
from simio.formats.rows import Row, first_object


def fio_results(text: str) -> list[Row] | None:
    """Rows of each job of a run; None if the text is not fio's JSON. Raises SimioError for a job with an error.

    Rows are of what a scenario with the same jobs observes: requests and bytes a second, mean and median and 99th
    percentile of times, and the CPU time of a process. Percentiles are those of fio's clat, of which it reports them.
    """
    # Warnings may come before the JSON, and other text behind.
    data = first_object(text)
    if data is None or "fio version" not in data or not isinstance(data.get("jobs"), list):
        return None
    common = data.get("global options") or {}
    rows: list[Row] = []
    for label, job in _labelled(data["jobs"], common):
        if job.get("error"):
            raise SimioError(f"a job {label!r} that ended with error {job['error']}")
        rows += _rows(label, job, {**common, **(job.get("job options") or {})})
    return rows


def _labelled(jobs: list[Any], common: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each job with its name, clones that are reported apart with their numbers, as a scenario names them."""
    reports = Counter(str(job.get("jobname", "")) for job in jobs)
    seen: dict[str, int] = {}
    for job in jobs:
        name = str(job.get("jobname", ""))
        options = {**common, **(job.get("job options") or {})}
        seen[name] = seen.get(name, 0) + 1
        if apart(options, reports[name]):
            yield f"{name} {seen[name]}", job
        else:
            yield name if seen[name] == 1 else f"{name} ({seen[name]})", job


def apart(options: Mapping[str, Any], reports: int) -> bool:
    """True if the clones of a job, of whose name there are so many reports, are reported one by one.

    The JSON does not say whether group_reporting was given.
    """
    clones = str(options.get("numjobs") or 1)
    return clones != "1" and str(reports) == clones


def _rows(label: str, job: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[Row]:
    apart = options.get("ioengine") in ASYNCHRONOUS and str(options.get("direct", "0")) == "1"
    for name in NAMES:
        side = job.get(name) or {}
        if not side.get("total_ios"):
            continue
        of = f"{label} {name}"
        yield "requests", float(side["iops"]), "IOPS", of
        yield "stream", float(side["bw_bytes"]) / 1e6, "MB/s", f"{of}s"
        yield "latency", _mean(side, "lat"), "us", of
        yield from _percentiles(side.get("clat_ns"), f"{of} completion" if apart else of)
    syncs = job.get("sync") or {}
    if syncs.get("total_ios"):
        yield "latency", _mean(syncs, "lat"), "us", f"{label} sync"
        yield from _percentiles(syncs.get("lat_ns"), f"{label} sync")
    share = float(job.get("usr_cpu") or 0) + float(job.get("sys_cpu") or 0)
    if share:
        yield "process", share, "%", label


def _percentiles(times: Mapping[str, Any] | None, of: str) -> Iterator[Row]:
    found = (times or {}).get("percentile") or {}
    for quantity, key in (("p50", "50.000000"), ("p99", "99.000000")):
        if found.get(key):
            yield quantity, found[key] / 1000, "us", of


def _mean(side: Mapping[str, Any], kind: str) -> float:
    """Mean of a kind of times in us."""
    return float((side.get(f"{kind}_ns") or {}).get("mean") or 0) / 1000
