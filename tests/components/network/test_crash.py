"""A host that crashes and boots: what NFS sends again and when, and what becomes of its TCP connections."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import ModuleType
from typing import Any

import pytest
from net_bench import US
from tcp_net import FREE, QUICK, busy, marks, run, station, system

from simio.description.faults import Span
from simio.description.model import System
from simio.engines import compiled
from simio.program.steps import Program

MS = 1000 * US
SILENT: dict[str, Any] = {**FREE, "udp_send": "0 s", "udp_receive": "0 s", "copies": False}


def crashing(params: dict[str, Any], *spans: tuple[float, float], stack: dict[str, Any] | None = None) -> System:
    """A client a and a server b that costs 1 ms a request and nothing else; b is not there in these spans, in ms."""
    kind = params.pop("kind", "nfs")
    ends = [station(name, {**SILENT, **(stack or {}), "nfs_server": "1 ms"}, interrupt=0, **QUICK) for name in "ab"]
    gone: tuple[Span, ...] = tuple((int(begin * MS), int(end * MS)) for begin, end in spans)
    ends[1] = replace(ends[1], crashes=gone)
    return system(*ends, workload={kind: {"from": "a", "to": "b", **params}})


def nfs(**params: Any) -> dict[str, Any]:
    """Three blocks, one at a time; a call is repeated after 100 ms, then after 200, 400 ..."""
    return {"size": "24 KiB", "biods": 0, "timeout": "100 ms", **params}


def whole_ms(rows: list[tuple[int, int]]) -> list[int]:
    return [time // MS for time, _ in rows]


def counted(program: Program, outcome: Any) -> list[tuple[int, int]]:
    """Deliveries, without those of blocks that are written again, which count no bytes."""
    return [row for row in marks(program, outcome, "delivered") if row[1]]


def tally(program: Program, outcome: Any, what: str) -> int:
    (found,) = [tally for tally in program.tallies if tally.what == what]
    return int(outcome.state[found.at])


@pytest.mark.parametrize(("access", "version"), [("read", 2), ("read", 3), ("write", 2)])
def test_a_call_that_a_crash_has_lost_is_answered_when_it_comes_again(
    engine: ModuleType, access: str, version: int
) -> None:
    program, outcome = run(engine, crashing(nfs(access=access, version=version), (2.5, 202.5)))
    # The third call, of 2.2 ms or so, is being served; it comes again at 102 ms and at 302 ms.
    assert whole_ms(marks(program, outcome, "nfs: retransmission")) == [102, 302]
    assert whole_ms(marks(program, outcome, "delivered")) == [1, 2, 303]
    assert outcome.end // MS == 303


def test_what_is_served_when_the_crash_comes_is_not_answered_however_short_it_is(engine: ModuleType) -> None:
    program, outcome = run(engine, crashing(nfs(access="read", version=3), (2.5, 2.501)))
    assert whole_ms(marks(program, outcome, "nfs: retransmission")) == [102]
    assert whole_ms(marks(program, outcome, "delivered")) == [1, 2, 103]


def test_what_was_written_and_not_committed_is_written_again_when_the_verifier_changes(
    engine: ModuleType,
) -> None:
    program, outcome = run(engine, crashing(nfs(access="write", version=3), (2.5, 202.5)))
    assert whole_ms(marks(program, outcome, "nfs: retransmission")) == [102, 302]
    # Each block counts once. After 303 ms the first two go again, 1.1 ms each, and then the COMMIT.
    assert whole_ms(counted(program, outcome)) == [1, 2, 303]
    assert whole_ms(marks(program, outcome, "delivered")) == [1, 2, 303, 304, 305]
    assert tally(program, outcome, "written again") == 2
    assert outcome.end // MS == 306


def test_a_crash_before_the_commit_is_answered_costs_all_blocks(engine: ModuleType) -> None:
    program, outcome = run(engine, crashing(nfs(access="write", version=3), (3.5, 103.0)))
    assert whole_ms(counted(program, outcome)) == [1, 2, 3]
    assert whole_ms(marks(program, outcome, "nfs: retransmission")) == [103]
    assert tally(program, outcome, "written again") == 3
    # The COMMIT again, answered at 104 ms; three blocks of 1.1 ms; a COMMIT of 1 ms.
    assert outcome.end // MS == 108


def test_a_second_crash_has_it_written_a_third_time(engine: ModuleType) -> None:
    described = crashing(nfs(access="write", version=3), (3.5, 103.0), (106.0, 150.0))
    program, outcome = run(engine, described)
    # By 106 ms the first of three is written again; the second is answered at 206 ms by the server's third life, so
    # that the first has to go once more, after the third. The COMMIT ends it.
    assert whole_ms(marks(program, outcome, "nfs: retransmission")) == [103, 205]
    assert tally(program, outcome, "written again") == 4
    assert whole_ms(counted(program, outcome)) == [1, 2, 3]
    assert outcome.end // MS == 209


def test_version_2_is_safe_once_it_is_answered(engine: ModuleType) -> None:
    program, outcome = run(engine, crashing(nfs(access="write", version=2), (3.5, 103.0)))
    # All is answered by 3.3 ms, and the program has ended.
    assert outcome.end // MS == 3
    assert not marks(program, outcome, "nfs: retransmission")


def test_calls_that_wait_in_the_servers_socket_are_lost(engine: ModuleType) -> None:
    described = crashing(nfs(access="read", version=3, biods=3, nfsds=1, size="40 KiB"), (2.5, 50.0))
    program, outcome = run(engine, described)
    # Two are served; the third is at work and the fourth and fifth wait. All three come again at 100 to 102 ms.
    assert whole_ms(marks(program, outcome, "nfs: retransmission")) == [100, 101, 102]
    # Calls that waited were not begun; the one at work was, for nothing.
    assert busy(program, outcome, "b.cpu") == 6 * MS
    assert sum(size for _, size in marks(program, outcome, "delivered")) == 40 * 1024


@pytest.mark.parametrize("biods", [0, 2])
@pytest.mark.parametrize(("access", "version"), [("read", 2), ("write", 2), ("write", 3)])
def test_a_soft_mount_gives_up_after_so_many_repetitions(
    engine: ModuleType, access: str, version: int, biods: int
) -> None:
    described = crashing(nfs(access=access, version=version, biods=biods, retrans=2), (2.5, 5000.0))
    program, outcome = run(engine, described)
    gone = marks(program, outcome, "nfs: given up")
    # Sent at 2 ms, again 100 and 200 ms later; after 400 ms more the program gets an error, and ends.
    first = marks(program, outcome, "nfs: retransmission")[0][0] // MS
    assert gone[0][0] // MS == first + 600
    assert outcome.end == gone[0][0]
    assert sum(size for _, size in marks(program, outcome, "delivered")) < 24 * 1024


def test_a_soft_mount_whose_server_is_there_in_time_notices_nothing(engine: ModuleType) -> None:
    described = crashing(nfs(access="write", version=3, retrans=3), (2.5, 202.5))
    program, outcome = run(engine, described)
    assert not marks(program, outcome, "nfs: given up")
    assert outcome.end // MS == 306


# --- TCP ------------------------------------------------------------------------------------------------------

TTCP: dict[str, Any] = {"kind": "ttcp", "size": "10 kB", "writes": 300, "window": "20 kB"}
"""3 MB over a link of 125 MB/s."""


@cache
def written() -> int:
    """Bytes that the receiver has read by 5 ms when nothing is wrong."""
    program, outcome = run(compiled, crashing(dict(TTCP)))
    return sum(size for time, size in marks(program, outcome, "delivered") if time <= 5 * MS)


def test_a_connection_to_a_host_that_crashed_is_reset_when_it_is_there_again(engine: ModuleType) -> None:
    program, outcome = run(engine, crashing(dict(TTCP), (5, 300)))
    # Data that were read before the crash are delivered, and counted by their reader.
    assert sum(size for _, size in marks(program, outcome, "delivered")) == written()
    assert marks(program, outcome, "ttcp: read before the crash") == [(5 * MS, written())]
    # The sender's timer has its least time, 200 ms in ticks of 10 ms, and then twice that: the first segment after
    # 300 ms is answered by a reset.
    ((when, sent),) = marks(program, outcome, "ttcp: written before the reset")
    assert 590 <= when // MS < 620
    assert sent % 10_000 == 0
    assert written() <= sent <= written() + 40_000
    assert outcome.end == when


def test_a_segment_that_comes_right_after_a_short_crash_is_answered_by_a_reset(engine: ModuleType) -> None:
    program, outcome = run(engine, crashing(dict(TTCP), (5, 5.001)))
    assert outcome.end // MS == 5
    assert marks(program, outcome, "ttcp: written before the reset")


def test_a_connection_that_is_asked_for_meanwhile_is_refused_afterwards(engine: ModuleType) -> None:
    program, outcome = run(engine, crashing(dict(TTCP), (0, 1000)))
    # The SYN of 0 s goes again after 3 s, the first retransmission time.
    assert [size for _, size in marks(program, outcome, "ttcp: written before the reset")] == [0]
    assert 2900 <= outcome.end // MS <= 3000
    assert not marks(program, outcome, "delivered")


def test_every_connection_is_reset(engine: ModuleType) -> None:
    program, outcome = run(engine, crashing({**TTCP, "streams": 3}, (5, 300)))
    delivered = sum(size for _, size in marks(program, outcome, "delivered"))
    lost = marks(program, outcome, "ttcp: read before the crash")
    assert [time for time, _ in lost] == [5 * MS] * 3
    assert sum(size for _, size in lost) == delivered
    assert len(marks(program, outcome, "ttcp: written before the reset")) == 3


@pytest.mark.slow
def test_a_crash_when_all_has_been_delivered_changes_nothing(engine: ModuleType) -> None:
    still = run(engine, crashing(dict(TTCP)))
    program, outcome = run(engine, crashing(dict(TTCP), (10_000, 20_000)))
    assert marks(program, outcome, "delivered") == marks(*still, "delivered")
    assert outcome.end == still[1].end


def test_a_program_without_end_ends_with_its_connection(engine: ModuleType) -> None:
    endless = {key: value for key, value in TTCP.items() if key != "writes"}
    described = crashing(endless, (5, 6))
    described = replace(described, run=type(described.run).model_validate({"until": 10**12}))
    program, outcome = run(engine, described, until=10**12)
    assert 190 <= outcome.end // MS < 220
    assert len(marks(program, outcome, "ttcp: written before the reset")) == 1
