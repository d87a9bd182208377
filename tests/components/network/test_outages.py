"""Packets on a wire that is down: which are lost, to the picosecond."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pytest
from net_bench import NS, US, Net, host, link, shared

from simio.components.network.ethernet import EthernetWire
from simio.components.network.packet import Packet
from simio.description.faults import Span
from simio.engines.outcome import Options
from simio.program.builder import Builder

LENGTH = 1482
"""With header and check 1500 bytes, with the preamble 1508: 12.064 us at 1 Gbit/s."""
BEGINS = 5 * US
ENDS = BEGINS + 12_064 * NS + 500 * NS
"""After 100 m of cable at 5 ns/m."""


@pytest.mark.parametrize(
    ("down", "arrives"),
    [
        ((), True),
        (((0, BEGINS),), True),
        (((0, BEGINS + 1),), False),
        (((ENDS, 2 * ENDS),), True),
        (((ENDS - 1, 2 * ENDS),), False),
        (((BEGINS + US, BEGINS + US + 1),), False),
        (((0, US), (ENDS, 2 * ENDS), (2 * US, 3 * US)), True),
        (((0, US), (BEGINS + US, BEGINS + 2 * US)), False),
    ],
)
def test_a_packet_is_lost_if_any_of_it_is_on_the_wire_while_it_is_down(
    engine: ModuleType, down: tuple[Span, ...], arrives: bool
) -> None:
    p = Builder(arguments=8)
    wire = EthernetWire(p, replace(link("a", "b", length=100), down=down), "a", "b")
    seen = p.observation("arrived")
    with p.thread("packet", start=BEGINS):
        length = p.register(LENGTH)
        with wire.crossing(Packet(length)):
            p.mark(seen, length)
    program = p.build()
    outcome = engine.run(program, Options())
    names = [program.marks[mark].name for _, mark, _ in outcome.marks.tolist()]
    assert names == (["arrived"] if arrives else ["a>b lost"])
    assert outcome.end == ENDS


@pytest.mark.parametrize("kind", ["ethernet", "atm", "fddi", "ethernet-shared"])
def test_on_any_link_the_packets_of_the_outage_are_lost_and_no_others(engine: ModuleType, kind: str) -> None:
    card = {"medium": kind.removesuffix("-shared")}
    hosts = [host("a", eth=card), host("b", eth=card)]
    make = shared if kind in ("fddi", "ethernet-shared") else link
    cable = make(*((kind, "a.eth", "b.eth") if make is shared else ("a.eth", "b.eth", kind)))
    gap = 5_000 * US
    net = Net(hosts, [replace(cable, down=((2 * gap - US, 4 * gap + gap // 2),))])
    net.packets(net.path("a", "b"), [100, 101, 102, 103, 104, 105, 106], every=gap)
    arrived = [length for _, length in net.marks(engine)]
    lost = [length for _, length in net.marks(engine, "a.eth>b.eth lost")]
    # The third to the fifth are sent at 10, 15 and 20 ms, in an outage from 9.999 to 22.5 ms.
    assert (arrived, lost) == ([100, 101, 105, 106], [102, 103, 104])


def test_bit_errors_hit_frames_on_a_shared_ethernet_too(engine: ModuleType) -> None:
    hosts = [host("a", eth={"medium": "ethernet"}), host("b", eth={"medium": "ethernet"})]
    net = Net(hosts, [shared("ethernet-shared", "a.eth", "b.eth", bit_errors=1e-4)])
    net.stream(net.path("a", "b"), 232, 1000, 1_000 * US)
    arrived, lost = len(net.marks(engine)), len(net.marks(engine, "a.eth>b.eth lost"))
    assert arrived + lost == 1000
    # 1 - (1 - 1e-4) ** 2000 bits of 250 bytes: 181 of 1000, with a standard deviation of 12.2.
    assert 181 - 49 < lost < 181 + 49
