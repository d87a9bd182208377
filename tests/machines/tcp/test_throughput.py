"""Throughput against theory: the window over the round trip, and the law of the root of losses."""

from __future__ import annotations

import random
from math import sqrt

import pytest
from tcp_bench import MS, SECOND, US, Bench

from simio.machines.tcp import TcpSettings

pytestmark = pytest.mark.slow


def rate(bench: Bench, begin: int, length: int = 0) -> float:
    """Bytes a second that were read from `begin` on, for a length of time or up to the end."""
    end = begin + length if length else bench.read_times[1][-1][0]
    size = sum(size for time, size in bench.read_times[1] if begin < time <= end)
    return size * SECOND / (end - begin)


@pytest.mark.parametrize("mss", [512, 1024, 1460])
@pytest.mark.parametrize("every", [1, 2])
def test_a_window_a_round_trip(mss: int, every: int) -> None:
    # The receive buffer is larger than a window can say, so that all acknowledgements carry 65535 bytes.
    settings = TcpSettings(mss=mss, send_space=2**20, receive_space=200_000, ack_every=every)
    bench = Bench(settings, delay=50 * MS).start(0, [65_535 * 110]).run()
    assert rate(bench, 5 * SECOND, 5 * SECOND) == pytest.approx(65_535 // mss * mss / 0.1, rel=0.01)


def test_an_acknowledgement_before_the_reader_has_run_costs_a_segment_of_the_window() -> None:
    # Each acknowledgement goes out while its segment is in the buffer still: the window it carries lacks that one,
    # and what the reader then takes is too little for an update.
    settings = TcpSettings(mss=1024, send_space=2**20, receive_space=16_384, ack_every=1)
    bench = Bench(settings, delay=50 * MS).start(0, [16_384 * 400]).run()
    assert rate(bench, 10 * SECOND, 10 * SECOND) == pytest.approx(15 * 1024 / 0.1, rel=0.01)


def test_a_send_buffer_a_round_trip() -> None:
    settings = TcpSettings(mss=1000, send_space=10_000, receive_space=60_000, ack_every=1)
    bench = Bench(settings, delay=50 * MS).start(0, [10_000] * 200).run()
    assert rate(bench, 5 * SECOND, 10 * SECOND) == pytest.approx(100_000, rel=0.01)


def test_a_scaled_window_a_round_trip() -> None:
    settings = TcpSettings(
        mss=1000, send_space=2**21, receive_space=600_000, send_shift=4, receive_shift=4, ack_every=1
    )
    bench = Bench(settings, delay=50 * MS).start(0, [20_000_000]).run()
    assert rate(bench, 2 * SECOND, SECOND) == pytest.approx(6_000_000, rel=0.01)


def test_a_line_is_filled_once_the_window_allows_it() -> None:
    # 1 us a byte: 1000 bytes in 1040 with headers. A window of 60 segments is more than line and delay hold.
    settings = TcpSettings(mss=1000, send_space=60_000, receive_space=60_000)
    bench = Bench(settings, delay=10 * MS, byte=US).start(0, [3_000_000]).run()
    assert rate(bench, SECOND, SECOND) == pytest.approx(SECOND / US * 1000 / 1040, rel=0.001)


@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize(("recovery", "loss"), [("reno", 0.005), ("newreno", 0.005), ("sack", 0.01)])
def test_random_losses_limit_by_their_root(recovery: int, loss: float, every: int) -> None:
    # Mathis, Semke, Mahdavi and Ott, 1997: rate = MSS / RTT * C / sqrt(p), C = sqrt(3/2) where each segment is
    # acknowledged, sqrt(3/4) where every second one is. Some 120 losses.
    settings = TcpSettings(
        mss=1000, send_space=2**20, receive_space=2**21, send_shift=5, receive_shift=5, ack_every=every,
        rto_tick=0, ack_tick=0, ack_delay=50 * MS, recovery=recovery,
    )  # fmt: skip
    draws = random.Random(7)
    bench = Bench(
        settings,
        delay=50 * MS,
        fate=lambda segment, number: () if segment.end == 0 and draws.random() < loss else (0,),
    )
    bench.start(0, [int(120 / loss) * 1000]).run(events=10**7)
    assert rate(bench, 0) == pytest.approx(1000 / 0.1 * sqrt(1.5 / every / loss), rel=0.15)
