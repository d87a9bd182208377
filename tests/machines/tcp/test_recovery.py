"""Losses, and what each recovery sends again: traces worked by hand.

Segments of 1000 bytes are numbered from 0; 50 ms each way, so that what is sent at 0 is acknowledged at 100 ms; every
segment is acknowledged. The receiver's buffer is larger than any window can say, so that all acknowledgements carry
the same window.
"""

from __future__ import annotations

import pytest
from tcp_bench import MS, SECOND, Bench, lose

from simio.machines.tcp import TcpSettings
from simio.machines.tcp.layout import ARRIVED, CWND, SSTHRESH
from simio.machines.tcp.recovery import RECOVERIES


def stack(**options) -> TcpSettings:
    """Ten segments at first, 1 s at least to a timeout."""
    return TcpSettings(
        **{
            "mss": 1000,
            "send_space": 200_000,
            "receive_space": 200_000,
            "initial_window": 10_000,
            "ack_every": 1,
            "rto_tick": 0,
            **options,
        }
    )


def transfer(segments: int, *lost: int, **options) -> Bench:
    """So many segments, those lost that end 0 sends as the given ones in order of sending."""
    bench = Bench(stack(**options), delay=50 * MS, fate=lose(0, *lost)).start(0, [segments * 1000]).run()
    assert bench.received[1] == segments * 1000
    return bench


