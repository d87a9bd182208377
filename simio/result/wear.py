"""The wear of solid-state drives by a run's writes: write amplification, and years of their rated endurance."""

from __future__ import annotations

from simio.description.model import System
from simio.engines.outcome import Outcome
from simio.program.service import SECOND
from simio.program.steps import PROGRAMMED, Program
from simio.result import measure, usage
from simio.result.buffered import written
from simio.result.model import Throughput, Wear


def worn(system: System, program: Program, outcome: Outcome, span: Throughput) -> tuple[Wear, ...]:
    """The wear of each drive with flash that was written to, at the rate of the measured span."""
    if not span.amount or span.until <= span.since:
        return ()
    share = span.amount / measure.whole(program, outcome).amount
    moved: dict[str, dict[str, int]] = {}
    for tally in usage.tallies(program, outcome):
        if tally.unit == "sectors":
            moved.setdefault(tally.owner, {})[tally.what] = tally.value
    found = []
    for name, sheet, row in written(system, program, outcome):
        given = int(outcome.containers[row, 4]) * sheet.map_unit * share
        stored = moved.get(name, {})
        own = stored.get(PROGRAMMED, 0)
        amplification = sum(stored.values()) / own if own and not sheet.in_place else None
        rate = given * SECOND / (span.until - span.since)
        found.append(Wear(name, rate, amplification, sheet.endurance))
    return tuple(found)
