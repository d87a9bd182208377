"""Datagrams on cores, and programs that poll for what they read: whole runs of a short time, worked out by hand."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from simio.errors import SimioError
from simio.loading import load
from simio.result.model import CaseResult
from simio.result.quantities import cores
from simio.running import RunOptions, run_scenario

ASK = """
title: One question at a time
hosts:
  asking:
    {model: hosts/workstation, kernel: kernels/ideal, stack: stacks/ideal-tcp,
    adapters: {eth: {model: adapters/ideal-ethernet, bus: slot}}}
  server:
    model: hosts/xeon-gold-6128-4s
    adapters: {nic: {model: adapters/connectx-5, bus: pcie, steering: flow, adaptive: false, coalesce_count: 1}}
links: [{model: links/ethernet-100g, between: [asking.eth, server.nic], length: 2 m}]
workload:
  dns: {kind: requests, from: asking, to: server, transport: udp, request: 60 B, response: 160 B, count: 20}
run: {}
"""


@cache
def ran(path: Path, *sets: str, engine: str = "simpy") -> CaseResult:
    """A run with other settings."""
    return run_scenario(load(path, list(sets)), options=RunOptions(engine=engine)).cases[0]


def mean(case: CaseResult) -> float:
    """Mean time of a transaction in ps."""
    (found,) = (each for each in case.observations if each.name == "dns: transaction")
    return found.mean


def spent(case: CaseResult, host: str) -> int:
    """CPU time of a host's network path in ns."""
    return sum(each.value for each in case.tallies if each.owner == host and each.what.startswith("CPU time in "))


def count(case: CaseResult, what: str) -> int:
    return sum(each.value for each in case.tallies if each.name == what)


STREAM = """
title: Datagrams
hosts:
  sender: {model: hosts/xeon-gold-6128-4s, adapters: {nic: {model: adapters/connectx-5, bus: pcie, steering: flow}}}
  receiver: {model: hosts/xeon-gold-6128-4s, adapters: {nic: {model: adapters/connectx-5, bus: pcie, steering: flow}}}
links: [{name: line, model: links/ethernet-100g, between: [sender.nic, receiver.nic], length: 2 m}]
workload:
  datagrams: {from: sender, to: receiver, size: 1000 B, count: 64, core: 0}
run: {}
"""


@pytest.fixture
def ask(tmp_path: Path) -> Path:
    path = tmp_path / "ask.yaml"
    path.write_text(ASK)
    return path


@pytest.fixture
def stream(tmp_path: Path) -> Path:
    path = tmp_path / "stream.yaml"
    path.write_text(STREAM)
    return path


def test_a_program_that_polls_saves_interrupt_wake_up_and_switch_to_the_tick(ask: Path) -> None:
    sleeps = ran(ask)
    polling = ran(ask, "hosts.server.stack.busy_read=1 ms", "hosts.server.stack.poll_cost=0 s")
    # At the clock that the costs are for; the first question finds a program that sleeps, too.
    server = load(ask, []).cases[0].system.hosts["server"]
    kernel, stack = server.kernel.sheet, server.stack.sheet
    saved = kernel.interrupt + stack.wake_cost + kernel.context_switch
    assert kernel.reference_clock == server.cpu.sheet.clock
    assert mean(sleeps) - mean(polling) == saved
    assert count(polling, "server.nic queue 0 interrupts") == 0
    assert cores(polling, "server") > 0.95 > 0.9 > cores(sleeps, "server")


def test_a_packet_is_taken_when_the_empty_poll_ends(ask: Path) -> None:
    free, dear = (
        ran(ask, "hosts.server.stack.busy_read=1 ms", f"hosts.server.stack.poll_cost={cost}")
        for cost in ("0 s", "300 ns")
    )
    assert 0 < mean(dear) - mean(free) < 300_000


def test_a_program_whose_time_to_poll_is_over_sleeps(ask: Path) -> None:
    slow = "hosts.server.adapters.nic.latency=300 ns"
    brief = ran(ask, slow, "hosts.server.stack.busy_read=100 ns")
    assert count(brief, "server.nic queue 0 interrupts") == 20
    assert mean(brief) == mean(ran(ask, slow))


