"""Reasons that more speed loses, or gains nothing for what is always busy: the time of a byte by resource."""

from __future__ import annotations

from simio.description.model import System
from simio.explaining.answers import Answer
from simio.explaining.model import LEAST, ComponentRow, certain
from simio.result.limiter import SATURATED
from simio.result.model import Limiter

MORE = 1.02
"""Factor by which a byte has to take longer of something for that to be a reason."""


def slowed_by(system: System, before: Answer, after: Answer) -> str:
    """Cause of a byte's longer time in the slower of two answers: a timer, a disk's revolutions, or the order."""
    grown = {
        name: time - before.took.get(name, 0.0)
        for name, time in after.took.items()
        if time > MORE * before.took.get(name, 0.0)
    }
    waits = {name: more for name, more in grown.items() if " waits for " in name}
    disks = {name: more for name, more in grown.items() if name in system.disks}
    if waits and max(waits.values()) >= max(disks.values(), default=0.0):
        return f"timing: {max(waits, key=lambda name: waits[name])} longer"
    if disks:
        return f"timing: missed revolutions of {max(disks, key=lambda name: disks[name])}"
    return "timing: requests meet in another order"


def held_by(limiter: Limiter, base: Answer, rows: list[tuple[ComponentRow, list[Answer]]]) -> str:
    """Reason that nothing gains that shortens a limit's work; '' where something does, or nothing shortens it."""
    took = base.took.get(limiter.name)
    if not took:
        return ""
    own = [
        (row, answers)
        for row, answers in rows
        if answers and min(each.took.get(limiter.name, 0.0) for each in answers) < (1 - LEAST) * took
    ]
    gains = (gain for row, _ in own for gain in (row.slightly, row.twice, row.free))
    if not own or any(certain(gain) and gain.gain >= LEAST for gain in gains if gain):
        return ""
    row, answers = min(own, key=lambda one: min(each.took.get(limiter.name, 0.0) for each in one[1]))
    name = row.component.name
    after = answers[0].limiter
    if after and after.name != limiter.name and after.busy >= SATURATED:
        return f"Making {name} faster gains nothing by itself: then {after.sentence}."
    if after and after.kind == "wait":
        return f"Making {name} faster gains nothing by itself: {after.sentence}."
    return f"Making {name} faster gains nothing: {limiter.name} works for what nothing waits for."
