"""Links that software makes, against traces by hand: a token bucket, its queue, delay and jitter."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from net_bench import EMULATED, Net, host, link
from pydantic import ValidationError

import simio
from simio.description.faults import Span
from simio.description.sheets.emulated import EmulatedLink
from simio.machines.door import call
from simio.machines.network import shaper
from simio.machines.network.shaper import full

IDEAL = {"kind": "ideal-network", "medium": "ethernet"}
US = 1000


def net(down: tuple[Span, ...] = (), **values: Any) -> Net:
    hosts = [host("a", eth=IDEAL), host("b", eth=IDEAL)]
    return Net(hosts, [replace(link("a.eth", "b.eth", kind="emulated", **values), down=down)])


def arrivals(engine: ModuleType, lengths: list[int], every: int = 0, name: str = "arrived", **values: Any) -> list:
    made = net(**values)
    made.packets(made.path("a", "b"), lengths, every=every)
    return made.marks(engine, name)


def test_without_a_rate_packets_take_the_delay_alone(engine: ModuleType) -> None:
    # 1000 m of 5 ns.
    assert arrivals(engine, [1500, 1500, 40], length=1000) == [(5 * US, 1500), (5 * US, 1500), (5 * US, 40)]


def test_the_bucket_lets_a_burst_through_and_then_the_rate(engine: ModuleType) -> None:
    # 1514 bytes each, 121.12 us at 100 Mbit/s. Two take 3028 of 3200 bytes; the third waits for 1342 of its own.
    times = [time for time, _ in arrivals(engine, [1500] * 5, rate="100 Mbit/s")]
    third = 1342 * 80
    assert times == [0, 0, third, third + 121120, third + 2 * 121120]


def test_the_bucket_fills_again_but_not_over(engine: ModuleType) -> None:
    times = [time for time, _ in arrivals(engine, [1500] * 6, every=121_120_000, rate="100 Mbit/s")]
    assert times == [121120 * number for number in range(6)]


def test_small_packets_are_no_smaller_than_they_are(engine: ModuleType) -> None:
    # 54 bytes each, which no frame is padded to.
    times = [time for time, _ in arrivals(engine, [40] * 61, rate="100 Mbit/s")]
    assert times[58:] == [0, 40 * 80, 94 * 80]


def test_a_full_queue_drops(engine: ModuleType) -> None:
    # Two go at once, and two of 1514 bytes fit a queue of 4000.
    values = {"rate": "100 Mbit/s", "queue": "4000 B"}
    assert len(arrivals(engine, [1500] * 7, **values)) == 4
    assert len(arrivals(engine, [1500] * 7, name="a.eth>b.eth dropped", **values)) == 3


def test_jitter_keeps_the_order_unless_packets_may_overtake(engine: ModuleType) -> None:
    lengths = list(range(100, 300))
    kept = arrivals(engine, lengths, every=US * 1000, length=1000, jitter="100 us")
    assert [length for _, length in kept] == lengths
    free = arrivals(engine, lengths, every=US * 1000, length=1000, jitter="100 us", reorder=True)
    assert sorted(length for _, length in free) == lengths
    assert [length for _, length in free] != lengths
    held = [time - US * (length - 100) for time, length in free]
    assert 5 * US <= min(held) < 15 * US
    assert 95 * US < max(held) <= 105 * US


def test_the_wire_is_busy_for_all_that_it_carries(engine: ModuleType) -> None:
    made = net(rate="100 Mbit/s")
    made.packets(made.path("a", "b"), [1500] * 5)
    with made.p.thread("wait"):
        made.p.advance(10**9)
    assert made.busy(made.run(engine), "a.eth>b.eth") == 5 * 121_120_000


def test_lost_packets_do_not_arrive(engine: ModuleType) -> None:
    assert 0 < len(arrivals(engine, [100] * 100, loss=0.5)) < 100


@pytest.mark.parametrize("jitter", ["0 s", "1 ps"])
def test_what_is_on_its_way_when_the_link_goes_down_is_lost(engine: ModuleType, jitter: str) -> None:
    # 5 us of delay; down from 7.5 to 8 us. Packets begin at 0, 2, 4 ... us: that of 2 us has just arrived.
    made = net(length=1000, jitter=jitter, down=((75 * 10**5, 8 * 10**6),))
    made.packets(made.path("a", "b"), [100 + number for number in range(6)], every=2 * 10**6)
    assert [length for _, length in made.marks(engine)] == [100, 101, 104, 105]


@pytest.mark.parametrize(
    ("values", "field"),
    [({"rate": "1 Mbit/s", "burst": "1000 B"}, "burst"), ({"rate": "1 Mbit/s", "queue": "1 kB"}, "queue")],
)
def test_a_packet_that_would_never_pass_is_refused(values: dict[str, str], field: str) -> None:
    with pytest.raises(ValidationError, match="at least mtu and header, 1514 B"):
        EmulatedLink.model_validate({**EMULATED, **values}, context={"text": True})
    assert EmulatedLink.model_validate({**EMULATED, **values, "rate": "none"}, context={"text": True})


def test_the_machines_refuse_what_cannot_be() -> None:
    assert call(shaper.take, full(100), 0, 0, 101) < 0
    assert call(shaper.take, full(100), 0, 0, -1) < 0
    assert call(shaper.hold, shaper.idle(), 0, 0, -1) < 0


@pytest.mark.parametrize("engine_name", ["compiled", "simpy"])
def test_a_policer_is_busy_while_tokens_flow_in_and_nothing_waits_there(engine_name: str, tmp_path: Path) -> None:
    # 1514 bytes of tokens flow in within 121.12 us at 100 Mbit/s. Pairs come every 484.48 us and find a full bucket
    # of 3200 bytes: the policer is busy half of the time.
    path = tmp_path / "case.yaml"
    path.write_text(
        "title: A policer\nhosts: {a: {model: hosts/linux-namespace}, b: {like: a}}\n"
        "links: [{model: links/emulated, between: [a.eth, b.eth], rate: 100 Mbit/s, policed: true}]\n"
        "workload: {datagrams: {from: a, to: b, size: 1472 B, count: 100, streams: 2, period: 484.48 us}}\n"
        "run: {until: 48.448 ms, warm_up: 0 s}\n"
    )
    case = simio.load(path).run(engine_name).cases[0]
    (wire,) = [use for use in case.resources if use.name == "a.eth>b.eth"]
    assert wire.utilisation == pytest.approx(0.5, abs=0.005)
    assert wire.mean_line == 0
    assert not [each for each in case.observations if each.name.endswith("dropped")]
