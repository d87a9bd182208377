"""Progress of small programs worked by hand: what has accrued between deliveries."""

from __future__ import annotations

import pytest

from simio.engines import reference
from simio.program.builder import Builder
from simio.result import measure
from simio.result.model import Throughput
from simio.result.progress import APART, MOST, progress_of
from simio.result.recorded import DeliveredBytes

US = 1_000_000


def streams(*steps: tuple[int, int], count: int, at_once: int = 1):
    """Streams that deliver `at_once` times 100 bytes after `first` us and then every `rest` us, `count` times."""
    p = Builder()
    for number, (first, rest) in enumerate(steps):
        mark = p.observation(f"s{number}", "delivered", "bytes")
        with p.thread(f"t{number}"):
            p.advance((first - rest) * US)
            with p.loop(count):
                p.advance(rest * US)
                for _ in range(at_once):
                    p.mark(mark, 100)
    program = p.build()
    return program, reference.run(program)


def rates(found: DeliveredBytes) -> list[float]:
    pairs = zip(found.times, found.times[1:], found.totals, found.totals[1:], strict=False)
    return [(after - before) / (until - since) for since, until, before, after in pairs]


def test_streams_in_step_make_an_even_curve():
    # Eight streams finish a block each within 8 us, every 100 us: bins of any width would see them all or none.
    program, outcome = streams(*((100 + number, 100) for number in range(8)), count=20)
    span = measure.throughput(program, outcome, 200 * US)
    found = progress_of(program, outcome, span)
    assert len(found.times) > 20
    inside = rates(found)[found.times.index(span.since) :]
    # Towards the end, streams that have delivered their last block are silent.
    assert all(rate == pytest.approx(800 / (100 * US), rel=0.01) for rate in inside[:-4])


@pytest.mark.parametrize("at_once", [1, 3])
def test_the_mean_over_the_span_is_the_throughput_and_the_span_is_marked(at_once: int):
    program, outcome = streams((50, 10), (37, 7), count=40, at_once=at_once)
    span = measure.throughput(program, outcome, 60 * US)
    found = progress_of(program, outcome, span)
    start = found.times.index(span.since)
    assert found.times[-1] == span.until
    grown = found.totals[-1] - found.totals[start]
    assert grown == pytest.approx(span.amount, abs=200 * at_once if at_once > 1 else 2)
    assert len(found.times) - 1 - start <= span.deliveries // APART


def test_what_one_stream_delivers_at_one_instant_is_spread_as_a_whole():
    program, outcome = streams((10, 10), count=40, at_once=5)
    found = progress_of(program, outcome, measure.throughput(program, outcome, 0))
    assert rates(found) == [pytest.approx(500 / (10 * US))] * (len(found.times) - 1)


def test_a_span_late_in_a_long_run_has_a_bounded_number_of_intervals():
    program, outcome = streams((10, 10), count=400)
    found = progress_of(program, outcome, Throughput(500, 3950 * US, 4000 * US, 5))
    assert 2 < len(found.times) <= 2 * MOST


def test_a_run_that_delivers_nothing_has_no_progress():
    program, outcome = streams((10, 10), count=1)
    found = progress_of(program, outcome, Throughput(0, 0, 0, 0))
    assert found.totals == (0.0,)
