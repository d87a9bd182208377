"""fsync(), fdatasync(), O_SYNC and O_DSYNC in jobs of fio: what they wait for, and both engines agree."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_fio_processes import NEW, run, scenario

from simio.errors import RunError
from simio.result.model import CaseResult

VOLATILE = {**NEW, "own": ", volatile_cache: true, flush_time: 1 ms"}
EXT4 = ", file_system: {model: filesystems/ext4}"
JOB = "[a]\nrw=randwrite\nbs=4k\nsize=1m\nnumber_ios=50\n"


def latency(case: CaseResult, name: str) -> tuple[int, float]:
    """Number of times of an observation, and their mean in us."""
    found = next(each for each in case.observations if each.name == name)
    return found.count, float(found.mean) / 1e6


def total(case: CaseResult, what: str) -> int:
    """A total of the disk."""
    return next((int(each.value) for each in case.tallies if each.what == what), 0)


@pytest.mark.parametrize(
    ("options", "flushes"),
    [
        ("direct=1\nfsync=5\n", 10),
        ("direct=1\nfdatasync=5\nfilename=/dev/d\n", 10),
        ("direct=1\nioengine=libaio\niodepth=8\nfsync=5\n", 10),
        ("direct=1\nend_fsync=1\n", 1),
        ("fsync=1\n", 50),
    ],
)
def test_fsync_waits_for_the_flush_of_a_volatile_cache(tmp_path: Path, options: str, flushes: int):
    parts = VOLATILE if "direct=1" in options else {**VOLATILE, "own": VOLATILE["own"] + EXT4}
    case = run(scenario(tmp_path, JOB + options, parts), "compiled")
    assert latency(case, "fio: a sync")[0] == flushes
    assert latency(case, "fio: a sync")[1] > 1000
    assert latency(case, "fio: a write")[1] < 1000


def test_a_file_system_without_writeback_has_no_fsync(tmp_path: Path):
    parts = {**VOLATILE, "own": VOLATILE["own"] + EXT4.replace("ext4", "ext2")}
    for options in ("fsync=5\n", "end_fsync=1\n", "sync=dsync\n"):
        with pytest.raises(RunError, match=r"use filesystems/ext4 or filesystems/xfs, or direct=1"):
            run(scenario(tmp_path, JOB + options, parts), "compiled")


@pytest.mark.parametrize(("sync", "commits"), [("sync", True), ("dsync", False)])
def test_a_write_with_o_sync_is_over_when_it_is_stored(tmp_path: Path, sync: str, commits: bool):
    case = run(scenario(tmp_path, JOB + f"sync={sync}\ndirect=1\n", {**VOLATILE, "own": VOLATILE["own"] + EXT4}))
    assert latency(case, "fio: a write")[1] > 1000
    assert (total(case, "commits") > 0) == commits


def test_without_a_volatile_cache_nothing_is_flushed(tmp_path: Path):
    case = run(scenario(tmp_path, JOB + "direct=1\nfsync=1\n"), "compiled")
    assert latency(case, "fio: a sync")[1] < 5


def test_processes_share_commits_and_engines_agree(tmp_path: Path):
    job = JOB + "fsync=1\nnumjobs=8\ngroup_reporting=1\n"
    file = scenario(tmp_path, job, {**VOLATILE, "own": VOLATILE["own"] + EXT4})
    found = [run(file, engine) for engine in ("simpy", "compiled")]
    assert found[0].observations == found[1].observations
    assert latency(found[0], "fio: a sync")[0] == 400
    assert total(found[0], "flushes") < 250
