"""Notes on a volume whose rebuild goes on when the run ends: how long it takes at the rate of the run."""

from __future__ import annotations

from simio import units
from simio.engines.outcome import Outcome
from simio.program.roles import REBUILD, REBUILT, TO_REBUILD
from simio.program.service import SECOND
from simio.program.steps import Program
from simio.result.model import StreamRate, TallyValue
from simio.wording import byte_unit, figure, in_unit


def rebuilding(
    program: Program,
    outcome: Outcome,
    streams: tuple[StreamRate, ...],
    tallies: tuple[TallyValue, ...],
    unit: str,
) -> list[str]:
    """A note for each volume of which more is to be rebuilt, at the rate of the averaged part, in `unit`."""
    wanted = [tally for tally in tallies if tally.what == TO_REBUILD]
    if not wanted:
        return []
    rows = {mark.name: row for row, mark in enumerate(program.marks)}
    rates = {stream.name: stream.rate for stream in streams}
    done = {tally.owner: tally.value for tally in tallies if tally.what == REBUILT}
    notes = []
    for tally in wanted:
        owner, left = tally.owner, tally.value - done.get(tally.owner, 0)
        rate = rates.get(f"{owner}: {REBUILT}")
        # A rebuild that is over may have left out chunks that could not be read.
        if not rate or left <= 0 or len(outcome.records((rows[f"{owner}: {REBUILD}"],))):
            continue
        pace = f"{figure(in_unit(float(rate), byte_unit(unit)))} {byte_unit(unit)}"
        size, time = (
            units.format_quantity(value, kind) for value, kind in ((left, "size"), (left * SECOND / rate, "time"))
        )
        notes.append(f"{owner} is rebuilt at {pace}: at that rate the {size} that are left take {time}")
    return notes
