"""Datagrams, NFS operations and transactions that arrive, recorded instants, and users who think."""

from __future__ import annotations

from pathlib import Path

import pytest
from loads_bench import ran as read
from loads_bench import scenario

from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.errors import ScenarioError
from simio.loading import load
from simio.lower import lower
from simio.result.model import CaseResult
from simio.running import run_case

MS = 10**9
HOSTS = """
title: Two hosts
hosts:
  a:
    model: hosts/linux-2002-dual-p3
    stack: stacks/linux-2.4
    adapters: {eth: {model: adapters/gigabit-pc, bus: pci}}
  b: {like: a}
links:
  - {model: links/ethernet-1000, between: [a.eth, b.eth], length: 10 m}
run: {until: 2 s, replications: 2}
workload:
  w:
"""
ARRIVING = {
    "datagrams": "{kind: datagrams, from: a, to: b, size: 1 KiB, count: 100000, arrivals: {rate: 500 /s}}",
    "large datagrams": "{kind: datagrams, from: a, to: b, size: 8 KiB, count: 100000, arrivals: {rate: 500 /s}}",
    "reads": "{kind: nfs, from: a, to: b, size: 16 MiB, arrivals: {rate: 500 /s}}",
    "writes": "{kind: nfs, from: a, to: b, size: 16 MiB, access: write, arrivals: {rate: 500 /s}}",
    "transactions": "{kind: requests, from: a, to: b, count: 100000, arrivals: {rate: 500 /s}, "
    "steps: [{request: 64 B, response: 64 B}, {request: 100 B, response: 20 kB, work: 50 us}]}",
}


def ran(folder: Path, workload: str, *sets: str) -> CaseResult:
    return run_case(scenario_of(folder, workload, *sets))


def scenario_of(folder: Path, workload: str, *sets: str):
    path = folder / "s.yaml"
    path.write_text(f"{HOSTS}    {workload}\n")
    return load(str(path), sets).cases[0]


@pytest.mark.parametrize("name", ARRIVING)
def test_all_that_arrives_is_served_and_timed(tmp_path: Path, name: str) -> None:
    result = ran(tmp_path, ARRIVING[name])
    (use,) = result.loads
    assert (use.name, use.offered, use.grows, use.lost) == ("w", 500, 0, 0)
    assert use.served == pytest.approx(500, rel=0.1)
    (took,) = [each for each in result.observations if each.unit == "ps"]
    assert 50_000_000 < took.p50 < 3 * MS
    assert result.limiter.kind == "load"


@pytest.mark.parametrize("name", ARRIVING)
def test_engines_agree(tmp_path: Path, name: str) -> None:
    program = lower(scenario_of(tmp_path, ARRIVING[name]).system)
    options = Options(until=300 * MS, seed=2)
    assert compiled.run(program, options).differences(reference.run(program, options)) == []


def test_times_of_operations_count_from_their_arrival(tmp_path: Path) -> None:
    # One daemon is not enough for 500 a second of 20 ms each.
    slow = ran(tmp_path, ARRIVING["writes"], "workload.w.biods=1", "workload.w.stable=20 ms", "workload.w.version=2")
    (took,) = [each for each in slow.observations if each.unit == "ps"]
    assert slow.loads[0].grows > 400
    assert took.most > 1000 * MS


def test_a_run_ends_when_all_operations_are_done(tmp_path: Path) -> None:
    result = ran(tmp_path, ARRIVING["reads"].replace("16 MiB", "100 KiB"), "run.until=none", "run.warm_up=0 s")
    assert result.status == "done"
    assert result.throughput.amount == 100 * 1024


def test_datagrams_that_come_faster_than_their_host_sends_wait_for_it(tmp_path: Path) -> None:
    # Nothing drops them: the sender waits for room in its socket, and they for the sender.
    result = ran(tmp_path, ARRIVING["large datagrams"].replace("500 /s", "60000 /s"), "run.until=100 ms")
    (use,) = result.loads
    assert use.lost == 0
    assert use.grows == pytest.approx(use.offered - use.served)
    assert use.grows > 1000
    (sent,) = (float(stream.rate) for stream in result.streams if stream.sent)
    assert float(result.rate) == pytest.approx(sent, rel=0.01)


