"""Laws that need more than a run records: they watch another run of the same program, step by step."""

from __future__ import annotations

import numpy as np

from simio.engines.outcome import Options, Outcome, Status
from simio.program.steps import Program
from simio.result.checks import refuse
from simio.result.model import Check
from simio.result.recount import Recount, recount


def check_again(program: Program, options: Options, outcome: Outcome, engine: str | None = None) -> list[Check]:
    """Checks of a run by another run of its first steps; raises RunError as `checks.check` does.

    None where processes in Python take part, which take no steps.
    """
    if program.guests:
        return []
    counted, again = recount(program, options, engine)
    found = recounted(program, outcome, counted, again)
    refuse(found)
    return found


def recounted(program: Program, outcome: Outcome, counted: Recount, again: Outcome) -> list[Check]:
    """The laws of a run and of another of the same, whose steps were counted."""
    units, levels = len(program.resources), len(program.containers)
    late = ["a step came before the one ahead of it"] if counted.backward else []
    waits, held, stays = (each(program, counted, again) for each in (_waits, _held, _stays))
    return [
        _law("a run that is made again, step by step, does the same", 1, _unlike(outcome, again)),
        _law("no step comes before the one ahead of it", again.steps, late),
        _law("the area of a line is the sum of the waits in it (Little's law)", units, waits),
        _law("the area in use is the sum of the times that units are held", 2 * units, held),
        _law("the area of a level is the sum of the times that units stay", levels, stays),
    ]


def _law(law: str, count: int, broken: list[str]) -> Check:
    return Check(law, count, broken[0] if broken else "")


def _unlike(outcome: Outcome, again: Outcome) -> list[str]:
    """Differences of two runs; of one that is cut off, in what both have of its time."""
    if again.status != Status.BUDGET:
        apart = outcome.differences(again)
        return [f"made again, the run differs in {', '.join(apart)}"] if apart else []
    if not np.array_equal(outcome.marks[: len(again.marks)], again.marks):
        return ["made again, the run has other observations"]
    _, first, second = np.intersect1d(outcome.times, again.times, return_indices=True)
    same = np.array_equal(outcome.samples[first], again.samples[second])
    return [] if same else ["made again, the run has another timeline"]


def _waits(program: Program, counted: Recount, again: Outcome) -> list[str]:
    rows = zip(program.resources, counted.waited, counted.came, again.resources, strict=True)
    return [
        f"waits for {resource.name!r} come to {waited} ps of {came}, and its line to {line} of {seizes}"
        for resource, waited, came, (_, line, seizes, *_) in rows
        if (waited, came) != (line, seizes)
    ]


def _held(program: Program, counted: Recount, again: Outcome) -> list[str]:
    found = []
    rows = zip(program.resources, counted.held, counted.most, counted.in_use, again.resources, strict=True)
    for resource, held, most, left, (busy, *_, in_use) in rows:
        if (held, left) != (busy, in_use):
            own = f"units of {resource.name!r} are held for {held} ps, {left} in the end"
            found.append(f"{own}, not for {busy} and {in_use}")
        if most > resource.units:
            found.append(f"{most} of {resource.units} units of {resource.name!r} were in use at once")
    return found


def _stays(program: Program, counted: Recount, again: Outcome) -> list[str]:
    rows = zip(program.containers, counted.stays.tolist(), again.container_area, strict=True)
    return [
        f"stays in {row.name!r} come to {stays} {row.unit} ps, and its level to {area}"
        for row, stays, area in rows
        if (area - stays) % 2**64
    ]
