"""Limits: a lock leads to what its holders use, and an explanation names the limit of the run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from simio.bound import bound
from simio.engines import reference
from simio.engines.outcome import Options
from simio.explaining import profile
from simio.loading import load as read
from simio.program.builder import Builder
from simio.result import holding
from simio.result.fairness import fairness
from simio.result.headline import reported
from simio.result.holding import Holding
from simio.result.limiter import limit_of
from simio.running import run_case

SCENARIOS = sorted(Path(__file__).parents[2].glob("scenarios/*.yaml"))


@pytest.mark.parametrize(
    ("scenario", "sets", "case", "named"),
    [
        # The handler of an interface works on the CPU, which others use as well.
        ("slac-jumbo.yaml", [], 1, "datamove7.cpu"),
        # An arm works itself; the port that three disks share is busy for a third of the time of each.
        ("linux-fc-raw.yaml", ["disks.d.count=3"], 0, "d1"),
        # A disk that takes one command at a time is always taken, by commands that wait for its mechanism.
        ("sgi-disks.yaml", [], 0, "a1"),
        # Replies wait for the turn of one that finds the client's window closed, and threads of the server with them.
        ("nfs-nconnect.yaml", [], 7, "nfs connection at server"),
        ("nfs-nconnect.yaml", ["workload.nfs.nfsds=8"], 7, "nfs connection at server"),
        # Calls wait for the turn of one that finds the send buffer full.
        (
            "nfs-nconnect.yaml",
            ["workload.nfs.access=write", "workload.nfs.size=16 MiB", "hosts.client.stack.send_space=64 KiB"],
            7,
            "nfs connection at client",
        ),
    ],
)
def test_a_lock_leads_to_what_its_holders_use(load, scenario, sets, case, named):
    found = run_case(load(scenario, *sets).cases[case]).limiter
    assert found.name == named
    assert found.sentence.startswith(named)


def test_what_holders_use_is_kept_of_many_programs_in_turn_up_to_so_many_steps(monkeypatch):
    programs = []
    for number in range(1, 21):
        p = Builder()
        lock = p.resource("lock", lock=True)
        with p.thread("user", count=number):
            p.seize(lock)
            p.advance(5)
            p.release(lock)
        programs.append(p.build())
    first = [Holding.of(program) for program in programs]
    assert [Holding.of(program) for program in programs] == first
    monkeypatch.setattr(holding, "MOST_STEPS", 3 * len(programs[0].steps))
    last = Holding.of(replace(programs[0], bodies=(*programs[0].bodies,)[:0]))
    assert Holding._kept[0] is last
    assert len(Holding._kept) == 3


@pytest.mark.slow
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_an_explanation_names_the_limit_of_the_run(path, monkeypatch):
    monkeypatch.setattr("simio.explaining.variants.components", lambda _: [])
    monkeypatch.setattr("simio.explaining.variants.what_ifs", lambda _: [])
    case = read(path, ("run.replications=1",)).cases[0]
    assert profile(case).limiter == run_case(case).limiter


@pytest.mark.parametrize(
    ("drives", "lanes", "named"),
    [
        # Eight drives, whose lanes would carry a request in 2 us, wait for memory that takes 1 us each: all busy.
        (8, 2, "memory"),
        # One drive keeps its lanes for 100 us and memory for 95 of them: memory waits for the lanes.
        (1, 100, "lanes 1"),
    ],
)
def test_lanes_that_wait_for_memory_lead_to_it(drives: int, lanes: int, named: str) -> None:
    p = Builder()
    rows = [p.resource(f"lanes {number + 1}") for number in range(drives)]
    memory = p.resource("memory")
    done = p.observation("done", "delivered", "bytes")
    within = 1 if drives > 1 else 95
    for number, row in enumerate(rows):
        with p.thread(f"drive {number}"), p.loop(200), p.hold(row):
            p.advance((lanes - within) * 10**6)
            with p.hold(memory):
                p.advance(within * 10**6)
            p.mark(done, 4096)
    program = p.build()
    outcome = reference.run(program, Options())
    span, cap = reported(program, outcome, 0, bound(program))
    found = limit_of(program, outcome, span, cap)
    assert (found.kind, found.name) == ("resource", named)
    assert found.busy > 0.9


def test_a_ping_beside_a_flow_is_not_busy_between_its_echoes(tmp_path: Path) -> None:
    # A segment in a hundred is lost, so that the window and not the line limits; the ping rests for 0.95 of its time.
    path = tmp_path / "case.yaml"
    path.write_text(
        "title: A ping beside a flow\nhosts: {a: {model: hosts/linux-namespace}, b: {like: a}}\n"
        "links: [{model: links/ethernet-1000, between: [a.eth, b.eth], delay: 500 us, loss: 1 %}]\n"
        "workload: {bulk: {kind: ttcp, from: a, to: b, size: 64 KiB}, "
        "echo: {kind: ping, from: b, to: a, count: 100, period: 20 ms}}\n"
        "run: {until: 1 s, replications: 1}\n"
    )
    case = run_case(read(path).cases[0])
    assert case.limiter.name == "bulk at a"
    assert "echo" not in case.limiter.sentence
    # The ping takes no part of what the flow could have.
    assert fairness(case.streams) is None


def test_who_sends_by_a_period_is_not_busy(tmp_path: Path) -> None:
    # 1538 bytes a millisecond take 12.304 us of the line.
    path = tmp_path / "case.yaml"
    path.write_text(
        "title: Datagrams by a period\nhosts: {a: {model: hosts/linux-namespace}, b: {like: a}}\n"
        "links: [{model: links/ethernet-1000, between: [a.eth, b.eth]}]\n"
        "workload: {datagrams: {from: a, to: b, size: 1472 B, count: 50, streams: 2, period: 1 ms}}\n"
    )
    limit = run_case(read(path).cases[0]).limiter
    assert limit.sentence == "The period sets the pace: senders wait for it 100% of the time. Busiest: a.eth>b.eth 2%"
    assert (limit.kind, limit.name) == ("load", "a.eth>b.eth")


@pytest.mark.parametrize("protocol", ["udp", "tcp"])
def test_who_sends_at_a_rate_is_not_busy(protocol: str, tmp_path: Path) -> None:
    # 10 Mbit/s of a line that carries a hundred times as much.
    path = tmp_path / "case.yaml"
    path.write_text(
        "title: A rate of iperf3\nhosts: {a: {model: hosts/linux-namespace}, b: {like: a}}\n"
        "links: [{model: links/ethernet-1000, between: [a.eth, b.eth]}]\n"
        f"workload: {{iperf3: {{from: a, to: b, protocol: {protocol}, rate: 10 Mbit/s}}}}\nrun: {{until: 2 s}}\n"
    )
    limit = run_case(read(path).cases[0]).limiter
    assert limit.sentence.startswith("The rate sets the pace: senders wait for it 100% of the time. Busiest: a.eth>")
    assert (limit.kind, limit.name) == ("load", "a.eth>b.eth")


@pytest.mark.parametrize(("blocks", "limit"), [("sequential", ("window", "d media")), ("random", ("lock", "d"))])
def test_media_that_read_ahead_all_the_time_limit(blocks: str, limit: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(
        "title: Blocks of a disk on Serial ATA\n"
        "hosts:\n  s: {model: hosts/server-2023-2s, buses: {b: buses/pcie-3-x4},"
        " adapters: {sata: {model: adapters/ahci, bus: b}}}\n"
        "disks: {d: disks/exos-x18-18tb}\n"
        "links: [{model: links/sata-6, between: [s.sata, d], length: 1 m}]\n"
        f"workload: {{reader: {{host: s, from: d, block: 64 KiB, size: 16 MiB, pattern: {blocks}}}}}\n"
        "run: {replications: 1}\n"
    )
    case = read(path).cases[0]
    found = run_case(case)
    assert (found.limiter.kind, found.limiter.name) == limit
    assert found.limiter.busy > 0.9
    assert profile(case).limiter == found.limiter


@pytest.mark.parametrize(("least", "slow"), [("200 ms", True), ("2 ms", False)])
def test_many_answers_into_a_shallow_port_wait_for_retransmission_timers(
    least: str, slow: bool, tmp_path: Path
) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(
        "title: Forty answers at once\n"
        f"hosts: {{a: {{model: hosts/linux-namespace, stack: {{rto_min: {least}, rto_granularity: {least}}}}},"
        " b: {model: hosts/linux-namespace}}\n"
        "switches: {s: {model: switches/ideal-ethernet, buffer: 64 kB}}\n"
        "links:\n- {model: links/ethernet-10g, between: [a.eth, s]}\n"
        "- {model: links/ethernet-1000, between: [s, b.eth]}\n"
        "workload: {ttcp: {from: a, to: b, size: 64 KiB, writes: 1, streams: 40}}\nrun: {warm_up: 0 s}\n"
    )
    result = run_case(read(path).cases[0])
    assert ("retransmission timer" in result.limiter.sentence) == slow
    if slow:
        times = sum(tally.value for tally in result.tallies if tally.what == "timed out")
        assert f"({times} timeouts in all" in result.limiter.sentence
        assert result.limiter.kind == "wait"


@pytest.mark.parametrize(
    ("kernel", "options", "sets"),
    [
        ("", "ioengine: psync, direct: 1, bs: 64k", ""),
        # A process with a core of its own takes all steps of its request itself, so that it is never idle.
        ("kernel: kernels/linux-6.3, ", "ioengine: io_uring, direct: 1, bs: 64k", ""),
        ("", "ioengine: psync, bs: 64k", "rotation: 2400 rpm, "),
        ("", "ioengine: mmap, bs: 64k", "rotation: 2400 rpm, "),
    ],
)
def test_media_limit_a_job_of_fio_that_reads_a_file_once(
    kernel: str, options: str, sets: str, tmp_path: Path
) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(
        "title: A file of a disk on Serial ATA\n"
        f"hosts:\n  s: {{model: hosts/server-2023-2s, {kernel}buses: {{b: buses/pcie-3-x4}},"
        " adapters: {sata: {model: adapters/ahci, bus: b}}}\n"
        f"disks: {{d: {{model: disks/exos-x18-18tb, {sets}file_system: filesystems/linux-block-device}}}}\n"
        "links: [{model: links/sata-6, between: [s.sata, d], length: 1 m}]\n"
        f"workload: {{fio: {{host: s, storage: d, options: {{rw: read, size: 32m, {options}}}}}}}\n"
    )
    case = read(path).cases[0]
    found = run_case(case)
    assert (found.limiter.kind, found.limiter.name) == ("window", "d media")
