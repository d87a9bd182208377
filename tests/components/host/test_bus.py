"""A bus that devices use burst by burst, against traces by hand and a simulation of single bursts."""

from __future__ import annotations

import random
from fractions import Fraction
from types import ModuleType

import pytest
from part_samples import NS, Trace, bus_of

from simio.bound import bound
from simio.engines import compiled, reference

BURST = 60 * NS
"""Four words of data and two clocks of overhead at 100 MHz."""


def test_a_transfer_alone_takes_its_words_and_the_overhead_of_its_bursts(trace: Trace, engine: ModuleType) -> None:
    bus = bus_of(trace.p)
    with trace.p.thread("t"):
        bus.transfer(40)
        trace.mark(1)
        bus.transfer(1)
        trace.mark(2)
    # 10 words and 3 x 2 clocks are 160 ns; one byte is a word: 30 ns.
    assert trace.times(engine) == {1: 160, 2: 190}


def test_the_slowest_of_bus_memory_and_device_decides(trace: Trace, engine: ModuleType) -> None:
    bus = bus_of(trace.p, memory="50 MB/s")
    with trace.p.thread("t"):
        bus.transfer(16)
        trace.mark(1)
        bus.transfer(16, Fraction(25 * NS))
        trace.mark(2)
    # 16 bytes: 60 ns of bus, 320 ns of memory, 400 ns of device.
    assert trace.times(engine) == {1: 320, 2: 720}


def test_a_burst_of_another_device_comes_between(trace: Trace, engine: ModuleType) -> None:
    bus = bus_of(trace.p)
    with trace.p.thread("long"):
        bus.transfer(64)
        trace.mark(1)
    with trace.p.thread("short", start=70 * NS):
        bus.transfer(16)
        trace.mark(2)
    # The second burst of the long one ends at 120, then the short one has the bus until 180, then two more to 300.
    assert trace.times(engine) == {1: 300, 2: 180}


def test_devices_take_turns(trace: Trace, engine: ModuleType) -> None:
    bus = bus_of(trace.p)
    for number, (start, amount) in enumerate(((0, 48), (10, 48), (20, 16), (200, 32))):
        with trace.p.thread(f"t{number}", start=start * NS):
            bus.transfer(amount)
            trace.mark(number)
    # 0-60 a, 60-120 b, 120-180 c; a and b again until 240 and 300; d came at 200, behind b and before a's third
    # burst, which asked at 240: 300-360 d, 360-420 a, 420-480 b, 480-540 d.
    assert trace.times(engine) == {0: 420, 1: 480, 2: 180, 3: 540}


def test_a_bus_stands_still_while_memory_serves_another(trace: Trace, engine: ModuleType) -> None:
    one, other = bus_of(trace.p, "host.one"), bus_of(trace.p, "host.other")
    with trace.p.thread("copy"), trace.p.hold(trace.p.resource("host.memory")):
        trace.p.advance(100 * NS)
    for number, bus in enumerate((one, one, other)):
        with trace.p.thread(f"t{number}", start=(1 + 10 * number) * NS):
            bus.transfer(32)
            trace.mark(number)
    # Memory is free at 100: the first bus begins, and holds memory for 32 ns. The second begins at 132. Of the
    # two on the first bus, 99 ns late, the later one has its bursts between and after the other's.
    assert trace.times(engine) == {0: 280, 1: 340, 2: 252}


@pytest.mark.parametrize("memory", ["1 GB/s", "50 MB/s", "280 MB/s"])
@pytest.mark.parametrize("amount", [1, 3, 16, 40, 1500, 4100])
def test_an_amount_in_a_register_takes_the_same_time(
    trace: Trace, engine: ModuleType, memory: str, amount: int
) -> None:
    one, other = bus_of(trace.p, "host.one", memory), bus_of(trace.p, "host.other", memory)
    device = Fraction(11 * NS, 3)
    with trace.p.thread("t"):
        register = trace.p.register(amount)
        for number, (byte, read) in enumerate(((Fraction(0), False), (device, True))):
            one.transfer(amount, byte, read)
            trace.mark(10 * number)
            other.transfer_packet(register, byte, read)
            trace.mark(10 * number + 1)
    times = trace.times(engine)
    assert times[1] == pytest.approx(2 * times[0], abs=0.002)
    assert times[11] - times[10] == pytest.approx(times[10] - times[1], abs=0.002)
    run = trace.run(engine)
    names = [resource.name for resource in trace.p.build().resources]
    busy = [run.resources[names.index(name)][0] for name in ("host.one", "host.other")]
    assert busy[0] == busy[1]


@pytest.mark.parametrize("seed", range(2))
def test_turns_of_amounts_in_registers_are_those_of_single_bursts(seed: int, engine: ModuleType) -> None:
    draw = random.Random(seed)
    starts = draw.sample(range(1, 60_000, 2), 60)
    arrivals = [(start, draw.choice((3, 16, 40, 200, 5000, 12_000))) for start in starts]
    trace = Trace()
    bus = bus_of(trace.p)
    for number, (start, amount) in enumerate(arrivals):
        with trace.p.thread(f"t{number}", start=start * NS):
            if number % 2:
                bus.transfer(amount)
            else:
                bus.transfer_packet(trace.p.register(amount))
            trace.mark(number)
    assert list(dict(sorted(trace.times(engine).items())).values()) == turns(arrivals)


