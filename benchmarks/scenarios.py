"""Time of each ready scenario: the whole command in a new process, and its runs alone in one process.

    python benchmarks/scenarios.py [--rounds N]

The compiled engine is warm: a first run, which is not counted, compiles it if need be.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from simio.loading import load
from simio.result.run import run_scenario

SCENARIOS = Path(__file__).parents[1] / "scenarios"


def command(path: Path) -> float:
    """Wall-clock seconds of `simio run` in a process of its own."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-m", "simio", "run", str(path)], check=True, capture_output=True)
    return time.perf_counter() - begin


def inside(path: Path) -> tuple[float, float, int, int, int]:
    """Seconds to load and to run in this process, and how many cases, events and steps there are."""
    begin = time.perf_counter()
    scenario = load(str(path))
    loaded = time.perf_counter()
    cases = run_scenario(scenario).cases
    end = time.perf_counter()
    return loaded - begin, end - loaded, len(cases), sum(c.events for c in cases), sum(c.steps for c in cases)


def main() -> None:
    """Print a line for each scenario, the best of several rounds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2, help="the best of so many counts")
    rounds = parser.parse_args().rounds
    paths = sorted(SCENARIOS.glob("*.yaml"))
    inside(paths[0])
    print(f"{'scenario':24}{'cases':>6}{'events':>13}{'steps':>14}{'load s':>9}{'run s':>9}{'command s':>11}")
    for path in paths:
        loaded, ran, cases, events, steps = (
            min(column) for column in zip(*(inside(path) for _ in range(rounds)), strict=True)
        )
        whole = min(command(path) for _ in range(rounds))
        print(
            f"{path.stem:24}{cases:6}{events:13,}{steps:14,}{loaded:9.3f}{ran:9.3f}{whole:11.2f}", flush=True
        )


if __name__ == "__main__":
    main()
