"""simio beside ns-3 and SimGrid, as ratios of CPU time in one run.

    python benchmarks/peers/run.py [--peers FOLDER] [--rounds N] [--sizes MIB ...] [--windows KIB ...] [--every N]

FOLDER is the environment that `make bench` installs them in; where one of them is missing, its cells say so. Cells
with three numbers are least, median and most of all rounds. `--every 9` sweeps each ninth of the 1000 variations.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import bulk
import variations


def main() -> None:
    """Print both tables, and how busy the machine was."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", type=Path, default=Path(".venv-peers"), help="environment of the peers")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="*", default=[100, 1024], help="MiB of the bulk transfer")
    parser.add_argument("--windows", type=int, nargs="*", default=[64, 512], help="KiB")
    parser.add_argument("--every", type=int, default=1, help="sweep each Nth variation; 0: none")
    asked = parser.parse_args()
    print(f"{os.cpu_count()} CPUs; load before {_load()}\n")
    if asked.sizes:
        program, why = bulk.ns3_program(asked.peers)
        print(bulk.compare(asked.sizes, asked.windows, asked.rounds, program))
        print("" if program else f"\nns-3 is missing: {why}")
    if asked.every:
        print(variations.compare(asked.peers, asked.rounds, asked.every))
    print(f"\nload after {_load()}")


def _load() -> str:
    return " ".join(f"{value:.1f}" for value in os.getloadavg())


if __name__ == "__main__":
    main()
