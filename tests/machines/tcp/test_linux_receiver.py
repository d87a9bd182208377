"""The receiver of Linux: quick acknowledgements, and a window apart from the buffer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from drill import linux
from tcp_bench import MS, Bench

from simio.machines.tcp import layout as c


def receiver(**options):
    return linux(**{"ack_tick": 0, "ack_delay": 40 * MS, "update_segments": 0, "receive_shift": 7, **options})


def acks(run: Bench) -> list[int]:
    """Bytes that each acknowledgement of end 1 covers, in segments."""
    edges = [segment.ack - 1 for segment in run.trace if segment.end == 1]
    return [(after - before) // 1000 for before, after in zip([0, *edges], edges, strict=False)]


def transfer(segments: int, pause: int = 0, **options) -> Bench:
    ends = receiver(receive_space=2**20, initial_window=100_000), receiver(receive_space=2**20, **options)
    run = Bench(*ends, delay=50 * MS).start(0, [segments * 1000])
    return (run.start(0, [segments * 1000], time=pause) if pause else run).run()


def test_the_first_segments_are_acknowledged_one_by_one() -> None:
    assert acks(transfer(26)) == [2] * 13
    assert acks(transfer(26, quick_acks=16)) == [1] * 16 + [2] * 5


def test_no_more_are_than_fill_half_of_the_window() -> None:
    assert acks(transfer(26, quick_acks=16, advertised_window=13_056)) == [1] * 6 + [2] * 10


@pytest.mark.parametrize(("pause", "quick"), [(1000, 16), (900, 0)])
def test_they_are_again_after_a_retransmission_time_without_data(pause: int, quick: int) -> None:
    # The receiver has timed no round trip: its retransmission time is 1 s. Data came last at 50 ms.
    run = transfer(20, pause=(1 + pause) * MS, quick_acks=16)
    assert acks(run)[18:] == [1] * quick + [2] * ((20 - quick) // 2)


def test_the_window_offered_is_no_larger_than_it_may_be() -> None:
    ends = receiver(receive_space=2**20), receiver(receive_space=2**20, advertised_window=20_480)
    run = Bench(*ends, delay=50 * MS).start(0, [60_000]).run()
    offered = {segment.window << 7 for segment in run.trace if segment.end == 1}
    assert offered == {20_480}
    # The buffer holds more than the window: what is not read yet takes nothing from it.
    slow = Bench(*ends, delay=50 * MS).start(0, [40_000]).start_reading(1, [(10**12, 2**20)]).run(9 * 10**11)
    assert slow.look(1, c.BUFFERED) == 40_000
    assert {segment.window << 7 for segment in slow.trace if segment.end == 1} == {20_480}


def test_a_window_that_is_not_said_is_the_buffer() -> None:
    run = Bench(replace(receiver(), receive_space=2**20), receiver(receive_space=2**18), delay=MS).start(0, [1000])
    assert run.run().trace[-1].window << 7 == 2**18


def test_windows_are_announced_by_segments_unless_none_is_enough() -> None:
    # Three segments are read, and then seven, of a buffer of 20: 4.3BSD announces two, Linux half of the buffer.
    def updates(**options) -> int:
        ends = receiver(receive_space=2**20), receiver(receive_space=20_480, **options)
        run = Bench(*ends, delay=MS).start(0, [10_000]).start_reading(1, [(300 * MS, 3000), (400 * MS, 7000)]).run()
        return sum(segment.end == 1 and segment.time >= 300 * MS for segment in run.trace)

    assert updates(update_segments=2) == 2
    assert updates() == 0
