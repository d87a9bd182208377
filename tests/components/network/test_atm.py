"""IP over ATM: cells from the standards' framing, and switches of cells against traces by hand."""

from __future__ import annotations

from fractions import Fraction
from types import ModuleType
from typing import Any

import pytest
from net_bench import NS, US, Net, host, link, switch

CELL = Fraction(53 * 8 * 10**9, 149_760_000)
"""ns of a cell: 424 bits at 260/270 of 155.52 Mbit/s."""
QUICK: dict[str, Any] = {"medium": "atm", "transmit_cost": "0 s", "receive_cost": "0 s", "queue": 1000}


def cells(length: int) -> int:
    """LLC and SNAP before the datagram, the AAL5 trailer behind, in payloads of 48 bytes."""
    return -(-(length + 16) // 48)


def star(count: int, rates: tuple[str, ...] = (), **values: Any) -> Net:
    """So many hosts at one switch; OC-3 unless said otherwise."""
    names = "abcdef"[:count]
    given = [*rates, *["149.76 Mbit/s"] * (count - len(rates))]
    return Net(
        [host(name, atm=QUICK) for name in names],
        [link(f"{name}.atm", "s", "atm", rate=rate) for name, rate in zip(names, given, strict=True)],
        switch("s", "atm", **{"latency": "10 us", "buffer": "54272 B", **values}),
    )


def test_a_link_carries_the_payload_of_its_cells() -> None:
    net = Net([host("a", atm=QUICK), host("b", atm=QUICK)], [link("a.atm", "b.atm", "atm")])
    wire = net.path("a", "b").wires[0]
    assert float(48 * 8 * 1000 / CELL) == pytest.approx(135.63, abs=0.01)
    # Mbit/s of IP: 9180 bytes are 192 cells, 9188 are 192, too, and 1500 are 32.
    for length, count, rate in ((9180, 192, 135.10), (9188, 192, 135.22), (1500, 32, 132.45)):
        assert cells(length) == count
        assert wire.time(length) == pytest.approx(float(count * CELL * NS), abs=1)
        assert length * 8e6 / wire.time(length) == pytest.approx(rate, abs=0.01)


def test_a_packet_crosses_as_cells(engine: ModuleType) -> None:
    net = Net([host("a", atm=QUICK), host("b", atm=QUICK)], [link("a.atm", "b.atm", "atm", length=1000)])
    net.packets(net.path("a", "b"), [1000])
    # DMA of 2.5 us at either end, 22 cells, 5 us of fibre, the interrupt.
    assert net.marks(engine) == [(int(2500 + 22 * CELL + 5000 + 2500 + 3000), 1000)]


def test_a_switch_passes_cells_on_as_they_come(engine: ModuleType) -> None:
    net = star(2)
    net.packets(net.path("a", "b"), [1000])
    # One cell more than without the switch, and its latency.
    assert net.marks(engine) == [(int(2500 + 23 * CELL + 10_000 + 2500 + 3000), 1000)]
    assert net.busy(net.run(engine), "s>b.atm") == pytest.approx(float(22 * CELL * NS), abs=1)


def test_a_slower_way_out_takes_the_time_of_its_cells(engine: ModuleType) -> None:
    net = star(2, ("599.04 Mbit/s",))
    net.packets(net.path("a", "b"), [1000])
    ((time, _),) = net.marks(engine)
    # The first cell comes in a quarter of a cell time, then 22 leave one after another.
    assert time == pytest.approx(float(2500 + (Fraction(1, 4) + 22) * CELL + 10_000 + 2500 + 3000), abs=1)


def test_a_faster_way_out_waits_for_the_last_cell(engine: ModuleType) -> None:
    net = star(2, ("149.76 Mbit/s", "599.04 Mbit/s"))
    net.packets(net.path("a", "b"), [1000])
    ((time, _),) = net.marks(engine)
    assert time == pytest.approx(float(2500 + (22 + Fraction(1, 4)) * CELL + 10_000 + 2500 + 3000), abs=1)


def test_two_packets_at_once_share_the_way_out(engine: ModuleType) -> None:
    net = star(3)
    net.packets(net.path("a", "c"), [9180], name="one")
    net.packets(net.path("b", "c"), [9180], name="other")
    times = sorted(time for name in ("one", "other") for time, _ in net.marks(engine, name))
    # Cells of both alternate: both are complete when twice 192 cells, less the last round, have left.
    dma, last = 22950, 22950
    alone = dma + 193 * CELL + 10_000 + last + 3000
    assert float(times[0]) == pytest.approx(float(alone + 191 * CELL), abs=float(2 * CELL))


def test_a_full_buffer_costs_every_packet_that_comes(engine: ModuleType) -> None:
    # Two packets of 192 cells come at once, so that 191 of these 384 wait in the end.
    fits, full = star(3, buffer=f"{53 * 192} B"), star(3, buffer=f"{53 * 180} B")
    for net, expected in ((fits, 2), (full, 0)):
        for source in ("a", "b"):
            net.packets(net.path(source, "c"), [9180], name=source)
        assert len(net.marks(engine, "a")) + len(net.marks(engine, "b")) == expected
    assert len(full.marks(engine, "s dropped")) == 2


def test_early_packet_discard_keeps_cells_of_whole_packets(engine: ModuleType) -> None:
    arrived = []
    for discard in ("none", f"{53 * 400} B"):
        net = star(4, buffer=f"{53 * 1000} B", discard_above=discard)
        for source in ("a", "b", "c"):
            net.stream(net.path(source, "d"), 9180, 60, 545 * US, name=source)
        outcome = net.run(engine)
        count = sum(len(net.marks(engine, source)) for source in ("a", "b", "c"))
        assert count + len(net.marks(engine, "s dropped")) == 180
        arrived.append(count)
        assert net.busy(outcome, "s>d.atm") <= outcome.end
    # Three fill a port for one; without discarding whole packets, cells of many are carried in vain.
    assert arrived[1] >= 58
    assert arrived[0] < arrived[1] // 2


def test_a_lost_cell_loses_its_packet(engine: ModuleType) -> None:
    net = Net([host("a", atm=QUICK), host("b", atm=QUICK)], [link("a.atm", "b.atm", "atm", cell_loss=1e-3)])
    net.stream(net.path("a", "b"), 9180, 1000, 600 * US)
    lost = len(net.marks(engine, "a.atm>b.atm lost"))
    assert lost + len(net.marks(engine)) == 1000
    # 1 - 0.999 ** 192 is 0.175; four standard deviations are 48.
    assert 127 < lost < 223


def test_two_switches_in_a_row(engine: ModuleType) -> None:
    net = Net(
        [host("a", atm=QUICK), host("b", atm=QUICK)],
        [link("a.atm", "s", "atm"), link("s", "t", "atm"), link("t", "b.atm", "atm")],
        switch("s", "atm", latency="10 us", buffer="54272 B"),
        switch("t", "atm", latency="10 us", buffer="54272 B"),
    )
    net.packets(net.path("a", "b"), [1000])
    ((time, _),) = net.marks(engine)
    assert time == pytest.approx(float(2500 + (23 + 22) * CELL + 20_000 + 2500 + 3000), abs=1)
