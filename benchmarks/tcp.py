"""Time of a TCP transfer over Gigabit Ethernet with hosts, adapters and a switch, packet by packet.

    python benchmarks/tcp.py [--megabytes N] [--rounds N]

The MSS is 1460 bytes and the window 64 KiB. Loading the scenario and lowering it to a program are told apart from
running it; packets are those on all links, data and acknowledgements. The compiled engine is warm.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from simio.engines import compiled
from simio.loading import load
from simio.lower import lower

SCENARIO = Path(__file__).parents[1] / "scenarios" / "slac-datamove8.yaml"
WRITE = 8192
"""Bytes of a write in the scenario."""


def main() -> None:
    """Print one line: sizes, times and rates, the best of several rounds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=100, help="MiB to transfer")
    parser.add_argument("--rounds", type=int, default=3, help="the best of so many counts")
    options = parser.parse_args()
    sets = (f"workload.ttcp.writes={options.megabytes * 2**20 // WRITE}", "run.until=none", "run.warm_up=0 s")
    begin = time.perf_counter()
    scenario = load(str(SCENARIO), sets)
    loaded = time.perf_counter() - begin
    case = next(
        case for case in scenario.cases
        if case.system.workloads["ttcp"].params.window == 65536 and case.system.workloads["ttcp"].params.streams == 1
    )  # fmt: skip
    begin = time.perf_counter()
    program = lower(case.system)
    lowered = time.perf_counter() - begin
    compiled.run(program)
    best = min(_seconds(program) for _ in range(options.rounds))
    outcome = compiled.run(program)
    links = [number for number, resource in enumerate(program.resources) if ">" in resource.name]
    packets = sum(int(outcome.resources[number, 2]) for number in links)
    print(f"{options.megabytes} MiB: load {loaded:.3f} s, lower {lowered:.3f} s, run {best:.3f} s")
    print(f"{outcome.events:,} events, {outcome.steps:,} steps")
    print(f"{packets:,} packets on links, {packets / best / 1e6:.2f} million a second")


def _seconds(program: object) -> float:
    begin = time.perf_counter()
    compiled.run(program)  # type: ignore[arg-type]
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
