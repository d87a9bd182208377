"""Cost of one run of many alike in one process: all of it, and the part that is not the engine's.

`python benchmarks/many.py [--rows N] [--load NAME] [--processes N]` runs N variations each of three programs: a few
HIPPI packets, little to do for the engine; TCP transfers of 10 MiB, windows by streams, between hosts; and the same
over links and a switch alone. With processes, the time on the clock is told, too, of a call that starts them and of
one that finds them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path

from simio.engines import compiled
from simio.engines.native import entry
from simio.errors import SimioError
from simio.sweeps import Task, run_many
from simio.sweeps.cache import outcome_of

ROOT = Path(__file__).parents[1]
STREAMS = (1, 2, 4, 5, 8, 10, 16, 20)
"""Numbers that the writes of 10 MiB can be divided by."""


def main() -> None:
    """Run all, or one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--load", choices=LOADS, action="append")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    entry(lambda told: print(told, file=sys.stderr))
    import_module("simio.loading")  # a third of a second, once, that is no run's
    for name in given.load or LOADS:
        tasks = list(LOADS[name](given.rows))
        whole, engine = _cost(tasks)
        print(f"{name:8} {1e3 * whole:6.2f} ms of CPU each, {1e3 * (whole - engine):6.2f} ms beside the engine")
        if given.processes > 1:
            begin, again = (_clock(tasks, given.processes) for _ in range(2))
            start = len(tasks) * (begin - again)
            print(f"{'':8} {1e3 * again:6.2f} ms on the clock each in {given.processes} processes, "
                  f"and {start:.1f} s once to start them")  # fmt: skip


def _packets(rows: int) -> Iterator[Task]:
    for row in range(1, rows + 1):
        sets = (f"workload.blast.size={row} KiB", "workload.blast.packets=4")
        yield Task(str(ROOT / "scenarios" / "sgi-hippi-raw.yaml"), sets)


def _hosts(rows: int) -> Iterator[Task]:
    for window, streams in _variations(rows):
        sets = _sets(window=f"{window} KiB", streams=streams, writes=1280 // streams)
        yield Task(str(ROOT / "benchmarks" / "peers" / "transfer.yaml"), sets)


def _wire(rows: int) -> Iterator[Task]:
    for window, streams in _variations(rows):
        sets = _sets(window=f"{window} KiB", streams=streams, size="64 KiB", writes=160 // streams)
        # Without its option, no window is larger than 64 KiB.
        yield Task(str(ROOT / "benchmarks" / "tcp-wire.yaml"), (*sets, "hosts.one.stack.rfc1323=always"))


def _variations(rows: int) -> Iterator[tuple[int, int]]:
    """Windows in KiB, by streams."""
    for row in range(rows):
        yield 4 * (1 + row // 8 * 1000 // rows), STREAMS[row % 8]


def _sets(**keys: object) -> tuple[str, ...]:
    return (*(f"workload.ttcp.{key}={value}" for key, value in keys.items()), "links.link2.length=200 km")


LOADS: dict[str, Callable[[int], Iterator[Task]]] = {"packets": _packets, "hosts": _hosts, "wire": _wire}


def _cost(tasks: list[Task]) -> tuple[float, float]:
    """Seconds of CPU a task, of the whole and of the engine."""
    spent = 0.0
    slice_of = compiled._Tables.slice

    def timed(*given: object) -> int:
        nonlocal spent
        begun = time.process_time()
        status = slice_of(*given)  # type: ignore[arg-type]
        spent += time.process_time() - begun
        return status

    compiled._Tables.slice = timed
    begun = time.process_time()
    _run(tasks, 1)
    whole = time.process_time() - begun
    compiled._Tables.slice = slice_of
    return whole / len(tasks), spent / len(tasks)


def _clock(tasks: list[Task], processes: int) -> float:
    """Seconds on the clock a task."""
    begun = time.perf_counter()
    _run(tasks, processes)
    return (time.perf_counter() - begun) / len(tasks)


def _run(tasks: list[Task], processes: int) -> None:
    for _, outcome in run_many(tasks, processes, do=partial(outcome_of, cached=False)):
        if isinstance(outcome, SimioError):
            raise SystemExit(str(outcome))


if __name__ == "__main__":
    main()
