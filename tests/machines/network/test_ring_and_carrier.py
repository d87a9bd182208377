"""The token and the carrier as machines: what they answer at single instants."""

from __future__ import annotations

import pytest

from simio.machines.calls import call
from simio.machines.network import calls, carrier, ring


def ask(state: list[int], function: int, now: int, a: int = 0, b: int = 0) -> int:
    return call(function, state, 0, now, a, b)  # type: ignore[arg-type]


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
        assert ask(list(state), calls.RING, now, station, ring.ASK) == wait


def test_who_has_the_token_keeps_it_while_packets_wait_and_time_is_left() -> None:
    state = ring.initial(3, 100, 10, 1000)
    for _ in range(3):
        ask(state, calls.RING, 0, 1, ring.ARRIVE)
    ask(state, calls.RING, 0, 2, ring.ARRIVE)
    assert ask(state, calls.RING, 100, 1, ring.ASK) == 0
    assert ask(state, calls.RING, 200, 2, ring.ASK) == ring.OTHER
    # It came after 100 of 1000: frames may begin until 1000.
    assert ask(state, calls.RING, 999, 1, ring.DONE) == 0
    assert ask(state, calls.RING, 999, 1, ring.ASK) == 0
    assert ask(state, calls.RING, 1500, 1, ring.DONE) == 2
    # The token leaves at 1510 and is at the next station 100 later, late for one that saw it never: at 0, by custom.
    assert ask(state, calls.RING, 1500, 2, ring.ASK) == 110
    assert ask(state, calls.RING, 1610, 2, ring.ASK) == 300
    assert ask(state, calls.RING, 1910, 2, ring.ASK) == 0
    assert state[ring.UNTIL] == 1910 + 1000 - 300


def test_the_last_packet_gives_the_token_back() -> None:
    # Behind words of something else, which nothing of this changes.
    others = [77] * 7
    state = [*others, *ring.initial(3, 100, 10, 1000)]

    def asked(now: int, station: int, what: int) -> int:
        return call(calls.RING, state, len(others), now, station, what)  # type: ignore[arg-type]

    for _ in range(2):
        asked(0, 1, ring.ARRIVE)
    assert asked(0, 1, ring.ASK) == 100
    assert asked(100, 1, ring.ASK) == 0
    assert asked(200, 1, ring.DONE) == 0
    assert asked(300, 1, ring.DONE) == 1
    # It leaves at 310: two hops to the first station, three to the one that had it.
    assert [asked(310, station, ring.ASK) for station in (0, 1, 2)] == [200, 300, 100]
    assert state[: len(others)] == others


@pytest.mark.parametrize(("station", "what"), [(3, ring.ASK), (-1, ring.ARRIVE), (0, ring.DONE)])
def test_a_ring_refuses_what_cannot_be(station: int, what: int) -> None:
    assert ask(ring.initial(3, 100, 10, 1000), calls.RING, 0, station, what) == -1


def test_a_third_that_collides_prolongs_the_silence() -> None:
    state = carrier.initial(50, 96, 64, 32)
    assert ask(state, calls.CARRIER_ASK, 0) == 0
    assert ask(state, calls.CARRIER_START, 0, 10_000) == 0
    # Each hears the first at 50, and jams after its preamble: 20 + 64 + 32, 49 + 64 + 32.
    assert ask(state, calls.CARRIER_START, 20, 10_000) == 96
    assert ask(state, calls.CARRIER_ASK, 49) == 0
    assert ask(state, calls.CARRIER_START, 49, 10_000) == 96
    # The first hears the second at 70: it is silent at 102.
    assert ask(state, calls.CARRIER_CHECK, 50) == 52
    # All hear the last one's end at 145 + 50, and wait for a gap.
    assert ask(state, calls.CARRIER_ASK, 60) == 145 + 50 + 96 - 60
    assert ask(state, calls.CARRIER_START, 60, 10_000) == -1


def test_a_frame_shorter_than_the_medium_is_refused() -> None:
    assert ask(carrier.initial(50, 96, 64, 32), calls.CARRIER_START, 0, 50) == -1
