"""Results of earlier runs, kept by the hash of the program: what ran once need not run again.

An entry is a file of its own, written aside and renamed, so that any number of processes may write at once; its
first line is a checksum of the rest, and what does not agree is as good as not there.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from simio.errors import SimioError
from simio.files import cache_base, write_whole
from simio.result.precision import seeds_of
from simio.sweeps.outcome import SweepOutcome, in_requests, measures_of, read
from simio.sweeps.stamp import code_stamp

if TYPE_CHECKING:
    from simio.description.model import Case, Scenario
    from simio.running import Lowered
    from simio.sweeps.work import Stages, Task

ENTRIES_A_FOLDER = 100
"""Results are spread over 256 folders; a folder with more gives up its oldest quarter. A result takes about 4 kB."""


def outcome_of(scenario: Scenario, task: Task, cached: bool = True) -> Stages[SweepOutcome]:
    """Run the scenario's only case, or take the result of an earlier run of the same program."""
    from simio.running import CaseRun, RunOptions, pooled_rows
    from simio.sweeps.families import lowered
    from simio.sweeps.work import in_stages

    case = scenario.cases[0]
    made = lowered(case.system)
    # The hash of a program does not cover what its processes in Python do.
    kept_by = key(case, made) if cached and not made.program.guests else None
    kept = get(kept_by) if kept_by else None
    unit = case.system.report.unit
    if kept is not None:
        return in_requests(kept, unit)
    run = CaseRun(case, made, RunOptions(task.engine, partial=True), pooled_rows(scenario, case))
    result = yield from in_stages(run, told=False)
    outcome = SweepOutcome(measures_of(result), result.limiter.label, result.hash, cut_off=result.cut_off)
    if kept_by:
        put(kept_by, outcome)
    return in_requests(outcome, unit)


def key(case: Case, lowered: Lowered) -> str:
    """The key of a result: a hash of the program, of how it is run and measured, and of the code that does so."""
    run = case.system.run.model_dump_json()
    seeds = ",".join(map(str, seeds_of(case.system.run, lowered.program)))
    parts = (code_stamp(), lowered.hash, run, seeds)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def get(key: str) -> SweepOutcome | None:
    """The result kept under a key, or None if there is none, or none that can be read."""
    path = _path(key)
    if path is None:
        return None
    try:
        checksum, _, content = path.read_bytes().partition(b"\n")
        if checksum.decode() != _checksum(key, content):
            return None
        found = read(json.loads(content))
        os.utime(path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return found


def put(key: str, outcome: SweepOutcome) -> None:
    """Keep a result; where nothing can be written, nothing is kept."""
    path = _path(key)
    if path is None:
        return
    content = json.dumps(outcome.as_dict()).encode()
    with suppress(OSError, SimioError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, _checksum(key, content).encode() + b"\n" + content)
        _make_room(path.parent)


def _path(key: str) -> Path | None:
    folder = _folder()
    return folder / key[:2] / key if folder else None


@cache
def _folder() -> Path | None:
    with suppress(OSError, RuntimeError):
        folder = cache_base() / "results"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return folder
    return None


def _checksum(key: str, content: bytes) -> str:
    return hashlib.sha256(key.encode() + content).hexdigest()


def _make_room(folder: Path) -> None:
    """Remove the entries of a folder that were not used for longest, if there are too many."""
    with os.scandir(folder) as listed:
        entries = [entry for entry in listed if not entry.name.startswith(".")]
    if len(entries) <= ENTRIES_A_FOLDER:
        return
    ages: list[tuple[float, str]] = []
    for entry in entries:
        # Another process may make room in the same folder.
        with suppress(OSError):
            ages.append((entry.stat().st_mtime, entry.path))
    for _, path in sorted(ages)[: len(ages) // 4]:
        with suppress(OSError):
            os.unlink(path)
