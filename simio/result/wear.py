"""The wear of solid-state drives by a run's writes: write amplification, and years of their rated endurance."""

from __future__ import annotations

from simio.description.model import System
from simio.engines.outcome import Outcome
from simio.program.service import SECOND
from simio.program.steps import BUFFER, PROGRAMMED, Program
from simio.result import measure
from simio.result.model import Throughput, Wear


def worn(system: System, program: Program, outcome: Outcome, span: Throughput) -> tuple[Wear, ...]:
    """The wear of each drive with flash that was written to, at the rate of the measured span."""
    if not span.amount or span.until <= span.since:
        return ()
    share = span.amount / measure.whole(program, outcome).amount
    rows = {container.name: row for row, container in enumerate(program.containers)}
    moved: dict[str, dict[str, int]] = {}
    for tally in measure.tallies(program, outcome):
        if tally.unit == "sectors":
            moved.setdefault(tally.owner, {})[tally.what] = tally.value
    found = []
    for disk in system.disks.values():
        row = rows.get(BUFFER.format(disk.name))
        if row is None or not outcome.containers[row, 4]:
            continue
        from simio.description.sheets.flash import FlashDrive

        sheet = disk.part.sheet
        if not isinstance(sheet, FlashDrive):
            continue
        given = int(outcome.containers[row, 4]) * sheet.map_unit * share
        stored = moved.get(disk.name, {})
        own = stored.get(PROGRAMMED, 0)
        amplification = sum(stored.values()) / own if own and not sheet.in_place else None
        rate = given * SECOND / (span.until - span.since)
        found.append(Wear(disk.name, rate, amplification, sheet.endurance))
    return tuple(found)
