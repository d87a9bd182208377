"""Mirrors of copies at unlike distances: quorums, reads of the nearest, what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from volume_bench import Recorder, Request, outcome_of, run, volume

from simio.components.volumes import make_volume
from simio.errors import RunError, SimioError
from simio.loading import load
from simio.lower import lower
from simio.machines.volume import quorum
from simio.program.builder import Builder


def replicas(needed: int | None = None, nearest: bool = False, times: tuple[int, ...] = (10, 20, 30)):
    """A function that makes a mirror of members that take these times a request."""

    def make(p: Builder):
        devices = [Recorder(p, f"m{i}", 10**6, fixed=time) for i, time in enumerate(times)]
        return make_volume(p, replace(volume("mirror", len(times)), quorum=needed, nearest=nearest), devices)

    return make


@pytest.mark.parametrize(("needed", "end"), [(1, 10), (2, 20), (3, 30), (None, 30)])
def test_a_write_is_done_when_a_quorum_has_it_and_all_get_it(needed: int | None, end: int) -> None:
    asked, ends = run(replicas(needed), [Request("write", 512, 512)])
    assert ends == [end]
    assert asked == [[(0, f"m{i}", "write", 512, 512) for i in range(3)]]


def test_a_slow_member_holds_up_no_write_and_gets_them_in_order() -> None:
    asked, ends = run(replicas(2), [Request("write", 512 * i, 512) for i in range(3)])
    assert ends == [20, 40, 60]
    # It serves one at a time, 30 each, and is asked at once for all.
    assert [(row.time, row.at) for rows in asked for row in rows if row.member == "m2"] == [
        (0, 0),
        (20, 512),
        (40, 1024),
    ]


def test_writes_at_the_same_time_wait_each_for_its_own_quorum() -> None:
    p = Builder()
    device, done = replicas(2)(p), p.observation("done")
    with p.thread("process", count=4):
        at = p.register(0)
        device.write(at, 512, 512)
        p.mark(done, 1)
    outcome = outcome_of(p)
    ends = [time for time, mark, _ in outcome.marks.tolist() if mark == done.number]
    assert ends == [20, 40, 60, 80]
    assert outcome.end == 120


def test_reads_go_round_or_to_the_nearest() -> None:
    reads = [Request("read", 512 * i, 512) for i in range(3)]
    assert run(replicas(2), reads)[1] == [10, 30, 60]
    assert run(replicas(nearest=True), reads)[1] == [10, 20, 30]


def test_a_write_waits_while_the_place_that_it_would_have_is_not_on_all_members() -> None:
    state = np.array(quorum.initial(3, 2), dtype=np.int64)
    first = quorum.begin(state, 0)
    assert quorum.stored(state, 0, first) == 0
    assert quorum.done(state, 0, first) == 0
    assert quorum.stored(state, 0, first) == 1
    assert quorum.done(state, 0, first) == 1
    for _ in range(quorum.WRITES - 1):
        at = quorum.begin(state, 0)
        for _ in range(3):
            quorum.stored(state, 0, at)
    assert quorum.begin(state, 0) == 0
    assert quorum.stored(state, 0, first) == 1
    assert quorum.begin(state, 0) == first


def test_members_of_a_quorum_do_not_fail() -> None:
    p = Builder()
    devices = [Recorder(p, f"m{i}", 10**6) for i in range(3)]
    with pytest.raises(RunError, match="all members acknowledge"):
        make_volume(p, replace(volume("mirror", 3), quorum=2, failed=("m0",)), devices)


SCENARIO = """
title: Copies
hosts:
  a: {model: hosts/server-2023-2s}
disks:
  d: {model: disks/datacentre-tlc-2023, count: 3}
volumes:
  v: {kind: mirror, of: d, quorum: 2}
links:
  - {model: links/nvme, between: [a.nvme, d], length: 0 m}
workload:
  writer: {host: a, to: v, block: 4 KiB, access: raw, size: 8 KiB}
"""


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (["volumes.v.quorum=4"], "at most 3"),
        (["volumes.v={kind: stripe, unit: 64 KiB, of: d, quorum: 2}"], "only mirror has it"),
        (["volumes.v={kind: stripe, unit: 64 KiB, of: d, nearest: true}"], "only mirror has it"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, sets: list[str], said: str) -> None:
    (tmp_path / "v.yaml").write_text(SCENARIO)
    with pytest.raises(SimioError) as caught:
        lower(load(str(tmp_path / "v.yaml"), sets).cases[0].system)
    assert said in str(caught.value)
