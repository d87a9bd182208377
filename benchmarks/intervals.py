"""The share of measured values that lie in the 90 % interval of their prediction, over all measured rows.

    python benchmarks/intervals.py [SCENARIO...]

Runs every scenario with measured rows with `--interval`; each row is judged by an interval that was made without it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from simio.calibration.predict import with_intervals
from simio.loading import load
from simio.result.compare import comparisons, pooled_comparisons
from simio.running import run_scenario

SCENARIOS = Path(__file__).parents[1] / "scenarios"


def covered(path: Path) -> tuple[int, int, int]:
    """Rows within their interval, rows with an interval, and all measured rows of a scenario."""
    scenario = load(str(path))
    if not scenario.tables:
        return 0, 0, 0
    result = with_intervals(scenario, run_scenario(scenario))
    rows = [row for case in result.cases for row in comparisons(case)] + pooled_comparisons(result)
    known = [row.covered for row in rows if row.covered is not None]
    return sum(known), len(known), sum(row.error is not None for row in rows)


def main() -> None:
    """Print a line for each scenario with measured rows, and the total."""
    chosen = set(sys.argv[1:])
    total = [0, 0, 0]
    for path in sorted(SCENARIOS.glob("*.yaml")):
        if chosen and path.stem not in chosen:
            continue
        found = covered(path)
        if found[2]:
            total = [before + more for before, more in zip(total, found, strict=True)]
            print(f"{path.stem:<32} {found[0]:>4} of {found[1]:>3} intervals, {found[2]:>3} rows", flush=True)
    share = total[0] / total[2] if total[2] else 0.0
    print(f"{'all':<32} {total[0]:>4} of {total[1]:>3} intervals, {total[2]:>3} rows: {share:.1%} of rows")


if __name__ == "__main__":
    main()