def sent(bench: Bench) -> dict[int, list[int]]:
    """Segments that were sent at each time in ms."""
    times: dict[int, list[int]] = {}
    for segment in bench.data(0):
        assert (segment.time % MS, segment.seq % 1000, segment.length) == (0, 1, 1000)
        times.setdefault(segment.time // MS, []).append(segment.seq // 1000)
    return times


FIRST = list(range(10))


def test_one_loss_with_reno() -> None:
    # At 100 ms, acknowledgements 1 and 2 let 2 segments go each (slow start: 11, 12). Seven duplicates follow, of
    # 3 to 9. The third: 12 segments are out, so the threshold is 6; segment 2 goes again; the window is 6 + 3.
    # Four more make it 13: from 2 on that is up to 14. At 200 ms, four duplicates of 10 to 13 make it 17: up to 18.
    # Then 14 is acknowledged: the window is 6, from 14 up to 19.
    bench = transfer(20, 2, recovery="reno")
    assert sent(bench) == {0: FIRST, 100: [10, 11, 12, 13, 2, 14], 200: [15, 16, 17, 18, 19]}
    assert bench.look(0, SSTHRESH) == 6000
    # 15 is acknowledged at 200 ms in slow start still (the window is not above 6), then 16 to 20 at 300 ms with
    # 1000 * 1000 // window more each: 142, 140, 137, 134, 132.
    assert bench.look(0, CWND) == 7000 + 142 + 140 + 137 + 134 + 132


def test_one_loss_with_newreno_and_with_tahoe() -> None:
    # NewReno: at the end of recovery 14 to 18 are out, and the window is min(6, 5 + 1): as Reno.
    assert sent(transfer(20, 2, recovery="newreno")) == {
        0: FIRST,
        100: [10, 11, 12, 13, 2, 14],
        200: [15, 16, 17, 18, 19],
    }
    # Tahoe: one segment, and slow start from there once it is acknowledged: 2, then 2 for each acknowledgement.
    assert sent(transfer(20, 2, recovery="tahoe")) == {
        0: FIRST,
        100: [10, 11, 12, 13, 2],
        200: [14, 15],
        300: [16, 17, 18, 19],
    }


def test_one_loss_with_sack() -> None:
    # As Reno up to the third duplicate, which finds 12 out: window 6. What is under way is 2, that goes again, and 6
    # to 13, of which each duplicate takes one: the seventh leaves 2 and 10 to 13, 5; so one more may go: 14.
    # At 200 ms, each of four duplicates lets one go: 15 to 18. Then 14 is acknowledged and 15 to 18 are under way,
    # and 14 itself: one more.
    assert sent(transfer(20, 2, recovery="sack")) == {
        0: FIRST,
        100: [10, 11, 12, 13, 2, 14],
        200: [15, 16, 17, 18, 19],
    }


def test_reno_stalls_on_two_losses_in_a_window() -> None:
    # 2 and 4 are lost, and 13 is the last there is. 2 goes again at 100 ms; at 200 ms that acknowledges up to 4 and
    # ends recovery. No more duplicates come: 4 waits for the timer, which that acknowledgement has set anew.
    bench = transfer(14, 2, 4, recovery="reno")
    assert sent(bench) == {0: FIRST, 100: [10, 11, 12, 13, 2], 1200: [4]}


def test_newreno_takes_a_round_trip_for_each_loss() -> None:
    assert sent(transfer(14, 2, 4, recovery="newreno")) == {0: FIRST, 100: [10, 11, 12, 13, 2], 200: [4]}
    assert sent(transfer(14, 2, 4, 6, recovery="newreno")) == {
        0: FIRST,
        100: [10, 11, 12, 13, 2],
        200: [4],
        300: [6],
    }


def test_sack_finds_two_losses_in_one_round_trip() -> None:
    # The third duplicate (of 6) finds 2 lost, since 3, 5 and 6 have come; the fourth (of 7) finds 4 lost. Under way
    # are then 2 again and 8 to 13; after the duplicates of 8 and 9 these are 5, so that 4 may go.
    assert sent(transfer(14, 2, 4, recovery="sack")) == {0: FIRST, 100: [10, 11, 12, 13, 2, 4]}


def test_sack_reports_the_latest_range_first() -> None:
    bench = transfer(14, 2, 4, recovery="sack")
    blocks = [segment.blocks() for segment in bench.trace if segment.end == 1 and segment.blocks()]
    assert blocks[:3] == [[(3001, 4001)], [(5001, 6001), (3001, 4001)], [(5001, 7001), (3001, 4001)]]


COUNTING = [recovery for recovery in RECOVERIES if not RECOVERIES[recovery].scoreboard]
"""Those that count duplicates; `test_rack` has the one that goes by time."""


@pytest.mark.parametrize("recovery", COUNTING)
def test_a_lost_retransmission_waits_for_the_timer(recovery: str) -> None:
    # 2 goes again at 100 ms as the fifteenth segment, which is lost too. The timer was set then: 1 s, the least.
    bench = transfer(14, 2, 14, recovery=recovery)
    assert sent(bench) == {0: FIRST, 100: [10, 11, 12, 13, 2], 1100: [2]}


@pytest.mark.parametrize("recovery", list(RECOVERIES))
def test_after_a_timeout_all_is_sent_again_from_one_segment_on(recovery: str) -> None:
    # All ten are lost, and again 0: at 1 s, the initial time, and 2 s after that. Then slow start, two for each.
    lost = [*range(10), 10]
    bench = transfer(10, *lost, recovery=recovery, rto_initial=SECOND)
    assert sent(bench) == {0: FIRST, 1000: [0], 3000: [0], 3100: [1, 2], 3200: [3, 4, 5, 6], 3300: [7, 8, 9]}
    # The threshold is half of the ten that were out; the second timeout, of the same segment, does not count.
    assert bench.look(0, SSTHRESH) == 5000


def test_segments_that_have_arrived_are_not_sent_again_after_a_timeout() -> None:
    # 0 is lost at first and once more at 100 ms, where duplicates have it sent again. No round trip has been timed,
    # so it goes again after the initial time of 6 s. What it acknowledges is all.
    bench = transfer(10, 0, 10, recovery="reno")
    assert sent(bench) == {0: FIRST, 100: [0], 6100: [0]}


def test_two_duplicates_are_too_few() -> None:
    # Of three segments the first is lost: two duplicates, then the timer: 3 s.
    bench = transfer(3, 0, initial_window=3000, rto_initial=3 * SECOND)
    assert sent(bench) == {0: [0, 1, 2], 3000: [0]}
    bench = transfer(3, 0, initial_window=3000, duplicate_threshold=2)
    assert sent(bench) == {0: [0, 1, 2], 100: [0]}


def test_limited_transmit_brings_the_third_duplicate() -> None:
    # RFC 3042: the first two duplicates let a new segment go each; their duplicates at 200 ms are the third and
    # fourth. Five are out: the threshold is 2500, the window with the fourth 6500: 5 goes too.
    bench = transfer(6, 0, initial_window=3000, limited_transmit=True)
    assert sent(bench) == {0: [0, 1, 2], 100: [3, 4], 200: [0, 5]}


def test_lost_acknowledgements_are_made_up_by_later_ones() -> None:
    # Of ten acknowledgements only the last arrives: nothing goes twice, but slow start has counted one only.
    bench = Bench(stack(), delay=50 * MS, fate=lose(1, *range(9))).start(0, [21_000]).run()
    assert sent(bench) == {0: FIRST, 100: list(range(10, 21))}


def test_the_last_acknowledgement_lost() -> None:
    # The segment goes again, and the receiver acknowledges at once what it has already.
    bench = Bench(stack(), delay=50 * MS, fate=lose(1, 0)).start(0, [1000]).run()
    assert sent(bench) == {0: [0], 6000: [0]}
    assert [(time, end) for time, end, *_ in bench.lines()] == [(0, "A"), (50, "B"), (6000, "A"), (6050, "B")]
    assert bench.received[1] == 1000


def test_newreno_is_not_misled_by_what_a_timeout_sends_twice() -> None:
    # 0 and 1 are lost, and 0 again; too few duplicates for more. After the timeout at 3 s, 0 is acknowledged, then
    # 1 and 2 go; 2 has come before, so the acknowledgement of 1 covers all. No duplicates cause a retransmission.
    for recovery in COUNTING:
        bench = transfer(4, 0, 1, initial_window=4000, rto_initial=3 * SECOND, recovery=recovery)
        assert sent(bench) == {0: [0, 1, 2, 3], 3000: [0], 3100: [1, 2]}


def test_the_receiver_keeps_so_many_ranges_and_no_more() -> None:
    # Every second of 160 segments is lost: 80 ranges, of which 64 find a place. The others have to come again.
    lost = range(0, 160, 2)
    bench = Bench(
        stack(initial_window=65_000, mss=100, recovery="newreno"), delay=50 * MS, fate=lose(0, *lost)
    ).start(0, [16_000])  # fmt: skip
    bench.run(60 * MS)
    assert bench.look(1, bench.look(1, ARRIVED)) == 64
    bench.run()
    assert bench.received[1] == 16_000


def test_each_timeout_in_a_row_waits_twice_as_long() -> None:
    # RFC 6298, section 5.5, and 64 times at most: 0 is lost nine times.
    bench = transfer(1, *range(9), rto_initial=SECOND, rto_max=3600 * SECOND)
    times = [0, *(2**n - 1 for n in range(1, 8)), 127 + 64, 127 + 2 * 64]
    assert sent(bench) == {1000 * time: [0] for time in times}
