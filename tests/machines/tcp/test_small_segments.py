"""Small segments and delayed acknowledgements, packet by packet. 10 ms each way; times in ms.

A line of a trace is: time, who sent (A writes, B reads), sequence number, length, acknowledgement.
"""

from __future__ import annotations

import pytest
from tcp_bench import MS, Bench

from simio.machines.tcp import NAGLE_SMALL, TcpSettings


def bench(other: dict | None = None, **options) -> Bench:
    """Segments of 1000 bytes; B offers 65535 whatever it has in its buffer."""
    plain = {"mss": 1000, "send_space": 20_000, "receive_space": 200_000, "initial_window": 10_000}
    return Bench(TcpSettings(**{**plain, **options}), TcpSettings(**{**plain, **(other or {})}))


def test_nagle_and_the_delayed_acknowledgement_wait_for_each_other() -> None:
    # The first write goes, since nothing is out. The others wait for its acknowledgement, which B's timer gives at
    # its tick of 200 ms; then they go as one segment, acknowledged at the next tick.
    lines = bench().start(0, [100, 150, 50]).run().lines()
    assert lines == [
        (0, "A", 1, 100, 1),
        (200, "B", 1, 0, 101),
        (210, "A", 101, 200, 1),
        (400, "B", 1, 0, 301),
    ]


def test_without_nagle_each_write_goes_at_once() -> None:
    lines = bench(nodelay=True).start(0, [100, 150, 50]).run().lines()
    assert lines == [(0, "A", 1, 100, 1), (0, "A", 101, 150, 1), (0, "A", 251, 50, 1), (200, "B", 1, 0, 301)]


def test_full_segments_go_and_the_rest_waits() -> None:
    # 2500 bytes come while 100 are out: two full segments go, which B acknowledges at once, since with them it has
    # two segments' bytes that are not acknowledged. Nothing is out then: the rest goes.
    lines = bench().start(0, [100, 2500]).run(50 * MS).lines()
    assert lines == [
        (0, "A", 1, 100, 1),
        (0, "A", 101, 1000, 1),
        (0, "A", 1101, 1000, 1),
        (10, "B", 1, 0, 2101),
        (20, "A", 2101, 500, 1),
    ]


def test_the_end_of_a_write_that_began_with_nothing_out_goes_along() -> None:
    lines = bench().start(0, [2500]).run(5 * MS).lines()
    assert lines == [(0, "A", 1, 1000, 1), (0, "A", 1001, 1000, 1), (0, "A", 2001, 500, 1)]
    # Two writes of 1000 and 500 are not one: the second comes while the first is out.
    lines = bench().start(0, [1000, 500]).run(5 * MS).lines()
    assert lines == [(0, "A", 1, 1000, 1)]


def test_an_answer_carries_the_acknowledgement() -> None:
    run = bench().start(0, [100]).start(1, [30], time=15 * MS).start(0, [200], time=30 * MS).run(100 * MS)
    assert run.lines() == [(0, "A", 1, 100, 1), (15, "B", 1, 30, 101), (30, "A", 101, 200, 31)]


def test_a_small_segment_waits_for_small_ones_only() -> None:
    # Minshall: the full segment that is out keeps nobody waiting; the small one does.
    lines = bench(nagle=NAGLE_SMALL).start(0, [1000, 100, 150]).run(215 * MS).lines()
    assert lines == [
        (0, "A", 1, 1000, 1),
        (0, "A", 1001, 100, 1),
        (200, "B", 1, 0, 1101),
        (210, "A", 1101, 150, 1),
    ]


def test_what_counts_as_small_can_be_less_than_a_segment() -> None:
    # With a limit of 300 bytes, 299 wait for the 100 that are out, 300 do not, together or not.
    for writes, sent in (([100, 299], [100]), ([100, 300], [100, 300]), ([100, 150, 150], [100, 300])):
        run = bench(nagle_limit=300).start(0, writes).run(5 * MS)
        assert [segment.length for segment in run.data(0)] == sent


def test_half_of_the_largest_window_goes() -> None:
    # B offers 2000 at most: 1000 bytes are half of that, and go though a segment would hold 1460.
    for size, sent in ((999, 1), (1000, 2)):
        run = bench({"mss": 1460, "receive_space": 2000}, mss=1460).start(0, [500, size]).run(5 * MS)
        assert len(run.data(0)) == sent
        run = bench({"mss": 1460, "receive_space": 2000}, mss=1460, half_window=False).start(0, [500, size])
        assert len(run.run(5 * MS).data(0)) == 1


