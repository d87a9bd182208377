"""Bytes are conserved from platter to platter: what disks give and get is what was sent, delivered and written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_every_scenario import NAMES, SHORT

from simio.components.storage.driver import DiskDriver
from simio.description.model import System
from simio.loading import load
from simio.machines.served import advance, progress
from simio.program.builder import Builder
from simio.result.model import CaseResult
from simio.running import run_scenario
from simio.workloads.tar import archive

pytestmark = pytest.mark.slow

SCENARIOS = Path(__file__).parents[2] / "scenarios"
READ, WRITTEN, DELIVERED = "platters: read", "platters: written", "delivered in all"
MOST_CASES = 3
EXACT = {"copy", "ftp", "rcp", "tar", "nfs", "play", "reader", "writer"}
"""Kinds of workload of which `demanded` knows what they read and write in all."""


def storage_of(params: Any) -> list[str]:
    """The storage of a workload's data, as the workload names it."""
    keys = ("from_storage", "storage", "from_")
    named = [getattr(params, key, None) for key in keys]
    return [name for name in named if isinstance(name, str)]


def stored(system: System) -> bool:
    """True if every workload that delivers is about storage, and does not end with the clock."""
    known = {"disks": system.disks, "volumes": system.volumes}
    groups = {disk.rstrip("0123456789") for disk in known["disks"]}
    names = {*known["disks"], *known["volumes"], *groups}
    return all(set(storage_of(workload.params)) & names for workload in system.workloads.values())


def demanded(kind: str, params: Any, targets: int) -> tuple[int, int, int, int]:
    """Bytes that a workload has to read from and write to disks, and to deliver, and its number of files."""
    if kind == "copy":
        return params.file, params.file, params.file, 1
    if kind == "ftp":
        whole = params.file * params.transfers
        return params.file, whole, whole, params.transfers * params.streams
    if kind == "rcp":
        whole = params.file * params.files
        return whole, whole, whole, params.files
    if kind == "tar":
        size = archive(params.file, params.files, params.record) * params.record
        return params.file * params.files, size, size, params.files
    if kind == "nfs":
        whole = params.size * len(params.readers)
        moves = (0, whole) if params.access == "write" else (whole, 0)
        return *moves, whole, len(params.readers)
    if kind == "play":
        whole = params.frame * params.frames * params.streams
        return whole, 0, whole, params.streams
    assert kind in ("reader", "writer")
    whole = params.size * targets
    return (whole, 0, whole, targets) if kind == "reader" else (0, whole, whole, targets)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts of requests to drives and of deliveries, from the start of a run to its end."""
    for method, what in (("read", READ), ("write", WRITTEN)):
        monkeypatch.setattr(DiskDriver, method, _counting(getattr(DiskDriver, method), what))
    mark = Builder.mark

    def counted(p: Builder, observation: Any, value: Any) -> None:
        mark(p, observation, value)
        if p._marks[observation.number].role == "delivered":
            count(p, DELIVERED, value)

    monkeypatch.setattr(Builder, "mark", counted)


def count(p: Builder, what: str, amount: Any) -> None:
    """Emit that `amount` bytes more are so."""
    counters = vars(p).setdefault("counters", {})
    if what not in counters:
        counters[what] = p.machine(what, progress())
        p.tally("watch", what, counters[what], "bytes")
    with p.loop(1):
        p.call(p.register(), advance, counters[what], amount)


def _counting(original: Any, what: str) -> Any:
    def asked(self: DiskDriver, at: Any, size: int, aligned: int) -> None:
        original(self, at, size, aligned)
        count(self.p, what, size)

    return asked


def moved(case: CaseResult, what: str) -> int:
    """Bytes that were counted so."""
    return sum(tally.value for tally in case.tallies if tally.what == what)


@pytest.mark.usefixtures("watched")
@pytest.mark.parametrize("name", NAMES)
def test_bytes_are_conserved_from_platter_to_platter(name: str) -> None:
    sets = (*SHORT[name], "run.warm_up=0 s", "run.replications=1")
    scenario = load(str(SCENARIOS / f"{name}.yaml"), sets)
    if not all(stored(case.system) for case in scenario.cases):
        pytest.skip("not every workload of it has its data on disks")
    if any(
        getattr(each.params, "passes", 1) > 1 for case in scenario.cases for each in case.system.workloads.values()
    ):
        pytest.skip("later passes take from the cache what is read once")
    kinds = {each.kind for case in scenario.cases for each in case.system.workloads.values()}
    if "serve" in kinds:
        pytest.skip("its server's cache has what is asked for again")
    step = -(-len(scenario.cases) // MOST_CASES)
    chosen = replace(scenario, cases=scenario.cases[::step])
    for case, result in zip(chosen.cases, run_scenario(chosen, sets).cases, strict=True):
        if result.status == "done" and kinds <= EXACT:
            _check(case.system, result)
        else:
            assert moved(result, DELIVERED) <= moved(result, READ) + moved(result, WRITTEN)


def _check(system: System, result: CaseResult) -> None:
    read = written = delivered = files = 0
    for workload in system.workloads.values():
        targets = len(system.disks_of(workload.params.from_)) if workload.kind in ("reader", "writer") else 1
        if workload.kind in ("reader", "writer") and workload.params.from_ in system.volumes:
            targets = 1
        needs = demanded(workload.kind, workload.params, targets)
        read, written = read + needs[0], written + needs[1]
        delivered, files = delivered + needs[2], files + needs[3]
    assert moved(result, DELIVERED) == delivered
    # Whole blocks and pages, 64 KiB at most of each file, and a block of index for each file and 4 MiB.
    around = files * 2**16
    index = (files + read // 2**22 + 1) * 2**13
    arrays = [volume for volume in system.volumes.values() if volume.kind == "raid5"]
    if any(array.controller and array.controller.sheet.write_cache for array in arrays):
        # Data in a controller's cache at the end, and its reads for parity then, are not waited for.
        return
    if arrays:
        assert moved(result, READ) >= read
        assert moved(result, WRITTEN) >= written
        return
    assert read <= moved(result, READ) <= read + around + index
    assert written <= moved(result, WRITTEN) <= written + around
