"""IP over Fibre Channel: sequences of frames and credit, against closed forms and traces by hand."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from net_bench import NS, Net, host, link, switch

BYTE = 10
"""ns a byte at 1 Gbaud with ten line bits a byte."""
CARD: dict[str, Any] = {"kind": "fibre-channel-network", "transmit_cost": "0 s", "receive_cost": "0 s"}


def direct(length: int = 0, **values: Any) -> Net:
    """Two hosts with a fibre between them."""
    card = {**CARD, **values}
    return Net([host("a", fc=card), host("b", fc=card)], [link("a.fc", "b.fc", "fibre-channel", length)])


def star(**values: Any) -> Net:
    """Three hosts at one switch."""
    card = {**CARD, **values}
    names = ("a", "b", "c")
    links = [link(f"{name}.fc", "s", "fibre-channel") for name in names]
    return Net([host(name, fc=card) for name in names], links, switch("s", "fibre-channel"))


def test_a_datagram_is_a_sequence_of_frames(engine: ModuleType) -> None:
    net = direct(length=100)
    net.packets(net.path("a", "b"), [8000])
    # 8024 bytes with the network header, LLC and SNAP are four frames, with 60 bytes of framing and gap each.
    line = (8024 + 4 * 60) * BYTE
    assert net.marks(engine) == [(20_000 + line + 500 + 20_000 + 3000, 8000)]
    assert net.path("a", "b").wires[0].time(8000) == line * NS


@pytest.mark.parametrize(("length", "frames"), [(2024, 1), (2025, 2), (4072, 2), (4073, 3), (65280, 32)])
def test_frames_are_as_full_as_they_can_be(length: int, frames: int, engine: ModuleType) -> None:
    net = direct(receive_buffer="256 KiB")
    path = net.path("a", "b")
    assert path.wires[0].time(length) == (length + 24 + 60 * frames) * BYTE * NS
    net.packets(path, [length])
    assert net.busy(net.run(engine), "a.fc>b.fc") == path.wires[0].time(length)


def test_quarter_speed_carries_what_framing_leaves() -> None:
    card = {**CARD, "receive_buffer": "256 KiB"}
    net = Net(
        [host("a", fc=card), host("b", fc=card)],
        [link("a.fc", "b.fc", "fibre-channel", signalling="265.625 Mbaud")],
    )
    path = net.path("a", "b")
    assert path.mtu == 65280
    # 26.5625 MB/s on the line; 65280 of 65304 + 32 x 60 bytes.
    assert 65280 / path.wires[0].time(65280) * 1e6 == pytest.approx(26.5625 * 65280 / 67224, rel=1e-6)


def test_little_credit_over_a_long_fibre_is_a_frame_a_round_trip() -> None:
    net = direct(length=10_000, credit=1)
    # 10 km are 50 us each way.
    full = 2108 * BYTE + 100_000
    assert net.path("a", "b").wires[0].time(8000) == (3 * full + (8024 - 3 * 2048 + 60) * BYTE) * NS


def test_a_switch_cuts_through(engine: ModuleType) -> None:
    net = star()
    net.packets(net.path("a", "c"), [8000])
    assert net.marks(engine) == [(20_000 + 2000 + (8024 + 240) * BYTE + 20_000 + 3000, 8000)]


def test_a_busy_port_holds_up_the_links_before_it(engine: ModuleType) -> None:
    net = star()
    net.packets(net.path("a", "c"), [8000], name="first")
    net.packets(net.path("b", "c"), [8000], name="second")
    net.packets(net.path("b", "a"), [8000], start=1, name="third")
    line = (8024 + 240) * BYTE
    ((first, _),), ((second, _),), ((third, _),) = (net.marks(engine, name) for name in ("first", "second", "third"))
    assert second - first == line
    # The third goes elsewhere, and still waits for the second, which has the link that they share.
    assert third - second == 2000 + line


def test_a_slow_receiver_stops_the_sender_and_loses_nothing(engine: ModuleType) -> None:
    net = direct(receive_buffer="65280 B", receive_ring=1, receive_cost="2 ms")
    net.packets(net.path("a", "b"), [30_000] * 12)
    assert len(net.marks(engine)) == 12
    assert net.marks(engine, "b.fc dropped") == []
