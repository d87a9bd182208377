"""TCP on cores, over adapters with queues: whole runs of a short time."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from simio.errors import SimioError
from simio.loading import load
from simio.report.tables import profiled
from simio.result.model import CaseResult
from simio.result.quantities import cores, profile
from simio.running import RunOptions, run_scenario

SCENARIO = Path(__file__).parents[3] / "scenarios" / "cai21.yaml"
NONE, ALL = 0, 6
STEADY = ("run.until=6 ms", "run.warm_up=4 ms")
"""Settings with which the send buffer is full, and the receiver limits."""


@cache
def ran(case: int, *sets: str, engine: str = "compiled") -> CaseResult:
    """A case of the study for 600 us, with other settings."""
    scenario = load(SCENARIO, ["run.until=600 us", "run.warm_up=100 us", *sets])
    only = replace(scenario, cases=(scenario.cases[case],))
    return run_scenario(only, options=RunOptions(engine=engine)).cases[0]


def total(case: CaseResult, host: str) -> int:
    return sum(each.value for each in case.tallies if each.owner == host and each.what.startswith("CPU time in "))


def count(case: CaseResult, what: str) -> int:
    return sum(each.value for each in case.tallies if each.name == what)


@pytest.mark.parametrize("case", [NONE, ALL])
@pytest.mark.parametrize("host", ["sender", "receiver"])
def test_the_classes_make_up_the_time_of_the_cores(case: int, host: str) -> None:
    result = ran(case)
    span = (result.throughput.until - result.throughput.since) / 1000
    # An operation is counted as it begins, so that the ends of the span may cut one.
    assert total(result, host) == pytest.approx(cores(result, host) * span, rel=0.03)
    assert sum(profile(result, host).values()) == pytest.approx(1)


def test_siblings_slow_each_other_and_their_classes_still_make_up_the_time_of_the_cores() -> None:
    shared = ("hosts.receiver.cpu.smt=true", "workload.ttcp.queue=12")
    result, apart = ran(NONE, *shared), ran(NONE, *shared[1:])
    span = (result.throughput.until - result.throughput.since) / 1000
    assert total(result, "receiver") == pytest.approx(cores(result, "receiver") * span, rel=0.03)
    assert cores(result, "receiver") / result.bytes_rate > 1.1 * cores(apart, "receiver") / apart.bytes_rate
    short = ("run.until=150 us", "run.warm_up=0 s")
    engines = [ran(NONE, *shared, *short, engine=name) for name in ("compiled", "simpy")]
    assert engines[0].tallies == engines[1].tallies


def test_without_offloads_nothing_is_merged_and_a_segment_is_a_buffer() -> None:
    assert count(ran(NONE), "ttcp at receiver merged") == 0
    assert count(ran(ALL), "ttcp at receiver merged") > count(ran(ALL), "ttcp at receiver of data went up")


def test_all_offloads_carry_several_times_as_much_a_core() -> None:
    none, most = (ran(case, *STEADY) for case in (NONE, ALL))
    assert most.bytes_rate / cores(most, "receiver") > 4 * none.bytes_rate / cores(none, "receiver")


def test_what_is_sent_without_a_copy_costs_none() -> None:
    for method in ("sendfile", "zerocopy"):
        result = ran(ALL, f"workload.ttcp.method={method}")
        assert profile(result, "sender").get("data copy", 0) == 0
        assert cores(result, "sender") / result.bytes_rate < cores(ran(ALL), "sender") / ran(ALL).bytes_rate


def test_software_cuts_at_a_cost_for_each_segment() -> None:
    cut = ran(ALL, *STEADY, "hosts.sender.adapters.nic.tso=none", "hosts.sender.stack.gso=64 KiB")
    whole = ran(ALL, *STEADY)
    assert cores(cut, "sender") / cut.bytes_rate > cores(whole, "sender") / whole.bytes_rate


def test_both_engines_agree_with_work_in_the_backlog() -> None:
    results = [ran(NONE, "run.until=150 us", "run.warm_up=0 s", engine=name) for name in ("compiled", "simpy")]
    assert count(results[0], "ttcp at receiver through the backlog") > 0
    assert results[0].steps == results[1].steps
    assert results[0].tallies == results[1].tallies


SETUP = """
title: Connections that begin at once
hosts:
  clients:
    {model: hosts/workstation, kernel: kernels/ideal, stack: stacks/ideal-tcp,
    adapters: {eth: {model: adapters/ideal-ethernet, bus: slot}}}
  server:
    model: hosts/xeon-gold-6128-4s
    adapters: {nic: {model: adapters/connectx-5, bus: pcie, steering: flow, adaptive: false, coalesce_count: 1}}
