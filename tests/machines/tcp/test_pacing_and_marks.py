"""Pacing, bandwidth by BBR, and marks with their echoes, worked by hand (RFC 3168, RFC 8257; Linux tcp_bbr.c)."""

from __future__ import annotations

from typing import Any

from drill import Drill, linux
from tcp_bench import BASE, MS, Bench

from simio.machines.door import call
from simio.machines.tcp import connection, initial, marks, receiving, sending
from simio.machines.tcp import layout as c
from simio.machines.tcp.congestion import bbr, bbr_model, dctcp

CE, ECE, CWR, ECT = c.CE, c.ECE, c.CWR, c.ECT


def test_a_paced_window_leaves_in_bursts_at_twice_the_window_a_round_trip() -> None:
    # The first ten segments are not paced. Then 20 segments of 1000 bytes a round trip of 100 ms, times 2 in slow
    # start: 400 kB/s. A burst is 1/1024 s of that, at least two segments: 2000 bytes each 5 ms.
    drill = Drill(linux(pacing=True))
    drill.write(30)
    assert drill.at(100).ack(10) == 2
    assert 395_000 <= drill.look(c.PACE_RATE) <= 400_000
    due = drill.look(c.PACE_DUE)
    assert 2.4 * MS < due - drill.now <= 5.1 * MS


def test_bbr_finds_the_rate_of_the_line_and_keeps_no_queue() -> None:
    # A line of 10 Mbit/s, 1040 bytes a segment: 1.2 MB/s of data at 20 ms, 24 segments. BBR's window is twice that.
    settings = linux(
        recovery="rack", congestion_control="bbr", send_space=10**6, receive_space=10**6, receive_shift=7
    )
    bench = Bench(settings, delay=10 * MS, byte=800_000).start(0, [6_000_000])
    bench.run(3000 * MS)
    assert abs(bench.look(0, bbr_model.BEST) - 1_201_923) < 13_000
    assert bench.look(0, bbr_model.MODE) == bbr.PROBE_BW
    assert bench.received[1] > 3_300_000
    srtt = bench.look(0, c.SRTT) >> 3
    assert srtt < 32_000


class Receiver:
    """A receiver alone: segments arrive, acknowledgements and their echoes are noted."""

    def __init__(self, **options: Any) -> None:
        self.state = [0] * BASE + initial(linux(ecn=True, **options), 65535)
        self.now = 10**12
        self.told: list[tuple[int, int]] = []
        """Acknowledgement in segments, and whether it echoes congestion."""

    def ask(self, function: Any, a: int = 0, b: int = 0) -> int:
        return call(function, self.state, BASE, self.now, a, b)

    def take(self, segment: int, word: int) -> None:
        self.ask(marks.take_marks, word)
        bits = self.ask(connection.accept, (1 + 1000 * segment) << 19 | 1000, 1 << 16 | 500)
        while bits & 1 and self.ask(sending.output) > c.TIMER:
            told = self.ask(sending.acknowledgement) >> 16
            self.told.append(((told - 1) // 1000, self.ask(marks.marks) // ECE % 2))
        self.ask(receiving.read, 10**6)


def test_an_accurate_receiver_acknowledges_before_the_mark_changes() -> None:
    # RFC 8257, section 3.2: 0 is not marked and waits for a second; 1 is: first 0 is acknowledged without an echo,
    # then 1 with one at once. 2 and 3 share an acknowledgement; 4 changes back, and finds nothing waiting.
    receiver = Receiver(accurate=True, quick_acks=0)
    for segment, word in enumerate((ECT, ECT | CE, ECT | CE, ECT | CE, ECT)):
        receiver.take(segment, word)
    assert receiver.told == [(1, 0), (2, 1), (4, 1), (5, 0)]


def test_a_classic_receiver_echoes_until_the_sender_has_answered() -> None:
    # RFC 3168, section 6.1.3: all acknowledgements after a mark, until a segment says that the window was reduced.
    receiver = Receiver(ack_every=1)
    for segment, word in enumerate((ECT, ECT | CE, ECT, ECT | CWR, ECT)):
        receiver.take(segment, word)
    assert [echo for _, echo in receiver.told] == [0, 1, 1, 0, 0]


def acknowledge(drill: Drill, segment: int, word: int) -> None:
    drill.ask(marks.take_marks, word)
    drill.ack(segment)


def test_marks_reduce_the_window_once_a_round_trip_and_are_answered() -> None:
    drill = Drill(linux(ecn=True))
    drill.write(60)
    drill.at(100)
    for segment in range(1, 11):
        acknowledge(drill, segment, ECE)
    # With the first echo, half of the window of ten is the threshold and the window (RFC 3168, section 6.1.2; Linux
    # net/ipv4/tcp_cong.c, tcp_reno_ssthresh), which the other nine echoes leave as it is.
    assert drill.look(c.SSTHRESH) == 5000
    assert drill.cwnd < 7


def test_dctcp_takes_the_share_of_marked_data_off_the_window() -> None:
    # RFC 8257, section 3.3, g = 1/16: alpha is 1 at first; a window without marks leaves 15/16 of it.
    drill = Drill(linux(ecn=True, congestion_control="dctcp", recovery="rack"))
    drill.write(100)
    before = drill.look(dctcp.ALPHA)
    drill.at(100)
    acknowledge(drill, 10, 0)
    assert drill.look(dctcp.ALPHA) == before - before // 16
    drill.at(200)
    window, alpha = drill.cwnd, drill.look(dctcp.ALPHA)
    acknowledge(drill, 20, ECE)
    share = alpha - alpha // 16 + 64
    assert drill.look(dctcp.ALPHA) == min(share, 1024)
    assert drill.look(c.SSTHRESH) == (int(window) - (int(window) * drill.look(dctcp.ALPHA) >> 11)) * 1000
