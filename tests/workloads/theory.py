"""Queueing theory beside what the engine gives: the tables of docs/load.md.

    python tests/workloads/theory.py

prints them anew. All runs have a fixed seed, so that a table changes only if the engine, the random numbers or the
process of arrivals does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import factorial, log
from typing import Any

import numpy as np

from simio.description.arrivals import Arrivals
from simio.engines import compiled
from simio.engines.outcome import Options
from simio.program.builder import Builder, Handle
from simio.workloads.common.arrivals import ArrivalProcess

MS = 10**9
SECOND = 10**12
COUNT = 1_000_000
RATE = 100
"""Requests a second of all open systems."""
WARM = COUNT // 20
"""Requests that are left out at the beginning, when the system is empty."""


@dataclass(frozen=True)
class Row:
    """A quantity of a system, by theory and by simulation, and the largest error that it may have as a share."""

    system: str
    quantity: str
    theory: float
    simulated: float
    unit: str = "ms"
    most: float = 0.02

    @property
    def error(self) -> float:
        """Signed error, as a share of the theory."""
        return self.simulated / self.theory - 1

    @property
    def markdown(self) -> str:
        """The row of a table."""
        values = (f"{value:.4g} {self.unit}".rstrip() for value in (self.theory, self.simulated))
        return f"| {self.system} | {self.quantity} | {' | '.join(values)} | {100 * self.error:+.2f}% |"


def arrivals(rate: int = RATE, **more: object) -> Arrivals:
    """Poisson arrivals, or what `more` says."""
    given = {"process": "poisson", "burst": None, "pause": None, "states": (), **more}
    return Arrivals.model_construct(rate=Fraction(rate), **given)


def queue(
    service: Callable[[Builder], Handle | int], servers: int = 1, given: Arrivals | None = None, count: int = COUNT
) -> Builder:
    """A program of requests that each take one of some servers for a time; marks are waits and times in ps."""
    p = Builder()
    station = p.resource("station", servers)
    waited, took = p.observation("wait", "latency", "ps"), p.observation("time", "latency", "ps")
    time = service(p)
    process = ArrivalProcess(p, "load", given or arrivals())
    with p.thread("load"), p.loop(count), p.scope():
        arrived = process.wait()
        with p.fork("request"), p.timed(took, arrived):
            with p.timed(waited, arrived):
                p.seize(station)
            if isinstance(time, int):
                p.advance(time)
            else:
                length = p.register()
                p.draw(length, time)
                p.wait(length)
            p.release(station)
    return p


def times(program: Any, seed: int = 7) -> tuple[np.ndarray, np.ndarray]:
    """Waits and times in ms, without those of the beginning."""
    marks = compiled.run(program, Options(seed=seed)).marks
    return tuple(marks[marks[:, 1] == number][WARM:, 2] / MS for number in (0, 1))  # type: ignore[return-value]


def exponential(mean: float) -> Callable[[Builder], Handle]:
    """Service that takes an exponential time of a mean in ms."""
    return lambda p: p.exponential("service", int(mean * MS))


def one_server(load: float) -> Iterator[Row]:
    """M/M/1: the time is exponential of mean s / (1 - load); a share 1 - load does not wait."""
    service = 1000 * load / RATE
    mean = service / (1 - load)
    waits, took = times(queue(exponential(service)).build())
    name = f"M/M/1, load {load}"
    yield Row(name, "mean time", mean, took.mean())
    yield Row(name, "99% of times", mean * log(100), np.quantile(took, 0.99), most=0.04)
    yield Row(name, "99.9% of times", mean * log(1000), np.quantile(took, 0.999), most=0.08)
    yield Row(name, "mean wait", load * mean, waits.mean(), most=0.03)
    yield Row(name, "99% of waits", mean * log(100 * load), np.quantile(waits, 0.99), most=0.04)


def crommelin(load: float, service: float, share: float) -> float:
    """The wait in an M/D/1 queue that a share does not exceed.

    P(W <= t) = (1 - load) * sum over k to t / s of (-l)^k e^l / k!, l = (t - k s) * rate (C. D. Crommelin, Post
    Office Electrical Engineers Journal 25, 1932).
    """

    def below(t: float) -> float:
        with localcontext() as context:
            context.prec = 60
            total = Decimal(0)
            for k in range(int(t / service) + 1):
                x = (Decimal(t) - k * Decimal(service)) * Decimal(load) / Decimal(service)
                total += (-x) ** k * x.exp() / factorial(k) if k else x.exp()
            return float(total * (1 - Decimal(load)))

    low, high = 0.0, 60 * service
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < share else (low, middle)
    return high


def constant_service(load: float) -> Iterator[Row]:
    """M/D/1: it waits for load / (2 (1 - load)) services in the mean."""
    service = 1000 * load / RATE
    waits, _ = times(queue(lambda p: int(service * MS)).build())
    name = f"M/D/1, load {load}"
    yield Row(name, "mean wait", service * load / 2 / (1 - load), waits.mean(), most=0.03)
    yield Row(name, "99% of waits", crommelin(load, service, 0.99), np.quantile(waits, 0.99), most=0.04)


def several_servers(offered: float, servers: int) -> Iterator[Row]:
    """M/M/c: it waits with Erlang's probability C, then for an exponential time of mean s / (c - offered)."""
    tail = offered**servers / factorial(servers) * servers / (servers - offered)
    waiting = tail / (sum(offered**k / factorial(k) for k in range(servers)) + tail)
    service = 1000 * offered / RATE
    mean = service / (servers - offered)
    waits, took = times(queue(exponential(service), servers).build())
    name = f"M/M/{servers}, load {offered / servers}"
    yield Row(name, "share that waits", 100 * waiting, 100 * np.mean(waits > 0), "%")
    yield Row(name, "mean time", service + waiting * mean, took.mean())
    yield Row(name, "99% of waits", mean * log(100 * waiting), np.quantile(waits, 0.99), most=0.04)


