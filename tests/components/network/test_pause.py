"""Pause frames between a receiver that is slow and the far end of its link."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from net_bench import US, Net, host, link, pair, switch

from simio.engines import compiled, reference

SLOW: dict[str, Any] = {"receive_ring": 1, "receive_buffer": "16000 B", "receive_cost": "30 us"}
QUICK: dict[str, Any] = {"transmit_cost": "0 s", "queue": 1000, "transmit_buffer": "1 MiB"}


def test_without_pausing_a_slow_receiver_drops(engine: ModuleType) -> None:
    net = pair(first=QUICK, second=SLOW)
    net.packets(net.path("a", "b"), [1000] * 100)
    assert 0 < len(net.marks(engine, "b.eth dropped")) == 100 - len(net.marks(engine))


def test_pausing_loses_nothing_and_takes_no_longer(engine: ModuleType) -> None:
    net = pair(first=QUICK, second={**SLOW, "pause_above": "8 kB"})
    net.packets(net.path("a", "b"), [1000] * 100)
    times = [time for time, _ in net.marks(engine)]
    assert len(times) == 100
    assert net.marks(engine, "b.eth dropped") == []
    # The receiver is never without work: DMA and driver of each packet, one after another, as the ring holds one.
    assert {after - before for before, after in zip(times[1:], times[2:], strict=False)} == {35_500}


def test_a_paused_port_of_a_switch_lets_others_pass(engine: ModuleType) -> None:
    hosts = [host("a", eth=QUICK), host("b", eth={**SLOW, "pause_above": "8 kB"}), host("c", eth={})]
    net = Net(hosts, [link(f"{one.name}.eth", "s") for one in hosts], switch("s", buffer="1 MiB"))
    net.packets(net.path("a", "b"), [1000] * 100, name="slow")
    net.packets(net.path("a", "c"), [1000] * 100, name="fast")
    slow, fast = (net.marks(engine, name) for name in ("slow", "fast"))
    assert len(slow) == len(fast) == 100
    assert fast[-1][0] < 2000 * 1000 < slow[-1][0]


def test_both_engines_agree_on_pauses() -> None:
    outcomes = []
    for run in (reference, compiled):
        net = pair(length=500, first=QUICK, second={**SLOW, "pause_above": "6 kB"})
        net.stream(net.path("a", "b"), 1400, 60, 7 * US)
        net.stream(net.path("b", "a"), 100, 60, 9 * US, name="back")
        outcomes.append(net.run(run))
    assert outcomes[0].marks.tolist() == outcomes[1].marks.tolist()
