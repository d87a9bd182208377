"""An arbitrated loop against traces by hand and closed forms.

At 1 Gbaud a byte takes 10 ns, a word 40 and a frame of n bytes (n + 60) x 10. Each port delays by six words, 240 ns:
with an adapter and two disks a signal is around in 720. Arbitration takes 760, opening 800 (or 40 with credit from
login), closing 800.
"""

from __future__ import annotations

from types import ModuleType

import pytest
from part_samples import FC_ADAPTER, FC_DISK, FC_LOOP, MS, NS, US, Trace, bus_of, link_of, part

from simio.bound import bound
from simio.components.storage.loop import Loop, LoopTransport
from simio.engines import compiled
from simio.errors import RunError


def disks(trace: Trace, count: int = 2, length: int = 0, credit: int = 4, **loop: object) -> list[LoopTransport]:
    """Disks on a loop with one adapter, which has so much credit."""
    p = trace.p
    names = [f"d{number}" for number in range(count)]
    ring = Loop(p, link_of("fibre-channel-loop", "loop", (), length, **{**FC_LOOP, **loop}), ["host.fc"], names)
    adapter = part("adapter", "fibre-channel", **{**FC_ADAPTER, "credit": credit}).sheet
    drive = part("disk", "fibre-channel", **FC_DISK).sheet
    return [LoopTransport(p, ring, bus_of(p), adapter, drive, name, "host.fc") for name in names]


def test_one_read_takes_its_tenancies(trace: Trace, engine: ModuleType) -> None:
    disk, _ = disks(trace)
    with trace.p.thread("read"):
        disk.request()
        trace.mark(1)
        trace.p.advance(100 * US)
        disk.send(2500)
        trace.mark(2)
        disk.reply()
        trace.mark(3)
    # FCP_CMND: 760 + 800 + 920, and 240 to the next port.
    command = 760 + 800 + 920 + 240
    # Two frames of 10600 and one of 5600. The last takes 480 to the adapter and 1890 over the bus; the response has
    # arrived by then (840 + 480), and crosses the bus after it in 100.
    data = command + 100_000 + 760 + 800 + 2 * 10_600 + 5600
    assert trace.times(engine) == {1: command, 2: data, 3: data + 480 + 1890 + 100}


def test_credit_from_login_spares_a_round_trip(trace: Trace, engine: ModuleType) -> None:
    disk, _ = disks(trace, login_credit=2)
    with trace.p.thread("read"):
        disk.request()
        trace.mark(1)
    assert trace.times(engine) == {1: 760 + 40 + 920 + 240}


def test_a_write_is_asked_for_and_sent(trace: Trace, engine: ModuleType) -> None:
    _, disk = disks(trace)
    with trace.p.thread("write"):
        disk.fetch(2500)
        trace.mark(1)
    # FCP_XFER_RDY: 760 + 800 + 720, 240 to the adapter, 50 of bus. By the time that the first frame has come from
    # memory, 3760, the disk's tenancy is over; the adapter's begins, and the last frame takes 480 to the second disk.
    ready = 760 + 800 + 720 + 240 + 50
    assert trace.times(engine) == {1: ready + 3760 + 760 + 800 + 2 * 10_600 + 5600 + 480}


def test_more_ports_and_more_cable_make_a_tenancy_longer(trace: Trace) -> None:
    one, *_ = disks(trace, 99, length=1000)
    # 100 ports and a kilometre: 24 us and 5 us around.
    assert one.loop.round_trip == 29_000 * NS
    assert one.loop.arbitration + one.loop.opening + one.loop.closing == (3 * 29_000 + 5 * 40) * NS
    assert one.loop.flight("d98", "host.fc") == 290 * NS
    assert one.loop.flight("host.fc", "d98") == (29_000 - 290) * NS


@pytest.mark.parametrize("credit", [1, 2, 4])
def test_a_long_loop_carries_its_credit_a_round_trip(trace: Trace, credit: int) -> None:
    # 20 km around: 100 us. A frame's buffer is free when it has crossed the bus.
    disk, _ = disks(trace, length=20_000, credit=credit)
    with trace.p.thread("read"):
        disk.send(40_000)
        trace.mark(1)
    around = 720 + 100_000
    cycle = 10_600 + around + 3760
    expected = around + 40 + around + 80 + (40 // credit - 1) * cycle + credit * 10_600
    assert trace.times(compiled)[1] == expected


def crowd(trace: Trace, engine: ModuleType, fair: bool) -> list[int]:
    """Times that each of five disks, which all have something to send, had the loop in 20 ms."""
    p = trace.p
    counts = [p.observation(f"d{number}") for number in range(5)]
    for number, disk in enumerate(disks(trace, 5, fair=fair)):
        with p.thread(f"t{number}"), p.forever():
            disk.send(1000)
            p.mark(counts[number], 1)
            p.advance(2 * US)
    run = trace.run(engine, until=20 * MS)
    return [sum(mark == count.number for _, mark, _ in run.marks.tolist()) for count in counts]


def test_fair_access_gives_each_port_its_turn(engine: ModuleType) -> None:
    # 1440 ns around: 1480 + 1520, a frame, 1520.
    turn = (1480 + 1520 + 10_600 + 1520) * NS
    shares = crowd(Trace(), engine, fair=True)
    assert max(shares) - min(shares) <= 1
    assert sum(shares) == pytest.approx(20 * MS / turn, abs=2)


def test_without_fairness_the_lowest_address_starves(engine: ModuleType) -> None:
    # The two that win pass the loop to one another; the first disk was first, once.
    shares = crowd(Trace(), engine, fair=False)
    assert shares[:3] == [1, 0, 0]
    assert abs(shares[3] - shares[4]) <= 1


def test_the_bound_counts_what_is_on_the_loop(trace: Trace) -> None:
    p = trace.p
    delivered = p.observation("delivered", "delivered", "bytes")
    for number, disk in enumerate(disks(trace, credit=8)):
        with p.thread(f"t{number}"), p.loop(10):
            disk.send(2500)
            p.mark(delivered, 2500)
    limit = bound(p.build()).tightest
    assert limit is not None
    assert (limit.name, limit.kind, limit.time) == ("loop", "window", 20 * (2 * 10_600 + 5600) * NS)


def test_a_disk_gathers_no_more_than_its_segment_holds(trace: Trace) -> None:
    one, *_ = disks(trace, gather="1 MiB")
    assert one.unit == 512 * 1024


def test_a_loop_takes_so_many_ports(trace: Trace) -> None:
    with pytest.raises(RunError, match="loop 'loop' joins 6 ports; it takes 5"):
        disks(trace, 5, devices=5)
