"""Single steps of the sender and of opening a connection, each on a state made for it."""

from __future__ import annotations

from typing import Any

import pytest
from endpoint_bench import BASE, endpoint, look
from tcp_bench import SYN

from simio.machines.door import Called, call
from simio.machines.tcp import TcpSettings, buffers, connection, initial, receiving, sending
from simio.machines.tcp import layout as c
from simio.machines.tcp.connection import accept, reset
from simio.machines.tcp.layout import LATEST
from simio.machines.tcp.sending import output

SECOND = 10**12


def closed() -> list[int]:
    """An endpoint before its connection is opened."""
    return [77] * BASE + initial(TcpSettings(mss=1000))


def test_what_is_written_after_the_window_has_closed_sets_the_persist_timer() -> None:
    # All that was sent is acknowledged, and nothing will come from the peer. Nothing has been timed: 12 ticks of
    # 0.5 s from the second on (4.3BSD-Reno, `tcp_output`: "state 3", `tcp_setpersist`).
    words: Any = {"una": 1001, "nxt": 1001, "max": 1001, "end": 1501, "appended": 1501, "send_window": 0}
    state = endpoint(**words)
    assert call(sending.output, state, BASE, SECOND, 0, 0) == c.TIMER
    assert look(state, "persist_due", "resend_due", "backoff") == (7 * SECOND, 0, 1)
    # With nothing to send there is nothing to ask for.
    state = endpoint(**{**words, "end": 1001, "appended": 1001})
    assert call(sending.output, state, BASE, SECOND, 0, 0) == 0
    assert look(state, "persist_due") == (0,)


def test_a_window_that_shrinks_to_nothing_is_probed() -> None:
    # 300 bytes are under way when the window shrinks to nothing, and the update that opens it is lost. The timer runs
    # out and nothing may go, so that the persist timer takes its place: again 12 ticks of 0.5 s from the second on.
    # Its probe is the first of these bytes (RFC 9293, section 3.8.6.1).
    words: Any = {"una": 1001, "nxt": 1301, "max": 1301, "end": 1501, "appended": 1501, "send_window": 0}
    state = endpoint(**words, resend_due=SECOND)
    assert call(connection.expire, state, BASE, SECOND) == c.TIMER
    assert look(state, "nxt", "persist_due", "resend_due") == (1001, 7 * SECOND, 0)
    assert call(connection.expire, state, BASE, 7 * SECOND) == c.OUTPUT
    assert call(sending.output, state, BASE, 7 * SECOND) - 1 == 1001 << 19 | 1


def test_the_longest_segment_has_no_flags_by_its_length() -> None:
    # The word of a segment has its length in 16 bits, the flags above them.
    state = endpoint(mss=65_535, end=300_001, appended=300_001, cwnd=300_000, send_window=300_000)
    assert call(sending.output, state, BASE, SECOND) - 1 == 1 << 19 | 65_535
    assert call(sending.output, state, BASE, SECOND) - 1 == 65_536 << 19 | 65_535


def test_what_goes_again_is_counted() -> None:
    words: Any = {"una": 1001, "nxt": 5001, "max": 5001, "end": 9001, "appended": 9001, "cwnd": 50_000,
                  "send_window": 50_000, "resend_due": SECOND}  # fmt: skip
    state = endpoint(**words, resend=1001)
    sent = [output(state, BASE, SECOND) - 1 >> 19 for _ in range(3)]
    assert sent == [1001, 5001, 6001]
    assert look(state, "resent", "resend") == (1, -1)


# --- the reader ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("waits", "seq", "bits"),
    # Data in order wake a reader that waits; data beyond a gap do not.
    [(True, 1, c.WAKE_READER), (False, 1, 0), (True, 201, 0), (False, 201, 0)],
)
def test_a_reader_that_waits_is_woken_once_by_data_in_order(waits: bool, seq: int, bits: int) -> None:
    state = endpoint()
    if waits:
        assert call(receiving.read, state, BASE, 0, 1000) == 0
    assert call(connection.accept, state, BASE, 0, seq << 19 | 100, 1 << 16) & c.WAKE_READER == bits
    if bits:
        assert call(connection.accept, state, BASE, 0, 101 << 19 | 100, 1 << 16) & c.WAKE_READER == 0


# --- opening ------------------------------------------------------------------------------------------------


def test_the_window_of_a_syn_is_the_largest_offered_so_far() -> None:
    # It is not shifted (RFC 7323, section 2.2), and decides what is silly (RFC 1122, section 4.2.3.4).
    state = closed()
    state[BASE + c.STATE] = c.LISTEN
    assert accept(state, BASE, 0, SYN << 16, 60_000) == c.OUTPUT
    assert look(state, "state", "send_window", "most_window", "rcv_nxt") == (
        c.SYN_RECEIVED,
        60_000,
        60_000,
        1,
    )


def test_a_connection_that_has_been_open_is_not_opened_again() -> None:
    state = endpoint()
    assert look(state, "una") == (1,)
    reset(state, BASE)
    before = list(state)
    assert call(connection.open_up, state, BASE, 0, 1, 0) == -1
    assert state == before
    assert call(connection.open_up, closed(), BASE, 0, 1, 0) == 1


@pytest.mark.parametrize(
    ("function", "state", "a"),
    [(connection.open_up, closed(), 0), (connection.close, endpoint(), 0), (buffers.room, endpoint(), 1)],
)
def test_no_call_comes_too_late(function: Called, state: list[int], a: int) -> None:
    before = list(state)
    assert call(function, state, BASE, LATEST + 1, a, 0) == -1
    assert state == before
    assert call(function, state, BASE, LATEST, a, 0) >= 0