def test_what_is_sent_as_one_buffer_is_worked_on_once(stream: Path) -> None:
    whole, one_call = "run.warm_up=0 s", "workload.datagrams.batch=16"
    single, batch = ran(stream, whole, *KEPT), ran(stream, whole, one_call, *KEPT)
    sheets = load(stream, KEPT).cases[0].system.hosts["sender"]
    kernel, stack, nic = sheets.kernel.sheet, sheets.stack.sheet, sheets.adapters["nic"].part.sheet
    call = kernel.system_call + stack.socket_call + stack.lock_cost
    down = stack.udp_send + stack.ip_send + stack.device_send + nic.transmit_cost + nic.doorbell
    down += stack.skb_cost + stack.skb_memory + 2 * stack.lock_cost
    down += nic.completion_cost
    # 64 000 bytes fill two blocks of 32 KiB; each of the four buffers has a fragment, and each block one more.
    blocks = (4 + 2) * (stack.fragment_cost + nic.transmit_cost) + 2 * stack.block_cost
    interrupts = [count(case, "sender.nic queue 0 interrupts") * kernel.interrupt for case in (single, batch)]
    # Copies are of as many bytes; the adapter cuts.
    assert (spent(single, "sender") - spent(batch, "sender")) * 1000 == pytest.approx(
        (64 - 4) * (call + down) - blocks + interrupts[0] - interrupts[1], abs=64_000
    )
    cut = ran(stream, whole, one_call, *KEPT, "hosts.sender.adapters.nic.uso=false")
    each = nic.transmit_cost + stack.cut_cost + stack.skb_cost + stack.skb_memory
    more = count(cut, "sender.nic queue 0 interrupts") * kernel.interrupt - interrupts[1]
    assert (spent(cut, "sender") - spent(batch, "sender")) * 1000 == pytest.approx(64 * each + more, abs=8_000)


def test_what_a_poll_finds_is_read_by_one_call(stream: Path) -> None:
    merged = ran(stream, "workload.datagrams.batch=16", "workload.datagrams.gro=true")
    single = ran(stream, "workload.datagrams.batch=16")
    assert count(merged, "datagrams at receiver merged") > 32
    assert merged.throughput.amount == single.throughput.amount == 64_000
    assert spent(merged, "receiver") < spent(single, "receiver")


def test_both_engines_agree_with_polling_merging_and_adaptive_moderation(stream: Path) -> None:
    sets = (
        "workload.datagrams.batch=4", "workload.datagrams.gro=true", "workload.datagrams.streams=2",
        "hosts.receiver.stack.busy_read=3 us",
    )  # fmt: skip
    results = [ran(stream, *sets, engine=name) for name in ("compiled", "simpy")]
    assert results[0].steps == results[1].steps
    assert results[0].tallies == results[1].tallies


def test_a_hash_of_addresses_leads_all_datagrams_of_a_host_to_one_queue(tmp_path: Path) -> None:
    path = tmp_path / "streams.yaml"
    path.write_text(STREAM.replace("steering: flow", "steering: rss").replace("core: 0", "streams: 4"))
    queues = {
        over: {
            each.owner
            for each in ran(path, f"hosts.receiver.adapters.nic.udp_hash={over}").tallies
            if each.what == "polls" and each.owner.startswith("receiver")
        }
        for over in ("ports", "addresses")
    }
    assert len(queues["ports"]) > 1
    assert len(queues["addresses"]) == 1


APART = ("hosts.receiver.adapters.nic.steering=rss", "workload.datagrams.queue=1")


