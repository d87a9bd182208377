"""Arrivals at workloads that otherwise keep a depth: drives on cores, RDMA, a card's DMA, raw packets."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.errors import SimioError
from simio.loading import load
from simio.lower import lower
from simio.running import run_case

US = 10**6
DRIVE = """
title: A drive
hosts:
  server: {model: hosts/nvme-icpe24}
disks:
  d: {model: disks/optane-cheops23, count: 2, command_time: 1.666 us, stall_time: 0 s}
links:
  - {model: links/nvme, between: [server.nvme, d], length: 0 m}
workload:
  w: {kind: direct, host: server, to: d1, program: 0.5 us}
run: {until: 20 ms, replications: 1}
"""
CARD = """
title: A card
hosts:
  a: {model: hosts/xeon-e5-2637-v3}
workload:
  w: {kind: dma, host: a, adapter: card, size: 64 B, transactions: 1000000}
run: {until: 1 ms, replications: 1}
"""
RDMA = """
title: Messages over queue pairs
hosts:
  a:
    model: hosts/server-2023-2s
    adapters: {roce: {model: adapters/connectx-5-rdma, bus: slot}}
  b: {like: a}
links:
  - {model: links/ethernet-100g-jumbo, between: [a.roce, b.roce], length: 2 m}
workload:
  w: {kind: rdma, from: a, to: b, size: 4 KiB}
run: {until: 2 ms, replications: 1}
"""
BLAST = """
title: Raw packets
hosts:
  a: {model: hosts/sgi-challenge-l}
  b: {like: a}
links:
  - {model: links/hippi-800, between: [a.hippi, b.hippi], length: 0 m}
workload:
  w: {kind: blast, from: a, to: b, size: 4 KiB, packets: 1000000}
