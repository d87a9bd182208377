"""PCI Express against packets counted by hand; generation 1 with eight lanes moves a byte in 500 ps."""

from __future__ import annotations

from fractions import Fraction
from types import ModuleType
from typing import Any

import pytest
from part_samples import Trace, part

from simio.bound import bound
from simio.components.host.pcie import PcieBus, RootComplex
from simio.program.builder import Builder

LINK: dict[str, Any] = {
    "generation": 1, "lanes": 8, "payload": "128 B", "read_request": "512 B", "tags": 32, "latency": "50 ns",
}  # fmt: skip
ROOT: dict[str, Any] = {
    "read_latency": "200 ns", "memory_latency": "100 ns", "cache": "1 MiB", "device_share": "none",
}  # fmt: skip


def bus_of(
    p: Builder,
    root: dict[str, Any] | None = None,
    uplink: PcieBus | None = None,
    name: str = "host.pcie",
    **link: Any,
) -> PcieBus:
    """A link into memory that moves a byte in 100 ps."""
    sheet = part("root", "pcie", "host", **{**ROOT, **(root or {})})
    above = uplink.root if uplink else RootComplex(p, "host", sheet)
    own = part("bus", "pcie", name, **{**LINK, **link})
    return PcieBus(p, own, above, p.resource("host.memory"), Fraction(100), uplink, ())


@pytest.mark.parametrize(
    ("generation", "rate"),
    [(1, 2e9), (2, 4e9), (3, 8e9 * 128 / 130), (4, 16e9 * 128 / 130), (5, 32e9 * 128 / 130), (6, 64e9 * 236 / 256)],
)
def test_the_coding_of_each_generation_leaves_packets_so_many_bytes_a_second(generation: int, rate: float) -> None:
    sheet: Any = part("bus", "pcie", **{**LINK, "generation": generation}).sheet
    assert float(sheet.rate) == pytest.approx(rate)


def test_a_write_is_posted_in_packets_of_the_payload(trace: Trace, engine: ModuleType) -> None:
    bus = bus_of(trace.p)
    with trace.p.thread("t"):
        bus.write(128)
        trace.mark(1)
        bus.write(129)
        trace.mark(2)
        bus.transfer(1)
        trace.mark(3)
    # 128 and 24 bytes are 76 ns; another packet of 24 bytes and a word 14 ns; a transfer also gets there in 50 ns.
    assert trace.times(engine) == {1: 76, 2: 76 + 90, 3: 166 + 14 + 50}


def test_a_read_waits_for_the_root_complex_and_comes_in_completions(trace: Trace, engine: ModuleType) -> None:
    bus = bus_of(trace.p)
    with trace.p.thread("t"):
        bus.read(256)
        trace.mark(1)
        bus.read(64, cached=True)
        trace.mark(2)
    # A request of 24 bytes, 12 ns; 2 x 50 + 200 + 100; two completions of 148 bytes.
    assert trace.times(engine) == {1: 12 + 400 + 148, 2: 560 + 12 + 300 + 42}


def test_a_size_in_a_register_takes_the_time_of_a_constant(trace: Trace, engine: ModuleType) -> None:
    bus, p = bus_of(trace.p), trace.p
    with p.thread("t"):
        for number, amount in enumerate((1, 500, 4096, 10_000)):
            for size in (amount, p.register(amount)):
                for read in (False, True):
                    bus.transfer(size, read=read)
                    trace.mark(4 * number + 2 * (size is not amount) + read)
    at = trace.times(engine)
    steps = [at[number] - at.get(number - 1, 0) for number in range(16)]
    for number in range(0, 16, 4):
        assert steps[number : number + 2] == steps[number + 2 : number + 4]


def test_reads_of_more_than_there_are_tags_for_wait(trace: Trace, engine: ModuleType) -> None:
    bus = bus_of(trace.p, tags=2, read_request="128 B")
    with trace.p.thread("t"):
        bus.read(512, cached=True)
        trace.mark(1)
    # Two requests are 24 ns; 300 ns; two completions are 148 ns. Then the other two.
    assert trace.times(engine) == {1: 2 * (24 + 300 + 148)}


