"""Pause frames between a receiver that is slow and the far end of its link."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from net_bench import NS, US, Net, host, link, pair, switch

import simio
from simio.engines import compiled, reference
from simio.program.steps import PAUSES
from simio.result.limiter import Evidence, limiter
from simio.result.model import TallyValue

SLOW: dict[str, Any] = {"receive_ring": 1, "receive_buffer": "16000 B", "receive_cost": "30 us"}
QUICK: dict[str, Any] = {"transmit_cost": "0 s", "queue": 1000, "transmit_buffer": "1 MiB"}


SLOW_PORT = """
title: One connection into a slow port
hosts: {a: {model: hosts/linux-namespace}, b: {like: a}}
switches: {s: {model: switches/ideal-ethernet, buffering: shared, buffer: 100 kB, pause_above: 50 kB}}
links: [{model: links/ethernet-10g, between: [a.eth, s]}, {model: links/ethernet-1000, between: [s, b.eth]}]
workload: {ttcp: {from: a, to: b, size: 64 KiB}}
run: {until: 100 ms, warm_up: 20 ms}
"""


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


def _into_a_slow_port(path: tuple[str, ...] = ("a", "b")) -> Net:
    """A hundred packets a path from a at 1 Gbit/s into a port of 100 Mbit/s, through a memory for seven of them."""
    hosts = [host(name, eth={**QUICK, "receive_cost": "0 s"}) for name in ("a", "b")]
    links = [link("a.eth", "s"), link("s", "b.eth", rate="100 Mbit/s")]
    net = Net(hosts, links, switch("s", buffering="shared", buffer="8 kB", pause_above="4 kB"))
    net.packets(net.path(*path), [1000] * 100)
    return net


def test_a_switch_stops_a_link_for_its_first_path_too(engine: ModuleType) -> None:
    net = _into_a_slow_port()
    assert len(net.marks(engine)) == 100
    assert net.marks(engine, "s dropped") == []


def test_the_time_for_which_a_link_is_stopped_is_counted(engine: ModuleType) -> None:
    # On the links a packet takes 1038 bytes x 8 ns = 8.304 us, and 83.04 us. The first packet, and each that goes
    # after a pause, finds the gap of 12 bytes over: 8.208 us. Five come before the switch has stopped the link, then
    # four each time: 24 pauses.
    net = _into_a_slow_port()
    outcome = net.run(engine)
    tally = next(tally for tally in net.p.build().tallies if tally.what == PAUSES and tally.owner == "a.eth>s")
    stopped = int(outcome.state[tally.at])
    last = net.marks(engine)[-1][0] * NS
    # The slow link is never idle between the first five packets and the last four.
    sent = (75 * 8304 + 25 * 8208) * NS
    assert 0.8 * last < stopped < last - sent
    assert sent < net.busy(outcome, "a.eth>s") < last


def test_who_sends_over_a_stopped_link_waits_for_the_end_of_pauses() -> None:
    tallies = (
        TallyValue("a.eth>s", PAUSES, "ps", 60),
        TallyValue("one at a", "its congestion window", "ps", 99),
    )
    found = limiter(Evidence((), (), tallies, 100))
    assert found.sentence == "a.eth>s waits 60.0% of the time, mostly for the end of pauses"
    assert limiter(Evidence((), (), (tallies[0]._replace(value=20), tallies[1]), 100)).name == "one at a"


def test_who_sends_a_class_that_is_stopped_waits_for_the_end_of_its_pauses() -> None:
    tally = TallyValue("a.eth>s class 3", PAUSES, "ps", 60)
    assert limiter(Evidence((), (), (tally,), 100)).sentence == (
        "a.eth>s class 3 waits 60.0% of the time, mostly for the end of pauses"
    )


def test_a_link_that_is_stopped_does_not_limit(tmp_path: Path) -> None:
    # Both the port and the link before it are taken all the time, the link since it is stopped for nine tenths of it.
    path = tmp_path / "case.yaml"
    path.write_text(SLOW_PORT)
    case = simio.load(path).run().cases[0]
    use = {use.name: use.utilisation for use in case.resources}
    assert use["a.eth>s"] > 0.99
    assert case.limiter.name == "s>b.eth"
    assert "s dropped" not in [each.name for each in case.observations]


def test_both_engines_agree_on_pauses() -> None:
    outcomes = []
    for run in (reference, compiled):
        net = pair(length=500, first=QUICK, second={**SLOW, "pause_above": "6 kB"})
        net.stream(net.path("a", "b"), 1400, 60, 7 * US)
        net.stream(net.path("b", "a"), 100, 60, 9 * US, name="back")
        outcomes.append(net.run(run))
    assert outcomes[0].marks.tolist() == outcomes[1].marks.tolist()