def test_datagrams_that_are_dropped_are_lost_and_no_line_grows(tmp_path: Path) -> None:
    # A switch has room for 16 KiB before a line of 10 Mbit/s.
    links = (
        "switches: {s: {model: switches/catalyst-6509, buffer: 16 KiB}}\n"
        "links:\n"
        "  - {model: links/ethernet-1000, between: [a.eth, s], length: 10 m}\n"
        "  - {model: links/ethernet-1000, rate: 10 Mbit/s, between: [s, b.eth], length: 10 m}\n"
    )
    path = tmp_path / "dropped.yaml"
    load_of = ARRIVING["datagrams"].replace("500 /s", "5000 /s")
    begin, _, end = HOSTS.partition("links:\n")
    path.write_text(f"{begin}{links}{end.partition('m}' + chr(10))[2]}    {load_of}\n")
    (use,) = run_case(load(str(path), ("run.until=500 ms",)).cases[0]).loads
    assert use.grows == 0
    assert use.lost == pytest.approx(use.offered - use.served)
    assert use.lost > 1000
    assert " are lost" in use.sentence


def test_a_load_that_begins_late_or_ends_early_is_no_line_that_grows(tmp_path: Path) -> None:
    short = "{kind: requests, from: a, to: b, request: 64 B, response: 64 B, count: 100, arrivals: {rate: 500 /s}}"
    late = short.replace("count: 100", "count: 10000").replace("rate: 500 /s", "times: ./late.csv")
    (tmp_path / "late.csv").write_text("".join(f"{1.5 + number / 500}\n" for number in range(251)))
    beside = ARRIVING["datagrams"]
    result = ran(tmp_path, f"{beside}\n  short: {short}\n  late: {late}", "run.warm_up=0 s", "run.replications=1")
    assert {use.name: use.grows for use in result.loads} == {"w": 0, "short": 0, "late": 0}
    for use in result.loads:
        assert use.served == pytest.approx(500, rel=0.2), use.name


def test_a_transaction_takes_all_its_steps(tmp_path: Path) -> None:
    one = ran(tmp_path, ARRIVING["transactions"].replace("}, {request: 100 B, response: 20 kB, work: 50 us", ""))
    two = ran(tmp_path, ARRIVING["transactions"])
    assert two.observations[0].mean > 1.5 * one.observations[0].mean
    assert float(two.rate) == pytest.approx(500 * (128 + 20_100), rel=0.1)


def test_recorded_instants_come_as_they_were_and_then_again(tmp_path: Path) -> None:
    result = read(tmp_path, "{times: [10 ms, 30 ms, 110 ms]}", "run.until=5 s", "run.warm_up=0 s")
    (use,) = result.loads
    # Two gaps of 50 ms in the mean.
    assert use.offered == pytest.approx(20)
    assert use.served == pytest.approx(20, rel=0.02)


def test_recorded_instants_are_read_from_a_file_and_stretched(tmp_path: Path) -> None:
    (tmp_path / "came.csv").write_text("request,at\n1,5\n2,6\n\n3,9\n")
    system = scenario(tmp_path, "{times: came.csv, unit: ms, column: 2}").cases[0].system
    arrivals = system.workloads["reads"].params.arrivals
    assert arrivals.recorded == ([5 * MS, 6 * MS, 9 * MS], 6 * MS)
    system = scenario(tmp_path, "{times: came.csv, unit: ms, column: 2, rate: 50 /s}").cases[0].system
    arrivals = system.workloads["reads"].params.arrivals
    assert arrivals.recorded == ([5 * MS, 15 * MS, 45 * MS], 60 * MS)
    assert arrivals.mean == 50