@pytest.mark.parametrize(
    ("options", "time"),
    [
        ({}, 200),
        ({"ack_phase": 30 * MS}, 30),
        ({"ack_phase": 210 * MS}, 210),
        ({"ack_tick": 0}, 60),
        ({"ack_tick": 0, "ack_delay": 100 * MS}, 110),
    ],
)
def test_when_a_delayed_acknowledgement_goes(options: dict, time: int) -> None:
    # By the host's tick, wherever that is (one at 210 ms is one at 10 ms as well, which is just over when the segment
    # has arrived); or so long after the segment.
    run = bench(options).start(0, [100]).run()
    assert run.lines()[1:] == [(time, "B", 1, 0, 101)]


def test_a_tick_acknowledges_what_came_since_the_last() -> None:
    # The timer is the connection's first segment's, not set anew by the second.
    run = (
        bench({"ack_tick": 0, "ack_delay": 50 * MS}, nodelay=True).start(0, [100]).start(0, [100], time=40 * MS).run()
    )
    assert run.lines()[2:] == [(60, "B", 1, 0, 201)]


@pytest.mark.parametrize(
    ("every", "small", "acks"),
    [
        (1, False, [(10, 1001), (10, 2001), (10, 3001), (10, 4001), (10, 5001)]),
        (2, False, [(10, 2001), (10, 4001), (200, 5001)]),
        (3, False, [(10, 3001), (200, 5001)]),
        (8, False, [(200, 5001)]),
        (2, True, [(10, 2001), (10, 4001), (200, 5001)]),
    ],
)
def test_how_many_full_segments_are_acknowledged_at_once(every: int, small: bool, acks: list) -> None:
    # B's program has not asked to read yet.
    run = bench({"ack_every": every, "ack_small": small}).start_reading(1, []).start(0, [5000]).run()
    assert [(time, ack) for time, who, _, _, ack in run.lines() if who == "B"] == acks


def test_whether_small_segments_are_counted() -> None:
    for small, acks in ((True, [(10, 201), (10, 401), (200, 501)]), (False, [(200, 501)])):
        run = bench({"ack_small": small}, nodelay=True).start(0, [100] * 5).run()
        assert [(time, ack) for time, who, _, _, ack in run.lines() if who == "B"] == acks


def test_one_full_segment_and_a_part_of_another_are_acknowledged_at_once_on_linux() -> None:
    # "More than one full frame" (Linux, __tcp_ack_snd_check), and not two full ones, the least of RFC 5681.
    for option, acks in ((True, [(10, 1501)]), (False, [(200, 1501)])):
        run = bench({"ack_part": option}).start_reading(1, []).start(0, [1500]).run()
        assert [(time, ack) for time, who, _, _, ack in run.lines() if who == "B"] == acks


def test_one_full_segment_alone_waits_on_linux_too() -> None:
    run = bench({"ack_part": True}).start_reading(1, []).start(0, [1000]).run()
    assert [(time, ack) for time, who, _, _, ack in run.lines() if who == "B"] == [(200, 1001)]


def test_without_counting_the_reader_acknowledges_by_window_updates() -> None:
    # 4.3BSD: with each two segments that the reader takes, the window has grown by enough to say so.
    other = {"ack_every": 0, "receive_space": 20_000}
    run = bench(other).start(0, [5000]).run()
    assert [(time, ack) for time, who, _, _, ack in run.lines() if who == "B"] == [
        (10, 2001),
        (10, 4001),
        (200, 5001),
    ]
    run = bench(other).start_reading(1, []).start(0, [5000]).run()
    assert [(time, ack) for time, who, _, _, ack in run.lines() if who == "B"] == [(200, 5001)]
    # Twice the segments, or half of the buffer, whichever is less.
    for changes, acks in (
        ({"update_segments": 4}, [4001]),
        ({"receive_space": 6000}, [3001]),
        ({"update_divisor": 20}, [1001, 2001, 3001, 4001, 5001]),
    ):
        run = bench({**other, "update_segments": 6, **changes}).start(0, [5000]).run(100 * MS)
        assert [ack for _, who, _, _, ack in run.lines() if who == "B"] == acks
