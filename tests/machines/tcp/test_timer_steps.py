"""Single steps of timers and of the retransmission time, worked out by hand; in ps unless a test counts ticks."""

from __future__ import annotations

from typing import Any

import pytest
from endpoint_bench import BASE, endpoint, look

from simio.machines.door import call
from simio.machines.tcp import connection, sending, timers
from simio.machines.tcp import layout as c
from simio.machines.tcp.timers import back_off, clock, instant, measured, persist

FREE: dict[str, Any] = {
    "rto_tick": 0, "rto_min": 1, "rto_max": 10**15, "rto_initial": 700, "persist_min": 1, "persist_max": 10**15,
}  # fmt: skip
"""Timers in ps, with bounds that bind nothing."""


@pytest.mark.parametrize(("now", "ticks"), [(79, -1), (80, 0), (450, 0), (579, 0), (580, 1), (5080, 10)])
def test_ticks_are_counted_from_the_phase(now: int, ticks: int) -> None:
    state = endpoint(rto_tick=500, rto_phase=80)
    assert clock(state, BASE, now) == ticks
    assert instant(state, BASE, now, 3) == (ticks + 3) * 500 + 80


def test_a_time_in_ps_has_no_ticks() -> None:
    state = endpoint(**FREE)
    assert (clock(state, BASE, 450), instant(state, BASE, 450, 3)) == (450, 453)


@pytest.mark.parametrize(
    ("before", "elapsed", "after"),
    [
        # The first: SRTT = R, RTTVAR = R / 2, RTO = R + 4 R / 2 (RFC 6298, rule 2.2).
        ((0, 0), 180, (1440, 360, 540)),
        # SRTT = 100, RTTVAR = 50: 80 more make 110 and 3/4 * 50 + 80/4 = 57.5; 80 less make 90 and as much.
        ((800, 200), 180, (880, 230, 340)),
        ((800, 200), 20, (720, 230, 320)),
        ((800, 200), 100, (800, 150, 250)),
    ],
)
def test_a_round_trip_sets_the_retransmission_time(
    before: tuple[int, int], elapsed: int, after: tuple[int, int, int]
) -> None:
    state = endpoint(**FREE, srtt=before[0], rttvar=before[1], backoff=3)
    measured(state, BASE, elapsed)
    assert look(state, "srtt", "rttvar", "rto", "backoff") == (*after, 0)


@pytest.mark.parametrize(
    ("words", "times"),
    [
        # 110 and 4 * 57.5, then twice as much each time, 64 times at most.
        ({"srtt": 880, "rttvar": 230}, [680, 1360, 2720, 5440, 10_880, 21_760, 21_760]),
        ({"srtt": 880, "rttvar": 230, "rto_granularity": 300}, [820, 1640]),
        ({"srtt": 880, "rttvar": 230, "rto_min": 500}, [1000, 2000]),
        ({"srtt": 880, "rttvar": 230, "rto_max": 1000}, [680, 1000, 1000]),
        ({}, [1400, 2800]),
    ],
)
def test_a_timeout_doubles_the_retransmission_time(words: dict[str, int], times: list[int]) -> None:
    state = endpoint(**{**FREE, **words})
    found = []
    for _ in times:
        back_off(state, BASE)
        found += look(state, "rto")
    assert found == times


@pytest.mark.parametrize(
    ("words", "times"),
    [
        # 110 and 2 * 57.5, then twice as much each time, 64 times at most (4.3BSD-Reno, `tcp_setpersist`).
        ({"srtt": 880, "rttvar": 230}, [225, 450, 900, 1800, 3600, 7200, 14_400, 14_400]),
        ({"srtt": 880, "rttvar": 230, "persist_min": 300, "persist_max": 1000}, [300, 450, 900, 1000]),
        ({}, [700, 1400]),
    ],
)
def test_a_closed_window_is_probed_at_doubling_intervals(words: dict[str, int], times: list[int]) -> None:
    state = endpoint(**{**FREE, **words})
    found = []
    for _ in times:
        persist(state, BASE, 10_000)
        found.append(look(state, "persist_due")[0] - 10_000)
    assert found == times
    assert look(state, "backoff") == (len(times),)


@pytest.mark.parametrize("due", [(200, 300, 400), (300, 200, 400), (400, 300, 200), (0, 200, 0), (0, 300, 200)])
def test_one_thread_sleeps_until_the_earliest_timer(due: tuple[int, int, int]) -> None:
    state = endpoint(**dict(zip(("ack_due", "resend_due", "persist_due"), due, strict=True)))
    assert call(timers.sleep, state, BASE, 100) == 100
    assert call(timers.sleep, state, BASE, 150) == 0


@pytest.mark.parametrize(("later", "time"), [(-1, 100), (0, 0), (1, 0)])
def test_another_sleeps_where_the_one_that_does_wakes_too_late(later: int, time: int) -> None:
    state = endpoint(resend_due=200)
    assert call(timers.sleep, state, BASE, 100) == 100
    state[BASE + c.RESEND_DUE] = 200 + later
    assert call(timers.sleep, state, BASE, 100) == (time + later if time else 0)


@pytest.mark.parametrize(("now", "due"), [(100, 100), (100, 70), (0, 1)])
def test_what_is_due_already_wakes_a_thread_a_ps_later(now: int, due: int) -> None:
    state = endpoint(ack_due=due)
    assert call(timers.sleep, state, BASE, now) == 1
    assert call(connection.expire, state, BASE, now + 1) == c.OUTPUT
    assert call(timers.sleep, state, BASE, now + 1) == 0


def test_one_thread_sleeps_for_a_timer_of_a_ps() -> None:
    state = endpoint(ack_due=1)
    assert [call(timers.sleep, state, BASE, 0) for _ in range(2)] == [1, 0]


@pytest.mark.parametrize("due", [1, 500])
@pytest.mark.parametrize(
    ("timer", "window", "seq", "length"),
    [
        # An acknowledgement alone goes after what was sent, a probe is the next byte, and a segment goes again whole.
        ("ack_due", 50_000, 2001, 0),
        ("persist_due", 0, 2001, 1),
        ("resend_due", 50_000, 1001, 1000),
    ],
)
def test_a_timer_runs_out_at_its_instant(timer: str, window: int, seq: int, length: int, due: int) -> None:
    state = endpoint(una=1001, nxt=2001, max=2001, end=3001, send_window=window, cwnd=1000, **{timer: due})
    before = list(state)
    assert call(connection.expire, state, BASE, due - 1) == c.TIMER
    assert state == before
    assert call(connection.expire, state, BASE, due) == c.OUTPUT
    word = call(sending.output, state, BASE, due) - 1
    assert (word >> 19, word & 65_535) == (seq, length)
    # Data that are under way or wait have a timer, and no thread sleeps for it.
    assert call(sending.output, state, BASE, due) == c.TIMER


def test_what_runs_out_is_counted_and_takes_longer_the_next_time() -> None:
    # RFC 6298, rule 5.5: 6 s are 12 ticks, and 24 after that.
    state = endpoint(una=1001, nxt=2001, max=2001, end=2001, resend_due=500)
    call(connection.expire, state, BASE, 500)
    assert look(state, "rto", "timeouts") == (24, 1)


def test_no_thread_sleeps_without_a_timer() -> None:
    assert call(timers.sleep, endpoint(), BASE, 100) == 0
