"""The turns of a bus as a machine: what it answers, and what it refuses. Times in ps."""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simio.machines import bus
from simio.machines.door import call

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
        return self.ask(bus.begin, amount, overhead)


def test_whoever_finds_the_bus_idle_is_told_so() -> None:
    turns = Turns()
    first, second = turns.begin(16), turns.begin(16)
    assert first >= bus.PLACES > second
    assert turns.ask(bus.rest, first) == 60 * NS
    assert turns.ask(bus.rest, second) == 120 * NS
    turns.now = 120 * NS
    assert turns.ask(bus.rest, first) == turns.ask(bus.rest, second) == 0
    assert turns.begin(16) >= bus.PLACES


def test_a_million_bursts_are_counted_at_once() -> None:
    turns = Turns()
    long, other = turns.begin(16_000_000), turns.begin(8_000_000)
    turns.now = 500_001 * 60 * NS
    # 250001 bursts of the one and 250000 of the other are done.
    assert turns.ask(bus.rest, other) == 500_000 * 60 * NS - NS * 60
    assert turns.ask(bus.rest, long) == (500_000 + 500_000) * 60 * NS - NS * 60


def test_a_period_that_is_no_whole_number_rounds_once_a_transfer() -> None:
    turns = Turns(Fraction(10**12, 33_330_000))
    place = turns.begin(64, 9)
    # Sixteen words and four times nine clocks.
    assert turns.ask(bus.rest, place) == -(-52 * 10**12 // 33_330_000)


def test_a_stall_shifts_what_is_left() -> None:
    turns = Turns()
    place = turns.begin(32)
    turns.now = 70 * NS
    assert turns.ask(bus.stall, 30 * NS) == 0
    assert turns.ask(bus.rest, place) == 80 * NS


def test_a_stall_of_an_idle_bus_is_nothing() -> None:
    turns = Turns()
    assert turns.ask(bus.stall, 30 * NS) == 0
    assert turns.ask(bus.rest, turns.begin(16)) == 60 * NS


def test_beyond_its_places_it_says_that_it_is_full() -> None:
    turns = Turns()
    places = {turns.begin(16) for _ in range(bus.PLACES)}
    assert len(places) == bus.PLACES
    assert turns.begin(16) == bus.FULL
    assert turns.ask(bus.rest, bus.FULL) == 0


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
    assert turns.begin(16) == turns.ask(bus.rest, 0) == turns.ask(bus.stall, 1) == -1


@pytest.mark.parametrize("answer", [-1, bus.FULL + 1])
def test_a_place_that_is_not_there(answer: int) -> None:
    assert Turns().ask(bus.rest, answer) == -1


@pytest.mark.parametrize("time", [-1, 10**17])
def test_a_stall_that_cannot_be(time: int) -> None:
    assert Turns().ask(bus.stall, time) == -1


# --- against bursts one by one -------------------------------------------------------------------------------

Transfer = tuple[int, int, int]
"""Time since the one before in ps, bytes, clocks beside its data that each burst takes."""


def needed(period: Fraction, amount: int, overhead: int, bursts: int) -> int:
    """Time in ps that the first bursts of a transfer take alone."""
    clocks = -(-min(bursts * 16, amount) // 4) + bursts * overhead
    return ceil(clocks * period)


def ends(period: Fraction, transfers: list[Transfer]) -> list[int]:
    """Ends of transfers whose bursts take turns one by one."""
    waiting = deque[int]()
    done = [0] * len(transfers)
    found = [0] * len(transfers)
    free = now = 0

    def pass_until(time: int | None) -> None:
        nonlocal free
        while waiting:
            _, amount, overhead = transfers[waiting[0]]
            of = done[waiting[0]]
            after = free + needed(period, amount, overhead, of + 1) - needed(period, amount, overhead, of)
            if time is not None and after > time:
                return
            number, free = waiting.popleft(), after
            done[number] += 1
            found[number] = free
            if done[number] * 16 < amount:
                waiting.append(number)

    for number, (pause, _, _) in enumerate(transfers):
        now += pause
        pass_until(now)
        free = free if waiting else now
        waiting.append(number)
    pass_until(None)
    return found


@settings(max_examples=300)
@given(
    st.lists(
        st.tuples(st.sampled_from([0, 0, 1, 60 * NS, 95 * NS, 3000 * NS]), st.integers(1, 200), st.integers(0, 3)),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from([Fraction(10 * NS), Fraction(10**12, 33_330_000)]),
)
def test_transfers_end_as_if_bursts_took_turns_one_by_one(transfers: list[Transfer], period: Fraction) -> None:
    turns = Turns(period)
    answers = []
    for pause, amount, overhead in transfers:
        turns.now += pause
        answers.append(turns.begin(amount, overhead))
    expected = [max(end - turns.now, 0) for end in ends(period, transfers)]
    assert [turns.ask(bus.rest, answer) for answer in answers] == expected
    # Asked again in between, it says the same.
    left = sorted({end for end in expected if end})
    begun = turns.now
    for end in left:
        for later in (begun + end - 1, begun + end):
            turns.now = later
            for answer, each in zip(answers, expected, strict=True):
                if each >= end:
                    assert turns.ask(bus.rest, answer) == begun + each - later
    # All are done, and their places are free for others.
    assert turns.ask(bus.rest, turns.begin(200, 1)) == needed(period, 200, 1, 13)
    assert all(turns.begin(16) % bus.PLACES == place for place in range(1, 4))


@pytest.mark.parametrize(("amount", "overhead"), [(1, 0), (4, 0), (5, 0), (16, 2), (17, 2), (64, 9), (10**6, 1)])
@pytest.mark.parametrize("period", [Fraction(10 * NS), Fraction(10**12, 33_330_000)])
def test_a_transfer_that_has_the_bus_alone(period: Fraction, amount: int, overhead: int) -> None:
    turns = Turns(period)
    time = needed(period, amount, overhead, -(-amount // 16))
    turn = turns.begin(amount, overhead)
    assert turns.ask(bus.lasting, 0) == time
    assert turns.ask(bus.rest, turn) == time
    # Whoever asks next is told what it would take alone, too.
    turns.begin(16)
    assert turns.ask(bus.lasting, 0) == needed(period, 16, 2, 1)


def test_the_longest_transfer_that_can_be_reckoned() -> None:
    # 10**16 ps at 10**11 + 1 ps a clock at most; else 2**40 bytes.
    turns = Turns(Fraction(10**11))
    for amount, overhead in ((4 * 99_999, 0), (16, 99_995), (32, 49_995)):
        assert turns.ask(bus.begin, amount, overhead) >= 0
        assert turns.ask(bus.begin, amount + 4, overhead) == -1
        assert turns.ask(bus.begin, amount, overhead + 1) == -1
    turns = Turns(Fraction(1))
    for amount, overhead in ((2**40, 0), (1, 2**20)):
        assert turns.ask(bus.begin, amount, overhead) >= 0
    for amount, overhead in ((2**40 + 1, 0), (1, 2**20 + 1), (0, 2), (1, -1)):
        assert turns.ask(bus.begin, amount, overhead) == -1


@pytest.mark.parametrize(("time", "answer"), [(0, 0), (bus.LONGEST, 0), (bus.LONGEST + 1, -1), (-1, -1)])
def test_how_long_a_bus_may_stall(time: int, answer: int) -> None:
    turns = Turns()
    place = turns.begin(16)
    assert turns.ask(bus.stall, time) == answer
    assert turns.ask(bus.rest, place) == 60 * NS + (time if answer == 0 else 0)


def test_the_last_instant_is_as_any() -> None:
    turns = Turns()
    turns.now = bus.LATEST
    place = turns.begin(16)
    assert place == bus.PLACES
    assert (turns.ask(bus.rest, place), turns.ask(bus.stall, 5)) == (60 * NS, 0)
