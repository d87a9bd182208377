"""Adapters that are reset, and adapters of hosts that crash: which packets are lost, and when, by hand."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
from net_bench import US, Net, host, link

from simio.description.faults import ResetSpan, Span

WIRE = 8208
"""ns of a packet of 1000 bytes on the wire; its DMA takes 2500 ns at either end, and the gap 96."""
NEXT = WIRE + 96
HANDLED = 2500 + 3000 + 4000
"""From the last bit to the stack: DMA, the interrupt, the driver."""


def pair(
    resets: dict[str, list[ResetSpan]] | None = None,
    crashes: dict[str, list[Span]] | None = None,
    **kind: Any,
) -> Net:
    """Hosts a and b; times in us."""
    made = []
    for name in "ab":
        one = host(name, eth={"transmit_cost": "0 s", **kind})
        spans: Any = [tuple(US * time for time in span) for span in (resets or {}).get(name, [])]
        adapter = replace(one.adapters["eth"], resets=tuple(spans))
        gone: Any = [tuple(US * time for time in span) for span in (crashes or {}).get(name, [])]
        made.append(replace(one, adapters={"eth": adapter}, crashes=tuple(gone)))
    return Net(made, [link("a.eth", "b.eth", "fibre-channel" if kind else "ethernet")])


def sent(net: Net, *later: int) -> Net:
    """Ten packets of 1000 bytes at once, and one more at each of these times in us."""
    path = net.path("a", "b")
    net.packets(path, [1000] * 10)
    for time in later:
        net.packets(path, [1000], start=time * US)
    return net


def test_an_adapter_that_is_reset_sends_what_it_is_at_and_loses_the_rest(engine: ModuleType) -> None:
    net = sent(pair(resets={"a": [(20, 20, 1000)]}))
    # The third of the ten has its turn when the second has left, 19.012 us after the first one's DMA began.
    gone = 2500 + WIRE + NEXT * 2
    assert net.marks(engine, "a.eth lost") == [(gone, 1000)] * 7
    assert len(net.marks(engine)) == 3


def test_what_comes_while_it_is_set_up_waits_until_it_works(engine: ModuleType) -> None:
    net = sent(pair(resets={"a": [(20, 20, 1000)]}), 500)
    assert net.marks(engine)[3:] == [(1_000_000 + 2500 + WIRE + HANDLED, 1000)]


def test_what_comes_while_it_hangs_is_lost_when_the_driver_resets_it(engine: ModuleType) -> None:
    net = sent(pair(resets={"a": [(20, 220, 1000)]}), 100)
    assert net.marks(engine, "a.eth lost") == [(220_000, 1000)] * 8
    assert len(net.marks(engine)) == 3


def test_a_ring_that_hangs_fills_and_then_the_queue_drops(engine: ModuleType) -> None:
    net = pair(resets={"a": [(0, 2000, 3000)]})
    # 16 descriptors, 50 places in the queue; the first packet is at the adapter before anything can be wrong.
    net.packets(net.path("a", "b"), [1000] * 80, start=1 * US)
    assert net.marks(engine, "a.eth dropped") == [(1000, 1000)] * (80 - 16 - 50)
    assert net.marks(engine, "a.eth lost") == [(2_000_000, 1000)] * 16
    assert len(net.marks(engine)) == 50


@pytest.mark.parametrize("what", ["resets", "crashes"])
def test_what_arrives_is_lost_and_so_is_what_the_driver_has_not_taken(engine: ModuleType, what: str) -> None:
    net = sent(pair(resets={"b": [(20, 20, 50)]}) if what == "resets" else pair(crashes={"b": [(20, 50)]}))
    came = [2500 + WIRE + NEXT * number for number in range(10)]
    # The first two are in the receive ring at 20 us: the driver finds out when it has worked for them. Three more
    # come before 50 us.
    lost = sorted([came[0] + HANDLED, came[1] + HANDLED, *came[2:5]])
    assert [time for time, _ in net.marks(engine, "b.eth lost")] == lost
    assert [time for time, _ in net.marks(engine)] == [time + HANDLED for time in came[5:]]


def test_a_host_that_crashes_loses_what_waits_for_its_adapter_and_sends_nothing_until_it_is_there_again(
    engine: ModuleType,
) -> None:
    net = sent(pair(crashes={"a": [(20, 50)]}), 30, 60)
    gone = 2500 + WIRE + NEXT * 2
    assert net.marks(engine, "a.eth lost") == [*[(gone, 1000)] * 7, (30_000, 1000)]
    assert net.marks(engine)[3:] == [(60_000 + 2500 + WIRE + HANDLED, 1000)]


def test_over_fibre_channel_the_room_of_a_lost_packet_is_free_again(engine: ModuleType) -> None:
    cards = {
        "kind": "fibre-channel-network",
        "receive_buffer": "16 KiB",
        "mtu": "8 KiB",
        "transmit_buffer": "16 KiB",
    }
    net = sent(pair(resets={"b": [(0, 0, 30)]}, **cards), 100)
    lost, arrived = len(net.marks(engine, "b.eth lost")), len(net.marks(engine))
    assert lost > 0
    assert lost + arrived == 11


def test_a_fault_that_is_over_or_yet_to_come_changes_nothing(engine: ModuleType) -> None:
    still = sent(pair()).marks(engine)
    for spans in ([(0, 0, 0)], [(5000, 5000, 6000)]):
        assert sent(pair(resets={"a": spans, "b": spans})).marks(engine) == still
    for gone in ([(0, 0)], [(5000, 6000)]):
        assert sent(pair(crashes={"a": gone, "b": gone})).marks(engine) == still
