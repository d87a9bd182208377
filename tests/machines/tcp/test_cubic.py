"""CUBIC and HyStart, by Linux's packetdrill tests (google/packetdrill, gtests/net/tcp/cubic) and RFC 9438."""

from __future__ import annotations

import pytest
from drill import Drill, linux
from tcp_bench import BASE, MS

from simio.machines.tcp import layout as c
from simio.machines.tcp.congestion import cubic


def drill(round_trip: int = 100 * MS, **options) -> Drill:
    return Drill(linux(congestion_control="cubic", **options), round_trip)


def test_longer_round_trips_end_slow_start() -> None:
    # cubic-hystart-delay-rtt-jumps-upward: 200 ms, then 240 ms.
    run = drill(200 * MS)
    run.write(10)
    run.at(200).ack(10)
    assert run.cwnd == 20
    assert run.write(20) == 20
    windows = []
    for pair in range(1, 11):
        run.at(440 + pair - 1).ack(10 + 2 * pair)
        windows.append(run.cwnd)
    assert windows == [22, 24, 26, 28, 30, 32, 34, 36, 36, 36]
    assert run.ssthresh == 36


def test_a_timeout_leaves_seven_tenths_and_slow_start_up_to_there() -> None:
    # cubic-rto-ss-ca-cwnd-bump, without the tail probe: the timer runs out at 300 ms.
    run = drill()
    run.write(1)
    run.at(100).ack(1)
    run.write(1)
    run.at(450)
    assert [time for time, _, _ in run.sent] == [0, 100, 400]
    run.at(500).ack(2)
    assert (run.cwnd, run.ssthresh) == (2, 7)
    assert run.write(40) == 2
    sent = []
    for segment in range(3, 11):
        sent.append(run.at(600 + segment).ack(segment))
    assert sent == [2, 2, 2, 2, 2, 1, 1, 1]
    assert run.cwnd == 7


def test_after_slow_start_the_window_grows_by_a_twentieth_and_then_by_the_curve() -> None:
    # cubic-bulk-166k: an acknowledgement for 2 segments every 100 ms; 49 at 60 (thousand bytes), 50 at 80, 52 at 100.
    # That HyStart leaves slow start at 48 is given here: without pacing it does so five acknowledgements earlier.
    run = drill()
    run.write(400)
    run.state[BASE + cubic.FOUND] = 1
    run.state[BASE + c.SSTHRESH] = 48_000
    windows = {}
    for pair in range(1, 51):
        run.at(100 * pair).ack(2 * pair)
        windows[2 * pair] = run.cwnd
    assert [windows[at] for at in (10, 20, 30, 38, 60, 80, 100)] == [20, 30, 40, 48, 49, 50, 52]


def test_a_train_of_acknowledgements_ends_slow_start() -> None:
    # Rounds of 20, 40 and 80 segments, whose acknowledgements come 2, 1 and 0.75 ms apart. Half of the least round
    # trip, 100 ms, and of a burst, 1 ms, is allowed: 68 intervals of 0.75 ms are more.
    run = drill()
    run.write(1000)
    run.at(100).ack(10)
    ended = []
    for first, last, begin, apart in ((11, 30, 200, 2), (31, 70, 300, 1), (71, 150, 400, 0.75)):
        for segment in range(first, last + 1):
            run.at(begin + apart * (segment - first)).ack(segment)
            if run.ssthresh < 10**5:
                ended.append(segment)
    assert ended[0] == 71 + 68


def test_pacing_allows_a_train_twice_as_long() -> None:
    # Pacing spreads data over half of a round trip: all of 100 ms and of a burst, 1 ms, is allowed, not half of it.
    run = drill()
    run.write(1000)
    run.at(100).ack(10)
    for paced, allowed in ((0, 50.5), (1, 101)):
        run.state[BASE + c.PACED] = paced
        assert cubic.train_allowed(run.state, BASE) == allowed * MS


@pytest.mark.parametrize(
    ("value", "root"), [(0, 0), (7, 1), (8, 2), (26, 2), (27, 3), (10**15, 10**5), (10**15 - 1, 99_999)]
)
def test_cube_roots_are_whole_and_exact(value: int, root: int) -> None:
    assert cubic.cube_root(value) == root


def test_the_curve_reaches_the_window_before_the_loss_at_its_plateau() -> None:
    # RFC 9438, section 4.2: K is the cube root of (100 - 70) / 0.4, 4.217 s, and W(K) is 100.
    run = drill()
    run.state[BASE + c.CWND] = 100_000
    run.state[BASE + c.SSTHRESH] = cubic.threshold(run.state, BASE, run.now)
    run.state[BASE + c.CWND] = run.look(c.SSTHRESH)
    assert run.cwnd == 70
    cubic.begin_epoch(run.state, BASE, run.now, 70, 0)
    assert run.state[BASE + cubic.PLATEAU] / 1024 == pytest.approx(4.217, abs=0.01)
    begun = run.now
    found = [cubic.curve(run.state, BASE, begun + time * 10**9) for time in (0, 2000, 4217, 6000)]
    assert found == [pytest.approx(100 + 0.4 * (time / 1000 - 4.217) ** 3, abs=1) for time in (0, 2000, 4217, 6000)]


def test_a_flow_that_shrinks_makes_room() -> None:
    run = drill()
    run.state[BASE + c.CWND] = 100_000
    assert cubic.threshold(run.state, BASE, run.now) == 70_000
    assert run.state[BASE + cubic.LAST_MAX] == 100
    run.state[BASE + c.CWND] = 80_000
    assert cubic.threshold(run.state, BASE, run.now) == 56_000
    # 80 * 1.7 / 2.
    assert run.state[BASE + cubic.LAST_MAX] == 68


def test_idle_time_shifts_the_curve() -> None:
    run = drill()
    run.write(2)
    run.at(100).ack(2)
    run.state[BASE + cubic.EPOCH] = run.now
    run.at(1100)
    run.write(1)
    assert run.state[BASE + cubic.EPOCH] == run.now
