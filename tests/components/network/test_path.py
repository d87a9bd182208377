"""A packet's way from stack to stack, against traces by hand."""

from __future__ import annotations

from types import ModuleType

import pytest
from net_bench import NS, Net, host, link, pair, switch

from simio.components.network.ethernet import EthernetWire
from simio.components.network.packet import Packet
from simio.engines.outcome import Options
from simio.errors import RunError
from simio.program.builder import Builder


def test_a_packet_takes_driver_dma_wire_dma_interrupt_and_driver(engine: ModuleType) -> None:
    net = pair(length=100)
    net.packets(net.path("a", "b"), [1000])
    # 5 us of driver, 2.5 us of DMA (250 words of 10 ns), preamble, header, packet and check: 1026 bytes of 8 ns,
    # 500 ns of cable, 2.5 us of DMA, 3 us of interrupt, 4 us of driver.
    assert net.marks(engine) == [(5000 + 2500 + 8208 + 500 + 2500 + 3000 + 4000, 1000)]


def test_a_short_packet_is_padded_to_the_least_frame(engine: ModuleType) -> None:
    net = pair()
    net.packets(net.path("a", "b"), [40])
    # 64 bytes of frame and 8 of preamble; DMA of 10 words at either end.
    assert net.marks(engine) == [(5000 + 100 + 576 + 100 + 7000, 40)]


def test_a_switch_stores_the_packet_and_sends_it_on(engine: ModuleType) -> None:
    net = Net([host("a", eth={}), host("b", eth={})], [link("a.eth", "s"), link("s", "b.eth")], switch("s"))
    net.packets(net.path("a", "b"), [1000])
    assert net.marks(engine) == [(5000 + 2500 + 8208 + 2000 + 8208 + 2500 + 7000, 1000)]


def test_a_switch_that_cuts_through_passes_on_after_the_header(engine: ModuleType) -> None:
    net = Net(
        [host("a", eth={}), host("b", eth={})],
        [link("a.eth", "s"), link("s", "b.eth")],
        switch("s", forwarding="cut-through"),
    )
    net.packets(net.path("a", "b"), [1000])
    # 22 bytes of preamble and header, 2 us of latency.
    assert net.marks(engine) == [(5000 + 2500 + 176 + 2000 + 8208 + 2500 + 7000, 1000)]


def test_a_faster_way_out_does_not_run_dry(engine: ModuleType) -> None:
    net = Net(
        [host("a", eth={}), host("b", eth={})],
        [link("a.eth", "s", rate="100 Mbit/s"), link("s", "b.eth")],
        switch("s", forwarding="cut-through", latency="0 s"),
    )
    net.packets(net.path("a", "b"), [1000])
    # The last bit leaves the switch as it comes: all that the fast wire takes is within the time of the slow one.
    assert net.marks(engine) == [(5000 + 2500 + 82080 + 2500 + 7000, 1000)]


def test_a_stream_fills_the_wire_to_the_efficiency_of_its_frames(engine: ModuleType) -> None:
    quick = {"transmit_cost": "0 s", "receive_cost": "0 s", "queue": 1000}
    net = pair(first=quick, second=quick)
    net.stream(net.path("a", "b"), 1500, 200, 0)
    found = net.marks(engine)
    assert len(found) == 200
    # A frame of 1518 bytes, 8 of preamble and 12 of gap: 12.304 us each, once the wire is full.
    span = found[-1][0] - found[99][0]
    assert span == 100 * 12304
    # Mbit/s of TCP payload without options, and with the 12 bytes of timestamps.
    assert 8000 * 100 * 1460 / span == pytest.approx(949.28, abs=0.01)
    assert 8000 * 100 * 1448 / span == pytest.approx(941.48, abs=0.01)
    assert net.network.path("a", "b").wires[0].time(1500) == 12304 * NS


def test_what_finds_the_queue_full_is_dropped_and_the_rest_keeps_its_order(engine: ModuleType) -> None:
    net = pair(first={"queue": 3, "transmit_ring": 1})
    net.packets(net.path("a", "b"), [1000 + number for number in range(8)])
    # All come at once: the queue takes three, and the driver has not had time for the first.
    assert [value for _, value in net.marks(engine)] == [1000, 1001, 1002]
    assert [value for _, value in net.marks(engine, "a.eth dropped")] == [1003, 1004, 1005, 1006, 1007]


def test_an_output_buffer_drops_what_two_inputs_bring(engine: ModuleType) -> None:
    quick = {"transmit_cost": "0 s", "receive_cost": "0 s", "queue": 1000, "coalesce_count": 1}
    hosts = [host(name, eth=quick) for name in ("a", "b", "c")]
    links = [link(f"{one.name}.eth", "s") for one in hosts]
    net = Net(hosts, links, switch("s", buffer="10000 B"))
    for source in ("a", "b"):
        net.stream(net.path(source, "c"), 1482, 50, 12304 * NS, name=source)
    arrived = len(net.marks(engine, "a")) + len(net.marks(engine, "b"))
    lost = len(net.marks(engine, "s dropped"))
    assert arrived + lost == 100
    # The way out carries one of two; its buffer holds six frames of 1500 bytes.
    assert 50 <= arrived <= 57
    outcome = net.run(engine)
    # The first does not wait for a gap.
    assert net.busy(outcome, "s>c.eth") == (arrived * 1520 - 12) * 8 * NS


