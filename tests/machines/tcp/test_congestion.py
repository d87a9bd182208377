"""The congestion window by the RFCs' arithmetic. Segments of 1000 bytes, 50 ms each way, windows that never limit."""

from __future__ import annotations

from tcp_bench import MS, SECOND, Bench

from simio.machines.tcp import TcpSettings
from simio.machines.tcp.layout import CWND, SSTHRESH


def bench(**options) -> Bench:
    """The receiver's own timer of acknowledgements is too long to matter."""
    plain = {
        "mss": 1000,
        "send_space": 2**20,
        "receive_space": 2**21,
        "send_shift": 5,
        "receive_shift": 5,
        "rto_tick": 0,
        "ack_tick": 0,
        "ack_delay": 500 * MS,
        "ack_every": 1,
    }
    return Bench(TcpSettings(**{**plain, **options}), delay=50 * MS)


def bursts(run: Bench) -> list[int]:
    """Segments of data sent at each multiple of 100 ms."""
    counts: dict[int, int] = {}
    for segment in run.data(0):
        assert segment.time % (100 * MS) == 0
        counts[segment.time // (100 * MS)] = counts.get(segment.time // (100 * MS), 0) + 1
    return [counts.get(at, 0) for at in range(max(counts) + 1)]


def test_slow_start_doubles_where_each_segment_is_acknowledged() -> None:
    assert bursts(bench().start(0, [127_000]).run()) == [1, 2, 4, 8, 16, 32, 64]
    assert bursts(bench(initial_window=4000).start(0, [60_000]).run()) == [4, 8, 16, 32]


def test_slow_start_with_delayed_acknowledgements_grows_by_half() -> None:
    # Every second segment is acknowledged, and every acknowledgement lets three go: one more than it covers. An odd
    # segment waits for the next burst. 100 ms: (1,2) -> 3. 200: (3,4) -> 3. 300: (5,6) (7,8) -> 6. 400: three -> 9.
    # 500: four of nine pairs' halves -> 12, one is left over. 600: with it 13: six -> 18. 700: 19: nine -> 27.
    run = bench(ack_every=2, initial_window=2000).start(0, [80_000]).run()
    assert bursts(run) == [2, 3, 3, 6, 9, 12, 18, 27]


def test_byte_counting_doubles_in_spite_of_delayed_acknowledgements() -> None:
    # RFC 3465 with L = 2: an acknowledgement of two segments opens the window by two.
    run = bench(ack_every=2, initial_window=2000, byte_counting=True).start(0, [62_000]).run()
    assert bursts(run) == [2, 4, 8, 16, 32]


def test_congestion_avoidance_adds_a_segment_a_round_trip() -> None:
    # Equation 3 of RFC 5681 in whole bytes, once the window is above the threshold: at 4000 it is not yet.
    run = bench(initial_window=4000)
    run.states[0][7 + SSTHRESH] = 4000
    windows = []
    run.start(0, [100_000])
    while len(windows) < 8:
        run.step()
        if not windows or run.look(0, CWND) != windows[-1]:
            windows.append(run.look(0, CWND))
    assert windows == [4000, 5000, 5200, 5392, 5577, 5756, 5929, 6097]


def test_congestion_avoidance_with_byte_counting() -> None:
    # A segment more for each window of bytes that is acknowledged.
    run = bench(initial_window=4000, byte_counting=True)
    run.states[0][7 + SSTHRESH] = 3000
    assert bursts(run.start(0, [30_000]).run()) == [4, 5, 6, 7, 8]


def test_the_window_has_a_limit() -> None:
    assert bursts(bench(max_cwnd=5000).start(0, [22_000]).run()) == [1, 2, 4, 5, 5, 5]


def test_an_idle_time_takes_the_window_back() -> None:
    # 31 segments leave a window of 32. The retransmission time is its least, 1 s; data were last sent at 400 ms.
    def after(pause: int, **options) -> int:
        run = bench(**options).start(0, [31_000]).start(0, [20_000], time=400 * MS + pause).run()
        return sum(segment.time == 400 * MS + pause for segment in run.data(0))

    assert after(1000 * MS) == 1
    assert after(1000 * MS, initial_window=3000) == 3
    assert after(1000 * MS - 1) == 20
    assert after(1000 * MS, idle_restart=False) == 20


def test_a_window_restarted_after_idle_time_grows_again_by_slow_start() -> None:
    run = bench().start(0, [31_000]).start(0, [15_000], time=5 * SECOND).run()
    assert bursts(run)[50:] == [1, 2, 4, 8]
