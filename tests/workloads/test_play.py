"""Streams played from storage: on the same host or over a network, by one process or several, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from simio.errors import RunError, ScenarioError
from simio.loading import load
from simio.report.terminal import show
from simio.result.model import CaseResult
from simio.result.recorded import Observation
from simio.running import RunOptions, run_scenario

DISK = """
title: a disk of one host, and another host
hosts:
  a: {model: hosts/sgi-challenge-l}
  b: {model: hosts/sgi-onyx}
disks:
  d: {model: disks/scsi2-1994, count: 2, width: 2 B, synchronous: 20 MB/s, file_system: filesystems/efs}
links:
  - {model: links/scsi-fast-wide, between: [a.scsi0, d], length: 3 m}
  - {model: links/hippi-800, between: [a.hippi, b.hippi], length: 10 m}
workload:
  play: {from: a, storage: d1, rate: 2 MB/s, frame: 100 kB, frames: 30, block: 128 KiB, buffer: 1 MiB}
run: {warm_up: 1 ms}
report: {unit: MB/s}
"""
Run = Callable[..., CaseResult]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def run(*sets: str, engine: str = "compiled", text: str = DISK) -> CaseResult:
        path = tmp_path / "scenario.yaml"
        path.write_text(text)
        sets = tuple(f"workload.play.{one}" if one[0] != "." else one[1:] for one in sets)
        (case,) = run_scenario(load(str(path), sets), sets, RunOptions(engine)).cases
        return case

    return run


def late(case: CaseResult) -> int:
    """Frames that were late."""
    return sum(tally.value for tally in case.tallies if tally.what == "late")


def told(case: CaseResult, name: str) -> Observation:
    """An observation by name."""
    (found,) = (each for each in case.observations if each.name == name)
    return found


WAYS = [(), ("depth=4",), ("access=buffered",), ("to=b",), ("to=b", "depth=4"), ("to=b", "access=buffered")]


@pytest.mark.parametrize("way", WAYS)
def test_well_below_what_a_disk_gives_no_frame_is_late(run: Run, way: tuple[str, ...]) -> None:
    cases = [run(*way, engine=engine) for engine in ("compiled", "simpy")]
    assert cases[0].hash == cases[1].hash
    assert cases[0].observations == cases[1].observations
    assert late(cases[0]) == 0
    assert float(cases[0].rate) == pytest.approx(2e6, rel=0.001)
    # A second and a half is played after what it took to fill the buffer.
    begun = told(cases[0], "play: begins after").most
    assert cases[0].end == begun + 30 * 50 * 10**9


@pytest.mark.parametrize("way", WAYS)
def test_beyond_what_a_disk_gives_it_sets_the_rate(run: Run, way: tuple[str, ...]) -> None:
    case = run(*way, "rate=8 MB/s", "frames=100", "buffer=300 kB")
    reads = run(*way, "rate=20 MB/s", "frames=100", "buffer=300 kB")
    assert late(case) > 10
    assert 2e6 < float(case.rate) < 5.2e6
    # A player that asks for still more gets the same.
    assert float(reads.rate) == pytest.approx(float(case.rate), rel=0.02)


def test_several_reads_keep_the_disks_of_a_stripe_busy(run: Run) -> None:
    text = DISK.replace("workload:", "volumes:\n  v: {kind: stripe, of: d, unit: 64 KiB}\nworkload:")
    sets = ("storage=v", "to=b", "rate=40 MB/s", "frames=60", "buffer=300 kB", "block=64 KiB")
    rates = [float(run(*sets, f"depth={n}", text=text).rate) for n in (1, 4)]
    # One block at a time is read from one disk and then sent; four at a time keep both at work meanwhile.
    assert rates[1] > 1.3 * rates[0]


def test_a_buffer_carries_a_clip_over_what_the_disk_lacks(run: Run) -> None:
    sets = ("rate=6 MB/s", "frames=60", "depth=2")
    counts = [late(run(*sets, f"buffer={size}")) for size in ("300 kB", "600 kB", "1.2 MB", "2.4 MB")]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 20
    assert counts[-1] == 0


def test_streams_of_a_group_have_a_disk_each_in_turn(run: Run) -> None:
    one, two = (run(f"storage={name}", "streams=2", "rate=3 MB/s", "depth=2") for name in ("d1", "d"))
    assert late(one) > 0
    assert late(two) == 0
    assert float(two.rate) == pytest.approx(6e6, rel=0.05)


def test_the_table_of_cases_tells_late_frames_where_there_are_any(tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    tables = []
    for rates in ("2 MB/s, 8 MB/s", "1 MB/s, 2 MB/s"):
        path.write_text(f"{DISK}vary: {{workload.play.rate: [{rates}]}}\n")
        result = run_scenario(load(str(path)))
        console = Console(width=160, file=StringIO(), record=True)
        show(console, result)
        tables.append(console.export_text().splitlines())
    head = next(line.split() for line in tables[0] if "limit" in line)
    assert head[:5] == ["case", "rate", "MB/s", "late", "limit"]
    rows = [line.split() for line in tables[0] if line.startswith(("   1", "   2"))]
    assert rows[0][4] == "0"
    assert int(rows[1][4]) > 0
    assert "late" not in " ".join(tables[1]).split()


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (
            ("block=1000 B",),
            "workload 'play' has a block of 1 kB; 'd1' takes whole sectors of 512 B",
        ),
        # Streams on one disk follow one another on it, in whole blocks.
        (("frames=12000", "streams=2"), "workload 'play' needs 2.4 GB of 'd1', which holds"),
        (("frames=12000", "streams=4", "storage=d"), "workload 'play' needs 2.4 GB of 'd1', which holds"),
        (("access=buffered",), "'d1' has no file_system"),
    ],
)
def test_what_only_the_system_shows_is_refused(run: Run, sets: tuple[str, ...], said: str) -> None:
    with pytest.raises(RunError) as refused:
        run(*sets, text=DISK.replace(", file_system: filesystems/efs", ""))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (("to=a",), "found 'a' at both ends"),
        (("to=c",), "unknown host 'c'"),
        (("storage=e",), "'e'"),
        (("from=b",), "no path of links from 'b' to 'd1'"),
    ],
)
def test_names_that_lead_nowhere_are_refused(run: Run, sets: tuple[str, ...], said: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        run(*sets)
    assert said in str(refused.value)
