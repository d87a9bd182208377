"""Common parts of the comparisons: the sweep's variations, CPU time of a process, spreads of rounds, and tables.

SimGrid's part imports it, too, in an environment that has no simio.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
SCENARIO = str(HERE / "transfer.yaml")
WRITE = 8192
"""Bytes of a write in the scenario."""
UNLIMITED = 10**15
"""A budget of steps that no run reaches."""
AMOUNT = 10 * 2**20
"""Bytes that each variation of the sweep sends."""
WINDOWS = [kib * 1024 for kib in range(4, 501, 4)]
STREAMS = [1, 2, 4, 5, 8, 10, 16, 20]
"""Numbers that the writes of 10 MiB can be divided by."""


def variations(every: int = 1) -> list[tuple[int, int]]:
    """All windows (bytes) with all numbers of streams, or each `every`th of them."""
    return [(window, streams) for window in WINDOWS for streams in STREAMS][::every]


@dataclass(frozen=True)
class Done:
    """A process that has ended: what it printed, and its CPU and wall-clock seconds."""

    printed: str
    cpu: float
    wall: float


def finish(command: Sequence[str]) -> Done:
    """Run a command to its end. Raises CalledProcessError, with what it said, where it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    done = subprocess.run(list(command), check=True, stdout=subprocess.PIPE, text=True)
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Done(done.stdout, cpu, wall)


def spread(values: Sequence[float]) -> str:
    """Least, median and most, to three digits; `missing` where there are none."""
    if not values:
        return "missing"
    return " / ".join(_short(value) for value in (min(values), statistics.median(values), max(values)))


def ratios(over: Sequence[float], under: Sequence[float]) -> list[float]:
    """The ratio of each round to itself, so that both have seen the machine as it was then."""
    return [a / b for a, b in zip(over, under, strict=True)] if over and under else []


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