def test_large_reads_have_their_parts_under_way_together(trace: Trace, engine: ModuleType) -> None:
    bus = bus_of(trace.p)
    with trace.p.thread("t"):
        bus.read(16384)
        trace.mark(1)
    # After the first part's request (8 of 24 bytes) the way down is never idle.
    assert trace.times(engine) == {1: 96 + 400 + 128 * 74}


def test_both_directions_go_at_once(trace: Trace, engine: ModuleType) -> None:
    bus, p = bus_of(trace.p), trace.p
    with p.thread("reader"):
        bus.read(4096, cached=True)
        trace.mark(1)
    with p.thread("writer"):
        p.advance(200_000)
        bus.write(4096, cached=True)
        trace.mark(2)
    assert trace.times(engine) == {1: 96 + 300 + 32 * 74, 2: 200 + 32 * 76}


def test_ports_of_a_switch_share_its_uplink(trace: Trace, engine: ModuleType) -> None:
    p = trace.p
    up = bus_of(p)
    ports = [bus_of(p, uplink=up, name=f"host.port{n}", switch_latency="100 ns") for n in range(2)]
    for number, port in enumerate(ports):
        with p.thread("t"):
            port.transfer(4096)
            trace.mark(number)
    # The uplink is as fast as a port, so that one waits for the other; each packet passes two links and the switch.
    assert trace.times(engine) == {0: 32 * 76 + 200, 1: 2 * 32 * 76 + 200}


def test_another_sockets_memory_is_farther(trace: Trace, engine: ModuleType) -> None:
    bus = bus_of(trace.p, {"socket_latency": "70 ns", "socket_rate": "1 GB/s"})
    with trace.p.thread("t"):
        bus.read(64, cached=True, remote=True)
        trace.mark(1)
    # 64 bytes take 64 ns between the sockets.
    assert trace.times(engine) == {1: 12 + 370 + 64}


def test_the_iommu_walks_for_pages_that_its_cache_lacks(trace: Trace, engine: ModuleType) -> None:
    iommu = {"iommu": True, "iommu_entries": 2, "iommu_walk": "250 ns", "iommu_walks": 1}
    bus, p = bus_of(trace.p, iommu), trace.p
    with p.thread("t"):
        begun = 0
        for number, page in enumerate((0, 0, 1, 0, 2, 1)):
            bus.read(64, cached=True, place=p.register(page * 4096))
            trace.mark(number)
    at = trace.times(engine)
    took = [at[number] - at.get(number - 1, begun) for number in range(6)]
    # The second and fourth find their page; page 1 had to go for page 2.
    assert took == [604, 354, 604, 354, 604, 604]


def test_who_wants_a_page_whose_walk_is_under_way_waits_for_that_walk(trace: Trace, engine: ModuleType) -> None:
    iommu = {"iommu": True, "iommu_entries": 4, "iommu_walk": "250 ns", "iommu_walks": 1}
    bus, p = bus_of(trace.p, iommu), trace.p
    for number in range(3):
        with p.thread("t"):
            bus.read(64, cached=True, place=p.register(0 if number < 2 else 4096))
            trace.mark(number)
    # Requests end at 12, 24 and 36 ns; the third's walk begins when the first has ended.
    assert trace.times(engine) == {0: 12 + 250 + 300 + 42, 1: 12 + 250 + 300 + 84, 2: 12 + 500 + 300 + 42}


def test_posted_writes_wait_for_the_root_complex_only_when_credits_are_used_up(
    trace: Trace, engine: ModuleType
) -> None:
    bus, p = bus_of(trace.p, {"write_time": "1 us", "posted": 2}), trace.p
    with p.thread("t"):
        for number in range(4):
            bus.write(64)
            trace.mark(number)
    assert trace.times(engine) == {0: 44, 1: 88, 2: 44 + 50 + 1000 + 44, 3: 44 + 50 + 2000 + 44}


def test_the_bound_knows_links_and_tags(engine: ModuleType) -> None:
    for tags, read in ((1, True), (32, True), (32, False)):
        trace = Trace()
        bus, p = bus_of(trace.p, tags=tags), trace.p
        delivered = p.observation("delivered", "delivered", "bytes")
        with p.thread("t", count=8), p.loop(50):
            bus.transfer(512, read=read)
            p.mark(delivered, 512)
        limit = bound(p.build()).tightest
        assert limit is not None
        assert 0.8 < limit.time / trace.run(engine).end <= 1
