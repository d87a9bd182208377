"""Notes on writes that the buffers of solid-state drives take, and not the flash."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simio.description.model import System
from simio.engines.outcome import Outcome
from simio.program.steps import BUFFER, Program
from simio.result import measure, usage
from simio.result.model import Throughput
from simio.wording import and_others

if TYPE_CHECKING:
    from simio.description.sheets.flash import FlashDrive

MUCH = 0.2
"""Share of what drives were given to write by which their buffers became fuller, from which a run says so."""
FEW = 0.05
"""Share of the bytes delivered that writes have to be for that to matter."""


def in_buffers(system: System, program: Program, outcome: Outcome, span: Throughput) -> list[str]:
    """A note where much of what a measured span wrote only made buffers fuller.

    While a buffer fills, writes come at the rate of the buffer, whatever the flash keeps up.
    """
    if not span.amount:
        return []
    total = measure.whole(program, outcome).amount
    names, held, given = [], 0.0, 0.0
    for name, sheet, row in written(system, program, outcome):
        level, taken = (int(outcome.containers[row, column]) for column in (0, 4))
        sampled = outcome.samples[:, 2 * len(program.resources) + row]
        capacity = program.containers[row].capacity
        since, until = usage.at_instants(outcome, [span.since, span.until], sampled, capacity, level)
        names.append(name)
        held += (since - until) * sheet.map_unit
        given += taken * sheet.map_unit * span.amount / total
    if held <= MUCH * given or given <= FEW * span.amount:
        return []
    share = "more than half" if held > given / 2 else "more than a fifth"
    return [
        f"{share} of what was written only filled the write buffer of {and_others(names)}: a longer run shows what "
        "the flash keeps up"
    ]


def written(system: System, program: Program, outcome: Outcome) -> Iterator[tuple[str, FlashDrive, int]]:
    """Name and sheet of each drive with flash that was given data, and the row of its buffer's container."""
    rows = {container.name: row for row, container in enumerate(program.containers)}
    for disk in system.disks.values():
        row = rows.get(BUFFER.format(disk.name))
        if row is not None and outcome.containers[row, 4]:
            # Runs of other disks import no sheets of flash.
            from simio.description.sheets.flash import FlashDrive

            if isinstance(disk.part.sheet, FlashDrive):
                yield disk.name, disk.part.sheet, row
