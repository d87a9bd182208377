"""Losses by time, probes at the tail and proportional rate reduction, worked by hand from RFC 8985 and RFC 9937.

Segments of 1000 bytes, round trips of 100 ms; an acknowledgement for each segment.
"""

from __future__ import annotations

from typing import Any

import pytest
from drill import Drill, linux
from tcp_bench import MS, Bench, Segment, lose

from simio.machines.tcp import TcpSettings
from simio.machines.tcp import layout as c

FIRST = list(range(10))


def settings(**options: Any) -> TcpSettings:
    plain: dict[str, Any] = {"recovery": "rack", "ack_every": 1, "receive_space": 1_000_000, "receive_shift": 7}
    return linux(**(plain | options))


def transfer(segments: int, *lost: int, delay: int = 50 * MS, **options: Any) -> Bench:
    bench = Bench(settings(**options), delay=delay, fate=lose(0, *lost)).start(0, [segments * 1000]).run()
    assert bench.received[1] == segments * 1000
    return bench


def sent(bench: Bench) -> dict[int, list[int]]:
    """Numbers of the segments that go at each time in ms."""
    found: dict[int, list[int]] = {}
    for segment in bench.data(0):
        found.setdefault(round(segment.time / MS), []).append((segment.seq - 1) // 1000)
    return found


def test_three_segments_later_one_is_lost_at_once() -> None:
    # 2 is lost; 3, 4 and 5 are reported: so many that no reordering is allowed for (section 6.2, step 4). The window
    # was 10 and grew by two acknowledgements; PRR lets one go for each that arrives, and first of all the lost one.
    bench = transfer(14, 2)
    assert sent(bench)[0] == FIRST
    assert sent(bench)[100][-1] == 2
    assert bench.look(0, c.RESENT) == 1
    assert bench.look(0, c.TIMEOUTS) == 0


def test_fewer_than_three_wait_for_a_quarter_of_the_round_trip() -> None:
    # 8 of 10 is lost and 9 reported: it may be late by min RTT / 4 = 25 ms, and the timer has 2 ms more.
    assert sent(transfer(10, 8)) == {0: FIRST, 127: [8]}


def test_a_lost_retransmission_is_found_by_what_was_sent_after_it() -> None:
    # 2 goes again at 100 ms, after 10 to 15, and is lost again; these say nothing of it, but 16 and 17,
    # which followed it, do: their acknowledgements arrive at 200 ms.
    bench = transfer(40, 2, 16)
    times = [time for time, numbers in sent(bench).items() if 2 in numbers]
    assert times == [0, 100, 200]
    assert bench.look(0, c.TIMEOUTS) == 0


def test_the_last_segment_is_probed_after_two_round_trips() -> None:
    # 8 and 9 are lost and nothing follows: PTO = 2 SRTT and 2 ms after the last acknowledgement, at 100 ms (section
    # 7.2). The probe is the last segment; that it arrives shows that 8 is lost, which had 125 ms.
    bench = transfer(10, 8, 9)
    assert sent(bench) == {0: FIRST, 302: [9], 402: [8]}
    assert bench.look(0, c.TIMEOUTS) == 0


def test_a_lone_segment_allows_for_a_delayed_acknowledgement_but_not_beyond_the_timeout() -> None:
    # Linux, cubic-rto-ss-ca-cwnd-bump: the probe after 300 ms, where 2 SRTT + 200 ms are cut by the RTO of
    # 100 + 200 ms; the retransmission 300 ms after that. On its acknowledgement cwnd 2, ssthresh 0.7 x 10.
    drill = Drill(linux(recovery="rack", congestion_control="cubic"))
    drill.write(1)
    drill.at(100).ack(1)
    drill.write(1)
    drill.at(800)
    times = [time for time, seq, _ in drill.sent if seq == 1000]
    assert times == [100, 400, 700]
    drill.ack(2)
    assert drill.cwnd == 2
    assert drill.look(c.SSTHRESH) == 7000


def test_reordering_widens_the_window_of_time() -> None:
    # 2 is not lost but comes 20 ms late: with three later ones it is taken for lost, as no reordering is known. After
    # that, 12, which is 20 ms late too, may be: no second retransmission.
    def late(segment: Segment, number: int) -> tuple[int, ...]:
        return (20 * MS,) if segment.end == 0 and segment.length and number in (2, 30) else (0,)

    bench = Bench(settings(dsack=True, timestamps=True, timestamp_tick=MS), delay=50 * MS, fate=late)
    bench.start(0, [60_000]).run()
    assert bench.received[1] == 60_000
    assert bench.look(0, c.RESENT) == 1
    assert bench.look(0, c.REORDERED) == 1


def test_a_reduction_that_was_spurious_is_undone() -> None:
    # The acknowledgement of the late original echoes a timestamp before the retransmission (Eifel, RFC 3522).
    def late(segment: Segment, number: int) -> tuple[int, ...]:
        return (20 * MS,) if segment.end == 0 and number == 2 else (0,)

    bench = Bench(settings(timestamps=True, timestamp_tick=MS), delay=50 * MS, fate=late).start(0, [14_000]).run()
    assert bench.look(0, c.RESENT) == 1
    assert bench.look(0, c.CWND) >= 10_000
    assert bench.look(0, c.SSTHRESH) > 10**6


def test_what_arrives_twice_is_reported_first() -> None:
    # RFC 2883, section 4.1: the duplicate's range, below the acknowledgement.
    def twice(segment: Segment, number: int) -> tuple[int, ...]:
        return (0, 5 * MS) if segment.end == 0 and number == 3 else (0,)

    bench = Bench(settings(dsack=True), delay=50 * MS, fate=twice).start(0, [10_000]).run()
    words = [segment.words[3] for segment in bench.trace if segment.end == 1 and segment.words[3]]
    assert [(word >> 62, (word >> 31) % 2**31, word % 2**31) for word in words] == [(1, 7000, 1000)]


def test_the_window_falls_in_proportion_to_what_arrives() -> None:
    # 20 segments are out (all of 10 were acknowledged), the first is lost: ssthresh is 10. The first two that arrive
    # let new ones go (RFC 3042), the third lets the lost one. PRR sends a segment for every second that arrives (RFC
    # 9937, section 6.2), so that 10 are out when all 19 have come.
    bench = transfer(60, 10)
    times = sent(bench)
    assert times[100] == list(range(10, 30))
    assert times[200] == [30, 31, 10, *range(32, 39)]
    assert bench.look(0, c.TIMEOUTS) == 0


@pytest.mark.parametrize("lost", [range(0, 40, 2), range(20, 40), [0], [39], range(5, 200, 3)])
@pytest.mark.parametrize("control", ["reno", "cubic", "bbr", "dctcp"])
def test_whatever_is_lost_comes_again_and_the_books_balance(control: str, lost: Any) -> None:
    bench = transfer(200, *lost, congestion_control=control)
    assert [bench.look(0, word) for word in (c.SACKED_OUT, c.LOST_OUT, c.RESENT_OUT, c.NOTED)] == [0, 0, 0, 0]
    assert bench.look(0, c.DELIVERED) == 200_000
