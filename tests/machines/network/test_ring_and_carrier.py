"""The token and the carrier as machines: what they answer at single instants."""

from __future__ import annotations

import pytest

from simio.machines.door import Called, call
from simio.machines.network import carrier, ring


def ask(state: list[int], function: Called, now: int, a: int = 0, b: int = 0) -> int:
    return call(function, state, 0, now, a, b)


def test_an_idle_token_is_where_its_rotation_puts_it() -> None:
    state = ring.initial(5, 100, 8, 10_000)
    for now, station, wait in (
        (0, 1, 100),
        (0, 0, 500),
        (1, 4, 399),
        (400, 4, 500 * 0),
        (401, 4, 499),
        (7000, 3, 300),
    ):
        assert ask(list(state), ring.ask, now, station) == wait


def test_who_has_the_token_keeps_it_while_packets_wait_and_time_is_left() -> None:
    state = ring.initial(3, 100, 10, 1000)
    for _ in range(3):
        ask(state, ring.arrive, 0, 1)
    ask(state, ring.arrive, 0, 2)
    assert ask(state, ring.ask, 100, 1) == 0
    assert ask(state, ring.ask, 200, 2) == ring.OTHER
    # It came after 100 of 1000: frames may begin until 1000.
    assert ask(state, ring.done, 999, 1) == 0
    assert ask(state, ring.ask, 999, 1) == 0
    assert ask(state, ring.done, 1500, 1) == 2
    # The token leaves at 1510 and is at the next station 100 later, late for one that saw it never: at 0, by custom.
    assert ask(state, ring.ask, 1500, 2) == 110
    assert ask(state, ring.ask, 1610, 2) == 300
    assert ask(state, ring.ask, 1910, 2) == 0
    assert state[ring.UNTIL] == 1910 + 1000 - 300


def test_the_last_packet_gives_the_token_back() -> None:
    # Behind words of something else, which nothing of this changes.
    others = [77] * 7
    state = [*others, *ring.initial(3, 100, 10, 1000)]

    def asked(now: int, station: int, function: Called) -> int:
        return call(function, state, len(others), now, station)

    for _ in range(2):
        asked(0, 1, ring.arrive)
    assert asked(0, 1, ring.ask) == 100
    assert asked(100, 1, ring.ask) == 0
    assert asked(200, 1, ring.done) == 0
    assert asked(300, 1, ring.done) == 1
    # It leaves at 310: two hops to the first station, three to the one that had it.
    assert [asked(310, station, ring.ask) for station in (0, 1, 2)] == [200, 300, 100]
    assert state[: len(others)] == others


@pytest.mark.parametrize(("station", "function"), [(3, ring.ask), (-1, ring.arrive), (0, ring.done)])
def test_a_ring_refuses_what_cannot_be(station: int, function: Called) -> None:
    assert ask(ring.initial(3, 100, 10, 1000), function, 0, station) == -1


def test_a_third_that_collides_prolongs_the_silence() -> None:
    state = carrier.initial(50, 96, 64, 32)
    assert ask(state, carrier.ask, 0) == 0
    assert ask(state, carrier.start, 0, 10_000) == 0
    # Each hears the first at 50, and jams after its preamble: 20 + 64 + 32, 49 + 64 + 32.
    assert ask(state, carrier.start, 20, 10_000) == 96
    assert ask(state, carrier.ask, 49) == 0
    assert ask(state, carrier.start, 49, 10_000) == 96
    # The first hears the second at 70: it is silent at 102.
    assert ask(state, carrier.check, 50) == 52
    # All hear the last one's end at 145 + 50, and wait for a gap.
    assert ask(state, carrier.ask, 60) == 145 + 50 + 96 - 60
    assert ask(state, carrier.start, 60, 10_000) == -1


def test_a_frame_shorter_than_the_medium_is_refused() -> None:
    assert ask(carrier.initial(50, 96, 64, 32), carrier.start, 0, 50) == -1
