"""RDMA: messages to the tick by hand, rates by the bytes of headers, losses, pauses, congestion control."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from rdma_bench import BITS, OPEN, Bus, crossing, described, marks, ran, tallies

from simio.engines import compiled, reference
from simio.engines.outcome import Options, Outcome
from simio.errors import SimioError
from simio.lower import lower
from simio.program.steps import PAUSES, Program
from simio.units import parse


@pytest.mark.parametrize("verb", ["write", "read", "send"])
def test_a_message_takes_the_time_of_its_parts(tmp_path: Path, engine: ModuleType, verb: str) -> None:
    sets = (f"workload.rdma.verb={verb}",)
    bus = Bus(described(tmp_path, *sets))
    program, outcome = ran(tmp_path, *sets, engine=engine)
    [(_, took)] = marks(program, outcome, "rdma: message")
    # The doorbell of 8 bytes, the work request of 64, and in the end a completion of 64.
    begin = bus.time(8 + bus.request) + bus.delay + bus.read(64)
    end = bus.write(64) + bus.delay
    # IP 20, UDP 8, BTH 12 and ICRC 4; WRITE and READ have RETH 16, acknowledgement and response AETH 4.
    if verb == "read":
        assert took == begin + crossing(44 + 16) + bus.read(4096) + crossing(44 + 4 + 4096) + bus.write(4096) + end
    else:
        there = crossing(44 + (16 if verb == "write" else 0) + 4096)
        assert took == begin + bus.read(4096) + there + bus.write(4096) + crossing(44 + 4) + end


@pytest.mark.parametrize("mtu", ["4096 B", "1024 B"])
@pytest.mark.parametrize("verb", ["write", "read"])
def test_the_rate_is_that_of_the_line_without_headers(tmp_path: Path, mtu: str, verb: str) -> None:
    sizes = ("size=128 KiB", "depth=4", "messages=5", f"verb={verb}")
    sets = [f"workload.rdma.{each}" for each in sizes] + [f"hosts.a.adapters.roce.mtu={mtu}"]
    program, outcome = ran(tmp_path, *sets)
    times = [time for time, _ in marks(program, outcome, "rdma: message")]
    payload = int(mtu.split()[0])
    full = (payload + 44 + 38) * BITS
    # A message of full packets with preamble and gap, and RETH in the first of a WRITE, AETH in the ends of a READ.
    message = 2**17 // payload * full + (16 if verb == "write" else 8) * BITS
    assert (times[-1] - times[3]) / (len(times) - 4) == pytest.approx(message, rel=1e-4)


def test_what_is_lost_goes_again_and_selective_recovery_sends_less(tmp_path: Path) -> None:
    lossy = ("links.wire.loss=0.02", "hosts.a.adapters.roce.ack_timeout=100 us", "workload.rdma.size=60 KiB")
    again = []
    for recovery in ("go-back-n", "selective"):
        sets = (
            *lossy,
            "workload.rdma.depth=4",
            "workload.rdma.messages=8",
            f"hosts.a.adapters.roce.recovery={recovery}",
        )
        program, outcome = ran(tmp_path, *sets)
        assert len(marks(program, outcome, "rdma: message")) == 32
        again.append(tallies(program, outcome, "packets sent again")["rdma on a"])
    lost = len(marks(program, outcome, "a.roce>b.roce lost"))
    # A packet that is lost again counts twice; an acknowledgement that is lost is made good by the next.
    assert 0 < lost <= again[1] + 4 < again[0]


def test_a_read_whose_response_is_lost_is_asked_for_again(tmp_path: Path) -> None:
    lossy = ("links.wire.loss=0.02", "hosts.a.adapters.roce.ack_timeout=100 us", "workload.rdma.size=60 KiB")
    program, outcome = ran(
        tmp_path, *lossy, "workload.rdma.depth=4", "workload.rdma.messages=8", "workload.rdma.verb=read"
    )
    assert len(marks(program, outcome, "rdma: message")) == 32
    assert marks(program, outcome, "b.roce>a.roce lost")


def test_no_more_reads_are_outstanding_than_there_are_resources(tmp_path: Path) -> None:
    sets = (
        "workload.rdma.verb=read",
        "workload.rdma.size=512 B",
        "workload.rdma.depth=64",
        "workload.rdma.messages=20",
    )
    spans = []
    for reads in (1, 16):
        program, outcome = ran(tmp_path, *sets, f"hosts.a.adapters.roce.reads={reads}")
        spans.append(marks(program, outcome, "rdma: message")[-1][0])
    # One at a time each takes a round trip; sixteen share it.
    assert spans[0] > 8 * spans[1]


INCAST = """
title: Two senders into one port
hosts:
  a:
    model: hosts/server-2023-2s
    adapters: {roce: {model: adapters/connectx-5-rdma, bus: slot, ack_timeout: 100 us, congestion_control: CONTROL}}
  b: {like: a}
  c: {like: a}
