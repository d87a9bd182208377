"""Time of each ready scenario: the whole command in a new process, and its runs alone in one process.

    python benchmarks/scenarios.py [--rounds N] [--alone] [--of REVISION]

`--of 01bc505` leaves the scenarios of the first stage, as they are now. Runs alone are in seconds of CPU of this
process and of its copies, which take cases of long scenarios. The compiled engine is warm: a first run, which is not
counted, compiles it if need be.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from simio.loading import load
from simio.running import run_scenario

SCENARIOS = Path(__file__).parents[1] / "scenarios"


def command(path: Path) -> float:
    """Wall-clock seconds of `simio run` in a process of its own."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-m", "simio", "run", str(path)], check=True, capture_output=True)
    return time.perf_counter() - begin


def spent() -> float:
    """Seconds of CPU of this process, and of its copies that have ended."""
    return sum(os.times()[:4])


def inside(path: Path) -> tuple[float, float, int, int, int]:
    """Seconds of CPU to load and to run, and how many cases, events and steps there are."""
    begin = spent()
    scenario = load(str(path))
    loaded = spent()
    cases = run_scenario(scenario).cases
    end = spent()
    return loaded - begin, end - loaded, len(cases), sum(c.events for c in cases), sum(c.steps for c in cases)


def line(name: str, row: Sequence[float]) -> str:
    """A scenario's cases, events, steps, and seconds to load and to run."""
    cases, events, steps, loaded, ran = row
    return f"{name:28}{cases:6}{events:15,}{steps:17,}{loaded:9.3f}{ran:9.3f}"


def main() -> None:
    """Print a line for each scenario, the best of several rounds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2, help="the best of so many counts")
    parser.add_argument("--alone", action="store_true", help="leave out the whole commands")
    parser.add_argument("--of", metavar="REVISION", help="only scenarios that this revision had")
    given = parser.parse_args()
    rounds = given.rounds
    paths = sorted(SCENARIOS.glob("*.yaml"))
    if given.of:
        listing = subprocess.run(
            ["git", "ls-tree", "--name-only", given.of, "."],
            cwd=SCENARIOS,
            check=True,
            stdout=subprocess.PIPE,
        )
        paths = [path for path in paths if path.name in listing.stdout.decode().split()]
    inside(paths[0])
    totals: list[float] = [0] * 5
    print(f"{'scenario':28}{'cases':>6}{'events':>15}{'steps':>17}{'load s':>9}{'run s':>9}{'command s':>11}")
    for path in paths:
        loaded, ran, cases, events, steps = (
            min(column) for column in zip(*(inside(path) for _ in range(rounds)), strict=True)
        )
        whole = "" if given.alone else f"{min(command(path) for _ in range(rounds)):.2f}"
        row = (cases, events, steps, loaded, ran)
        totals = [total + value for total, value in zip(totals, row, strict=True)]
        print(line(path.stem, row) + f"{whole:>11}", flush=True)
    print(line("all", totals))


if __name__ == "__main__":
    main()