run: {until: 500 ms, replications: 1}
"""
RATES = {
    "direct": (DRIVE, "100000 /s"),
    "rdma": (RDMA, "200000 /s"),
    "dma": (CARD, "500000 /s"),
    "blast": (BLAST, "500 /s"),
}


def system(folder: Path, text: str, *sets: str):
    path = folder / "s.yaml"
    path.write_text(text)
    awake = ("hosts.server.cpu.idle_exit=0 s", "hosts.server.cpu.idle_deep=0 s") if text == DRIVE else ()
    return load(str(path), (*awake, *sets)).cases[0]


def times(folder: Path, text: str, *sets: str):
    """The times of requests in ps: the first observation in ps."""
    case = run_case(system(folder, text, *sets))
    return next(seen for seen in case.observations if seen.unit == "ps"), case


@pytest.mark.parametrize("name", RATES)
def test_all_that_arrives_is_served_and_engines_agree(tmp_path: Path, name: str) -> None:
    text, rate = RATES[name]
    case = system(tmp_path, text, f"workload.w.arrivals={{rate: {rate}}}")
    (use,) = run_case(case).loads
    assert (use.name, use.grows) == ("w", 0)
    assert use.served == pytest.approx(use.offered, rel=0.1)
    program, options = lower(case.system), Options(until=case.system.run.until // 10, seed=2)
    assert compiled.run(program, options).differences(reference.run(program, options)) == []


@pytest.mark.parametrize(
    ("name", "sets"),
    [
        ("rdma", ("workload.w.messages=1",)),
        ("rdma", ("workload.w.messages=1", "workload.w.verb=read", "workload.w.depth=1")),
        ("dma", ("workload.w.transactions=1",)),
        ("blast", ("workload.w.packets=1",)),
    ],
)
def test_one_that_arrives_takes_as_long_as_one_that_is_asked_for(tmp_path: Path, name: str, sets: tuple) -> None:
    text, _ = RATES[name]
    alone, _ = times(tmp_path, text, *sets, "run.warm_up=0 s")
    arrived, _ = times(tmp_path, text, *sets, "run.warm_up=0 s", "workload.w.arrivals={times: [0 s, 400 us]}")
    assert (arrived.count, arrived.mean) == (alone.count, alone.mean) == (1, alone.most)


def test_an_arrival_costs_a_look_more_of_who_polls(tmp_path: Path) -> None:
    """It is found at a look, and so is its completion; by depth one look does for both.

    The time counts from the arrival, so that the program's own time of a request is in it.
    """
    sets = ("workload.w.interface=spdk", "workload.w.requests=1", "run.warm_up=0 s")
    alone, _ = times(tmp_path, DRIVE, *sets)
    arrived, case = times(tmp_path, DRIVE, *sets, "workload.w.arrivals={times: [1 us, 400 us]}")
    look, program = 2 * kernel(tmp_path).user_doorbell, US // 2
    assert arrived.mean - alone.mean == pytest.approx(scale(tmp_path, look) + scale(tmp_path, program), abs=2)


def test_an_arrival_wakes_who_sleeps(tmp_path: Path) -> None:
    """Interrupt, wake and switch for the arrival, and again for the completion; by depth the latter alone."""
    sets = ("workload.w.interface=io_uring", "workload.w.requests=1", "run.warm_up=0 s")
    alone, _ = times(tmp_path, DRIVE, *sets)
    arrived, _ = times(tmp_path, DRIVE, *sets, "workload.w.arrivals={times: [1 us, 400 us]}")
    sheet = kernel(tmp_path)
    sleep = sheet.context_switch + sheet.system_call
    more = [sheet.interrupt, sheet.wake, sleep, sleep, US // 2]
    assert arrived.mean - alone.mean == pytest.approx(sum(scale(tmp_path, each) for each in more), abs=5)


def kernel(folder: Path):
    return system(folder, DRIVE).system.hosts["server"].kernel.sheet


def scale(folder: Path, time: int) -> float:
    """A time of the kernel's reference CPU on the host's own."""
    host = system(folder, DRIVE).system.hosts["server"]
    return float(time * host.kernel.sheet.reference_clock / host.cpu.sheet.clock)


def test_the_line_of_what_comes_too_fast_is_as_long_as_arithmetic_says(tmp_path: Path) -> None:
    sets = ("workload.w.transactions=1000", "run.warm_up=0 s", "run.until=none")
    alone, _ = times(tmp_path, CARD, *sets)
    first, service = int(alone.most), int(alone.least)
    gap = service // 2000 * 1000
    late, case = times(tmp_path, CARD, *sets, f"workload.w.arrivals={{rate: {10**12 / gap!r} /s, process: constant}}")
    assert late.count == 1000
    assert late.most == pytest.approx(first + 999 * (service - gap), abs=0)


@pytest.mark.parametrize(
    ("text", "until", "keys"), [(CARD, "100 ms", ()), (DRIVE, "1 s", ("interface=spdk", "depth=1"))]
)
def test_one_place_is_a_queue_of_one_constant_server(tmp_path: Path, text: str, until: str, keys: tuple) -> None:
    """M/D/1: the mean wait is the load times half a service over the idle share (Pollaczek and Khinchine)."""
    sets = [f"workload.w.{key}" for key in keys]
    slow = "workload.w.arrivals={rate: 1000 /s, process: constant}"
    service, _ = times(tmp_path, text, *sets, slow, "run.until=20 ms")
    assert service.most == service.least
    load_ = 0.7
    rate = f"workload.w.arrivals={{rate: {load_ * 10**12 / service.mean:.0f} /s}}"
    seen, _ = times(tmp_path, text, *sets, rate, f"run.until={until}")
    assert seen.mean - service.mean == pytest.approx(load_ * service.mean / 2 / (1 - load_), rel=0.05)


def test_requests_that_arrive_are_submitted_one_by_one(tmp_path: Path) -> None:
    with pytest.raises(SimioError, match=r"batch: found 4, with arrivals; expected 1"):
        system(tmp_path, DRIVE, "workload.w.batch=4", "workload.w.arrivals={rate: 1000 /s}")


def test_a_depth_bounds_what_is_outstanding(tmp_path: Path) -> None:
    sets = ("workload.w.arrivals={rate: 300000 /s}", "workload.w.interface=psync")
    seen, case = times(tmp_path, DRIVE, *sets)
    assert case.loads[0].grows > 100_000
    free, case = times(tmp_path, DRIVE, sets[0])
    assert case.loads[0].grows == 0
    assert free.mean < seen.mean / 10
