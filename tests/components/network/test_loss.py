"""Packets that a link loses: how many, which, and that each is told."""

from __future__ import annotations

from types import ModuleType

import pytest
from net_bench import US, pair

from simio.engines import compiled


def test_every_packet_arrives_or_is_told_to_be_lost(engine: ModuleType) -> None:
    net = pair(loss=0.1)
    net.stream(net.path("a", "b"), 100, 2000, 20 * US)
    arrived, lost = len(net.marks(engine)), len(net.marks(engine, "a.eth>b.eth lost"))
    assert arrived + lost == 2000
    # Binomial: 200 with a standard deviation of 13.4.
    assert 150 < lost < 250


@pytest.mark.slow
def test_bit_errors_hit_long_packets_more(engine: ModuleType) -> None:
    found = []
    for length in (46, 1500):
        net = pair(bit_errors=1e-5)
        net.stream(net.path("a", "b"), length, 3000, 20 * US)
        lost = len(net.marks(engine, "a.eth>b.eth lost"))
        assert lost + len(net.marks(engine)) == 3000
        found.append(lost)
    # 1 - (1 - 1e-5) ** bits, of 64 and of 1518 bytes: 15.3 and 343 of 3000; four standard deviations.
    assert found[0] == pytest.approx(15.3, abs=16)
    assert found[1] == pytest.approx(343, abs=70)


def test_a_link_without_errors_draws_nothing() -> None:
    net = pair()
    net.packets(net.path("a", "b"), [100])
    assert not net.p.build().random


@pytest.mark.parametrize("key", ["loss", "bit_errors"])
@pytest.mark.parametrize("value", [1e-18, 1.2345678901234567e-9, 0.1 + 0.2])
def test_any_probability_can_be_drawn(key: str, value: float) -> None:
    net = pair(**{key: value})
    net.stream(net.path("a", "b"), 100, 50, 20 * US)
    arrived = len(net.marks(compiled))
    assert arrived == 50 or value > 0.1
