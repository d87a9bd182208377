"""Laws of any run, whatever the program. A result of which one does not hold is a defect of simio, and is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simio.engines.outcome import Ints, Outcome, Status
from simio.errors import RunError
from simio.limits import Bound
from simio.program.steps import Program
from simio.result import measure


@dataclass(frozen=True)
class Check:
    """A law, how many things it was checked of, and what broke it; `broken` is empty where nothing did."""

    law: str
    count: int
    broken: str = ""


def invariants(program: Program, outcome: Outcome, certain: Bound) -> list[Check]:
    """Every law, checked of one run."""
    return [
        _under_bound(program, outcome, certain),
        _law("no resource is used beyond its units", _utilised(program, outcome)),
        _law("what is seized is given back, or still held in the end", _given_back(program, outcome)),
        _law("containers hold what was put in less what was taken out", _conserved(program, outcome)),
        _law("every thread that starts ends, or is alive in the end", _threads(program, outcome)),
        _law("time does not run backward", _time(program, outcome)),
    ]


def refuse(found: list[Check]) -> None:
    """Raise RunError for the first law that does not hold."""
    for each in found:
        if each.broken:
            raise RunError(f"{each.broken}: a defect in simio, which breaks the law that {each.law}")


def check(program: Program, outcome: Outcome, certain: Bound) -> list[Check]:
    """The same; raises RunError for the first law that does not hold."""
    found = invariants(program, outcome, certain)
    refuse(found)
    return found


Cases = Iterator[str]
"""What to say of each thing of which a law does not hold; nothing where it does."""


def _law(law: str, cases: Cases) -> Check:
    count = 0
    for told in cases:
        count += 1
        if told:
            return Check(law, count, told)
    return Check(law, count)


def _under_bound(program: Program, outcome: Outcome, certain: Bound) -> Check:
    total = measure.delivered(program, outcome)
    holds = certain.allows(total, outcome.end, outcome.status == Status.DONE)
    told = "" if holds else f"the result exceeds its bound, set by {certain.limits[0].name!r}"
    return Check("no more is delivered than the bound allows", len(certain.stations), told)


def _utilised(program: Program, outcome: Outcome) -> Cases:
    for resource, row in zip(program.resources, outcome.resources.tolist(), strict=True):
        busy, line, seizes, waits, longest, _ = row
        within = 0 <= busy <= resource.units * outcome.end
        yield "" if within else f"{resource.name!r} was used beyond its {resource.units} units"
        within = 0 <= longest <= waits <= seizes and 0 <= line <= longest * outcome.end
        yield "" if within else f"the line of {resource.name!r} is longer than those who came"


def _given_back(program: Program, outcome: Outcome) -> Cases:
    left = len(outcome.alive) > 0 or len(program.guests) > 0
    for resource, held in zip(program.resources, outcome.resources[:, 5].tolist(), strict=True):
        most = resource.units if left else 0
        yield "" if 0 <= held <= most else f"{held} units of {resource.name!r} are held in the end"


def _conserved(program: Program, outcome: Outcome) -> Cases:
    rows = zip(program.containers, outcome.containers.tolist(), outcome.container_area, strict=True)
    for container, (level, lowest, highest, put, got, _), area in rows:
        sums = f"{container.level} + {put} - {got}" if level != container.level + put - got else ""
        yield sums and f"{container.name!r} holds {level} {container.unit} of {sums}"
        within = 0 <= lowest <= level <= highest <= container.capacity
        yield "" if within else f"{container.name!r} was beyond what it holds"
        within = lowest * outcome.end <= area <= highest * outcome.end
        yield "" if within else f"the mean level of {container.name!r} is beyond its extremes"


def _threads(program: Program, outcome: Outcome) -> Cases:
    alive = np.bincount(outcome.alive[:, 1][outcome.alive[:, 1] >= 0], minlength=len(program.names))
    rows = zip(program.names, outcome.threads.tolist(), alive.tolist(), strict=True)
    for name, (started, ended, busy), living in rows:
        counted = started == ended + living
        yield "" if counted else f"of {started} threads {name!r} {ended} ended and {living} live"
        # A wait that the end of the run cuts off counts as begun.
        slack = outcome.status != Status.DONE or living
        within = busy >= 0 and (slack or busy <= started * outcome.end)
        yield "" if within else f"threads {name!r} worked longer than the run"


def _time(program: Program, outcome: Outcome) -> Cases:
    marks, times = outcome.marks[:, 0], outcome.times
    yield "" if _rises(marks) and _within(marks, outcome.end) else "observations are out of order"
    yield "" if _rises(times) and _within(times, outcome.end) else "the timeline is out of order"
    areas = 2 * len(program.resources)
    grown = outcome.samples[1:, :areas] >= outcome.samples[:-1, :areas]
    yield "" if grown.all() else "the timeline's areas shrink"


def _rises(times: Ints) -> bool:
    return bool((times[1:] >= times[:-1]).all())


def _within(times: Ints, end: int) -> bool:
    return not len(times) or (int(times[0]) >= 0 and int(times[-1]) <= end)
