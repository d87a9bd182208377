"""The turns of a bus as a machine: what it answers, and what it refuses. Times in ps."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from simio.machines import bus
from simio.machines.calls import BUS_BEGIN, BUS_REST, BUS_STALL, call

NS = 1000


class Turns:
    """A bus of 4 bytes at 100 MHz with bursts of 16 bytes, and a clock."""

    def __init__(self, period: Fraction = Fraction(10 * NS)) -> None:
        # Something stands before the state of the bus, as it does in a program with several machines.
        self.state = np.array([99] * 5 + bus.initial(period, 4, 16), dtype=np.int64)
        self.now = 0

    def ask(self, function: int, a: int, b: int = 0) -> int:
        return int(call(function, self.state, 5, self.now, a, b))

    def begin(self, amount: int, overhead: int = 2) -> int:
        return self.ask(BUS_BEGIN, amount, overhead)


def test_whoever_finds_the_bus_idle_is_told_so() -> None:
    turns = Turns()
    first, second = turns.begin(16), turns.begin(16)
    assert first >= bus.PLACES > second
    assert turns.ask(BUS_REST, first) == 60 * NS
    assert turns.ask(BUS_REST, second) == 120 * NS
    turns.now = 120 * NS
    assert turns.ask(BUS_REST, first) == turns.ask(BUS_REST, second) == 0
    assert turns.begin(16) >= bus.PLACES


def test_a_million_bursts_are_counted_at_once() -> None:
    turns = Turns()
    long, other = turns.begin(16_000_000), turns.begin(8_000_000)
    turns.now = 500_001 * 60 * NS
    # 250001 bursts of the one and 250000 of the other are done.
    assert turns.ask(BUS_REST, other) == 500_000 * 60 * NS - NS * 60
    assert turns.ask(BUS_REST, long) == (500_000 + 500_000) * 60 * NS - NS * 60


def test_a_period_that_is_no_whole_number_rounds_once_a_transfer() -> None:
    turns = Turns(Fraction(10**12, 33_330_000))
    place = turns.begin(64, 9)
    # Sixteen words and four times nine clocks.
    assert turns.ask(BUS_REST, place) == -(-52 * 10**12 // 33_330_000)


def test_a_stall_shifts_what_is_left() -> None:
    turns = Turns()
    place = turns.begin(32)
    turns.now = 70 * NS
    assert turns.ask(BUS_STALL, 30 * NS) == 0
    assert turns.ask(BUS_REST, place) == 80 * NS


def test_a_stall_of_an_idle_bus_is_nothing() -> None:
    turns = Turns()
    assert turns.ask(BUS_STALL, 30 * NS) == 0
    assert turns.ask(BUS_REST, turns.begin(16)) == 60 * NS


def test_beyond_its_places_it_says_that_it_is_full() -> None:
    turns = Turns()
    places = {turns.begin(16) for _ in range(bus.PLACES)}
    assert len(places) == bus.PLACES
    assert turns.begin(16) == bus.FULL
    assert turns.ask(BUS_REST, bus.FULL) == 0


@pytest.mark.parametrize(
    ("amount", "overhead"), [(0, 2), (-1, 2), (16, -1), (16, 2**40), (2**62, 2), (10**15, 2), (2**62, 2**31)]
)
def test_transfers_that_could_not_be_reckoned_are_refused(amount: int, overhead: int) -> None:
    turns = Turns()
    before = turns.state.copy()
    assert turns.begin(amount, overhead) == -1
    assert (turns.state == before).all()


def test_too_near_the_horizon() -> None:
    turns = Turns()
    turns.now = 2**63 - 1
    assert turns.begin(16) == turns.ask(BUS_REST, 0) == turns.ask(BUS_STALL, 1) == -1


@pytest.mark.parametrize("answer", [-1, bus.FULL + 1])
def test_a_place_that_is_not_there(answer: int) -> None:
    assert Turns().ask(BUS_REST, answer) == -1


@pytest.mark.parametrize("time", [-1, 10**17])
def test_a_stall_that_cannot_be(time: int) -> None:
    assert Turns().ask(BUS_STALL, time) == -1
