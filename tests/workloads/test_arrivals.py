"""Open loads against queueing theory, on the compiled engine; small ones on both."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import factorial

import numpy as np
import pytest

from simio.description.arrivals import Arrivals, State
from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.program.builder import Builder, Handle
from simio.workloads.common.arrivals import ArrivalProcess

MS = 10**9
SECOND = 10**12


def arrivals(rate: int = 100, **more: object) -> Arrivals:
    return Arrivals.model_construct(
        rate=Fraction(rate), **{"process": "poisson", "burst": None, "pause": None, "states": (), **more}
    )


def served(
    given: Arrivals,
    service: Callable[[Builder], Handle | int],
    servers: int = 1,
    count: int = 200_000,
    shares: int = 1,
) -> np.ndarray:
    """Times in ps from arrival to end of `count` requests that each take a server for a time."""
    p = Builder()
    station = p.resource("station", servers)
    took = p.observation("request", "latency", "ps")
    time = service(p)
    process = ArrivalProcess(p, "load", given, shares)
    with p.thread("load"), p.loop(count), p.scope():
        arrived = process.wait()
        with p.fork("request"), p.timed(took, arrived), p.hold(station):
            if isinstance(time, int):
                p.advance(time)
            else:
                length = p.register()
                p.draw(length, time)
                p.wait(length)
    program = p.build()
    outcome = compiled.run(program, Options(seed=7))
    if count < 5000:
        assert outcome.differences(reference.run(program, Options(seed=7))) == []
    return outcome.marks[:, 2]


def exponential(mean: int) -> Callable[[Builder], Handle]:
    return lambda p: p.exponential("service", mean)


@pytest.mark.parametrize("load", [0.3, 0.7, 0.9])
def test_one_exponential_server(load: float) -> None:
    # M/M/1: the time in the system is exponential, of mean s / (1 - load).
    times = served(arrivals(), exponential(int(load * 10 * MS)), count=400_000)
    mean = load * 10 * MS / (1 - load)
    assert times.mean() == pytest.approx(mean, rel=0.02 / (1 - load))
    assert np.quantile(times, 0.99) == pytest.approx(mean * np.log(100), rel=0.03 / (1 - load))


@pytest.mark.parametrize("load", [0.5, 0.8])
def test_one_server_that_always_takes_as_long(load: float) -> None:
    # M/D/1: it waits for load / (2 (1 - load)) services.
    service = int(load * 10 * MS)
    times = served(arrivals(), lambda p: service)
    assert times.mean() == pytest.approx(service * (1 + load / 2 / (1 - load)), rel=0.02)


def test_one_server_of_two_kinds_of_requests() -> None:
    # M/G/1 (Pollaczek and Khinchin): waits rate * E[S^2] / (2 (1 - load)). Three in four take 2 ms, one 18 ms: so
    # the load is 0.6.
    times = served(arrivals(), lambda p: p.discrete("service", [(2 * MS, 3), (18 * MS, 1)]), count=400_000)
    second = (3 * 2**2 + 18**2) / 4 * 1e-6
    assert times.mean() / SECOND == pytest.approx(6e-3 + 100 * second / 2 / 0.4, rel=0.03)


def test_four_exponential_servers() -> None:
    # M/M/c: the probability of waiting is Erlang's C.
    offered, servers = 3.2, 4
    tail = offered**servers / factorial(servers) * servers / (servers - offered)
    waiting = tail / (sum(offered**k / factorial(k) for k in range(servers)) + tail)
    times = served(arrivals(), exponential(32 * MS), servers, count=400_000)
    assert times.mean() == pytest.approx(32 * MS * (1 + waiting / (servers - offered)), rel=0.03)


def test_constant_arrivals_wait_for_none_before_them() -> None:
    times = served(arrivals(process="constant"), lambda p: 9 * MS, count=1000)
    assert set(times.tolist()) == {9 * MS}


def test_the_line_of_what_comes_too_fast_is_as_long_as_arithmetic_says() -> None:
    # One every 10 ms, each of which takes 12 ms: request n is done 10 ms + 12 n ms after the start, and came at 10 n.
    times = served(arrivals(process="constant"), lambda p: 12 * MS, count=1000)
    assert times.tolist() == [(12 + 2 * number) * MS for number in range(1000)]


def test_a_share_of_poisson_arrivals_is_as_many_fewer() -> None:
    times = served(arrivals(400), exponential(7 * MS), shares=4)
    assert times.mean() == pytest.approx(7 * MS / 0.3, rel=0.05)


def counted_in(given: Arrivals, window: int, count: int) -> np.ndarray:
    """Numbers of arrivals in windows of a length in ps."""
    p = Builder()
    came = p.observation("came")
    process = ArrivalProcess(p, "load", given)
    with p.thread("load"), p.loop(count), p.scope():
        process.wait()
        p.mark(came, 1)
    program = p.build()
    times = compiled.run(program, Options(seed=3)).marks[:, 0]
    return np.bincount(times // window)[:-1]


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
        State.model_construct(rate=Fraction(rate), stay=stay * MS) for rate, stay in ((50, 300), (0, 100), (700, 100))
    )
    given = arrivals(states=states).model_copy(update={"rate": None})
    assert given.mean == (50 * 300 + 700 * 100) / Fraction(500)
    assert counted_in(given, 10 * SECOND, 300_000).mean() == pytest.approx(float(given.mean) * 10, rel=0.03)


def test_engines_agree_on_bursts() -> None:
    served(arrivals(burst=20 * MS, pause=80 * MS), exponential(5 * MS), count=2000)
    served(arrivals(), exponential(9 * MS), 2, count=2000)
