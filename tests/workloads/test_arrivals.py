"""Processes of arrivals: their counts, and both engines. `test_theory` has what queues make of them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from theory import arrivals, exponential, queue

from simio.description.arrivals import Arrivals, ArrivalState
from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.program.builder import Builder, Handle
from simio.workloads.common.arrivals import ArrivalProcess

MS = 10**9
SECOND = 10**12


def served(
    given: Arrivals, service: Callable[[Builder], Handle | int], servers: int = 1, count: int = 2000
) -> np.ndarray:
    """Times in ps from arrival to end of `count` requests that each take a server for a time, on both engines."""
    program = queue(service, servers, given, count).build()
    outcome = compiled.run(program, Options(seed=7))
    assert outcome.differences(reference.run(program, Options(seed=7))) == []
    return outcome.marks[outcome.marks[:, 1] == 1][:, 2]


def test_constant_arrivals_wait_for_none_before_them() -> None:
    times = served(arrivals(process="constant"), lambda p: 9 * MS, count=1000)
    assert set(times.tolist()) == {9 * MS}


def test_the_line_of_what_comes_too_fast_is_as_long_as_arithmetic_says() -> None:
    # One every 10 ms, each of which takes 12 ms: request n is done 10 ms + 12 n ms after the start, and came at 10 n.
    times = served(arrivals(process="constant"), lambda p: 12 * MS, count=1000)
    assert times.tolist() == [(12 + 2 * number) * MS for number in range(1000)]


def test_a_share_of_poisson_arrivals_is_as_many_fewer() -> None:
    assert counted_in(arrivals(400), SECOND, 100_000, shares=4).mean() == pytest.approx(100, rel=0.02)


def counted_in(given: Arrivals, window: int, count: int, shares: int = 1, threads: int = 1) -> np.ndarray:
    """Numbers of arrivals in windows of a length in ps."""
    p = Builder()
    came = p.observation("came")
    for own in p.replicate("load", threads):
        process = ArrivalProcess(p, own, given, shares)
        with p.thread(own), p.loop(count // threads), p.scope():
            process.wait()
            p.mark(came, 1)
    program = p.build()
    times = compiled.run(program, Options(seed=3)).marks[:, 0]
    return np.bincount(times // window)[:-1]


def test_threads_take_constant_arrivals_in_turn() -> None:
    assert set(counted_in(arrivals(process="constant"), 10 * MS, 400, shares=4, threads=4)[1:].tolist()) == {1}


def test_threads_have_bursts_in_common() -> None:
    one, four = (
        counted_in(arrivals(burst=20 * MS, pause=80 * MS), SECOND, 40_000, shares=threads, threads=threads)
        for threads in (1, 4)
    )
    assert four.mean() == pytest.approx(one.mean(), rel=0.05)
    assert four.var() == pytest.approx(one.var(), rel=0.3)


def test_bursts_have_the_mean_and_the_dispersion_of_an_interrupted_poisson_process() -> None:
    # On 20 ms at 500 /s, off 80 ms: mean 100 /s. Over long windows the index of dispersion of counts is
    # 1 + 2 r_on^2 p q / (mean (a + b)), a and b being the rates of leaving each state (Fischer and Meier-Hellstern,
    # Performance Evaluation 18(2), 1993).
    found = counted_in(arrivals(burst=20 * MS, pause=80 * MS), 4 * SECOND, 800_000)
    assert found.mean() == pytest.approx(400, rel=0.02)
    expected = 1 + 2 * 500**2 * 0.2 * 0.8 / (100 * (1 / 0.02 + 1 / 0.08))
    assert found.var() / found.mean() == pytest.approx(expected, rel=0.12)


def test_a_modulated_process_has_the_mean_of_its_states() -> None:
    states = tuple(
        ArrivalState.model_construct(rate=Fraction(rate), stay=stay * MS)
        for rate, stay in ((50, 300), (0, 100), (700, 100))
    )
    given = arrivals(states=states).model_copy(update={"rate": None})
    assert given.mean == (50 * 300 + 700 * 100) / Fraction(500)
    assert counted_in(given, 10 * SECOND, 300_000).mean() == pytest.approx(float(given.mean) * 10, rel=0.03)


def test_engines_agree_on_bursts() -> None:
    served(arrivals(burst=20 * MS, pause=80 * MS), exponential(5))
    served(arrivals(), exponential(9), 2)