links: [{model: links/ethernet-10g, between: [clients.eth, server.nic], length: 2 m}]
workload:
  requests: {from: clients, to: server, request: 100 B, response: 200 B, streams: 8, core: 0, count: 2}
run: {}
"""


def test_a_server_listens_before_its_core_has_time_for_its_calls(tmp_path: Path) -> None:
    # Eight SYNs come within half a microsecond, and interrupts keep the core from the programs. A SYN that found no
    # program listening would be sent again after a second.
    path = tmp_path / "setup.yaml"
    path.write_text(SETUP)
    cases = [run_scenario(load(path), options=RunOptions(engine=each)).cases[0] for each in ("compiled", "simpy")]
    assert cases[0].end == cases[1].end < 10**9


TIMER = "hosts.receiver.adapters.nic.gro_flush_timeout=20 us"
DEFER = "hosts.receiver.adapters.nic.napi_defer_hard_irqs=2"


@pytest.mark.parametrize(
    "sets",
    [
        (TIMER,),
        (TIMER, DEFER),
        ("hosts.receiver.adapters.nic.coalesce_from=last",),
        ("hosts.receiver.adapters.nic.coalesce_from=event",),
    ],
)
def test_both_engines_agree_with_timers_and_with_delays_from_other_packets(sets: tuple[str, ...]) -> None:
    short = ("run.until=250 us", "run.warm_up=0 s")
    results = [ran(ALL, *sets, *short, engine=name) for name in ("compiled", "simpy")]
    assert results[0].steps == results[1].steps
    assert results[0].tallies == results[1].tallies


def test_a_timer_merges_what_several_polls_find_and_puts_interrupts_off() -> None:
    plain, timer, both = ran(ALL), ran(ALL, TIMER), ran(ALL, TIMER, DEFER)
    polls, interrupts = "receiver.nic queue 0 polls", "receiver.nic queue 0 interrupts"
    up, merged = "ttcp at receiver of data went up", "ttcp at receiver merged"
    for case in (timer, both):
        assert count(case, merged) / count(case, up) > count(plain, merged) / count(plain, up)
        assert count(case, f"{polls} by the timer") > 0
    # Polls by the timer find packets nearly all the time.
    assert count(both, interrupts) < count(plain, interrupts) / 2


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ((DEFER,), "gro_flush_timeout: found 0 s; expected a time above zero, after which the timer polls"),
        (
            (TIMER, "hosts.receiver.stack.busy_read=50 us", "hosts.receiver.adapters.nic.steering=flow"),
            "programs that poll (busy_read): both together are not modelled",
        ),
    ],
)
def test_timers_that_cannot_be_are_refused(sets: tuple[str, ...], message: str) -> None:
    with pytest.raises(SimioError) as found:
        ran(ALL, *sets)
    assert message in str(found.value)


def test_an_adapter_that_joins_packets_saves_its_driver_and_gro_the_work_of_each() -> None:
    lro, gro = ran(ALL, *STEADY, "hosts.receiver.adapters.nic.lro=64 KiB"), ran(ALL, *STEADY)
    # A buffer has at most 7 packets of 9000 bytes. GRO leaves those alone that the adapter has joined.
    assert count(lro, "ttcp at receiver joined by the adapter") > 6 * count(lro, "ttcp at receiver of data went up")
    assert count(lro, "ttcp at receiver merged") == 0
    spent = {name: profile(case, "receiver")["netdev"] * cores(case, "receiver") / case.bytes_rate
             for name, case in (("lro", lro), ("gro", gro))}  # fmt: skip
    assert spent["lro"] < 0.5 * spent["gro"]
    engines = [ran(ALL, "hosts.receiver.adapters.nic.lro=64 KiB", "run.until=150 us", "run.warm_up=0 s", engine=each)
               for each in ("compiled", "simpy")]  # fmt: skip
    assert engines[0].tallies == engines[1].tallies


FAR = 3
"""The case with all offloads whose packets come by the queue of another socket."""
ANY = ("hosts.receiver.adapters.nic.page_pool=1024", "hosts.receiver.adapters.nic.page_pool_order=any")
FROM_START = ("run.until=3 ms", "run.warm_up=0 s")


def test_pages_that_another_core_frees_pass_the_buddy_allocator_twice() -> None:
    apart, own = (ran(case, *FROM_START) for case in (FAR, ALL))
    fresh, again = (count(apart, f"receiver.nic queue 6 pages posted{what}") for what in ("", " again"))
    assert (fresh + again) % 64 == 0
    # The list of core 6 begins empty, and is only taken from: whole batches of 63.
    assert count(apart, "receiver.core 6 pages of memory 1 through the buddy allocator") == 63 * -(-fresh // 63)
    # That of core 0 keeps at most 377 pages; the rest goes back but for what is unread, at most 3 MiB of data.
    back = count(apart, "receiver.core 0 pages of memory 1 through the buddy allocator")
    assert fresh - 377 - 1024 < back <= fresh
    assert back > fresh / 2
    # On one core the list turns round, once as many pages are out as the window holds.
    assert count(own, "receiver.nic queue 0 pages posted") > 2000
    assert count(own, "receiver.core 0 pages of memory 0 through the buddy allocator") < 1400


def test_a_pool_of_any_page_takes_back_what_another_core_frees() -> None:
    # Costs of its own, so that the numbers of pages do not move with a fit.
    costs = ("hosts.receiver.stack.tcp_receive=212 ns", "hosts.receiver.stack.skb_cost=142 ns")
    pool, ring = ran(FAR, *FROM_START, *ANY, *costs), ran(FAR, *FROM_START, *costs)
    memory = [profile(case, "receiver")["memory"] * cores(case, "receiver") / case.bytes_rate
              for case in (pool, ring)]  # fmt: skip
    assert memory[0] < 0.8 * memory[1]
    assert count(pool, "receiver.nic queue 6 pages posted") < count(ring, "receiver.nic queue 6 pages posted") / 3


@pytest.mark.parametrize(
    ("case", "sets"),
    [(FAR, ()), (FAR, ANY), (ALL, ("hosts.receiver.stack.page_batch=7", "hosts.receiver.stack.page_high=9"))],
)
def test_both_engines_agree_on_pages(case: int, sets: tuple[str, ...]) -> None:
    results = [ran(case, *sets, "run.until=250 us", "run.warm_up=0 s", engine=name) for name in ("compiled", "simpy")]
    assert results[0].steps == results[1].steps
    assert results[0].tallies == results[1].tallies
    assert any("buddy" in each.name and each.value for each in results[0].tallies)


RFS = ("workload.ttcp.queue=1", "hosts.receiver.stack.rfs=true")


def busy(case: CaseResult, name: str) -> float:
    return next(float(each.utilisation) for each in case.resources if each.name == name)


def test_steered_flows_leave_their_queue_s_core_the_driver_and_the_merging() -> None:
    steered, apart = ran(NONE, *STEADY, *RFS), ran(NONE, *STEADY, RFS[0])
    shares = {name: busy(case, "receiver.core 1") * 1e9 / case.bytes_rate
              for name, case in (("steered", steered), ("apart", apart))}  # fmt: skip
    assert shares["steered"] < 0.8 * shares["apart"]
    assert total(steered, "receiver") > 0
    span = (steered.throughput.until - steered.throughput.since) / 1000
    assert total(steered, "receiver") == pytest.approx(cores(steered, "receiver") * span, rel=0.03)


def test_a_hash_spreads_flows_over_cores() -> None:
    # The queue's core keeps the driver and the merging; the program's has nothing of TCP's.
    spread, apart = ran(NONE, *STEADY, RFS[0], "hosts.receiver.stack.rps=4"), ran(NONE, *STEADY, RFS[0])
    shares = [busy(case, "receiver.core 1") * 1e9 / case.bytes_rate for case in (spread, apart)]
    assert shares[0] < 0.8 * shares[1]
    third = [each for each in spread.resources if each.name in ("receiver.core 2", "receiver.core 3")]
    assert sum(float(each.utilisation) for each in third) > 0.1


def test_a_flow_whose_hash_falls_on_the_core_of_its_queue_stays_there() -> None:
    stays = ran(NONE, *STEADY, "workload.ttcp.queue=0", "hosts.receiver.stack.rps=1")
    assert stays.bytes_rate == ran(NONE, *STEADY, "workload.ttcp.queue=0").bytes_rate


def test_both_engines_agree_on_steered_flows_whose_backlog_drops() -> None:
    sets = (*RFS, "hosts.receiver.stack.backlog=2", "run.until=300 us", "run.warm_up=0 s")
    found = [ran(NONE, *sets, engine=name) for name in ("compiled", "simpy")]
    assert any(each.name == "ttcp at receiver dropped" and each.count for each in found[0].observations)
    assert found[0].observations == found[1].observations
    assert found[0].tallies == found[1].tallies


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("workload.ttcp.core=24", "CPUs 0 to 23"),
        ("workload.ttcp.queue=30", "queues for cores 0 to 23"),
    ],
)
def test_cores_that_there_are_not_are_refused(setting: str, message: str) -> None:
    with pytest.raises(SimioError, match=message):
        ran(NONE, setting)


def test_a_run_of_several_cases_prints_the_cpu_time_by_class_at_either_end() -> None:
    flow = load(SCENARIO.with_name("one-flow-100g.yaml"), ["run.until=300 us", "run.warm_up=100 us"])
    result = run_scenario(replace(flow, cases=flow.cases[:2]))
    grid = profiled(result)
    assert grid
    assert [row[:2] for row in grid.rows] == [["1", "receiver"], ["1", "sender"], ["2", "receiver"], ["2", "sender"]]
    percent = [int(str(cell).rstrip("%")) for cell in grid.rows[0][2:]]
    assert percent[0] == pytest.approx(sum(percent[1:]), abs=len(percent))


@pytest.mark.parametrize("key", ["core", "queue"])
@pytest.mark.parametrize(
    "kind",
    [
        "ttcp: {from: a, to: b, size: 1 KiB, writes: 1, KEY: 3}",
        "datagrams: {from: a, to: b, size: 1 KiB, count: 1, KEY: 3}",
    ],
)
def test_a_core_is_refused_where_no_adapter_has_queues(tmp_path: Path, kind: str, key: str) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(
        "title: Hosts without cores\nhosts: {a: {model: hosts/linux-namespace}, b: {like: a}}\n"
        "links: [{model: links/ethernet-1000, between: [a.eth, b.eth]}]\n"
        f"workload: {{{kind.replace('KEY', key)}}}\n"
    )
    with pytest.raises(
        SimioError, match=f"{key}: core 3 has no effect, as 'a.eth' and 'b.eth' have no queues for cores"
    ):
        run_scenario(load(path))
