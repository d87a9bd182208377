"""What a long run costs that repeats itself: 1 GiB to 1 TiB over HIPPI, with and without skipping periods.

    python benchmarks/jump.py [--full-up-to GIB]

Two processes send packets of 2 MiB (`sgi-hippi-raw`, the last case). Seconds are of the process's own CPU time, for
lowering, running and measuring together; results with and without are compared. The status is 1 where 1 TiB costs
more than twice what running all of 32 GiB does.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from simio.loading import load
from simio.result.model import CaseResult
from simio.result.run import run_case

SCENARIO = Path(__file__).parents[1] / "scenarios" / "sgi-hippi-raw.yaml"
GIB = 2**30
PACKET = 2 * 2**20


def transfer(amount: int, jump: bool) -> tuple[float, CaseResult]:
    """Seconds of CPU time, and the result of sending so many bytes."""
    sets = (f"workload.blast.packets={amount // PACKET // 2}", "run.step_budget=1000000000000")
    case = load(str(SCENARIO), sets).cases[-1]
    begin = time.process_time()
    result = run_case(case, jump=jump)
    return time.process_time() - begin, result


def main() -> int:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--full-up-to", type=int, default=32, metavar="GIB", help="run all periods up to here"
    )
    most = parser.parse_args().full_up_to
    transfer(GIB // 64, True)
    print(f"{'GiB':>6}{'steps':>18}{'skipping s':>12}{'all periods s':>15}")
    cost: dict[int, float] = {}
    full: dict[int, float] = {}
    for size in (1, 4, 32, 1024):
        cost[size], result = transfer(size * GIB, True)
        other = ""
        if size <= most:
            full[size], whole = transfer(size * GIB, False)
            if whole != result:
                print("the results differ")
                return 1
            other = f"{full[size]:.2f}"
        print(f"{size:6}{result.steps:18,}{cost[size]:12.2f}{other:>15}", flush=True)
    return int(32 in full and cost[1024] > 2 * full[32])


if __name__ == "__main__":
    sys.exit(main())
