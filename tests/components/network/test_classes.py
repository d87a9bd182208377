"""Queues that take turns on one line, against traces by hand: classes of traffic, and connections by a hash."""

from __future__ import annotations

from types import ModuleType
from typing import Any
from zlib import crc32

import pytest
from net_bench import Net, host, link
from pydantic import ValidationError

from simio.components.network.packet import Packet
from simio.description.sheets.emulated import EmulatedLink
from simio.program.builder import Builder
from simio.result.model import Throughput
from simio.result.usage import resource_use

IDEAL = {"kind": "ideal-network", "medium": "ethernet"}
SENT = 121_120
"""Time in ns of 1514 bytes at 100 Mbit/s; the bucket holds no more than that."""


def sending(sent: list[tuple[str, int, int]], **values: Any) -> tuple[Net, Builder]:
    """A link with these streams, each of which has a name, a class and some packets, and the program of both."""
    plain = {"kind": "emulated", "rate": "100 Mbit/s", "burst": "1514 B", "queue": "100 kB"}
    net = Net([host("a", eth=IDEAL), host("b", eth=IDEAL)], [link("a.eth", "b.eth", **(plain | values))])
    p, seen = net.p, net.p.observation("arrived")
    for place, (name, number, count) in enumerate(sent):
        path = net.path("a", "b")
        path.traffic_class = number
        with p.thread(name, count=count):
            path.send(Packet(p.register(1500), stream=name), lambda place=place: p.mark(seen, place + 1))
    return net, p


def order(engine: ModuleType, sent: list[tuple[str, int, int]], **values: Any) -> tuple[str, list[int]]:
    """Names of streams as their packets arrive, and when in ns; a stream has a name, a class and some packets.

    All come at once, those of the first stream first. The first goes at once; the second has the line, and waits for
    its tokens.
    """
    net, _ = sending(sent, **values)
    marks = net.marks(engine)
    return "".join(sent[number - 1][0] for _, number in marks), [time for time, _ in marks]


def test_the_most_urgent_class_goes_first(engine: ModuleType) -> None:
    # The line's holder keeps it; then class 7 goes before class 2, and that before class 0.
    names, times = order(engine, [("a", 0, 3), ("b", 2, 3), ("c", 7, 1), ("d", 7, 1)], discipline="priority")
    assert names == "aacdbbba"
    assert times == [place * SENT for place in range(8)]


def test_classes_with_weights_share_what_the_urgent_ones_leave(engine: ModuleType) -> None:
    # Turns of 1514 and of 4542 bytes: one packet of class 0 for three of class 1. Class 2 has no weight, and goes
    # before both.
    values = {"discipline": "priority", "weights": [1, 3]}
    names, _ = order(engine, [("a", 0, 8), ("b", 1, 8), ("c", 2, 2)], **values)
    assert names == "aacc" + "bbb" + "a" + "bbb" + "a" + "bb" + "aaaa"


def test_each_class_has_a_queue_of_its_own(engine: ModuleType) -> None:
    # Two packets of 1514 bytes fit a queue of 4000. Class 1 finds its own empty.
    names, _ = order(engine, [("a", 0, 9), ("b", 1, 9)], discipline="priority", queue="4000 B")
    assert names == "aabbaa"


@pytest.mark.parametrize(
    ("values", "sent"),
    [
        ({"discipline": "priority"}, [("a", 0, 3), ("b", 2, 3), ("c", 7, 2)]),
        ({"discipline": "fq_codel", "flows": 4}, [("a", 0, 4), ("b", 0, 4)]),
        ({"discipline": "codel"}, [("a", 0, 8)]),
    ],
)
def test_what_a_discipline_lets_wait_stands_in_the_line_of_its_link(
    engine: ModuleType, values: dict[str, Any], sent: list[tuple[str, int, int]]
) -> None:
    # Of eight packets the first goes at once, and the second has the line until its tokens are there. Six wait then,
    # the last of them for six times of a packet: 21 of these within seven.
    net, p = sending(sent, **values)
    program, outcome = p.build(), net.run(engine)
    assert outcome.end == 7 * SENT * 1000
    uses = resource_use(program, outcome, Throughput(0, 0, outcome.end, 0))
    (use,) = (each for each in uses if each.name == "a.eth>b.eth")
    assert use.mean_line == pytest.approx(21 / 7)
    assert use.longest_line == 6


def test_connections_share_a_queue_of_fq_codel_where_their_hashes_fall_together(engine: ModuleType) -> None:
    # Of four queues, CRC-32 gives "a" and "e" the same, "b" another: "a" and "e" wait in one line, "a" and "b" take
    # turns of a packet, once the flow that is new has had its first.
    assert [crc32(name.encode()) * 4 >> 32 for name in "abe"] == [3, 1, 3]
    for other, flows, names in (("b", 4, "aabbabab"), ("e", 4, "aaaaeeee"), ("e", None, "aaeeaeae")):
        sent = [("a", 0, 4), (other, 0, 4)]
        assert order(engine, sent, discipline="fq_codel", flows=flows)[0] == names


@pytest.mark.parametrize(
    ("values", "field"),
    [({"weights": [1]}, "discipline"), ({"discipline": "priority", "weights": [1] * 9}, "weights")],
)
def test_weights_that_nothing_has_are_refused(values: dict[str, Any], field: str) -> None:
    plain = {"mtu": "1500 B", "header": "14 B", "burst": "3200 B", "propagation": "5 ns/m"}
    with pytest.raises(ValidationError) as caught:
        EmulatedLink(**{**plain, "rate": "1 Mbit/s", "queue": "10 kB", **values})
    assert field in str(caught.value)
