"""Token rotation on an FDDI ring, worked by hand."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from net_bench import US, Net, host, shared

from simio.engines import compiled, reference

FRAME = 82_880
"""ns of a packet of 1000 bytes: 8 of preamble, 20 of frame and 8 of LLC and SNAP with it, 80 ns each."""
AFTER = 2500 + 3000 + 4000
"""DMA, interrupt and driver at the far end."""


def ring(stations: int = 2, **values: Any) -> Net:
    """Stations a, b, … 1 us apart; the token leaves a at the start."""
    names = "abcdefgh"[:stations]
    hosts = [host(name, fddi={"medium": "fddi", "queue": 1000}) for name in names]
    return Net(hosts, [shared("fddi", *(f"{name}.fddi" for name in names), **values)])


def test_a_station_waits_for_the_token(engine: ModuleType) -> None:
    net = ring()
    net.packets(net.path("a", "b"), [1000])
    # Ready at 7.5 us; the token is at a at even microseconds. The ring takes a microsecond to b.
    assert net.marks(engine) == [(8000 + FRAME + 1000 + AFTER, 1000)]


def test_the_ring_is_as_long_as_its_fibre_and_stations(engine: ModuleType) -> None:
    net = ring(4, length=800)
    net.packets(net.path("b", "a"), [1000])
    # Stations are 1 us of fibre and 1 us of themselves apart; the token is at b at 2, 10 us …; three hops to a.
    assert net.marks(engine) == [(10_000 + FRAME + 6000 + AFTER, 1000)]


def test_stations_hold_the_token_for_what_it_came_early(engine: ModuleType) -> None:
    net = ring(target_rotation="100 us", devices=2)
    net.packets(net.path("a", "b"), [1000] * 3, name="a")
    net.packets(net.path("b", "a"), [1000] * 3, name="b")
    # a catches the token at 8 us, 2 us after it came by: it may begin until 106 us, and sends two. The token, of 11
    # bytes, is at b at 175.64, late, at a at 176.64, late, and at b again at 177.64. b sends two, until 343.40. It is
    # late at a (345.28) and at b, and at a at 347.28, which sends its third until 430.16; then at b at 432.04,
    # 85.76 us after 346.28: early enough.
    first = [8000 + FRAME, 8000 + 2 * FRAME, 347_280 + FRAME]
    second = [177_640 + FRAME, 177_640 + 2 * FRAME, 432_040 + FRAME]
    assert [time - 1000 - AFTER for time, _ in net.marks(engine, "a")] == first
    assert [time - 1000 - AFTER for time, _ in net.marks(engine, "b")] == second


@pytest.mark.slow
def test_a_full_ring_carries_what_rotation_leaves() -> None:
    found = []
    for target in ("4 ms", "40 ms"):
        net = ring(4, target_rotation=target, station_delay="50 us", devices=4)
        for source, sink in ("ab", "bc", "cd", "da"):
            net.packets(net.path(source, sink), [4352] * 600, name=source, every=352 * US)
        outcome = net.run(compiled)
        assert all(len(net.marks(compiled, name)) == 600 for name in "abcd")
        found.append(net.busy(outcome, "lan") / outcome.end)
    # n (TTRT - D) / (n TTRT + D) of the time is sent (R. Jain, "Performance analysis of FDDI token ring networks",
    # IEEE LTS 2(2), 1991): D is 200 us, TTRT 4 or 40 ms, n 4.
    assert found[0] == pytest.approx(4 * 3.8 / (4 * 4 + 0.2), abs=0.06)
    assert found[1] > 0.98
    assert found[1] > found[0]


def test_both_engines_agree() -> None:
    outcomes = []
    for run in (reference, compiled):
        net = ring(3, loss=0.1, target_rotation="200 us", devices=3)
        for source, sink in ("ab", "bc", "ca"):
            net.stream(net.path(source, sink), 700, 40, 90 * US, name=source)
        outcomes.append(net.run(run))
    assert outcomes[0].marks.tolist() == outcomes[1].marks.tolist()
    assert outcomes[0].state.tolist() == outcomes[1].state.tolist()
