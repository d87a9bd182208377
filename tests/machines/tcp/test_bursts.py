"""Bursts of Linux, worked by hand: what goes at once, and what waits (net/ipv4/tcp_output.c)."""

from __future__ import annotations

from typing import Any

from drill import MSS, Drill, linux
from tcp_bench import BASE, MS, US

from simio.machines.tcp import layout as c

# A peer's window of 12 segments, and a congestion window that is wider: a third of the window is four segments.
WINDOW = 12 * MSS


def flying(window: int = WINDOW, **options: Any) -> Drill:
    """A sender whose peer's window is full, a round trip of 2 ms after it was filled: an acknowledgement is due.

    Pacing would have 40 segments go in a round trip, twice: so the rate asks for bursts of 40 segments.
    """
    drill = Drill(linux(defer=3, initial_window=40 * MSS, send_shift=0, **options), 2 * MS)
    drill.state[BASE + c.SEND_WINDOW] = drill.state[BASE + c.MOST_WINDOW] = window
    drill.write(60)
    return drill.at(2)


def acknowledge(drill: Drill, segments: int, window: int = WINDOW) -> int:
    """An acknowledgement of so many segments; returns the segments that go at once."""
    return drill.take(1 << 19, (1 + segments * MSS) << 16 | window)


def test_the_first_burst_after_a_pause_takes_all_of_the_window_that_is_open() -> None:
    # The last data went 100 ms ago, so that nothing waits: all three segments go, not one and a wait for the others.
    drill = flying()
    assert len(drill.sent) == 12
    assert acknowledge(drill, 3) == 3


def test_a_burst_waits_for_a_third_of_the_window_soon_after_another() -> None:
    drill = flying()
    assert acknowledge(drill, 2) == 2
    drill.now += 200 * US
    assert acknowledge(drill, 4) == 0
    drill.now += 200 * US
    assert acknowledge(drill, 6) == 4


def test_a_burst_waits_no_more_than_a_millisecond_and_then_is_whole() -> None:
    drill = flying()
    assert acknowledge(drill, 2) == 2
    drill.now += 200 * US
    assert acknowledge(drill, 3) == 0
    drill.now += 900 * US
    assert acknowledge(drill, 5) == 3


def test_a_burst_ends_with_a_buffer() -> None:
    # A buffer is half of the window, six segments. Five go at first, and leave one of the third buffer: that goes as
    # soon as there is room for it, and the next one waits for a third of the window.
    drill = flying()
    assert acknowledge(drill, 5) == 5
    drill.now += 200 * US
    assert acknowledge(drill, 7) == 1
    drill.now += 200 * US
    assert acknowledge(drill, 9) == 0


def test_a_window_that_is_no_multiple_of_a_segment_is_filled_by_one_small_segment() -> None:
    # The burst that reaches the end of the window has the 500 bytes that are left. No other has, while they are out.
    drill = flying(WINDOW + 500)
    assert acknowledge(drill, 2, WINDOW + 500) == 3
    drill.now += 1100 * US
    assert acknowledge(drill, 5, WINDOW + 400) == 2
    assert drill.sent[12:] == [
        (2, 12_000, MSS), (2, 13_000, MSS), (2, 14_000, 500), (3, 14_500, MSS), (3, 15_500, MSS),
    ]  # fmt: skip
