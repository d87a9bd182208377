"""Slow start of Linux, as its own packetdrill tests have it (google/packetdrill, gtests/net/tcp/slow_start).

Round trips of 100 ms, segments of 1000 bytes, an initial window of ten.
"""

from __future__ import annotations

import pytest
from drill import Drill, linux
from tcp_bench import BASE, MS

from simio.machines.tcp import layout as c


def test_each_acknowledged_segment_lets_out_two() -> None:
    # slow-start-ack-per-1pkt: acknowledgements for each of the first ten segments, two every 5 ms.
    drill = Drill(linux())
    assert drill.write(30) == 10
    for segment in range(1, 11):
        assert drill.at(100 + 5 * ((segment - 1) // 2)).ack(segment) == 2
        assert drill.cwnd == 10 + segment


def test_an_acknowledgement_of_two_segments_counts_for_two() -> None:
    # slow-start-ack-per-2pkt.
    drill = Drill(linux())
    assert drill.write(30) == 10
    for pair in range(1, 6):
        assert drill.at(95 + 5 * pair).ack(2 * pair) == 4
        assert drill.cwnd == 10 + 2 * pair


def test_a_window_that_is_not_used_grows_to_twice_what_was_outstanding() -> None:
    # ack-per-2pkt-send-6pkt: 6 segments only.
    drill = Drill(linux())
    assert drill.write(6) == 6
    windows = []
    for pair in (1, 2, 3):
        drill.at(95 + 5 * pair).ack(2 * pair)
        windows.append(drill.cwnd)
    assert windows == [12, 12, 12]


def test_a_window_that_was_full_once_grows_for_a_round() -> None:
    # slow-start-app-limited: 10 segments only.
    drill = Drill(linux())
    assert drill.write(10) == 10
    windows = []
    for pair in range(1, 6):
        drill.at(95 + 5 * pair).ack(2 * pair)
        windows.append(drill.cwnd)
    assert windows == [12, 14, 16, 18, 20]


@pytest.mark.parametrize(("pause", "window"), [(250, 36), (2000, 10), (350, 18), (650, 10)])
def test_idle_time_halves_the_window_each_retransmission_time(pause: int, window: int) -> None:
    # slow-start-after-idle: 2 s of pause take it back to 10. The retransmission time is 300 ms: 100 and the least
    # deviation of 200.
    drill = Drill(linux(idle_restart=True))
    assert drill.write(26) == 10
    assert drill.at(100).ack(10) == 16
    assert drill.cwnd == 20
    drill.at(200).ack(26)
    assert drill.cwnd == 36
    drill.at(100 + pause)
    assert drill.write(20) == min(window, 20)
    assert drill.cwnd == window


def test_a_limit_of_two_segments_is_that_of_rfc_3465() -> None:
    drill = Drill(linux(byte_limit=2))
    drill.write(30)
    assert drill.at(100).ack(4) == 6
    assert drill.cwnd == 12


@pytest.mark.parametrize("limit", [2, 4])
def test_an_acknowledgement_of_all_after_a_timeout_counts_for_one_segment(limit: int) -> None:
    # RFC 3465, section 2.3: what arrived before is acknowledged at once with the segment that went again.
    drill = Drill(linux(byte_limit=limit, grow_when_limited=False))
    assert drill.write(12) == 10
    drill.at(400)
    assert drill.sent[10:] == [(300, 0, 1000)]
    assert drill.cwnd == 1
    assert drill.ack(10) == 2
    assert drill.cwnd == 2
    assert drill.at(500).ack(12) == 0
    assert drill.cwnd == 4


def test_slow_start_ends_at_the_threshold_and_what_is_left_counts_for_avoidance() -> None:
    drill = Drill(linux())
    drill.write(60)
    drill.state[BASE + c.SSTHRESH] = 12_000
    drill.at(100).ack(10)
    # Two of ten segments open it to 12, eight are towards the next.
    assert drill.cwnd == 12
    drill.at(200).ack(14)
    assert drill.cwnd == 13


def test_the_window_grows_where_segments_take_time_to_send() -> None:
    drill = Drill(linux())
    drill.work = MS // 1000
    drill.write(60)
    for time, segments, cwnd in ((100, 10, 20), (200, 30, 40)):
        drill.at(time).ack(segments)
        assert drill.cwnd == cwnd


def test_a_window_that_is_not_full_does_not_grow_where_segments_take_time_to_send() -> None:
    drill = Drill(linux())
    drill.work = MS // 1000
    drill.write(4)
    drill.at(100).ack(4)
    assert drill.cwnd == 10


def test_each_acknowledgement_times_a_round_trip() -> None:
    # The first of a burst sets timers: srtt moves by an eighth of 80 ms to 110 ms.
    drill = Drill(linux())
    drill.write(10)
    drill.at(180).ack(2)
    assert drill.look(c.SRTT) >> 3 == 110_000
    drill.at(260).ack(4)
    assert drill.look(c.SRTT) >> 3 == 128_750


def test_what_went_twice_times_nothing() -> None:
    drill = Drill(linux())
    drill.write(1)
    before = drill.look(c.SRTT)
    drill.at(400)
    assert [time for time, _, _ in drill.sent] == [0, 300]
    drill.at(420).ack(1)
    assert drill.look(c.SRTT) == before