def test_threads_share_what_was_recorded(tmp_path: Path) -> None:
    given = scenario(
        tmp_path, "{times: [10 ms, 30 ms, 110 ms], rate: 60 /s}", "until: 5 s", ["workload.reads.processes=3"]
    )
    program = lower(given.cases[0].system)
    options = Options(until=2000 * MS, seed=1)
    outcome = compiled.run(program, options)
    assert outcome.differences(reference.run(program, options)) == []
    (use,) = run_case(given.cases[0]).loads
    assert use.served == pytest.approx(60, rel=0.05)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0.1\n0.05\n", "came.csv:2:1: arrivals.times: found '0.05'; expected an instant that is not before"),
        ("0.1\nsoon\n", "came.csv:2:1: arrivals.times: found 'soon'; expected an instant such as 0.25"),
        (
            "1795435375.5\n1795435376\n",
            "found '1795435375.5' s; expected an instant below 1281 h, counted from the beginning",
        ),
        ("0.1\n-1\n", "found '-1'; expected an instant such as 0.25"),
        ("0.1\n", "found 1 instants; expected two or more that differ"),
    ],
)
def test_mistakes_in_a_file_of_instants(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "came.csv").write_text(text)
    with pytest.raises(ScenarioError) as error:
        scenario(tmp_path, "{times: came.csv}")
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("workload", "told"),
    [
        ("{kind: requests, from: a, to: b, count: 1, request: 1 B}", "w.response: found nothing; expected a size"),
        (
            "{kind: requests, from: a, to: b, count: 1, request: 1 B, steps: [{request: 1 B, response: 1 B}]}",
            "w.request: found request, with steps; expected none",
        ),
        (ARRIVING["datagrams"].replace("count", "period: 1 ms, count"), "w.period: found 1 ms, with arrivals"),
        (ARRIVING["reads"].replace("size", "biods: 0, size"), "w.biods: found 0, with arrivals; expected 1 at least"),
        (ARRIVING["reads"].replace("size", "retrans: 2, size"), "w.retrans: found 2, with arrivals; expected none"),
        (ARRIVING["reads"].replace("rate: 500 /s", "times: [2 s, 1 s]"), "found times that do not ascend"),
        (ARRIVING["reads"].replace("rate:", "times: [1 s, 2 s], burst: 1 s, rate:"), "found burst, with times"),
    ],
)
def test_mistakes(tmp_path: Path, workload: str, told: str) -> None:
    with pytest.raises(ScenarioError) as error:
        scenario_of(tmp_path, workload)
    assert told in str(error.value)


def test_users_who_think_are_a_load(tmp_path: Path) -> None:
    sets = ("workload.reads.think=50 ms", "workload.reads.processes=4", "run.until=20 s")
    result = read(tmp_path, "", *sets)
    (use,) = result.loads
    assert (use.users, use.think, use.offered, use.grows) == (4, 50 * MS, 80, 0)
    (took,) = [each for each in result.observations if each.unit == "ps"]
    # The response-time law: users = rate * (time + think time).
    assert use.served * (took.mean + use.think) / 10**12 == pytest.approx(4, rel=0.03)
    assert use.sentence.startswith("reads: 4 users who think 50 ms in the mean ask for ")
    # Think time is what limits where it is most of the time; the sentence names no part as busy that is not.
    assert result.limiter.kind == ("load" if use.served * use.think / 4e12 >= 0.5 else "none")


@pytest.mark.parametrize(
    "workload",
    [
        "{kind: requests, from: a, to: b, request: 64 B, response: 64 B, count: 100000, think: 5 ms, streams: 3}",
        "{kind: requests, from: a, to: b, request: 64 B, response: 64 B, count: 100000, think: 5 ms, transport: udp}",
    ],
)
def test_users_who_think_are_not_busy(tmp_path: Path, workload: str) -> None:
    result = ran(tmp_path, workload, "run.warm_up=0 s")
    assert result.limiter.kind == "load"
    assert result.limiter.label == f"load (busiest: {result.limiter.name})"
    assert result.limiter.sentence.startswith("The users think 9")
    assert result.limiter.busy < 0.1
    (use,) = result.loads
    assert use.served == pytest.approx(use.offered, rel=0.15)
