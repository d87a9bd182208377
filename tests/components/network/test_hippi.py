"""One packet over raw HIPPI, worked by hand with round costs, and what each mechanism does to throughput."""

from __future__ import annotations

import pytest

from simio.engines import compiled, reference
from simio.lower import lower
from simio.running import run_case

NS, US = 1000, 1_000_000
ROUND = [
    f"hosts.{host}.{value}"
    for host in ("challenge", "onyx")
    for value in (
        "kernel.system_call=10 us", "kernel.page_pin=2 us", "kernel.interrupt=5 us",
        "kernel.context_switch=20 us", "adapters.hippi.transmit_cost=100 us", "adapters.hippi.receive_cost=50 us",
        "adapters.hippi.transmit_dma=100 MB/s", "adapters.hippi.receive_dma=100 MB/s",
    )
]  # fmt: skip


@pytest.fixture
def hippi(load):
    """The raw HIPPI scenario with round costs, a cable of no length and further overrides; its only case."""

    def loaded(*sets: str):
        scenario = load(
            "sgi-hippi-raw.yaml", *ROUND, "links.link1.length=0 m", "workload.blast.sink=true",
            "workload.blast.processes=1", *sets,
        )  # fmt: skip
        assert len(scenario.cases) == 1
        return scenario.cases[0]

    return loaded


@pytest.mark.parametrize("engine", [compiled, reference])
def test_one_page_takes_the_time_worked_by_hand(hippi, engine):
    # Sender: system call 10, pin 1, driver 100, then 4096 bytes of DMA at 10 ns: stored at 151.96 us. Connecting
    # takes 16 clocks of 40 ns (the sink posted its read at 61 us); four bursts of 256 words and 2 clocks, 10.32 us
    # each, leave at 162.92, 173.24, 183.56 and 193.88 us. Each takes 10.24 us of DMA on the other side, the last
    # until 204.12. Then interrupt 5, switch 20 and unpin 1 for the sink, and from 193.88 on for the sender.
    case = hippi("workload.blast.size=4 KiB", "workload.blast.packets=1")
    program = lower(case.system)
    outcome = engine.run(program)
    names = [mark.name for mark in program.marks]
    marks = {names[mark]: (time, value) for time, mark, value in outcome.marks.tolist()}
    assert marks["delivered"] == (230_120 * NS, 4096)
    assert marks["blast: write"] == (219_880 * NS, 219_880 * NS)


def test_packets_beyond_the_store_limit_overlap_memory_and_wire(hippi):
    # Stored whole, 64 KiB takes its DMA (655.36 us) and then its wire time; sent through, only one of the two.
    stored = run_case(hippi("workload.blast.size=64 KiB", "workload.blast.packets=6"))
    through = run_case(
        hippi(
            "workload.blast.size=64 KiB",
            "workload.blast.packets=6",
            "hosts.challenge.adapters.hippi.store_limit=4 KiB",
        )
    )
    packet = 65536 * 10**12
    assert packet / stored.rate - packet / through.rate == pytest.approx((65536 - 4096) * 10 * NS, rel=0.02)


def test_a_process_that_waits_for_the_card_is_switched_to(hippi):
    # Of two processes the second sleeps while the first has the card; 64 KiB keep neither receiver nor cable busy.
    slow, quick = (
        run_case(
            hippi(
                "workload.blast.size=64 KiB", "workload.blast.packets=6", "workload.blast.processes=2",
                f"hosts.challenge.kernel.context_switch={switch}",
            )
        )
        for switch in ("120 us", "20 us")
    )  # fmt: skip
    packet = 65536 * 10**12
    assert packet / slow.rate - packet / quick.rate == pytest.approx(100 * US, rel=0.02)


def test_one_ready_throttles_a_long_cable_to_a_burst_a_round_trip(hippi):
    # 2 km at 5 ns/m are 10 us each way: a burst, the way there, its DMA and the way back.
    case = hippi(
        "workload.blast.size=1 MiB", "workload.blast.packets=3", "links.link1.length=2 km",
        "hosts.onyx.adapters.hippi.ready_window=1",
    )  # fmt: skip
    result = run_case(case)
    assert result.bound_by == "challenge.hippi>onyx.hippi READY"
    cycle = (10_320 + 10_000 + 10_240 + 10_000) * NS
    assert float(result.bound) == pytest.approx(1024e12 / cycle, rel=1e-9)
    assert 0.95 * float(result.bound) < float(result.rate) <= float(result.bound)


def test_forking_hides_pinning_and_nothing_else(hippi):
    slow_pin = "hosts.challenge.kernel.page_pin=10 us"
    size = ("workload.blast.size=256 KiB", "workload.blast.packets=8")
    alone = run_case(hippi(*size, slow_pin))
    forked = run_case(hippi(*size, slow_pin, "workload.blast.processes=2"))
    cheap = run_case(hippi(*size))
    cheap_forked = run_case(hippi(*size, "workload.blast.processes=2"))
    assert float(forked.rate) > 1.05 * float(alone.rate)
    # Two senders hide what pinning adds alone, 64 pages at 8 us more.
    packet = 262144 * 10**12
    assert packet / alone.rate - packet / cheap.rate == pytest.approx(64 * 8 * US, rel=0.02)
    assert packet / forked.rate - packet / cheap_forked.rate == pytest.approx(0, abs=1 * US)


@pytest.mark.parametrize(
    "faster",
    [
        "hosts.challenge.adapters.hippi.transmit_dma=200 MB/s", "hosts.onyx.adapters.hippi.receive_dma=200 MB/s",
        "hosts.challenge.kernel.system_call=1 us", "hosts.onyx.kernel.interrupt=1 us", "hosts.onyx.cpu.clock=300 MHz",
        "hosts.onyx.adapters.hippi.ready_window=64", "links.link1.clock=50 MHz", "hosts.onyx.memory.rate=1 GB/s",
    ],
)  # fmt: skip
def test_nothing_faster_makes_it_slower(hippi, faster):
    size = ("workload.blast.size=128 KiB", "workload.blast.packets=8")
    assert run_case(hippi(*size, faster)).rate >= run_case(hippi(*size)).rate


def test_a_card_that_nobody_reads_from_takes_what_the_wire_brings(hippi):
    slow = (
        "workload.blast.size=1 MiB",
        "workload.blast.packets=4",
        "hosts.onyx.adapters.hippi.receive_dma=50 MB/s",
    )
    read, alone = run_case(hippi(*slow)), run_case(hippi(*slow, "workload.blast.sink=false"))
    assert alone.rate > 1.5 * read.rate
    assert alone.throughput.deliveries == 3