def any_service(kinds: Sequence[tuple[int, int]]) -> Iterator[Row]:
    """M/G/1 with service of some times in ms, each with its weight; the mean wait by Pollaczek and Khinchin.

    The wait is a geometric number of residual services, of which the distribution follows on a grid by the Fourier
    transform.
    """
    whole = sum(weight for _, weight in kinds)
    first, second = (sum(weight * time**power for time, weight in kinds) / whole for power in (1, 2))
    rate = RATE / 1000
    load = rate * first
    drawn = [(time * MS, weight) for time, weight in kinds]
    waits, _ = times(queue(lambda p: p.discrete("service", drawn)).build())
    name = f"M/G/1, {', '.join(f'{time} ms {100 * weight // whole}%' for time, weight in kinds)}"
    yield Row(name, "mean wait", rate * second / 2 / (1 - load), waits.mean(), most=0.03)
    step, size = 0.01, 2**17
    grid = (np.arange(size) + 0.5) * step
    residual = sum(weight * (grid < time) for time, weight in kinds) / whole / first * step
    spectrum = np.fft.rfft(residual)
    density = np.fft.irfft((1 - load) / (1 - load * spectrum), size)
    expected = step * np.searchsorted(np.cumsum(density), 0.99)
    yield Row(name, "99% of waits", expected, np.quantile(waits, 0.99), most=0.04)


def mean_value_analysis(users: int, think: float, services: Sequence[float]) -> tuple[float, float]:
    """Transactions a second, and their mean time in ms, of users who think and then use each station once.

    M. Reiser and S. S. Lavenberg, "Mean-value analysis of closed multichain queuing networks", Journal of the ACM
    27(2), 1980.
    """
    lengths = [0.0] * len(services)
    rate = took = 0.0
    for number in range(1, users + 1):
        each = [service * (1 + length) for service, length in zip(services, lengths, strict=True)]
        took = sum(each)
        rate = number / (think + took)
        lengths = [rate * time for time in each]
    return 1000 * rate, took


def closed(users: int, think: float, services: Sequence[float], until: int = 4000) -> Iterator[Row]:
    """Users who think for an exponential time and then use each of some stations once."""
    p = Builder()
    stations = [p.resource(f"station {number}") for number in range(len(services))]
    draws = [p.exponential(f"service {number}", int(time * MS)) for number, time in enumerate(services)]
    pause = p.exponential("think", int(think * MS))
    took = p.observation("time", "latency", "ps")
    with p.thread("user", users), p.forever():
        time = p.register()
        p.draw(time, pause)
        p.wait(time)
        with p.timed(took):
            for station, draw in zip(stations, draws, strict=True):
                with p.hold(station):
                    p.draw(time, draw)
                    p.wait(time)
    outcome = compiled.run(p.build(), Options(until=until * SECOND, seed=5))
    rate, mean = mean_value_analysis(users, think, services)
    name = f"{users} users, {think:g} ms think time, stations of {', '.join(f'{time:g}' for time in services)} ms"
    yield Row(name, "served a second", rate, len(outcome.marks) / until, "", 0.01)
    yield Row(name, "mean time", mean, outcome.marks[:, 2].mean() / MS)


TABLES: dict[str, Callable[[], Iterator[Row]]] = {
    "M/M/1 at half load": lambda: one_server(0.5),
    "M/M/1 at load 0.8": lambda: one_server(0.8),
    "M/D/1": lambda: constant_service(0.8),
    "M/M/c": lambda: several_servers(3.2, 4),
    "M/G/1": lambda: any_service([(2, 3), (18, 1)]),
    "closed, 5 users": lambda: closed(5, 100, (10, 25)),
    "closed, 20 users": lambda: closed(20, 400, (10, 25)),
}
HEAD = "| system | quantity | theory | simulated | error |\n|---|---|--:|--:|--:|"


if __name__ == "__main__":
    print(HEAD)
    for rows in TABLES.values():
        for row in rows():
            print(row.markdown)
