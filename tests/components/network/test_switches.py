"""Packets that wait in a switch: the places, and the cost."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from net_bench import NS, US, Net, host, link, switch

from simio.errors import RunError

QUICK: dict[str, Any] = {"transmit_cost": "0 s", "receive_cost": "0 s", "queue": 1000}
FRAME = 8304
"""ns of a packet of 1000 bytes with its gap."""


def star(names: str, slow: str = "", **values: Any) -> Net:
    """These hosts at one switch; the links of those in `slow` have 100 Mbit/s."""
    links = [link(f"{name}.eth", "s", rate="100 Mbit/s" if name in slow else "1 Gbit/s") for name in names]
    return Net([host(name, eth=QUICK) for name in names], links, switch("s", **values))


def test_behind_an_input_that_waits_others_wait_too(engine: ModuleType) -> None:
    last = {}
    for buffering in ("input", "output"):
        net = star("abc", slow="b", buffering=buffering)
        for _ in range(2):
            net.packets(net.path("a", "b"), [1000], name="slow")
        net.packets(net.path("a", "c"), [1000], name="fast")
        last[buffering] = [[time for time, _ in net.marks(engine, name)] for name in ("slow", "fast")]
    # The same for the packets that wait for the slow port; the third goes elsewhere.
    assert last["input"][0] == last["output"][0]
    arrived = 2500 + 3 * FRAME - 96 + 2000 + 8208 + 2500 + 3000
    assert last["output"][1] == [arrived]
    # In an input buffer it has to wait until the second has left for the slow port.
    left = 2500 + 8208 + 2000 + 82_080 + 960 + 82_080
    assert last["input"][1][0] == left + 8208 + 2500 + 3000


def test_inputs_in_contention_share_a_port_and_none_is_lost(engine: ModuleType) -> None:
    net = star("abc", buffering="input", buffer="1 MiB")
    for source in "ab":
        net.stream(net.path(source, "c"), 1000, 50, 0, name=source)
    outcome = net.run(engine)
    assert len(net.marks(engine, "a")) == len(net.marks(engine, "b")) == 50
    assert net.busy(outcome, "s>c.eth") == (100 * FRAME - 96) * NS


def test_ports_share_one_memory(engine: ModuleType) -> None:
    found = {}
    for buffering in ("shared", "output"):
        net = star("abcde", slow="ce", buffering=buffering, buffer="20360 B")
        net.packets(net.path("a", "c"), [1000] * 30, name="c")
        net.packets(net.path("b", "e"), [1000] * 30, name="e")
        found[buffering] = len(net.marks(engine, "c")), len(net.marks(engine, "e"))
        dropped = len(net.marks(engine, "s dropped"))
        assert sum(found[buffering]) + dropped == 60
    # 20 frames of 1018 bytes in each buffer, or in one for both, and three or so that have left while the rest came.
    assert found["output"][0] == found["output"][1] >= 22
    assert sum(found["shared"]) <= 27


def test_the_backplane_carries_one_packet_after_another(engine: ModuleType) -> None:
    net = star("abcd", backplane="1 Gbit/s", buffer="1 MiB")
    for source, target in ("ac", "bd"):
        net.stream(net.path(source, target), 1000, 50, 0, name=source)
    outcome = net.run(engine)
    # 1018 bytes of a frame at 8 ns, from both inputs.
    assert net.busy(outcome, "s backplane") == 100 * 1018 * 8 * NS
    assert outcome.end > 100 * 1018 * 8 * NS
    wide = star("abcd", buffer="1 MiB")
    for source, target in ("ac", "bd"):
        wide.stream(wide.path(source, target), 1000, 50, 0, name=source)
    assert wide.run(engine).end < outcome.end * 0.6


@pytest.mark.parametrize("forwarding", ["store", "cut-through"])
def test_packets_keep_their_order_through_two_switches(forwarding: str, engine: ModuleType) -> None:
    net = Net(
        [host("a", eth=QUICK), host("b", eth=QUICK)],
        [link("a.eth", "s"), link("s", "t", rate="100 Mbit/s"), link("t", "b.eth")],
        switch("s", forwarding=forwarding),
        switch("t", forwarding=forwarding),
    )
    lengths = [40 + (577 * number) % 1461 for number in range(30)]
    net.packets(net.path("a", "b"), lengths, every=3 * US)
    assert [value for _, value in net.marks(engine)] == lengths


def test_cut_through_saves_a_frame_a_switch(engine: ModuleType) -> None:
    times = []
    for forwarding in ("store", "cut-through"):
        net = star("ab", forwarding=forwarding)
        net.packets(net.path("a", "b"), [1000])
        times += [time for time, _ in net.marks(engine)]
    assert times[0] - times[1] == 8208 - 176


def test_a_buffer_that_no_full_packet_fits_is_refused() -> None:
    net = star("ab", buffer="1 KiB")
    with pytest.raises(RunError, match=r"'s' has a buffer of 1 KiB, and packets have up to 1518 B"):
        net.path("a", "b")