switches:
  tor: {model: switches/roce-tor}
links:
  - {model: links/ethernet-100g-jumbo, between: [a.roce, tor], length: 2 m}
  - {model: links/ethernet-100g-jumbo, between: [b.roce, tor], length: 2 m}
  - {model: links/ethernet-100g-jumbo, between: [c.roce, tor], length: 2 m}
workload:
  first: {kind: rdma, from: a, to: c, size: 64 KiB, depth: 16}
  second: {kind: rdma, from: b, to: c, size: 64 KiB, depth: 16}
run: {until: UNTIL, warm_up: 0 s, replications: 1}
"""


def incast(folder: Path, control: str, until: str, *sets: str) -> tuple[Program, Outcome]:
    program = lower(described(folder, *sets, text=INCAST.replace("CONTROL", control).replace("UNTIL", until)))
    return program, compiled.run(program, Options(seed=1, until=parse(until, "time")))


def test_pauses_lose_nothing_in_an_incast_and_keep_the_port_busy(tmp_path: Path) -> None:
    program, outcome = incast(tmp_path, "none", "1 ms")
    counts = [len(marks(program, outcome, f"{name}: message")) for name in ("first", "second")]
    assert not marks(program, outcome, "tor dropped")
    assert tallies(program, outcome, "packets sent again") == {}
    full = 16 * (4096 + 44 + 38) * BITS
    assert sum(counts) == pytest.approx(10**9 / full, rel=0.03)
    assert counts[0] == pytest.approx(counts[1], rel=0.05)


def test_without_pauses_an_incast_loses_packets_that_go_again(tmp_path: Path) -> None:
    small = ("switches.tor.pause_above=none", "switches.tor.buffer=1 MiB")
    program, outcome = incast(tmp_path, "none", "1 ms", *small)
    assert marks(program, outcome, "tor dropped")
    assert tallies(program, outcome, "packets sent again")
    assert len(marks(program, outcome, "first: message")) > 10


def test_marks_slow_the_senders_down_before_the_switch_pauses_them(tmp_path: Path) -> None:
    program, outcome = incast(tmp_path, "dcqcn", "500 us")
    assert not marks(program, outcome, "tor dropped")
    notes, cuts = tallies(program, outcome, "CNPs sent"), tallies(program, outcome, "rate cuts")
    assert set(notes) == {"first on c", "second on c"}
    assert {
        owner.replace(" on a", " on c").replace(" on b", " on c"): value for owner, value in cuts.items()
    } == notes
    # One a queue pair in 50 us, at most.
    assert max(notes.values()) <= 10


VICTIM = INCAST.replace(
    "  second: {kind: rdma, from: b, to: c, size: 64 KiB, depth: 16}\n",
    "  second: {kind: rdma, from: b, to: c, size: 64 KiB, depth: 16, pairs: 3}\n"
    "  third: {kind: rdma, from: d, to: c, size: 64 KiB, depth: 16, pairs: 3}\n"
    "  victim: {kind: rdma, from: a, to: b, size: 64 KiB, depth: 16}\n",
).replace("  c: {like: a}\n", "  c: {like: a}\n  d: {like: a}\n")
VICTIM = VICTIM.replace(
    "between: [c.roce, tor], length: 2 m}\n",
    "between: [c.roce, tor], length: 2 m}\n"
    "  - {model: links/ethernet-100g-jumbo, between: [d.roce, tor], length: 2 m}\n",
).replace("roce-tor}", "roce-tor, discipline: priority}")
CLASSES = (
    "workload.first.traffic_class=3", "workload.second.traffic_class=3", "workload.third.traffic_class=3",
    "switches.tor.pause_classes=3",
    "hosts.a.adapters.roce.pause_classes=3", "hosts.b.adapters.roce.pause_classes=3",
    "hosts.c.adapters.roce.pause_classes=3", "hosts.d.adapters.roce.pause_classes=3",
)  # fmt: skip


def victim(folder: Path, until: str, *sets: str) -> tuple[Program, Outcome]:
    text = VICTIM.replace("CONTROL", "none").replace("UNTIL", until)
    program = lower(described(folder, *sets, text=text))
    return program, compiled.run(program, Options(seed=1, until=parse(until, "time")))


def test_an_adapter_goes_on_with_another_class_than_the_one_that_is_stopped(tmp_path: Path) -> None:
    counts = []
    for sets in ((), CLASSES):
        program, outcome = victim(tmp_path, "1 ms", *sets)
        assert not marks(program, outcome, "tor dropped")
        assert tallies(program, outcome, "packets sent again") == {}
        names = ("first", "second", "third", "victim")
        counts.append([len(marks(program, outcome, f"{name}: message")) for name in names])
    whole, alone = counts
    # The port of the incast is full either way. What its messages leave of the link of a is for the victim only if
    # that is not stopped with them.
    assert sum(alone[:3]) == pytest.approx(sum(whole[:3]), rel=0.03)
    line = 12.5e9 * 1e-3 / (64 * 1024)
    assert alone[0] + alone[3] > 0.9 * line > 1.2 * (whole[0] + whole[3])
    stopped = tallies(program, outcome, PAUSES)
    assert set(stopped) == {"a.roce>tor class 3", "b.roce>tor class 3", "d.roce>tor class 3"}


def test_an_adapter_that_is_slow_stops_the_class_of_its_queue_pair(tmp_path: Path) -> None:
    # The receiver takes a packet of 4096 bytes in a microsecond, and the wire brings one in 0.34.
    sets = (
        "workload.rdma.traffic_class=3", "workload.rdma.size=64 KiB", "workload.rdma.depth=8",
        "workload.rdma.messages=4", "hosts.b.adapters.roce.packet_time=1 us",
        "hosts.a.adapters.roce.pause_classes=3", "hosts.b.adapters.roce.pause_classes=3",
    )  # fmt: skip
    program, outcome = ran(tmp_path, *sets)
    assert len(marks(program, outcome, "rdma: message")) == 32
    assert tallies(program, outcome, "packets sent again") == {}
    last = marks(program, outcome, "rdma: message")[-1][0]
    assert 0.3 * last < tallies(program, outcome, PAUSES)["a.roce>b.roce class 3"] < 0.66 * last
    assert outcome.differences(reference.run(program, Options(seed=1, until=OPEN))) == []
    # In a class that is not lossless, packets are lost.
    program, outcome = ran(tmp_path, *sets, "workload.rdma.traffic_class=0")
    assert marks(program, outcome, "b.roce dropped")


def test_engines_agree_on_pauses_of_a_class(tmp_path: Path) -> None:
    small = ("switches.tor.pause_above=32 KiB", "switches.tor.pause_buffer=100 kB")
    program, outcome = victim(tmp_path, "25 us", *CLASSES, *small)
    assert tallies(program, outcome, PAUSES)
    assert outcome.differences(reference.run(program, Options(seed=1, until=25 * 10**6))) == []


@pytest.mark.parametrize("control", ["none", "dcqcn"])
def test_engines_agree_on_an_incast(tmp_path: Path, control: str) -> None:
    program, outcome = incast(tmp_path, control, "20 us", "switches.tor.pause_above=32 KiB")
    assert outcome.differences(reference.run(program, Options(seed=1, until=20 * 10**6))) == []


def test_engines_agree_on_losses(tmp_path: Path) -> None:
    lossy = ("links.wire.loss=0.05", "hosts.a.adapters.roce.ack_timeout=100 us", "workload.rdma.size=20 KiB")
    for verb, recovery in (("write", "selective"), ("read", "go-back-n")):
        sets = (
            *lossy,
            f"workload.rdma.verb={verb}",
            f"hosts.a.adapters.roce.recovery={recovery}",
            "workload.rdma.messages=6",
        )
        program, outcome = ran(tmp_path, *sets)
        assert outcome.differences(reference.run(program, Options(seed=1, until=OPEN))) == []


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (("hosts.a.adapters.roce.mtu=1500 B",), "4096"),
        (("hosts.a.adapters.roce.pause_above=1 MiB",), "receive buffer"),
        (("hosts.a.adapters.roce.coalesce_count=4",), "above zero"),
        (("hosts.a.adapters.roce.recovery=all",), "go-back-n"),
        (("links.wire.mtu=200 B",), "no packet of RDMA fits"),
        (("hosts.a.adapters.roce.bus=nowhere",), "nowhere"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, sets: tuple[str, ...], said: str) -> None:
    with pytest.raises(SimioError) as caught:
        lower(described(tmp_path, *sets))
    assert said in str(caught.value)