def test_software_that_steers_to_the_reader_costs_a_look_and_an_interrupt_a_datagram(stream: Path) -> None:
    # Each datagram finds an empty backlog.
    sets = (*APART, "workload.datagrams.period=20 us", "run.warm_up=0 s")
    apart, steered = ran(stream, *sets), ran(stream, *sets, "hosts.receiver.stack.rfs=true")
    free = ran(stream, *sets, "hosts.receiver.stack.rfs=true", "hosts.receiver.stack.rfs_cost=0 s")
    assert steered.throughput.amount == apart.throughput.amount == 64_000

    receiver = load(stream, []).cases[0].system.hosts["receiver"]
    look, interrupt = receiver.stack.sheet.rfs_cost, receiver.kernel.sheet.interrupt
    looks = by_class(steered, "netdev") - by_class(free, "netdev")
    interrupts = by_class(steered, "etc") - by_class(apart, "etc")
    # The clock is above the nominal one for both.
    assert 0.9 < looks * 1000 / (64 * look) <= 1
    assert interrupts / looks == pytest.approx(interrupt / look, rel=0.01)


def by_class(case: CaseResult, name: str) -> int:
    """CPU time of a class at the receiver in ns."""
    return sum(each.value for each in case.tallies if each.name == f"receiver CPU time in {name}")


KEPT = ("hosts.sender.stack.skb_cost=142 ns", "hosts.receiver.stack.skb_cost=142 ns")
"""A value of its own, so that what ends within a span does not move with a fit."""
MERGED = (*APART, "workload.datagrams.gro=true", "workload.datagrams.batch=16", "workload.datagrams.period=50 us",
          "hosts.receiver.adapters.nic.coalesce_count=16", "hosts.receiver.adapters.nic.coalesce_delay=20 us",
          "hosts.receiver.adapters.nic.adaptive=false", "run.warm_up=0 s")  # fmt: skip
RFS = "hosts.receiver.stack.rfs=true"


def test_software_steers_a_merged_buffer_of_datagrams_once(stream: Path) -> None:
    # 64 datagrams come in four batches of 16, each of which one poll finds: four buffers, and four looks.
    apart, steered = ran(stream, *MERGED, *KEPT), ran(stream, *MERGED, RFS, *KEPT)
    free = ran(stream, *MERGED, RFS, *KEPT, "hosts.receiver.stack.rfs_cost=0 s")
    for case in (apart, steered):
        assert case.throughput.amount == 64_000
        assert count(case, "datagrams at receiver merged") == 64 - 4
    receiver = load(stream, []).cases[0].system.hosts["receiver"]
    assert (by_class(steered, "netdev") - by_class(free, "netdev")) * 1000 == 4 * receiver.stack.sheet.rfs_cost
    # Each finds an empty backlog, and interrupts the other core; a call of the reader may begin as the span ends.
    interrupts = (by_class(steered, "etc") - by_class(apart, "etc")) * 1000
    assert interrupts == pytest.approx(4 * receiver.kernel.sheet.interrupt, rel=0.05)


def test_a_backlog_that_is_full_drops_merged_buffers_as_a_whole(stream: Path) -> None:
    # A buffer of four datagrams comes each 5 us, and UDP takes 20 us for one: five of sixteen find room.
    sets = (*APART, RFS, "workload.datagrams.gro=true", "workload.datagrams.batch=4",
            "workload.datagrams.period=5 us", "hosts.receiver.stack.backlog=1",
            "hosts.receiver.stack.udp_receive=20 us", "hosts.receiver.adapters.nic.coalesce_count=1",
            "hosts.receiver.adapters.nic.adaptive=false")  # fmt: skip
    results = [ran(stream, *sets, engine=name) for name in ("compiled", "simpy")]
    assert results[0].steps == results[1].steps
    assert results[0].tallies == results[1].tallies
    assert results[0].throughput.amount == results[1].throughput.amount
    (lost,) = (each for each in results[0].observations if each.name.endswith("dropped"))
    assert (lost.count, lost.mean) == (11, 4000)
    assert results[0].throughput.amount == 64_000 - 11 * 4000


