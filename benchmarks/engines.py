"""Speed of the compiled engine beside the SimPy engine, and what its first start costs.

    python benchmarks/engines.py [--completions N] [--rounds N]

A tandem of ten FIFO stations is the load: each customer goes through all of them, and a thread of its own is forked
for each. The status is 1 where the compiled engine misses one of its aims.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass

from simio.engines import compiled, reference
from simio.engines.outcome import Options, Outcome, Status
from simio.program.builder import Builder
from simio.program.steps import Program

STATIONS = 10
SIMPY_COMPLETIONS = 20_000
"""Customers of the SimPy engine's run, which takes some seconds."""
LEAST_RATIO = 60
"""Events a second of the compiled engine for one of the SimPy engine."""
LEAST_RATE = 15e6
"""Events a second of the compiled engine."""

START = """
import time
begin = time.perf_counter()
from simio.engines import compiled
from simio.program.builder import Builder
p = Builder()
with p.thread("t"):
    p.advance(1)
compiled.run(p.build())
print(time.perf_counter() - begin)
"""


@dataclass
class Speed:
    """The best of several runs: events, process CPU seconds and wall-clock seconds."""

    name: str
    events: int
    cpu: float
    wall: float

    @property
    def rate(self) -> float:
        """Events a second of CPU time."""
        return self.events / self.cpu


def tandem(completions: int) -> Program:
    """Ten stations, each with one server; a customer a microsecond, services of 700 to 970 ns.

    `completions` customers leave the last station; each is a thread of its own.
    """
    p = Builder()
    served = p.observation("served")
    stations = [p.resource(f"station {number}") for number in range(STATIONS)]
    with p.thread("source"), p.loop(completions):
        with p.fork("customer"):
            for number, station in enumerate(stations):
                with p.hold(station):
                    p.advance(700_000 + 30_000 * number)
            p.mark(served, 1)
        p.advance(1_000_000)
    return p.build()


def crowded(completions: int) -> Program:
    """The same stations with ten customers that go round for ever, so that there are queues everywhere."""
    p = Builder()
    stations = [p.resource(f"station {number}") for number in range(STATIONS)]
    with p.thread("customer", count=STATIONS), p.loop(completions // STATIONS):
        for number, station in enumerate(stations):
            with p.hold(station):
                p.advance(700_000 + 30_000 * number)
    return p.build()


def measure(name: str, run: Callable[[Program], Outcome], program: Program, rounds: int) -> Speed:
    """Best of `rounds` runs; CPU time is this process's own, so that a busy machine counts less."""
    best = Speed(name, 0, float("inf"), float("inf"))
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        outcome = run(program)
        best.cpu = min(best.cpu, time.process_time() - cpu)
        best.wall = min(best.wall, time.perf_counter() - wall)
        if outcome.status != Status.DONE:
            raise SystemExit(f"{name}: the run ended with {outcome.status.name}")
        best.events = outcome.events
    return best


def start_seconds(cache: str) -> tuple[float, float]:
    """Seconds of a first program in a new process: inside it, and with the interpreter's start."""
    environment = {**os.environ, "SIMIO_CACHE": cache}
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", START], env=environment, check=True, capture_output=True, text=True)
    return float(done.stdout), time.perf_counter() - begin


def compare(load: Callable[[int], Program], completions: int, rounds: int) -> tuple[Speed, Speed]:
    """Both engines on one load, after a check that they agree on a small one."""
    small = load(2000)
    if compiled.run(small).differences(reference.run(small)):
        raise SystemExit(f"{load.__name__}: the engines do not agree")
    options = Options(budget=2**60)
    fast = measure("compiled", lambda p: compiled.run(p, options), load(completions), rounds)
    plain = measure("SimPy", lambda p: reference.run(p, options), load(SIMPY_COMPLETIONS), min(rounds, 2))
    return fast, plain


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--completions", type=int, default=1_000_000, help="customers of the compiled engine's run")
    parser.add_argument("--rounds", type=int, default=5, help="the best of so many counts")
    parser.add_argument("--no-start", action="store_true", help="leave out compilation and start")
    asked = parser.parse_args()
    missed = []
    print(f"{'load':10}{'engine':12}{'events':>12}{'CPU s':>10}{'wall s':>10}{'events/s':>14}")
    for load in (tandem, crowded):
        speeds = compare(load, asked.completions, asked.rounds)
        for speed in speeds:
            print(f"{load.__name__:10}{speed.name:12}{speed.events:12,}{speed.cpu:10.4f}{speed.wall:10.4f}"
                  f"{speed.rate:14,.0f}")  # fmt: skip
        ratio = speeds[0].rate / speeds[1].rate
        print(f"{load.__name__:10}{'ratio':12}{ratio:58.0f}")
        if load is tandem and ratio < LEAST_RATIO:
            missed.append(f"{ratio:.0f} times the SimPy engine, less than {LEAST_RATIO}")
        if load is tandem and speeds[0].rate < LEAST_RATE:
            missed.append(f"{speeds[0].rate / 1e6:.1f} million events/s, less than {LEAST_RATE / 1e6:.0f}")
    if not asked.no_start:
        with tempfile.TemporaryDirectory() as cache:
            first, again = start_seconds(cache), min(start_seconds(cache) for _ in range(3))
        print(f"first start, compiling: {first[0]:.1f} s; from the cache: {again[0]:.2f} s "
              f"({again[1]:.2f} s with the interpreter)")  # fmt: skip
    for line in missed:
        print("missed:", line)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
