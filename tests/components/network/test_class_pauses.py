"""Priority flow control: one class of a link stands still, by pause frames of its own, and the others go on."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from net_bench import NS, US, Net, host, link, switch

from simio.components.network.path import NetworkPath
from simio.engines import compiled, reference
from simio.engines.outcome import Outcome
from simio.errors import RunError
from simio.program.steps import PAUSES

IDEAL: dict[str, Any] = {"kind": "ideal-network", "medium": "ethernet"}
SLOW: dict[str, Any] = {"receive_ring": 1, "receive_buffer": "40 kB", "receive_cost": "30 us"}
LOSSLESS: dict[str, Any] = {
    "buffering": "shared", "buffer": "1 MB", "discipline": "priority", "pause_classes": [3], "pause_above": "3 kB",
    "pause_buffer": "8 kB",
}  # fmt: skip
FRAME = 8304
"""Time in ns of a frame of 1026 bytes and a gap of 12 at 1 Gbit/s: a packet of 1000 bytes, 1018 in memory."""


def of_class(path: NetworkPath, number: int) -> NetworkPath:
    path.traffic_class = number
    return path


def one_switch(length: int = 0, **values: Any) -> Net:
    """A host at 1 Gbit/s, a port of 100 Mbit/s to b, and one of 1 Gbit/s to c; class 3 is lossless."""
    hosts = [host(name, eth=IDEAL) for name in ("a", "b", "c")]
    links = [link("a.eth", "s", length=length), link("s", "b.eth", rate="100 Mbit/s"), link("s", "c.eth")]
    return Net(hosts, links, switch("s", **{**LOSSLESS, **values}))


def two_switches(**values: Any) -> Net:
    """Hosts a, c, and e at one switch, and behind a trunk b at 100 Mbit/s and d; all other links have 1 Gbit/s."""
    hosts = [host(name, eth=IDEAL) for name in ("a", "b", "c", "d", "e")]
    links = [
        link("a.eth", "s"), link("c.eth", "s"), link("e.eth", "s"), link("s", "t"),
        link("t", "b.eth", rate="100 Mbit/s"), link("t", "d.eth"),
    ]  # fmt: skip
    return Net(hosts, links, switch("s", **{**LOSSLESS, **values}), switch("t", **{**LOSSLESS, **values}))


def stopped(net: Net, outcome: Outcome) -> dict[str, int]:
    """Time in ns for which each class of each link was stopped, if it was."""
    tallies = [tally for tally in net.p.build().tallies if tally.what == PAUSES and outcome.state[tally.at]]
    return {tally.owner: int(outcome.state[tally.at]) // NS for tally in tallies}


def times(net: Net, engine: ModuleType, name: str) -> list[int]:
    return [time for time, _ in net.marks(engine, name)]


def test_a_class_is_stopped_while_another_goes_on(engine: ModuleType) -> None:
    # A frame takes 1026 bytes x 8 ns = 8208 ns and a gap of 96 ns, on the slow link ten times as long. The third
    # arrives at 8208 + 2 x 8304 = 24816, the level is 3054 bytes, and a frame of 72 bytes has stopped the class at
    # 25392; the fourth frame is under way. The slow port is through with the third packet at 8208 + 2000 + 82080 +
    # 2 x 83040 = 258368: 1018 bytes are left, below half of 3000, and 576 ns later the class goes on. Packets 5 and 6
    # are stored at 267152 and 275456, which stops it from 276032, while the seventh is under way, until the sixth has
    # gone at 507488 and 576 ns more.
    net = one_switch()
    net.packets(of_class(net.path("a", "b"), 3), [1000] * 7, name="lossless")
    net.packets(net.path("a", "c"), [1000] * 3, start=100 * US, every=20 * US, name="other")
    assert times(net, engine, "lossless") == [92_288 + 83_040 * number for number in range(7)]
    assert times(net, engine, "other") == [118_416, 138_416, 158_416]
    assert net.marks(engine, "s dropped") == []
    assert stopped(net, net.run(engine)) == {"a.eth>s class 3": (258_944 - 25_392) + (508_064 - 276_032)}


def test_flows_of_one_class_wait_for_each_other(engine: ModuleType) -> None:
    # As above, but what goes elsewhere is of the same class: its first packet is sent at the end of the pause, behind
    # packets 5 to 7, of which the class is stopped again after the sixth is stored.
    net = one_switch()
    net.packets(of_class(net.path("a", "b"), 3), [1000] * 7, name="lossless")
    net.packets(of_class(net.path("a", "c"), 3), [1000], start=100 * US, name="victim")
    assert times(net, engine, "victim") == [508_064 + 8208 + 2000 + 8208]


def test_a_pause_frame_waits_for_a_frame_under_way_and_goes_before_others(engine: ModuleType) -> None:
    # On the way to a, two packets of 1500 bytes follow each other, each for 12208 ns: c sends them from 5000 on, and
    # s from 5000 + 12208 + 2000 = 19208 to 31416. The pause is due at 24816, begins after the gap at 31512, and takes
    # effect at 32088; the second frame follows after another gap. At the end of the pause nothing is in its way.
    net = one_switch()
    net.packets(of_class(net.path("a", "b"), 3), [1000] * 4, name="lossless")
    net.packets(net.path("c", "a"), [1500] * 2, start=5 * US, name="back")
    assert stopped(net, net.run(engine)) == {"a.eth>s class 3": 258_944 - 32_088}
    assert times(net, engine, "back") == [31_416, 32_088 + 96 + 12_208]


def test_a_pause_takes_the_time_of_the_cable(engine: ModuleType) -> None:
    # All that arrives at s is 5 us later, and so is the answer at a.
    net = one_switch(length=1000)
    net.packets(of_class(net.path("a", "b"), 3), [1000] * 4, name="lossless")
    assert stopped(net, net.run(engine)) == {"a.eth>s class 3": 258_944 - 25_392}
    net.packets(net.path("a", "c"), [1000], start=100 * US, name="other")
    assert times(net, engine, "other") == [118_416 + 5000]


@pytest.mark.parametrize(("back", "frames"), [(False, 2), (True, 3)])
def test_nothing_is_lost_with_just_enough_headroom(engine: ModuleType, back: bool, frames: int) -> None:
    # The cable takes 5 us. When a frame has arrived whole, those are under way that began up to 5000 + 8208 before,
    # and others begin until the pause has come, 576 + 5000 later: the second begins at 16608 of 18784. With the
    # largest frame in the way of the pause, for up to 12304 more, the third begins at 24912.
    for missing in (0, 1):
        net = one_switch(1000, pause_buffer=f"{(3 + frames) * 1018 - missing} B")
        net.packets(of_class(net.path("a", "b"), 3), [1000] * 60, start=50 * US, name="lossless")
        if back:
            net.stream(net.path("c", "a"), 1500, 400, 12_304 * NS, name="back")
        lost = net.marks(engine, "s dropped")
        assert bool(lost) == bool(missing)
        assert len(lost) + len(net.marks(engine, "lossless")) == 60


def test_another_class_fills_its_own_part_of_the_buffer(engine: ModuleType) -> None:
    # Sixteen inputs have 8 kB each for class 3; 10180 bytes are left, for ten packets to the slow port at once.
    net = one_switch(buffer="138180 B")
    net.packets(net.path("a", "b"), [1000] * 40, name="other")
    net.packets(of_class(net.path("c", "b"), 3), [1000] * 40, name="lossless")
    assert len(net.marks(engine, "lossless")) == 40
    assert 0 < len(net.marks(engine, "s dropped")) == 40 - len(net.marks(engine, "other"))


def test_a_trunk_goes_on_with_the_other_class_at_its_whole_rate(engine: ModuleType) -> None:
    net = two_switches()
    net.packets(of_class(net.path("a", "b"), 3), [1000] * 60, name="lossless")
    net.stream(net.path("c", "d"), 1000, 300, FRAME * NS, name="other")
    other, lossless = times(net, engine, "other"), times(net, engine, "lossless")
    assert len(lossless) == 60
    assert len(other) == 300
    assert net.marks(engine, "s dropped") == net.marks(engine, "t dropped") == []
    # The slow port takes three frames in the time of thirty on the trunk, and the level that starts class 3 again is
    # three frames below the one that stops it. So three of it go at once, first, and class 0 has the other 27.
    late = [(time - other[0]) // FRAME - number for number, time in enumerate(other)]
    assert late == [3 * -(-number // 27) for number in range(300)]
    # The slow port is never idle, and the trunk is stopped most of the time, as is the link of a behind it.
    assert {after - before for before, after in zip(lossless, lossless[1:], strict=False)} == {10 * FRAME}
    found = stopped(net, net.run(engine))
    assert set(found) == {"a.eth>s class 3", "s>t class 3"}
    assert found["s>t class 3"] > 0.8 * lossless[-1]
    assert found["a.eth>s class 3"] > 0.8 * lossless[-1]


def test_an_adapter_stops_a_class(engine: ModuleType) -> None:
    card = {**SLOW, "pause_above": "8 kB", "pause_classes": 3, "pause_buffer": "12 kB"}
    net = Net([host("a", eth=IDEAL), host("b", eth=card)], [link("a.eth", "b.eth")])
    net.packets(of_class(net.path("a", "b"), 3), [1000] * 100, name="lossless")
    net.packets(net.path("a", "b"), [1000] * 10, start=200 * US, every=100 * US, name="other")
    assert len(net.marks(engine, "lossless")) == 100
    assert len(net.marks(engine, "other")) == 10
    assert net.marks(engine, "b.eth dropped") == []
    last = times(net, engine, "lossless")[-1]
    assert stopped(net, net.run(engine))["a.eth>b.eth class 3"] > 0.7 * last


def test_without_room_for_others_only_these_are_lost_at_an_adapter(engine: ModuleType) -> None:
    card = {**SLOW, "receive_buffer": "14 kB", "pause_above": "8 kB", "pause_classes": 3, "pause_buffer": "12 kB"}
    net = Net([host("a", eth=IDEAL), host("b", eth=card)], [link("a.eth", "b.eth")])
    net.packets(of_class(net.path("a", "b"), 3), [1000] * 100, name="lossless")
    net.packets(net.path("a", "b"), [1000] * 100, name="other")
    assert len(net.marks(engine, "lossless")) == 100
    assert len(net.marks(engine, "b.eth dropped")) == 100 - len(net.marks(engine, "other")) > 0


def test_a_class_starts_again_at_its_own_level(engine: ModuleType) -> None:
    # With resume_at of 2100 bytes the second packet that leaves, at 175328, ends the first pause.
    net = one_switch(resume_at="2100 B")
    net.packets(of_class(net.path("a", "b"), 3), [1000] * 4, name="lossless")
    assert stopped(net, net.run(engine)) == {"a.eth>s class 3": 175_328 + 576 - 25_392}


def test_two_classes_are_stopped_each_by_itself(engine: ModuleType) -> None:
    net = one_switch(pause_classes=[3, 5])
    net.packets(of_class(net.path("a", "b"), 3), [1000] * 4, name="slow")
    net.packets(of_class(net.path("a", "c"), 5), [1000] * 40, start=50 * US, name="quick")
    assert times(net, engine, "quick") == [50_000 + 8208 + 2000 + 8208 + FRAME * number for number in range(40)]
    assert stopped(net, net.run(engine)) == {"a.eth>s class 3": 258_944 - 25_392}


def test_both_engines_agree() -> None:
    outcomes = []
    for run in (reference, compiled):
        net = two_switches(weights=[1, 2, 1, 1], share=4, pause_buffer="6 kB", forwarding="cut-through")
        net.stream(of_class(net.path("a", "b"), 3), 1400, 80, 7 * US)
        net.stream(of_class(net.path("e", "d"), 3), 700, 80, 5 * US, name="victim")
        net.stream(of_class(net.path("c", "b"), 1), 300, 80, 9 * US, name="lossy")
        net.stream(net.path("c", "d"), 1500, 80, 11 * US, name="other")
        net.stream(net.path("d", "a"), 900, 80, 8 * US, name="back")
        outcomes.append(net.run(run))
    assert outcomes[0].differences(outcomes[1]) == []


def test_a_switch_with_one_queue_cannot_send_where_classes_are_stopped() -> None:
    hosts = [host("a", eth=IDEAL), host("b", eth=IDEAL)]
    links = [link("a.eth", "s"), link("s", "t"), link("t", "b.eth")]
    net = Net(hosts, links, switch("s"), switch("t", **LOSSLESS))
    with pytest.raises(RunError, match=r"give it discipline: priority") as caught:
        net.packets(net.path("a", "b"), [1000])
    assert caught.value.at == "switches.s.discipline"


def test_ends_of_a_link_agree_on_what_is_stopped() -> None:
    whole = {**SLOW, "pause_above": "8 kB"}
    parts = {**whole, "pause_classes": [3], "pause_buffer": "12 kB"}
    for first, second in ((whole, parts), (parts, whole)):
        net = Net([host("a", eth=first), host("b", eth=second)], [link("a.eth", "b.eth")])
        net.packets(net.path("a", "b"), [1000])
        with pytest.raises(RunError, match="give both ends pause_classes"):
            net.path("b", "a")


def test_a_packet_must_fit_the_part_of_its_class() -> None:
    with pytest.raises(RunError, match="'s' has a buffer of 1.2 kB for some classes, and packets have up to 1518 B"):
        one_switch(pause_above="1 kB", pause_buffer="1200 B").path("a", "b")
