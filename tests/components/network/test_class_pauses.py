"""Priority flow control: one class of a link stands still, by pause frames of its own, and the others go on."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from net_bench import NS, US, Net, host, link, switch

from simio.components.network.packet import Packet
from simio.components.network.path import NetworkPath
from simio.engines import compiled, reference
from simio.engines.outcome import Outcome
from simio.program.steps import PAUSES

IDEAL = {"kind": "ideal-network", "medium": "ethernet"}
LOSSLESS: dict[str, Any] = {
    "buffering": "shared", "buffer": "1 MB", "discipline": "priority", "pause_classes": [3], "pause_above": "3 kB",
    "pause_buffer": "5 kB",
}  # fmt: skip


def of_class(path: NetworkPath, number: int) -> NetworkPath:
    path.traffic_class = number
    return path


def into_a_slow_port(length: int = 0, **values: Any) -> Net:
    """A host at 1 Gbit/s, a port of 100 Mbit/s to b, and one of 1 Gbit/s to c; class 3 is lossless."""
    hosts = [host(name, eth=IDEAL) for name in ("a", "b", "c")]
    links = [link("a.eth", "s", length=length), link("s", "b.eth", rate="100 Mbit/s"), link("s", "c.eth")]
    return Net(hosts, links, switch("s", **{**LOSSLESS, **values}))


def stopped(net: Net, outcome: Outcome) -> dict[str, int]:
    """Time in ns for which each class of each link was stopped."""
    tallies = [tally for tally in net.p.build().tallies if tally.what == PAUSES]
    return {tally.owner: int(outcome.state[tally.at]) // NS for tally in tallies}


def test_a_class_is_stopped_while_another_goes_on(engine: ModuleType) -> None:
    # A frame takes 1026 bytes x 8 ns = 8208 ns and a gap of 96 ns, on the slow link ten times as long; in memory it has
    # 1018 bytes. The third arrives at 8208 + 2 x 8304 = 24816, the level is 3054 bytes, and a frame of 72 bytes has
    # stopped the class at 25392; the fourth frame is under way. The slow port is through with the third packet at
    # 8208 + 2000 + 82080 + 2 x 83040 = 258368: 1018 bytes are left, below half of 3000, and 576 ns later the class
    # goes on. Packets 5 and 6 are stored at 267152 and 275456, which stops it from 276032 until the sixth has
    # gone at 507488, and 576 ns more. The seventh is under way meanwhile, and the last.
    net = into_a_slow_port()
    net.packets(of_class(net.path("a", "b"), 3), [1000] * 7, name="lossless")
    net.packets(net.path("a", "c"), [1000] * 3, start=100 * US, every=20 * US, name="other")
    assert [time for time, _ in net.marks(engine, "lossless")] == [92_288 + 83_040 * number for number in range(7)]
    assert [time for time, _ in net.marks(engine, "other")] == [118_416, 138_416, 158_416]
    assert net.marks(engine, "s dropped") == []
    assert stopped(net, net.run(engine)) == {"a.eth>s class 3": (258_944 - 25_392) + (508_064 - 276_032)}


def test_both_engines_agree(engine: ModuleType) -> None:
    assert engine in (compiled, reference)
