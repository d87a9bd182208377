"""IP over HIPPI: the card, its connections and switches, against traces by hand."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from net_bench import NS, US, Net, host, link, switch

from simio.engines import reference

CONNECT = 640
"""16 clocks of 40 ns."""


def direct(length: int = 0, **values: Any) -> Net:
    """Two hosts with HIPPI cards and a cable between them."""
    card = {"kind": "hippi", **values}
    return Net([host("a", hippi=card), host("b", hippi=card)], [link("a.hippi", "b.hippi", "hippi", length)])


def test_a_packet_is_stored_connected_sent_and_received_burst_by_burst(engine: ModuleType) -> None:
    net = direct()
    net.packets(net.path("a", "b"), [4056])
    # Driver 100 us; 4056 bytes of DMA at 10 ns; the connection; 4096 bytes are four bursts of 256 words and 2 clocks,
    # 10.32 us each. The first has come after one of these, and DMA of all but the last keeps up with the wire; the
    # last, of 1024 bytes, follows it. Interrupt 3 us, driver 50 us.
    assert net.marks(engine) == [(100_000 + 40_560 + CONNECT + 4 * 10_320 + 10_240 + 53_000, 4056)]


def test_a_slower_receiver_holds_the_wire_up(engine: ModuleType) -> None:
    net = direct(receive_dma="50 MB/s", ready_window=1)
    net.packets(net.path("a", "b"), [65280])
    # All but the last burst of 1024 bytes have to be in memory before the source may send that one.
    held = 10_320 + (65280 - 1024) * 20
    assert net.marks(engine) == [(100_000 + 652_800 + CONNECT + held + 20_480 + 53_000, 65280)]
    assert net.busy(net.run(engine), "a.hippi>b.hippi") == held * NS


def test_one_packet_at_a_time_is_fetched_and_sent(engine: ModuleType) -> None:
    net = direct(transmit_cost="10 us", receive_cost="10 us")
    net.packets(net.path("a", "b"), [65280] * 5)
    times = [time for time, _ in net.marks(engine)]
    # 65320 bytes are 16330 words and 64 bursts; DMA and wire take turns.
    wire = (16330 + 2 * 64) * 40
    assert {after - before for before, after in zip(times, times[1:], strict=False)} == {652_800 + CONNECT + wire}


def test_the_cards_processor_adds_to_the_way_of_a_packet_twice_and_to_its_turn_once() -> None:
    quick, slow = (
        direct(transmit_cost="10 us", receive_cost="10 us", ip_packet_time=time) for time in ("0 s", "70 us")
    )
    for net in (quick, slow):
        net.packets(net.path("a", "b"), [4056] * 4)
    (free, taken) = ([time for time, _ in net.marks(reference)] for net in (quick, slow))
    assert [there - here for here, there in zip(free, taken, strict=True)] == [
        140_000, 210_000, 280_000, 350_000,
    ]  # fmt: skip


def test_beyond_the_store_limit_memory_and_wire_overlap(engine: ModuleType) -> None:
    stored, through = direct(), direct(store_limit="4 KiB")
    for net in (stored, through):
        net.packets(net.path("a", "b"), [65280])
    ((one, _),), ((other, _),) = stored.marks(engine), through.marks(engine)
    assert one - other == (65280 - 4096) * 10


def test_what_fits_on_the_wire_is_what_the_standard_leaves() -> None:
    path = direct().path("a", "b")
    assert path.mtu == 65280
    # 16330 words and 2 clocks after each of 64 bursts.
    assert path.wires[0].time(65280) == (16330 + 128) * 40 * NS
    assert 65280 / (path.wires[0].time(65280) / US) == pytest.approx(99.161, abs=1e-3)


def test_a_packet_costs_a_few_dozen_events_whatever_its_size() -> None:
    events = []
    for count in (1, 11):
        net = direct()
        net.packets(net.path("a", "b"), [65280] * count)
        events.append(net.run(reference).events)
    assert (events[1] - events[0]) / 10 <= 30


def test_a_busy_port_of_a_switch_is_waited_for(engine: ModuleType) -> None:
    card = {"kind": "hippi", "transmit_cost": "10 us", "receive_cost": "10 us"}
    names = ("a", "b", "c")
    net = Net(
        [host(name, hippi=card) for name in names],
        [link(f"{name}.hippi", "s", "hippi") for name in names],
        switch("s", "hippi"),
    )
    net.packets(net.path("a", "c"), [4056], name="first")
    net.packets(net.path("b", "c"), [4056], start=1 * US, name="second")
    ((first, _),), ((second, _),) = net.marks(engine, "first"), net.marks(engine, "second")
    # Either has the switch's 2 us before the port, and 2 us on the way of CONNECT back and of the data.
    wire = 4 * 10_320
    assert first == 10_000 + 40_560 + 2_000 + CONNECT + 2_000 + 2_000 + wire + 10_240 + 13_000
    # The port is free when the first one's last burst has left its source.
    free = 10_000 + 40_560 + 2_000 + CONNECT + 2_000 + wire
    assert second == free + CONNECT + 2_000 + 2_000 + wire + 10_240 + 13_000


def test_without_camping_on_a_source_tries_again(engine: ModuleType) -> None:
    card = {"kind": "hippi", "transmit_cost": "10 us", "receive_cost": "10 us"}
    names = ("a", "b", "c")
    net = Net(
        [host(name, hippi=card) for name in names],
        [link(f"{name}.hippi", "s", "hippi") for name in names],
        switch("s", "hippi", camp_on=False, retry="30 us"),
    )
    net.packets(net.path("a", "c"), [4056], name="first")
    net.packets(net.path("b", "c"), [4056], start=1 * US, name="second")
    ((second, _),) = net.marks(engine, "second")
    # It asks at 53.56 us and every 30 us from then on; the port is free at 96.48.
    asked = 1_000 + 10_000 + 40_560 + 2_000 + 60_000
    assert second == asked + CONNECT + 2_000 + 2_000 + 4 * 10_320 + 10_240 + 13_000


def test_a_host_that_does_not_take_packets_stops_the_source_and_loses_none(engine: ModuleType) -> None:
    net = direct(ip_ring=1, transmit_cost="10 us", receive_cost="5 ms")
    net.packets(net.path("a", "b"), [1000] * 6)
    assert len(net.marks(engine)) == 6
    assert net.marks(engine, "b.hippi dropped") == []
