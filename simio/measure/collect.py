"""The whole measurement of a machine: its description, small measurements, fio, iperf3, and the files written."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from simio.errors import SimioError, quote
from simio.measure.log import Log
from simio.measure.machine import OwnMachine, machine
from simio.measure.network import PEER, REQUESTS, STREAMS, NetworkRow, RequestTest, StreamTest, over_pair, to_peer
from simio.measure.sheets import CACHED, TCP, write_sheets
from simio.measure.sheets import REQUESTS as ASKED
from simio.measure.small import Small, Values
from simio.measure.storage import CACHED as CACHED_READS
from simio.measure.storage import PAST_IT, FioRow, check_device, own_time, reads, scratch_file
from simio.measure.study import write_cached, write_peer, write_requests, write_tcp
from simio.version import VERSION

ENOUGH = 4
"""Tests of a kind from which a study is made."""


@dataclass(frozen=True)
class Wanted:
    """The plan of measurements: seconds in all, repeats of each test, bytes of the scratch file, a device to read.

    `device` is read and never written. `peer` is a host that runs `simio measure --serve`. `tests` is how many tests
    of each kind, None for all.
    """

    limit: float = 300
    repeats: int = 2
    scratch: int = 256 * 2**20
    device: str | None = None
    network: bool = True
    peer: str | None = None
    tests: int | None = None


@dataclass(frozen=True)
class Measured:
    """Findings, and the measurements that could not be made, each with the reason."""

    machine: OwnMachine
    studies: tuple[str, ...]
    missing: tuple[tuple[str, str], ...]


def check_folder(folder: Path, force: bool) -> None:
    """Raise SimioError for a folder that is a file, or has something in it, but for `force`."""
    if folder.exists() and not folder.is_dir():
        raise SimioError(f"-o: found {quote(str(folder))}, which is no folder; expected a new or an empty one")
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise SimioError(
            f"-o: {quote(str(folder))} is not empty; --force writes into it, over files of the same names"
        )


def measure(folder: Path, wanted: Wanted, tell: Callable[[str], Any], force: bool = False) -> Measured:
    """Measure this machine and write datasheets, raw output and a study into a folder.

    Raises SimioError for a folder that is not empty, and for a device that cannot be read.
    """
    check_folder(folder, force)
    check_device(wanted.device)
    folder.mkdir(parents=True, exist_ok=True)
    log = Log(folder, time.monotonic() + wanted.limit, tell)
    log.private = (str(folder.resolve()), os.path.expanduser("~"), wanted.peer or "")
    when = datetime.now(UTC).strftime("%Y-%m-%d")
    found = machine(log)
    if found.load > found.cpus / 2:
        log.lacks(
            "a quiet machine", f"the load is {found.load:.1f} on {found.cpus} CPUs; times are the best of several"
        )
    # Programs and the scratch file are where the results are, as these paths are the user's choice.
    with tempfile.TemporaryDirectory(prefix="scratch-", dir=folder) as build:
        small = Small(log, Path(build))
        values, cached, own = _storage(log, small, found, Path(build) / "scratch", wanted)
        rows = _network(log, small, wanted)
        far = to_peer(log, wanted.peer, wanted.repeats, PEER[: wanted.tests]) if wanted.peer else []
    studies = _studies(folder, rows, cached, own, when, wanted.repeats)
    if far:
        write_peer(folder, far, when, wanted.repeats)
    write_sheets(folder, found, values, small.way, f"{when}, simio {VERSION}", studies)
    _readme(folder, found, studies, log, when)
    return Measured(found, studies, tuple(log.missing))


def _storage(
    log: Log, small: Small, found: OwnMachine, scratch: Path, wanted: Wanted
) -> tuple[Values, list[FioRow], float]:
    """Small measurements, reads of the cached scratch file, and fio's own time a read in ns."""
    tests = CACHED_READS[: wanted.tests]
    there = scratch_file(log, scratch, wanted.scratch)
    values = small.all(found, scratch)
    own = log.attempt("fio without I/O", lambda: own_time(log)) or 0.0
    cached: list[FioRow] = []
    if there and own:
        with scratch.open("rb") as file:
            while file.read(2**20):
                pass
        cached = list(reads(log, scratch, tests, wanted.repeats, "cached"))
        list(reads(log, scratch, PAST_IT[: wanted.tests], 1, "scratch"))
    if wanted.device:
        list(reads(log, Path(wanted.device), PAST_IT[: wanted.tests], 1, "device"))
    return values, cached, own


def _network(log: Log, small: Small, wanted: Wanted) -> list[NetworkRow]:
    if not wanted.network:
        log.lacks("TCP", "left out as asked")
        return []
    if not shutil.which("iperf3"):
        log.lacks("iperf3", "it is not installed")
        return []
    return over_pair(log, small.program, wanted.repeats, STREAMS[: wanted.tests], REQUESTS[: wanted.tests])


def _studies(
    folder: Path, rows: list[NetworkRow], cached: list[FioRow], own: float, when: str, repeats: int
) -> tuple[str, ...]:
    """Write the studies for which there are rows; gives their names."""
    studies = []
    if sum(isinstance(row.test, StreamTest) for row in rows) >= ENOUGH:
        write_tcp(folder, rows, when, repeats)
        studies.append(TCP)
    if sum(isinstance(row.test, RequestTest) for row in rows) >= ENOUGH:
        write_requests(folder, rows, when, repeats)
        studies.append(ASKED)
    if len(cached) >= ENOUGH:
        write_cached(folder, cached, own, when, repeats)
        studies.append(CACHED)
    return tuple(studies)


def _readme(folder: Path, found: OwnMachine, studies: tuple[str, ...], log: Log, when: str) -> None:
    """A page that says what is there, and what could not be had."""
    lines = [f"# {found.title}", "", f"Measured by `simio measure` {VERSION} on {when}.", ""]
    if studies:
        lines += [
            f"Studies: {', '.join(studies)}. `simio calibrate` with this folder fits what is left.",
            "`simio validate` shows the errors of all rows; values are not fitted to the tables that end in -judge.",
            "",
        ]
    lines += ["## What could not be had", ""]
    lines += [f"- {what}: {why}" for what, why in log.missing] or ["Nothing."]
    (folder / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
