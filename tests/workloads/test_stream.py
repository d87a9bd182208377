"""Isochronous streams: frames on time while the disk keeps up, late ones counted, and every byte played."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.engines import compiled, reference
from simio.engines.outcome import Outcome
from simio.errors import RunError, ScenarioError
from simio.loading import load
from simio.lower import lower
from simio.program.steps import Program

MS = 10**9

ONE_DISK = """
title: A stream from a disk
hosts:
  server: {model: hosts/sgi-challenge-l}
disks:
  d: {model: disks/ultrastar-xp}
links:
  - {model: links/scsi-fast-wide, between: [server.scsi0, d], length: 3 m}
workload:
  stream:
    {host: server, from: d, rate: 4 MB/s, frame: 100 kB, block: 128 KiB, buffer: 512 KiB, size: 5 MB}
"""

MODULE = """
title: A stream from a disk module to a port
hosts:
  server: {model: hosts/data-server-1995}
  port: {model: hosts/data-server-port-1995}
disks:
  d: {model: disks/ultrastar-xp}
links:
  - {model: links/scsi-fast-wide, between: [server.m1, d], length: 1 m}
workload:
  stream:
    {host: server, into: port, from: d, rate: 4 MB/s, frame: 100 kB, block: 128 KiB, buffer: 512 KiB, size: 5 MB}
"""


class Ran:
    def __init__(self, program: Program, outcome: Outcome) -> None:
        self.program, self.outcome = program, outcome

    def marks(self, name: str) -> list[tuple[int, int]]:
        """(time in ps, value) of the marks whose name begins so."""
        found = [
            (time, self.program.marks[mark].name, value) for time, mark, value in self.outcome.marks.tolist()
        ]
        return [(time, value) for time, name_, value in found if name_.startswith(name)]

    @property
    def late(self) -> list[int]:
        """Late frames of each stream."""
        return [int(self.outcome.state[tally.at]) for tally in self.program.tallies]


def run(folder: Path, text: str, *sets: str) -> Ran:
    path = folder / "stream.yaml"
    path.write_text(text)
    program = lower(load(str(path), tuple(f"workload.stream.{one}" for one in sets)).cases[0].system)
    outcomes = [engine.run(program) for engine in (reference, compiled)]
    assert outcomes[0].differences(outcomes[1]) == []
    assert outcomes[0].status == 0
    return Ran(program, outcomes[0])


def test_frames_are_played_one_a_period_from_when_the_buffer_is_full(tmp_path: Path) -> None:
    ran = run(tmp_path, ONE_DISK)
    times = [time for time, _ in ran.marks("delivered")]
    # 100 kB at 4 MB/s are 25 ms.
    assert [later - earlier for earlier, later in zip(times, times[1:], strict=False)] == [25 * MS] * 49
    assert ran.late == [0]
    # The buffer took four blocks of 128 KiB at no more than 7.5 MB/s.
    assert times[0] > 4 * 131072 / 7.5e6 * 1000 * MS


def test_what_a_disk_cannot_keep_up_is_late_and_yet_played(tmp_path: Path) -> None:
    ran = run(tmp_path, ONE_DISK, "rate=10 MB/s")
    played, late = ran.marks("delivered"), ran.marks("stream: lateness")
    assert sum(size for _, size in played) == 5_000_000
    assert ran.late == [len(late)]
    # Half a megabyte is in the buffer; at 10 MB/s against some 6 it lasts for more than ten frames.
    assert 10 < 50 - len(late) < 20
    # Each is a little later than the one before, but for what came at once.
    assert late[-1][1] > late[0][1] > 0
    # A frame was due 10 ms after the one before, from the first on.
    first = played[0][0]
    due = {first + n * 10 * MS for n in range(50)}
    assert {time - by for time, by in late} <= due


def test_a_larger_buffer_puts_off_the_first_late_frame(tmp_path: Path) -> None:
    counts = [
        run(tmp_path, ONE_DISK, "rate=12 MB/s", f"buffer={buffer}").late[0]
        for buffer in ("256 KiB", "1 MiB", "2 MiB")
    ]
    assert counts[0] > counts[1] > counts[2]


@pytest.mark.parametrize("depth", [1, 3])
def test_streams_share_a_disk(tmp_path: Path, depth: int) -> None:
    given = (f"depth={depth}", "streams=2", "size=2 MB")
    slow, fast = (run(tmp_path, ONE_DISK, *given, f"rate={rate}") for rate in ("1.5 MB/s", "4 MB/s"))
    assert slow.late == [0, 0]
    assert all(fast.late)
    for ran in (slow, fast):
        assert [sum(size for _, size in ran.marks(f"stream {n}")) for n in (1, 2)] == [2_000_000] * 2


def test_data_go_past_the_host_that_directs_them(tmp_path: Path) -> None:
    ran = run(tmp_path, MODULE)
    busy = dict(
        zip(
            (one.name for one in ran.program.resources),
            (int(row[0]) for row in ran.outcome.resources),
            strict=True,
        )
    )
    assert busy["server.memory"] == 0
    # Whole sectors of 5 MB, at 2.5 ns a byte.
    assert busy["port.memory"] == pytest.approx(5_000_000 * 2500, rel=1e-3)
    assert ran.late == [0]


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (("size=5050 kB",), "found 5.05 MB; expected whole frames of 100 kB"),
        (("buffer=200 KiB",), "expected a block and a frame at least"),
        (("into=server",), "found 'server'; expected another host, or none"),
        (("block=1000 B",), "takes whole sectors of 512 B"),
        (("size=64 GB",), "workload 'stream' has streams up to"),
    ],
)
def test_what_is_refused(tmp_path: Path, sets: tuple[str, ...], message: str) -> None:
    with pytest.raises((ScenarioError, RunError)) as error:
        run(tmp_path, MODULE, *sets)
    assert message in str(error.value)