def test_reads_from_memory_may_cost_more(trace: Trace, engine: ModuleType) -> None:
    bus = bus_of(trace.p, read_overhead_cycles=7)
    with trace.p.thread("t"):
        bus.transfer(32, read=True)
        trace.mark(1)
        bus.transfer(32)
        trace.mark(2)
    assert trace.times(engine) == {1: 220, 2: 340}


def turns(arrivals: list[tuple[int, int]]) -> list[int]:
    """Ends of transfers of so many bytes that arrive at distinct instants, burst by burst, in ns.

    Whoever arrives or has had a burst stands behind the others; who arrives when a burst ends stands before the one
    that had it.
    """
    waiting: list[list[int]] = []
    ends = [0] * len(arrivals)
    coming = sorted((start, number, amount) for number, (start, amount) in enumerate(arrivals))
    now = 0
    while coming or waiting:
        if not waiting:
            now = max(now, coming[0][0])
        while coming and coming[0][0] <= now:
            _, number, amount = coming.pop(0)
            waiting.append([number, amount])
        number, amount = waiting.pop(0)
        now += (-(-min(amount, 16) // 4) + 2) * 10
        while coming and coming[0][0] < now:
            _, other, size = coming.pop(0)
            waiting.append([other, size])
        if amount > 16:
            waiting.append([number, amount - 16])
        else:
            ends[number] = now
    return ends


@pytest.mark.parametrize("seed", range(4))
def test_turns_are_those_of_single_bursts(seed: int, engine: ModuleType) -> None:
    draw = random.Random(seed)
    # Odd starts: no arrival at the instant at which a burst ends.
    starts = draw.sample(range(1, 60_000, 2), 60)
    arrivals = [(start, draw.choice((3, 16, 40, 200, 5000, 12_000))) for start in starts]
    trace = Trace()
    bus = bus_of(trace.p)
    for number, (start, amount) in enumerate(arrivals):
        with trace.p.thread(f"t{number}", start=start * NS):
            bus.transfer(amount)
            trace.mark(number)
    assert list(dict(sorted(trace.times(engine).items())).values()) == turns(arrivals)


def test_a_bus_is_busy_for_what_crosses_it_and_for_no_longer(trace: Trace, engine: ModuleType) -> None:
    bus = bus_of(trace.p)
    for number in range(5):
        with trace.p.thread(f"t{number}", start=number * 50 * NS), trace.p.loop(3):
            bus.transfer(64)
    run = trace.run(engine)
    # 15 transfers of four bursts, back to back.
    assert run.end == 15 * 4 * BURST
    assert run.resources[[r.name for r in trace.p.build().resources].index("host.bus")][0] == run.end


def test_what_waits_costs_no_event_a_burst(trace: Trace) -> None:
    bus = bus_of(trace.p)
    for number in range(2):
        with trace.p.thread(f"t{number}", start=number * NS):
            bus.transfer(1 << 20)
    # 65536 bursts each, and but for starts and accounts a few looks.
    assert trace.run(reference).events < 20


def test_more_transfers_than_take_turns_wait_for_the_bus(trace: Trace, engine: ModuleType) -> None:
    bus = bus_of(trace.p)
    with trace.p.thread("t", count=300):
        bus.transfer(16)
        trace.mark(1)
    run = trace.run(engine)
    assert run.status == 0
    assert run.end == 300 * BURST
    assert len(run.marks) == 300


def test_the_bound_knows_what_crosses_the_bus(trace: Trace) -> None:
    bus = bus_of(trace.p)
    delivered = trace.p.observation("delivered", "delivered", "bytes")
    with trace.p.thread("t", count=4), trace.p.loop(5):
        bus.transfer(64)
        trace.p.mark(delivered, 64)
    limit = bound(trace.p.build()).tightest
    assert limit is not None
    assert (limit.name, limit.kind, limit.time) == ("host.bus", "resource", 4 * 5 * 4 * BURST)


def test_both_engines_agree_on_a_crowd(trace: Trace) -> None:
    fast, slow = (
        bus_of(trace.p, "host.fast"),
        bus_of(trace.p, "host.slow", clock="33.3 MHz", overhead_cycles=9),
    )
    for number in range(12):
        with trace.p.thread(f"t{number}", start=number * 37 * NS), trace.p.loop(20):
            (fast if number % 3 else slow).transfer(100 + 64 * number, read=bool(number % 2))
            trace.mark(number)
    one, other = trace.run(reference), trace.run(compiled)
    assert one.marks.tolist() == other.marks.tolist()
    assert one.resources.tolist() == other.resources.tolist()


def test_a_transfer_beyond_reckoning_is_refused(trace: Trace, engine: ModuleType) -> None:
    bus = bus_of(trace.p)
    with trace.p.thread("t"):
        bus.transfer(1 << 50)
    assert trace.run(engine).status != 0
