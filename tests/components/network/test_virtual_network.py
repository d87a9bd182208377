"""A veth pair whose packets another CPU takes."""

from __future__ import annotations

import pytest

from simio.loading.scenario import ScenarioFile
from simio.running import RunOptions, run_scenario

PAIR = """
title: Two ends of a veth pair
hosts:
  a:
    model: hosts/linux-namespace
    cpus: 1
    kernel: {{interrupt: 1 us}}
    cpu: {{{cpu}}}
    adapters: {{veth: {{model: adapters/veth, bus: bus, transmit_cost: 2 us, receive_cost: 3 us{more}}}}}
  b: {{like: a}}
links: [{{model: links/emulated, between: [a.veth, b.veth]}}]
workload: {{{workload}}}
run: {{warm_up: 0 s}}
"""
ASK = "requests: {from: a, to: b, request: 1 B, response: 1 B, count: 50, nodelay: true}"


def run(tmp_path, more="", workload=ASK, engine=None, cpu=""):
    file = ScenarioFile(tmp_path / "pair.yaml", PAIR.format(more=more, workload=workload, cpu=cpu))
    return run_scenario(file.scenario(), options=RunOptions(engine)).cases[0]


def transaction(case):
    return next(each for each in case.observations if each.name == "requests: transaction").p50


def test_a_packet_costs_both_ends_their_driver_and_an_interrupt(tmp_path):
    # Each way: sent in 2 us, an interrupt of 1 us, received in 3 us; nothing else takes time.
    assert transaction(run(tmp_path)) == 2 * 6_000_000


def test_waking_the_other_cpu_delays_its_interrupt_and_occupies_the_sender(tmp_path):
    case = run(tmp_path, ", wake_cost: 20 us")
    assert transaction(case) == 2 * 26_000_000
    # a sends 50 requests, and acknowledgements; it receives as many: it is busy more than the packets alone take.
    busy = next(use.utilisation for use in case.resources if use.name == "a.cpu")
    assert busy > 0.45


def test_an_idle_cpu_wakes_up_before_it_takes_the_interrupt(tmp_path):
    # Nobody works on the CPU that a request or a response comes to: each takes 11 us more.
    case = run(tmp_path, ", wake_cost: 20 us", cpu="idle_exit: 11 us")
    assert transaction(case) == 2 * 37_000_000


def test_a_busy_cpu_need_not_wake_up(tmp_path):
    # A stream of packets keeps b at work: the time of waking up is paid once and not for each of 1,810 packets.
    stream = "ttcp: {from: a, to: b, size: 64 KiB, writes: 40}"
    one, other = (run(tmp_path, "", stream, cpu=cpu) for cpu in ("", "idle_exit: 11 us"))
    assert one.end < other.end < one.end + 1810 * 11_000_000 / 3


def test_packets_that_come_while_the_other_cpu_is_woken_share_the_interrupt(tmp_path):
    stream = "ttcp: {from: a, to: b, size: 64 KiB, writes: 40}"
    one, other = (run(tmp_path, more, stream) for more in ("", ", wake_cost: 20 us"))
    # 26 MB in 1,810 packets; an interrupt each of 20 us would take 36 ms alone.
    assert other.end < one.end + 1810 * 20_000_000 / 3


def test_what_finds_no_place_in_the_backlog_is_dropped(tmp_path):
    blast = "datagrams: {from: a, to: b, size: 1000 B, count: 200}"
    case = run(tmp_path, ", backlog: 4", blast)
    dropped = sum(each.count for each in case.observations if "dropped" in each.name)
    assert dropped > 0
    assert case.throughput.amount == (200 - dropped) * 1000


@pytest.mark.parametrize(
    ("more", "cpu"), [("", ""), (", wake_cost: 20 us", ""), (", wake_cost: 20 us", "idle_exit: 9 us")]
)
def test_both_engines_agree(tmp_path, more, cpu):
    workload = f"{ASK}, cross: {{kind: ttcp, from: b, to: a, size: 4 KiB, writes: 30}}"
    one, two = (run(tmp_path, more, workload, engine, cpu) for engine in ("compiled", "simpy"))
    assert one.observations == two.observations
    assert one.end == two.end
