"""Single steps of an endpoint, each on a state made for it: what RFCs say of bytes and segments, to the byte."""

from __future__ import annotations

from typing import Any

import pytest
from endpoint_bench import BASE, MSS, endpoint, look

from simio.machines.door import Called, call
from simio.machines.tcp import connection, receiving, sending, timers
from simio.machines.tcp import layout as c
from simio.machines.tcp.acknowledging import acknowledged
from simio.machines.tcp.layout import LATEST
from simio.machines.tcp.loss import duplicate, fast_retransmit, recovered, timeout
from simio.machines.tcp.receiving import window
from simio.machines.tcp.recovery.sack import lost_below, next_resend, note_block, pipe
from simio.machines.tcp.sending import plan

# --- a loss -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("flight", "threshold"), [(9000, 4500), (4000, 2000), (3000, 2000), (1, 2000)])
@pytest.mark.parametrize(
    ("recovery", "window"), [("tahoe", 1000), ("reno", "more"), ("newreno", "more"), ("sack", "")]
)
def test_half_of_what_is_out_and_two_segments_at_least(
    flight: int, threshold: int, recovery: str, window: int | str
) -> None:
    # RFC 5681, equation 4 and section 3.2: with fast recovery, three segments more than the threshold.
    state = endpoint(recovery=recovery, una=501, max=501 + flight, cwnd=50_000, counted=700, timing=1, resend_due=9)
    fast_retransmit(state, BASE, 10**9)
    expected = {"more": threshold + 3 * MSS, "": threshold}.get(window, window)  # type: ignore[call-overload]
    assert look(state, "ssthresh", "cwnd", "resend", "recover") == (threshold, expected, 501, 501 + flight)
    assert look(state, "counted", "timing", "resend_due") == (0, 0, 0)
    assert look(state, "recovering") == (int(recovery != "tahoe"),)


@pytest.mark.parametrize(
    ("recovery", "begins"), [("reno", True), ("newreno", False), ("sack", True), ("tahoe", True)]
)
def test_a_loss_at_the_very_end_of_an_earlier_recovery(recovery: str, begins: bool) -> None:
    # RFC 6582, section 3.2: NewReno wants more than RECOVER acknowledged; RFC 6675, section 5.1: as much.
    state = endpoint(recovery=recovery, una=5001, max=12_001, recover=5001, duplicates=2)
    duplicate(state, BASE, 10**9)
    assert (look(state, "resend") == (5001,)) == begins
    state = endpoint(recovery="sack", una=5001, max=12_001, recover=5002, duplicates=2)
    duplicate(state, BASE, 10**9)
    assert look(state, "resend", "duplicates") == (-1, 3)


@pytest.mark.parametrize(("flight", "window"), [(0, 2000), (999, 2000), (2500, 3500), (5000, 6000), (9000, 6000)])
def test_the_window_after_newreno_has_recovered(flight: int, window: int) -> None:
    # RFC 6582, section 3.2, step 3: min(ssthresh, max(FlightSize, SMSS) + SMSS).
    state = endpoint(recovery="newreno", una=9001, max=9001 + flight, recover=9001, ssthresh=6000, cwnd=20_000,
                     recovering=1, resend=9001)  # fmt: skip
    assert recovered(state, BASE, 10**9, 4000)
    assert look(state, "cwnd", "recovering", "resend") == (window, 0, -1)


@pytest.mark.parametrize(("acked", "window"), [(3000, 7000), (1000, 9000), (999, 8001), (9000, 1000), (20_000, 1000)])
def test_the_window_while_newreno_recovers(acked: int, window: int) -> None:
    # RFC 6582, section 3.2, step 5: less what is acknowledged, plus a segment if that was at least one.
    state = endpoint(recovery="newreno", una=4001, max=15_001, recover=12_001, ssthresh=6000, cwnd=9000, recovering=1)
    assert recovered(state, BASE, 10**9, acked)  # the first partial acknowledgement starts the timer anew
    assert look(state, "cwnd", "recovering", "resend") == (window, 1, 4001)
    assert not recovered(state, BASE, 10**9, acked)
    state = endpoint(recovery="newreno", una=4001, max=15_001, recover=12_001, cwnd=999, recovering=1)
    assert recovered(state, BASE, 10**9, 500)
    assert look(state, "cwnd") == (1000,)


