"""Isochronous streams over TCP between two hosts: late frames by hand, and what must hold for any of them."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from part_samples import MS, US
from pydantic import ValidationError
from tcp_net import FREE, QUICK, marks, run, station, system

from simio.bound import bound
from simio.workloads.play import Play

NS = 1000
SEGMENT = 1460


def hosts() -> tuple[Any, Any]:
    free = {**FREE, "ack_every": 1}
    return station("a", free, **QUICK), station("b", free, **QUICK)


def play(**params: Any) -> dict[str, Any]:
    given = {"from": "a", "to": "b", "block": SEGMENT, "frame": SEGMENT, "frames": 3, "buffer": "64 KiB"}
    return {"play": {**given, "prefill": SEGMENT, "rate": "1.46 MB/s", **params}}


def test_three_frames_over_a_slow_link(engine: ModuleType) -> None:
    described = system(*hosts(), workload=play(), rate="10 Mbit/s")
    program, outcome = run(engine, described)
    # A segment takes 1460 + 40 + 18 + 8 + 12 bytes of 800 ns on the wire. They follow one another: two are the first
    # window, and the ACK of the first is back long before the second has gone. Frames are due 1 ms after another.
    apart = 1538 * 800 * NS
    shown = [time for time, _ in marks(program, outcome, "delivered")]
    assert [later - time for time, later in zip(shown, shown[1:], strict=False)] == [apart, apart]
    assert marks(program, outcome, "play: late") == [(time, apart - 1 * MS) for time in shown[1:]]
    assert outcome.end == shown[-1] + 1 * MS


def test_frames_in_time_over_a_fast_link(engine: ModuleType) -> None:
    described = system(*hosts(), workload=play(frames=40, streams=3, prefill=None))
    program, outcome = run(engine, described)
    assert marks(program, outcome, "play: late") == []
    assert sum(size for _, size in marks(program, outcome, "delivered")) == 3 * 40 * SEGMENT
    assert len(marks(program, outcome, "play: begins after")) == 3
    # All players' clocks together set the bound, and are met but for the time until they begin.
    assert bound(program).rate() == 3 * 1_460_000


def test_a_link_that_carries_two_streams_makes_a_third_late(engine: ModuleType) -> None:
    late = {}
    for streams in (1, 2, 3):
        params = play(frames=30, streams=streams, rate="4 Mbit/s", buffer="16 KiB", prefill=None)
        program, outcome = run(engine, system(*hosts(), workload=params, rate="10 Mbit/s"))
        late[streams] = len(marks(program, outcome, "play: late"))
        assert sum(size for _, size in marks(program, outcome, "delivered")) == streams * 30 * SEGMENT
    assert late[1] == late[2] == 0
    assert late[3] > 0


def test_streams_go_from_and_to_hosts_in_turn(engine: ModuleType) -> None:
    params = play(streams=4, **{"from": ["a", "b"], "to": ["b", "a"]})
    program, outcome = run(engine, system(*hosts(), workload=params))
    players = [start.name for start in program.starts if "player" in start.name]
    assert players == [f"play {n + 1}: player on {host}" for n, host in enumerate("baba")]
    senders = [start.name for start in program.starts if "sender" in start.name]
    assert senders == [f"play {n + 1}: sender on {host}" for n, host in enumerate("abab")]


def test_a_full_buffer_closes_the_window(engine: ModuleType) -> None:
    described = system(*hosts(), workload=play(frames=100, buffer=2 * SEGMENT, window="8 KiB", rate="1 MB/s"))
    program, outcome = run(engine, described)
    assert marks(program, outcome, "play: late") == []
    names = {tally.what: int(outcome.state[tally.at]) for tally in program.tallies if "at a" in tally.owner}
    assert names["the other end's window"] > 50 * MS


def test_frames_that_do_not_end_with_a_block(engine: ModuleType) -> None:
    described = system(*hosts(), workload=play(frame=1000, frames=7, block=1111, rate="1 MB/s"))
    program, outcome = run(engine, described)
    assert [size for _, size in marks(program, outcome, "delivered")] == [1000] * 7


def test_the_longest_wait_is_the_first_if_playing_begins_too_early(engine: ModuleType) -> None:
    # 20 us an interval, and a wire that needs 1538 bytes of 8 ns: what is behind comes faster than it is played.
    described = system(*hosts(), workload=play(frames=5, rate="73 MB/s"), length=400_000)
    program, outcome = run(engine, described)
    waits = [wait for _, wait in marks(program, outcome, "play: late")]
    # 400 km: after the first two segments, the third waits for a round trip of 4 ms.
    assert max(waits) == waits[0] > 3900 * US


def message(**params: Any) -> str:
    """Message that refuses a workload with these parameters."""
    with pytest.raises(ValidationError) as refused:
        Play.model_validate(play(**params)["play"], context={"text": True})
    (error,) = refused.value.errors()
    return f"{error.get('ctx', {}).get('field')}: {error['msg']}"


@pytest.mark.parametrize(
    ("params", "said"),
    [
        (
            {"frame": "60 KiB", "block": "8 KiB", "prefill": None},
            "buffer: found 64 KiB; expected at least 68 KiB, a frame and a block",
        ),
        (
            {"frame": "1 KiB", "block": "8 KiB", "prefill": "60 KiB"},
            "prefill: found 60 KiB; expected at most 56 KiB, the buffer less a block",
        ),
        ({"depth": 2}, "depth: found 2, without storage; expected 1"),
        (
            {"depth": 2, "storage": "d", "access": "buffered"},
            "depth: found 2, with access buffered; expected 1",
        ),
        ({"servers": 2}, "servers: found 2; expected at most 1, the hosts in from"),
        (
            {"from": ["a", "b"], "storage": "d"},
            "storage: found storage with 2 hosts in from; expected one host",
        ),
        ({"to": None}, "storage: found nothing; expected storage"),
        (
            {"from": ["a", "b"], "to": ["b", "a"], "servers": 1, "streams": 2},
            "storage: found nothing; expected storage",
        ),
    ],
)
def test_what_is_refused(params: dict[str, Any], said: str) -> None:
    sizes = {"block": "1 KiB", "frame": "1 KiB", "prefill": "1 KiB"}
    assert message(**{**sizes, **params}) == said
