"""What was checked of the runs of a scenario, as lines of text."""

from __future__ import annotations

from collections import Counter

from simio.result.model import ScenarioResult
from simio.result.recount import STEPS


def lines(result: ScenarioResult) -> list[str]:
    """A line for each law with how many things it was checked of; a run that breaks one has no result."""
    counts: Counter[str] = Counter()
    for case in result.cases:
        for each in case.checks:
            counts[each.law] += each.count
    runs = sum(len(case.seeds) for case in result.cases)
    width = max((len(f"{count:,}") for count in counts.values()), default=0)
    return [
        f"checked of {runs:,} run{'s' if runs != 1 else ''}; each law holds of all that it was checked of",
        f"step by step the first {STEPS:,} steps of each, unless processes in Python take part",
        *(f"{count:>{width},}  {law}" for law, count in counts.items()),
    ]
