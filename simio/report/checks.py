"""The consistency checks of the runs of a scenario, as lines of text."""

from __future__ import annotations

from collections import Counter

from simio.result.model import ScenarioResult
from simio.result.recount import STEPS
from simio.wording import counted


def lines(result: ScenarioResult) -> list[str]:
    """A line for each law with the number of its checks; a run that breaks one has no result."""
    counts: Counter[str] = Counter()
    for case in result.cases:
        for each in case.checks:
            counts[each.law] += each.count
    runs = sum(len(case.seeds) for case in result.cases)
    width = max((len(f"{count:,}") for count in counts.values()), default=0)
    return [
        f"{counted(runs, 'run')} checked; every law holds in all cases counted here",
        f"the first {STEPS:,} steps of each run were recounted one by one, unless processes in Python take part",
        *(f"{count:>{width},}  {law}" for law, count in counts.items()),
    ]