def test_both_directions_of_a_link_are_apart(engine: ModuleType) -> None:
    net = pair()
    net.packets(net.path("a", "b"), [1000], name="there")
    net.packets(net.path("b", "a"), [1000], name="back")
    (there,), (back,) = net.marks(engine, "there"), net.marks(engine, "back")
    assert there == back == (5000 + 2500 + 8208 + 2500 + 7000, 1000)


def test_the_least_mtu_on_the_way_counts() -> None:
    net = Net(
        [host("a", eth={"mtu": "9000 B"}), host("b", eth={"mtu": "4000 B"})],
        [link("a.eth", "s", mtu="9000 B"), link("s", "b.eth", mtu="9000 B")],
        switch("s"),
    )
    assert net.path("a", "b").mtu == 4000


def test_no_path_without_links() -> None:
    net = Net([host("a", eth={}), host("b", eth={})], [])
    with pytest.raises(RunError, match="no path leads from 'a' to 'b'"):
        net.path("a", "b")


def test_a_packet_of_more_than_the_adapter_holds_is_refused() -> None:
    net = pair(first={"transmit_buffer": "1 KiB"})
    with pytest.raises(RunError, match=r"'a.eth' has 1 KiB for packets to be sent, and they have up to 1.5 kB"):
        net.path("a", "b")


def test_an_adapter_that_carries_no_packets_is_named() -> None:
    disk_card = {
        "kind": "fibre-channel", "frame_payload": "2048 B", "credit": 4, "command_cost": "1 us", "queue_depth": 1,
    }  # fmt: skip
    net = Net([host("a", fc=disk_card), host("b", fc=disk_card)], [link("a.fc", "b.fc", "fibre-channel")])
    with pytest.raises(RunError, match="'a.fc' .* is of kind 'fibre-channel', which carries no packets"):
        net.path("a", "b")


def test_the_nearer_adapter_is_passed_over_if_it_carries_no_packets(engine: ModuleType) -> None:
    disk_card = {
        "kind": "fibre-channel", "frame_payload": "2048 B", "credit": 4, "command_cost": "1 us", "queue_depth": 1,
    }  # fmt: skip
    wires = [link("a.fc", "b.fc", "fibre-channel"), link("a.eth", "s"), link("s", "b.eth")]
    net = Net([host(name, fc=disk_card, eth={}) for name in "ab"], wires, switch("s"))
    net.packets(net.path("a", "b"), [1000])
    assert net.marks(engine) == [(5000 + 2500 + 8208 + 2000 + 8208 + 2500 + 7000, 1000)]


def test_a_named_adapter_is_left_by_its_own_link_though_another_is_nearer(engine: ModuleType) -> None:
    hosts = [host(name, one={}, two={}) for name in "ab"]
    wires = [link("a.one", "b.one"), *(link(one, other) for one, other in (("a.two", "s"), ("s", "t"), ("t", "u")))]
    wires += [link("u", "v"), link("v", "b.two")]
    net = Net(hosts, wires, *(switch(name) for name in "stuv"))
    net.packets(net.path("a.two", "b.two"), [1000])
    assert net.marks(engine) == [(5000 + 2500 + 8208 + 4 * (2000 + 8208) + 2500 + 7000, 1000)]


def test_one_of_several_adapters_may_be_named(engine: ModuleType) -> None:
    hosts = [host(name, one={}, two={"transmit_cost": "50 us"}) for name in "ab"]
    net = Net(hosts, [link("a.one", "b.one"), link("a.two", "b.two")])
    net.packets(net.path("a.two", "b.two"), [1000])
    assert net.marks(engine) == [(50_000 + 2500 + 8208 + 2500 + 7000, 1000)]


def test_a_path_does_not_lead_through_another_host() -> None:
    hosts = [host("a", eth={}), host("b", one={}, two={}), host("c", eth={})]
    net = Net(hosts, [link("a.eth", "b.one"), link("b.two", "c.eth")])
    with pytest.raises(RunError, match="no path of links and switches leads from 'a' to 'c'"):
        net.path("a", "c")


@pytest.mark.parametrize("early", [False, True])
def test_a_frame_waits_for_what_is_left_of_the_gap(engine: ModuleType, early: bool) -> None:
    # A frame of 1000 bytes takes 8208 ns, and 96 of silence follow: the second comes 40 ns after the first, the
    # third waits in line for the second, and the last finds the wire silent.
    p = Builder()
    wire = EthernetWire(p, link("a.eth", "b.eth"), "a.eth", "b.eth")
    seen = p.observation("seen")
    for start in (0, 8208 + 40, 8208 + 50, 100_000):
        with p.thread("packet", start=start * NS), p.loop(1):
            size = p.register(1000)
            with wire.crossing(Packet(size), early):
                p.mark(seen, size)
    outcome = engine.run(p.build(), Options())
    begun = [0, 8208 + 96, 2 * (8208 + 96), 100_000]
    assert (outcome.marks[:, 0] // NS).tolist() == [start + (176 if early else 8208) for start in begun]
    # The wire is taken while frames are on it, and while one waits for the gap; the run ends with the last mark.
    assert outcome.resources[0, 0] == (3 * 8208 + 56 + 96 + (176 if early else 8208)) * NS