def test_a_timeout_forgets_what_was_reported_and_counted() -> None:
    # RFC 5681, section 3.1; what was reported may have been thrown away since (RFC 2018, section 8).
    words: Any = {"una": 1001, "max": 11_001, "nxt": 11_001, "cwnd": 8000, "counted": 700, "timing": 1,
                  "duplicates": 2, "recovering": 1, "resend": 1001, "sacked": [(3001, 4001)]}  # fmt: skip
    state = endpoint(**words)
    timeout(state, BASE, 10**12)
    assert look(state, "cwnd", "ssthresh", "recover", "nxt") == (1000, 5000, 11_001, 1001)
    assert look(state, "counted", "timing", "duplicates", "recovering", "resend", "sacked") == (
        0,
        0,
        0,
        0,
        -1,
        0,
    )
    # The same segment once more says nothing of the path.
    state[BASE + c.MAX] = 2001
    timeout(state, BASE, 2 * 10**12)
    assert look(state, "ssthresh") == (5000,)


# --- what the peer reports ----------------------------------------------------------------------------------


def test_which_blocks_report_anything_new() -> None:
    # RFC 6675, section 4, Update: bytes between UNA and MAX that were not reported before.
    state = endpoint(una=1001, max=9001, sacked=[(3001, 5001)])
    before = list(state)

    def word(start: int, end: int) -> int:
        return (start - 1001) << 31 | (end - start)

    # None; at what is acknowledged; beyond what was sent; known already.
    for known in (0, word(1001, 2001), word(8001, 9002), word(3001, 5001), word(3501, 4001)):
        assert note_block(state, BASE, 1001, known) == 0
    assert state == before
    assert note_block(state, BASE, 1001, word(4001, 5002)) == 1
    assert note_block(state, BASE, 1001, word(1002, 1003)) == 1
    assert note_block(state, BASE, 1001, word(8001, 9001)) == 1
    assert state[BASE + c.SACKED : BASE + c.SACKED + 7] == [3, 1002, 1003, 3001, 5002, 8001, 9001]


@pytest.mark.parametrize(
    ("spans", "lost"),
    [
        ([], 0),
        # RFC 6675, IsLost: more than two segments' bytes above, or three ranges.
        ([(3001, 5001)], 0),
        ([(3001, 5002)], 3001),
        ([(3001, 4001), (6001, 7001)], 0),
        ([(3001, 4001), (6001, 7002)], 3001),
        ([(3001, 3101), (4001, 4101)], 0),
        ([(3001, 3101), (4001, 4101), (5001, 5101)], 3001),
        ([(2001, 2101), (3001, 3101), (4001, 4101), (5001, 5101)], 3001),
        ([(2001, 2101), (3001, 4901), (5001, 5101)], 2001),
        ([(2001, 2101), (3001, 4902), (5001, 5101)], 3001),
    ],
)
def test_below_what_all_is_lost(spans: list[tuple[int, int]], lost: int) -> None:
    assert lost_below(endpoint(una=1001, max=20_001, sacked=spans), BASE) == lost


def test_what_is_under_way() -> None:
    # RFC 6675, SetPipe. 1001 to 3001 is lost, since 2001 bytes above are reported; 5002 to 8001 is not; 1001 to
    # 2001 has gone again.
    words: Any = {"una": 1001, "max": 8001, "sacked": [(3001, 5002)]}
    assert pipe(endpoint(**words, high_resent=1001), BASE) == 2999
    assert pipe(endpoint(**words, high_resent=2001), BASE) == 2999 + 1000
    assert pipe(endpoint(**words, high_resent=6002), BASE) == 2999 + 2000 + 1000
    assert pipe(endpoint(una=1001, max=8001, high_resent=1001), BASE) == 7000


@pytest.mark.parametrize(
    ("window", "high", "following"),
    [
        # 2999 bytes are under way: a whole segment has to find a place.
        (3998, 1001, -1),
        (3999, 1001, 1001 << 16 | 1000),
        # 1500 bytes more are under way; what is left before the report is half a segment.
        (5498, 2501, -1),
        (5499, 2501, 2501 << 16 | 500),
        (9000, 3001, -1),
        (9000, 6000, -1),
    ],
)
def test_what_goes_again_next(window: int, high: int, following: int) -> None:
    state = endpoint(una=1001, max=8001, sacked=[(3001, 5002)], cwnd=window, high_resent=high)
    assert next_resend(state, BASE, lost_below(state, BASE)) == following


def test_what_is_not_lost_does_not_go_again() -> None:
    state = endpoint(una=1001, max=8001, sacked=[(3001, 4001)], cwnd=50_000, high_resent=1001)
    assert next_resend(state, BASE, 0) == -1
    assert next_resend(state, BASE, 1001) == -1
    assert next_resend(state, BASE, 1002) == 1001 << 16 | 1000


