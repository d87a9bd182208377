"""What one run of many alike costs in one process: all of it, and the part that is not the engine's.

`python benchmarks/many.py [--rows N]` runs N variations each of two programs: a few HIPPI packets, little to do
for the engine, and TCP transfers of 10 MiB, windows by streams.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from simio.engines import compiled
from simio.engines.native import entry
from simio.errors import SimioError
from simio.many import Task, run_many
from simio.many.outcome import outcome_of

ROOT = Path(__file__).parents[1]
WRITES = 1280
"""Of 8 KiB, 10 MiB in all."""


def main() -> None:
    """Run both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=400)
    rows = parser.parse_args().rows
    entry(lambda told: print(told, file=sys.stderr))
    for name, tasks in (("few packets", _packets(rows)), ("TCP, 10 MiB", _transfers(rows))):
        whole, engine = _cost(list(tasks))
        print(
            f"{name:12} {1e3 * whole:6.2f} ms of CPU each, {1e3 * (whole - engine):6.2f} ms beside the engine"
        )


def _packets(rows: int) -> Iterator[Task]:
    for row in range(1, rows + 1):
        sets = (f"workload.blast.size={row} KiB", "workload.blast.packets=4")
        yield Task(str(ROOT / "scenarios" / "sgi-hippi-raw.yaml"), sets)


def _transfers(rows: int) -> Iterator[Task]:
    for row in range(rows):
        streams = (1, 2, 4, 5, 8, 10, 16, 20)[row % 8]
        keys = {
            "window": f"{4 * (1 + row // 8 * 1000 // rows)} KiB",
            "streams": streams,
            "writes": WRITES // streams,
        }
        sets = (*(f"workload.ttcp.{key}={value}" for key, value in keys.items()), "links.link2.length=200 km")
        yield Task(str(ROOT / "benchmarks" / "peers" / "transfer.yaml"), sets)


def _cost(tasks: list[Task]) -> tuple[float, float]:
    """Seconds of CPU a task, of the whole and of the engine."""
    spent = 0.0
    slice_of = compiled._slice

    def timed(*given: object) -> int:
        nonlocal spent
        begun = time.process_time()
        status = slice_of(*given)  # type: ignore[arg-type]
        spent += time.process_time() - begun
        return status

    compiled._slice = timed
    begun = time.process_time()
    for _, outcome in run_many(tasks, 1, do=partial(outcome_of, cached=False)):
        if isinstance(outcome, SimioError):
            raise SystemExit(str(outcome))
    whole = time.process_time() - begun
    compiled._slice = slice_of
    return whole / len(tasks), spent / len(tasks)


if __name__ == "__main__":
    main()
