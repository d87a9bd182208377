"""TCP between programs: what layers cost, who waits for what, and what the machine's decisions come to."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from part_samples import MS, US, like
from pydantic import ValidationError
from tcp_net import FREE, QUICK, busy, marks, run, station, system

from simio.bound import bound
from simio.description.model import Run
from simio.engines import compiled, reference
from simio.errors import RunError
from simio.loading import load
from simio.lower import lower
from simio.result.usage import tallies
from simio.running import run_scenario
from simio.workloads import workload_kinds

NS = 1000


def two(stack: dict[str, Any] | None = None, **adapter: Any) -> tuple[Any, Any]:
    return station("a", stack, **adapter), station("b", stack, **adapter)


def ttcp(**params: Any) -> dict[str, Any]:
    return {"ttcp": {"from": "a", "to": "b", "size": "1 KiB", "writes": 1, **params}}


def rate(program: Any, outcome: Any) -> Fraction:
    """Bytes a second over the last three quarters of the deliveries."""
    found = marks(program, outcome, "delivered")
    found = found[len(found) // 4 :]
    return Fraction(sum(size for _, size in found[1:]) * 10**12, found[-1][0] - found[0][0])


def test_a_ping_crosses_both_stacks_and_the_wire_twice(engine: ModuleType) -> None:
    program, outcome = run(
        engine, system(*two(), workload={"ping": {"from": "a", "to": "b", "size": "56 B", "count": 1}})
    )
    # A message of 84 bytes: socket call 10 us, IP 1 us, driver 5 us; DMA of 21 words of 10 ns; 84 + 18 + 8 bytes of 8
    # ns; DMA; interrupt 3 us, driver 4 us, IP 2 us. Then the same way back without a call: IP 1 us, driver 5 us, ...
    one_way = 1 * US + 5 * US + 210 * NS + 880 * NS + 210 * NS + 3 * US + 4 * US + 2 * US
    assert marks(program, outcome, "ping: round trip") == [(10 * US + 2 * one_way, 10 * US + 2 * one_way)]


def test_an_echo_without_a_reply_is_lost_and_the_next_one_goes(engine: ModuleType) -> None:
    asking = {"from": "a", "to": "b", "size": "56 B", "count": 200, "period": "1 ms"}
    program, outcome = run(engine, system(*two(), workload={"ping": asking}, loss=0.2))
    lost = len(marks(program, outcome, "ping: lost"))
    trips = [time for _, time in marks(program, outcome, "ping: round trip")]
    on_wires = sum(len(marks(program, outcome, f"{wire} lost")) for wire in ("a.eth>b.eth", "b.eth>a.eth"))
    assert lost == on_wires > 40
    assert len(trips) == 200 - lost
    assert max(trips) < 50 * US


def test_the_set_up_and_one_write(engine: ModuleType) -> None:
    asking = {"from": "a", "to": "b", "request": "1 KiB", "response": "1 B", "count": 1}
    program, outcome = run(engine, system(*two(), workload={"requests": asking}))

    # connect(): call 10 us, then a SYN; each segment: TCP 20 us, IP 1 us, driver 5 us; DMA, wire, DMA; interrupt
    # 3 us, driver 4 us, IP 2 us, TCP 30 us.
    def way(size: int) -> int:
        dma = -(-size // 4) * 10 * NS
        return 26 * US + dma + (max(size, 46) + 26) * 8 * NS + dma + 39 * US

    set_up = 10 * US + way(40) + way(40)
    # The writer's call takes 10 us and its copy 10.24 us at 100 MB/s. Before that the ACK of the SYN goes out, whose
    # output (26 us) has the CPU first.
    written = set_up + 26 * US + 10 * US + 10_240 * NS
    arrived = written + way(1064)
    # The reader wakes, and copies what is there.
    assert marks(program, outcome, "delivered")[0] == (arrived + 10_240 * NS, 1024)


def test_a_window_over_the_round_trip(engine: ModuleType) -> None:
    free = {**FREE, "ack_every": 1, "send_space": "14600 B", "receive_space": "60 KiB"}
    described = system(*two(free, **QUICK), workload=ttcp(size="14600 B", writes=60), length=400_000)
    program, outcome = run(engine, described)
    # 400 km at 5 ns/m are 2 ms each way; ten segments of 1460 bytes a round trip, and some 30 us more until a segment
    # is copied, fetched, sent and stored and its ACK has come back.
    assert float(rate(program, outcome)) == pytest.approx(14600 / 4.03e-3, rel=0.01)


def test_the_congestion_window_grows_by_an_acknowledgement_a_segment(engine: ModuleType) -> None:
    free = {**FREE, "ack_every": 1, "send_space": "1 MiB", "receive_space": "60 KiB", "initial_window": 1}
    described = system(*two(free, **QUICK), workload=ttcp(size="116800 B", writes=1), length=2_000_000)
    program, outcome = run(engine, described)
    # 10 ms each way: rounds 20 ms apart of 1, 2, 4, 8, 16, 32 segments (RFC 5681, section 3.1), and the rest of 80.
    found: dict[int, int] = {}
    for time, size in marks(program, outcome, "delivered"):
        found[time // (20 * MS)] = found.get(time // (20 * MS), 0) + size
    assert [size // 1460 for size in found.values()] == [1, 2, 4, 8, 16, 32, 17]


def test_nagle_holds_the_second_small_write_until_the_delayed_acknowledgement(engine: ModuleType) -> None:
    # A request of 300 bytes goes to TCP as three buffers of 100.
    cut = {**FREE, "mbuf_size": "128 B", "mbuf_data": "100 B", "mbuf_first": "100 B", "hand_over": "buffer"}
    times = {}
    for nodelay in (False, True):
        asking = {
            "from": "a",
            "to": "b",
            "request": "300 B",
            "response": "1 B",
            "count": 1,
            "nodelay": nodelay,
        }
        found = run(engine, system(*two(cut, **QUICK), workload={"requests": asking}))
        ((_, times[nodelay]),) = marks(*found, "requests: transaction")
    assert 50 * MS < times[False] < 51 * MS
    assert times[True] < 1 * MS


def test_threads_let_other_cpus_take_the_protocols(engine: ModuleType) -> None:
    ends = {}
    for way in ("interrupt", "thread"):
        stack = {"input": way, "tcp_receive": "100 us", "delayed_ack": "1 ms"}
        hosts = (station("a", FREE, cpus=4, **QUICK), station("b", stack, cpus=4, **QUICK))
        described = system(*hosts, workload=ttcp(size="14600 B", writes=20, streams=4))
        _, outcome = run(engine, described)
        ends[way] = outcome.end
    assert ends["thread"] < ends["interrupt"] / 2


def test_one_connection_has_one_cpu_at_a_time(engine: ModuleType) -> None:
    stack = {**FREE, "input": "thread", "tcp_receive": "100 us", "initial_window": 8}
    hosts = (station("a", FREE, **QUICK), station("b", stack, cpus=4, **QUICK))
    program, outcome = run(engine, system(*hosts, workload=ttcp(size="14600 B", writes=10)))
    # A hundred segments of 100 us each, one after another.
    assert busy(program, outcome, "ttcp at b lock") >= 100 * 100 * US
    assert outcome.end >= 100 * 100 * US


def test_a_reader_has_its_turn_among_threads_of_the_protocols(engine: ModuleType) -> None:
    stack = {**FREE, "input": "thread", "tcp_receive": "100 us", "ack_every": 100}
    hosts = (station("a", {**FREE, "initial_window": 44}, **QUICK), station("b", stack, cpus=4, **QUICK))
    found = run(engine, system(*hosts, workload=ttcp(size="64240 B", writes=1)))
    # 44 segments come within 0.6 ms and take 0.1 ms each. The reader wakes after the first and finds those dealt with
    # that were in line before it, eight more, and not all of them.
    assert marks(*found, "delivered")[0][1] == 9 * 1460


def test_checksums_take_a_slower_cpu_longer(engine: ModuleType) -> None:
    used = {}
    for clock in (100, 50):
        for rate in ("none", "100 MB/s"):
            b = station("b", {**FREE, "checksum": rate}, interrupt=0, **QUICK)
            b = replace(b, cpu=like(b.cpu, clock=b.cpu.sheet.clock * clock // 100))
            found = run(engine, system(station("a", FREE, **QUICK), b, workload=ttcp(size="14600 B", writes=1)))
            used[clock, rate] = busy(*found, "b.cpu")
    slow, fast = (used[clock, "100 MB/s"] - used[clock, "none"] for clock in (50, 100))
    # 14,600 bytes at 10 ns each, or 20.
    assert (fast, slow) == pytest.approx((146 * US, 292 * US), rel=1e-3)


def test_ping_itself_takes_time_once(engine: ModuleType) -> None:
    times = []
    for echo in ("0 s", "100 us"):
        hosts = station("a", {"echo": echo}), station("b", {"echo": echo})
        asking = {"ping": {"from": "a", "to": "b", "count": 1}}
        ((_, time),) = marks(*run(engine, system(*hosts, workload=asking)), "ping: round trip")
        times.append(time)
    assert times[1] - times[0] == 100 * US


def test_an_adapter_that_computes_checksums_spares_the_cpu(engine: ModuleType) -> None:
    used = {}
    for able in (False, True):
        stack = {**FREE, "checksum": "50 MB/s"}
        hosts = (station("a", stack, interrupt=0, **QUICK, checksum=able), station("b", FREE, **QUICK))
        program, outcome = run(engine, system(*hosts, workload=ttcp(size="1460 B", writes=1)))
        used[able] = busy(program, outcome, "a.cpu")
    # 20 ns a byte. With more segments, copies would meet DMA on the memory bus at other times.
    assert used[False] - used[True] == 1460 * 20 * NS


@pytest.mark.parametrize(("flip", "aligned", "copied"), [(True, True, 0), (True, False, 8192), (False, True, 8192)])
def test_whole_pages_flip_between_aligned_buffers(engine: ModuleType, flip: bool, aligned: bool, copied: int) -> None:
    stack = {**FREE, "page_flip": flip, "flip_cost": "7 us"}
    hosts = (station("a", stack, interrupt=0, **QUICK), station("b", FREE, **QUICK))
    program, outcome = run(engine, system(*hosts, workload=ttcp(size="8 KiB", writes=1, aligned=aligned)))
    assert busy(program, outcome, "a.cpu") == pytest.approx(
        copied * 10 * NS + (0 if copied else 2 * 7 * US), abs=100 * NS
    )


def test_a_segment_pays_for_the_chain_that_is_walked(engine: ModuleType) -> None:
    chain = {
        **FREE, "mbuf_size": "128 B", "mbuf_data": "100 B", "mbuf_first": "100 B", "walk_cost": "1 us",
    }  # fmt: skip
    hosts = (station("a", chain, interrupt=0, **QUICK), station("b", FREE, **QUICK))
    program, outcome = run(engine, system(*hosts, workload=ttcp(size="300 B", writes=1)))
    # Appending walks 0, 1 and 2 buffers, sending the segment 3. A copy may wait for DMA of some words.
    assert busy(program, outcome, "a.cpu") == pytest.approx(6 * US + 300 * 10 * NS, abs=100 * NS)


def test_requests_and_responses(engine: ModuleType) -> None:
    described = system(
        *two(FREE, **QUICK),
        workload={"requests": {"from": "a", "to": "b", "request": "100 B", "response": "1 kB", "count": 5}},
    )
    program, outcome = run(engine, described)
    assert [size for _, size in marks(program, outcome, "delivered")] == [100, 1000] * 5
    took = [time for _, time in marks(program, outcome, "requests: transaction")]
    assert len(set(took[1:])) == 1


@given(
    size=st.integers(1, 20_000), writes=st.integers(1, 12), read=st.integers(1, 30_000),
    window=st.integers(2000, 65_535), loss=st.sampled_from([0.0, 0.01, 0.1]), seed=st.integers(1, 10**6),
    recovery=st.sampled_from(["tahoe", "reno", "newreno", "sack"]), nodelay=st.booleans(),
    rfc1323=st.sampled_from(["never", "always"]), buffers=st.sampled_from([0, 256]),
)  # fmt: skip
@settings(max_examples=30)
def test_every_byte_arrives_once_and_no_run_beats_its_bound(
    size: int, writes: int, read: int, window: int, loss: float, seed: int, recovery: str, nodelay: bool,
    rfc1323: str, buffers: int,
) -> None:  # fmt: skip
    stack: dict[str, Any] = {"recovery": recovery, "rfc1323": rfc1323, "rto_initial": "1 s"}
    if buffers:
        stack |= {
            "mbuf_size": "256 B", "mbuf_data": "236 B", "mbuf_first": "228 B", "cluster": "4 KiB",
            "cluster_threshold": "936 B", "cluster_needs_room": True, "hand_over": "buffer",
        }  # fmt: skip
    described = system(
        *two(stack), loss=loss,
        workload=ttcp(size=f"{size} B", writes=writes, read=f"{read} B", window=f"{window} B", nodelay=nodelay),
    )  # fmt: skip
    program, outcome = run(compiled, described, seed=seed)
    assert outcome.differences(run(reference, described, seed=seed)[1]) == []
    assert sum(amount for _, amount in marks(program, outcome, "delivered")) == size * writes
    found = bound(program)
    assert found.delivered == size * writes
    for limit in found.limits:
        assert outcome.end >= limit.time, limit


def test_what_cannot_be() -> None:
    plain = station("a", FREE)
    without = system(plain, replace(station("b"), stack=None), workload=ttcp())
    with pytest.raises(RunError, match="host 'b' has no protocol stack; give it one"):
        lower(without)
    with pytest.raises(RunError, match="a window of 8 MiB is more than a stack gives a socket: max_space is 4 MiB"):
        lower(system(*two(), workload=ttcp(window="8 MiB")))
    with pytest.raises(RunError, match="an echo request of 2028 bytes does not fit the path's 1500 bytes"):
        lower(system(*two(), workload={"ping": {"from": "a", "to": "b", "size": "2000 B", "count": 1}}))
    with pytest.raises(RunError, match="a path that takes datagrams of 40 bytes is too narrow for TCP"):
        lower(system(*two(), workload=ttcp(), mtu="40 B"))


def test_cross_traffic_takes_its_share_and_does_not_count(engine: ModuleType) -> None:
    ends = {}
    for streams in (0, 3):
        cross = {
            "kind": "ttcp",
            "from": "a",
            "to": "b",
            "size": "8 KiB",
            "streams": streams,
            "background": True,
        }
        workload = ttcp(size="14600 B", writes=30) | ({"cross": cross} if streams else {})
        program, outcome = run(engine, system(*two(FREE, **QUICK), workload=workload, rate="100 Mbit/s"))
        assert sum(size for _, size in marks(program, outcome, "delivered")) == 438_000
        # It need not come to an end, so the bound must not ask for all of it.
        assert bound(program).allows(438_000, outcome.end, True)
        ends[streams] = outcome.end
    # Four connections over one wire, which they share about evenly.
    assert 3 < ends[3] / ends[0] < 5
    assert sum(size for _, size in marks(program, outcome, "cross: received")) > 2 * 438_000


def test_cross_traffic_has_no_number_of_writes() -> None:
    params = {"from": "a", "to": "b", "size": "8 KiB", "background": True, "writes": 5}
    with pytest.raises(ValidationError, match="found 5; expected none, with background: true"):
        workload_kinds()["ttcp"].model_validate(params)


def test_other_work_on_a_host_slows_its_protocols(engine: ModuleType) -> None:
    ends = {}
    for processes in (0, 1, 4):
        other = {"host": "b", "busy": "1 ms", "processes": processes}
        workload = ttcp(size="14600 B", writes=50) | ({"compute": other} if processes else {})
        ends[processes] = run(engine, system(*two(**QUICK), workload=workload))[1].end
    assert ends[0] < ends[1] < ends[4]


def test_a_program_without_end_needs_a_time(engine: ModuleType) -> None:
    params = ttcp(size="14600 B", writes=None)
    with pytest.raises(RunError, match="workload 'ttcp' never ends; expected a value of writes or of run.until"):
        lower(system(*two(), workload=params))
    endless = replace(system(*two(FREE, **QUICK), workload=params), run=Run(until="10 ms"))  # type: ignore[arg-type]
    program, outcome = run(engine, endless, until=10 * MS)
    assert outcome.end == 10 * MS
    carried = sum(size for _, size in marks(program, outcome, "delivered"))
    assert 0.7 * 125e6 * 0.01 < carried <= 125e6 * 0.01


FAR = {"length": 1_000_000}
SLOW = {"rate": "1 Mbit/s"}


@pytest.mark.parametrize(
    ("stack", "params", "wire", "expected"),
    [
        ({"send_space": "8760 B"}, {}, FAR, "ACKs, its send buffer full"),
        ({"receive_space": "8760 B"}, {}, FAR, "the other end's window"),
        ({"max_cwnd": "2920 B"}, {}, FAR, "its congestion window"),
        ({}, {"size": "100 B", "writes": 3}, SLOW, "a full segment, or all ACKs (Nagle)"),
    ],
)
def test_what_a_sender_waits_for_most(
    stack: dict[str, Any], params: dict[str, Any], wire: dict[str, Any], expected: str
) -> None:
    program, outcome = run(
        reference,
        system(
            *two({**FREE, **stack}, **QUICK),
            workload=ttcp(**{"size": "29200 B", "writes": 20} | params),
            **wire,
        ),
    )
    times = {
        tally.what: tally.value
        for tally in tallies(program, outcome)
        if tally.owner == "ttcp at a" and tally.unit == "ps"
    }
    assert max(times, key=lambda name: times[name]) == expected
    assert sum(times.values()) <= outcome.end


def test_segments_sent_again_are_counted() -> None:
    described = system(*two(FREE, **QUICK), workload=ttcp(size="14600 B", writes=40), loss=0.02)
    program, outcome = run(reference, described)
    counted = {tally.name: tally.value for tally in tallies(program, outcome)}
    lost = len(marks(program, outcome, "a.eth>b.eth lost"))
    assert lost > 3
    assert counted["ttcp at a sent again"] >= lost - 2


def test_a_deferred_burst_waits_for_the_window_that_is_full_and_not_by_nagle(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(
        "title: Two hosts of Linux 6\n"
        "hosts: {a: {model: hosts/linux-namespace}, b: {like: a}}\n"
        "switches: {r: {model: switches/ideal-ethernet}}\n"
        "links:\n"
        "  - {model: links/emulated, between: [a.eth, r], delay: 5.235 ms}\n"
        "  - {model: links/emulated, between: [r, b.eth], rate: 100 Mbit/s, burst: 3200 B, queue: 4 MB}\n"
        "workload: {ttcp: {from: a, to: b, size: 128 KiB}}\n"
        "run: {until: 1 s, warm_up: 0.2 s}\n"
    )
    # All data go in whole segments, which Nagle's rule never holds back.
    offered = run_scenario(load(str(path), ["hosts.b.stack.advertised_window=86190 B"])).cases[0]
    own = run_scenario(load(str(path), ["hosts.a.stack.max_cwnd=86190 B"])).cases[0]
    assert "mostly for the other end's window" in offered.limiter.sentence
    assert "mostly for its congestion window" in own.limiter.sentence
    # The line is busy for most of the time, and the window still decides.
    wide = run_scenario(load(str(path), ["hosts.a.stack.max_cwnd=115000 B"])).cases[0].limiter.sentence
    assert wide.startswith("No part is saturated; ttcp at a waits 9")
    assert "mostly for its congestion window. Busiest: r>b.eth 8" in wide