def test_a_reader_on_the_core_of_its_queue_has_its_turns_though_more_comes_than_it_reads(stream: Path) -> None:
    # The softirq takes 300 datagrams in 0.6 ms. In its turn the reader has as long, and empties the socket: with one
    # call a turn it would read three datagrams in 2 ms.
    sets = ("workload.datagrams.count=40000", "workload.datagrams.batch=40", "run.until=3 ms", "run.warm_up=1 ms",
            "hosts.receiver.stack.udp_receive=0.5 us", "hosts.receiver.adapters.nic.adaptive=false")  # fmt: skip
    results = [ran(stream, *sets, engine=name) for name in ("compiled", "simpy")]
    assert (results[0].steps, results[0].tallies) == (results[1].steps, results[1].tallies)
    (use,) = (each for each in results[0].resources if each.name == "receiver.core 0")
    assert use.utilisation > 0.99
    assert results[0].throughput.amount > 500_000


def test_a_hash_over_ports_spreads_datagrams_that_come_by_one_queue(tmp_path: Path) -> None:
    path = tmp_path / "streams.yaml"
    path.write_text(
        STREAM.replace("steering: flow", "steering: rss, udp_hash: addresses").replace("core: 0", "streams: 4")
    )
    readers = {f"receiver.core {number}" for number in range(4)}
    one, spread = ran(path), ran(path, "hosts.receiver.stack.rps=24")
    for case in (one, spread):
        assert len({each.owner for each in case.tallies if each.what == "polls" and "receiver" in each.owner}) == 1
    at_work = [
        {each.name for each in case.resources if each.name.startswith("receiver.core") and each.utilisation}
        for case in (one, spread)
    ]
    assert at_work[0] == readers
    assert len(at_work[1] - readers) > 1
    assert spread.end < 0.8 * one.end


@pytest.mark.parametrize("steering", ["rss", "flow"])
def test_fragments_come_by_one_queue_and_go_to_one_core_as_they_have_no_ports(tmp_path: Path, steering: str) -> None:
    path = tmp_path / "streams.yaml"
    path.write_text(STREAM.replace("steering: flow", f"steering: {steering}").replace("core: 0", "streams: 4"))

    def used(*sets: str) -> tuple[int, int]:
        """Queues that packets come by, and cores at work."""
        case = ran(path, *sets)
        queues = {each.owner for each in case.tallies if each.what == "polls" and "receiver" in each.owner}
        cores = {each.name for each in case.resources if each.name.startswith("receiver.core") and each.utilisation}
        return len(queues), len(cores - {f"receiver.core {number}" for number in range(4)})

    whole, fragments = "workload.datagrams.size=1472 B", "workload.datagrams.size=1473 B"
    assert used(whole)[0] > 1
    assert used(fragments)[0] == 1
    # Four programs are on cores 0 to 3. The hash of software leads to others, or to one.
    rps = "hosts.receiver.stack.rps=24"
    assert used(whole, rps)[1] > 2
    assert used(fragments, rps)[1] <= 2


def test_both_engines_agree_on_datagrams_whose_backlog_drops(stream: Path) -> None:
    sets = (*APART, "hosts.receiver.stack.rfs=true", "hosts.receiver.stack.backlog=1", "workload.datagrams.batch=16")
    results = [ran(stream, *sets, engine=name) for name in ("compiled", "simpy")]
    drops = sum(each.count for each in results[0].observations if each.name.endswith("dropped"))
    assert drops > 0
    assert results[0].throughput.amount == 64_000 - 1000 * drops
    assert results[0].steps == results[1].steps
    assert results[0].observations == results[1].observations
    assert results[0].tallies == results[1].tallies


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("workload.datagrams.batch=7", "a divisor of count, 64"),
        ("workload.datagrams.size=2000 B,workload.datagrams.gro=true", "the most is 1472 bytes"),
        ("hosts.receiver.stack.gro=none,workload.datagrams.gro=true", "merges nothing"),
        (
            "hosts.receiver.stack.busy_read=9 us,hosts.receiver.adapters.nic.steering=rss,workload.datagrams.queue=3",
            "come by the queue of core 3",
        ),
    ],
)
def test_what_cannot_be_is_refused(stream: Path, setting: str, message: str) -> None:
    with pytest.raises(SimioError, match=message):
        ran(stream, *setting.split(","))