def test_what_was_never_sent_cannot_be_acknowledged() -> None:
    # RFC 9293, section 3.10.7.4, fifth: an acknowledgement goes back, and nothing else changes.
    state = endpoint(una=1001, nxt=3001, max=3001, ack_now=0)
    before = list(state)
    assert acknowledged(state, BASE, 10**9, 1, 0, 3002, 50_000) == 0
    before[BASE + c.ACK_NOW] = 1
    assert state == before


def test_a_window_that_changes_is_no_duplicate_and_is_remembered() -> None:
    # RFC 5681, section 2: a duplicate has the window of the one before. The largest window ever offered decides what
    # is silly (RFC 1122, section 4.2.3.4).
    state = endpoint(recovery="reno", una=1001, nxt=9001, max=9001, resend_due=10**12, duplicates=2, wl1=1, wl2=1001,
                     send_window=50_000, most_window=50_000)  # fmt: skip
    assert acknowledged(state, BASE, 10**9, 1, 0, 1001, 60_000) == 0
    assert look(state, "duplicates", "send_window", "most_window", "recovering") == (0, 60_000, 60_000, 0)
    assert acknowledged(state, BASE, 10**9, 2, 0, 1001, 40_000) == 0
    assert look(state, "duplicates", "send_window", "most_window") == (0, 40_000, 60_000)


@pytest.mark.parametrize(("recovery", "noted"), [("reno", 0), ("sack", 1)])
def test_reports_are_for_who_asked_for_them(recovery: str, noted: int) -> None:
    state = endpoint(recovery=recovery, una=1001, nxt=9001, max=9001, staged_a=1000 << 31 | 500)
    acknowledged(state, BASE, 10**9, 1, 0, 1001, 50_000)
    assert look(state, "sacked") == (noted,)


# --- the receiver -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("free", "offered"), [(999, 0), (1000, 1000), (1001, 1001), (100_000, 100_000)])
def test_a_window_of_a_segment_is_not_silly(free: int, offered: int) -> None:
    # RFC 1122, section 4.2.3.3. Nothing has been offered beyond what has arrived.
    state = endpoint(buffered=100_000 - free, rcv_nxt=5001, rcv_edge=5001, receive_shift=0)
    assert window(state, BASE) == min(offered, 65_535)


@pytest.mark.parametrize(("unread", "acknowledged"), [(0, 8001), (99_500, 7001)])
def test_what_was_offered_is_taken_and_more_if_there_is_room(unread: int, acknowledged: int) -> None:
    # 2000 bytes were offered, and 3000 come. A window is not taken back (RFC 9293, section 3.8.6), though of 100,000
    # bytes there may be room for 500 only.
    state = endpoint(rcv_nxt=5001, rcv_edge=7001, last_ack=3001, buffered=unread)
    assert call(connection.accept, state, BASE, 0, 5001 << 19 | 3000, 1 << 16) == c.OUTPUT
    assert call(sending.output, state, BASE, 0) > 0
    assert call(sending.acknowledgement, state, BASE, 0) >> 16 == acknowledged


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (connection.accept, (0, 0)),
        (connection.expire, (0, 0)),
        (sending.output, (0, 0)),
        (timers.sleep, (0, 0)),
        (receiving.read, (1, 0)),
    ],
)
def test_an_instant_that_cannot_be_computed_with_is_refused(function: Called, words: tuple[int, int]) -> None:
    state = endpoint(una=1001, nxt=1001, max=1001)
    before = list(state)
    assert call(function, state, BASE, LATEST + 1, *words) == -1
    assert state == before
    assert call(function, state, BASE, LATEST, *words) >= 0


@pytest.mark.parametrize("words", [(-1, 0), (0, -1)])
def test_a_segment_without_words_is_refused(words: tuple[int, int]) -> None:
    assert call(connection.accept, endpoint(), BASE, 0, *words) == -1


def test_what_may_be_lost_goes_again_when_there_is_nothing_new() -> None:
    # RFC 6675, NextSeg, rule 3: no segment counts as lost, and all that was written has been sent.
    words: Any = {"una": 1001, "nxt": 8001, "max": 8001, "end": 8001, "cwnd": 50_000, "high_resent": 2001,
                  "sacked": [(3001, 4001)], "resend": -1, "send_window": 50_000}  # fmt: skip
    found = plan(endpoint(**words, recovering=1), BASE, 10**9, 0) - 1
    assert (found >> 19, found & 65_535) == (2001, 1000)
    assert plan(endpoint(**words, recovering=0), BASE, 10**9, 0) == 0
