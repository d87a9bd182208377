"""Laws of any run, whatever the program. A result that breaks one is a defect of simio, and is refused."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simio.engines.outcome import Ints, Outcome, Status
from simio.errors import RunError
from simio.limits import Bound
from simio.program.steps import Program
from simio.result import measure
from simio.result.model import Check


def invariants(program: Program, outcome: Outcome, certain: Bound) -> list[Check]:
    """Every law, checked of one run."""
    return [
        _under_bound(program, outcome, certain),
        _law("no resource is used beyond its units", 2 * len(program.resources), _overused(program, outcome)),
        _law(
            "what is seized is given back, or still held in the end",
            len(program.resources),
            _kept_back(program, outcome),
        ),
        _law(
            "containers hold what was put in less what was taken out",
            3 * len(program.containers),
            _unconserved(program, outcome),
        ),
        _law(
            "every thread that starts ends, or is alive in the end", 2 * len(program.names), _left(program, outcome)
        ),
        _law("time does not run backward", 3, _backward(outcome, 2 * len(program.resources))),
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


def _law(law: str, count: int, broken: Iterator[str]) -> Check:
    """A law with the number of things that were checked, and the message of the first that broke it."""
    return Check(law, count, next(broken, ""))


def _under_bound(program: Program, outcome: Outcome, certain: Bound) -> Check:
    total = measure.delivered(program, outcome)
    holds = certain.allows(total, outcome.end, outcome.status == Status.DONE)
    told = "" if holds else f"the result exceeds its bound, set by {certain.limits[0].name!r}"
    return Check("no more is delivered than the bound allows", len(certain.stations), told)


def _overused(program: Program, outcome: Outcome) -> Iterator[str]:
    end = outcome.end
    for resource, row in zip(program.resources, outcome.resources.tolist(), strict=True):
        busy, line, seizes, waits, longest, _ = row
        if not 0 <= busy <= resource.units * end:
            yield f"{resource.name!r} was used beyond its {resource.units} units"
        if not (0 <= longest <= waits <= seizes and 0 <= line <= longest * end):
            yield f"the line of {resource.name!r} is longer than those who came"


def _kept_back(program: Program, outcome: Outcome) -> Iterator[str]:
    left = len(outcome.alive) > 0 or len(program.guests) > 0
    for resource, held in zip(program.resources, outcome.resources[:, 5].tolist(), strict=True):
        if not 0 <= held <= (resource.units if left else 0):
            yield f"{held} units of {resource.name!r} are held in the end"


def _unconserved(program: Program, outcome: Outcome) -> Iterator[str]:
    end = outcome.end
    rows = zip(program.containers, outcome.containers.tolist(), outcome.container_area, strict=True)
    for container, (level, lowest, highest, put, got, _), area in rows:
        if level != container.level + put - got:
            yield f"{container.name!r} holds {level} {container.unit} of {container.level} + {put} - {got}"
        if not 0 <= lowest <= level <= highest <= container.capacity:
            yield f"{container.name!r} was beyond what it holds"
        if not lowest * end <= area <= highest * end:
            yield f"the mean level of {container.name!r} is beyond its extremes"


def _left(program: Program, outcome: Outcome) -> Iterator[str]:
    alive = np.bincount(outcome.alive[:, 1][outcome.alive[:, 1] >= 0], minlength=len(program.names))
    rows = zip(program.names, outcome.threads.tolist(), alive.tolist(), strict=True)
    for name, (started, ended, busy), living in rows:
        if started != ended + living:
            yield f"of {started} threads {name!r} {ended} ended and {living} live"
        # A wait that the end of the run cuts off counts as begun.
        slack = outcome.status != Status.DONE or living
        if busy < 0 or not (slack or busy <= started * outcome.end):
            yield f"threads {name!r} worked longer than the run"


def _backward(outcome: Outcome, areas: int) -> Iterator[str]:
    marks, times = outcome.marks[:, 0], outcome.times
    if not (_rises(marks) and _within(marks, outcome.end)):
        yield "observations are out of order"
    if not (_rises(times) and _within(times, outcome.end)):
        yield "the timeline is out of order"
    if not (outcome.samples[1:, :areas] >= outcome.samples[:-1, :areas]).all():
        yield "the timeline's areas shrink"


def _rises(times: Ints) -> bool:
    return bool((times[1:] >= times[:-1]).all())


def _within(times: Ints, end: int) -> bool:
    return not len(times) or (int(times[0]) >= 0 and int(times[-1]) <= end)
