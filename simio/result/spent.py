"""Notes on volumes of a storage service that serve more than is provisioned, from credits that come to an end."""

from __future__ import annotations

from simio.description.model import System
from simio.engines.outcome import Outcome
from simio.program.roles import CREDITS_LEFT
from simio.program.service import SECOND
from simio.program.steps import Program
from simio.result import usage
from simio.result.model import Throughput
from simio.units import format_quantity
from simio.wording import figure

FEW = 0.01
"""Share of the provisioned requests, and of all credits, up to which their spending is not told."""


def from_credits(system: System, program: Program, outcome: Outcome, span: Throughput) -> list[str]:
    """A note for each volume that spent credits in the measured span: what it serves without them, and until when."""
    notes = []
    last = {tally.owner: int(outcome.state[tally.at]) for tally in program.tallies if tally.what == CREDITS_LEFT}
    for row, gauge in enumerate(program.gauges):
        if gauge.what != CREDITS_LEFT or span.until <= span.since:
            continue
        # Runs of other disks import no sheet of a service.
        from simio.description.sheets.cloud import CloudVolume

        sheet = system.disks[gauge.owner].part.sheet
        assert isinstance(sheet, CloudVolume)
        column = outcome.samples[:, row - len(program.gauges)]
        instants = [span.since, span.until]
        since, until = usage.at_instants(outcome, instants, column, sheet.credits, last[gauge.owner])
        rate = (since - until) * SECOND / (span.until - span.since)
        if rate <= FEW * sheet.requests:
            continue
        provisioned = f"its provisioned {figure(float(sheet.requests))} requests a second"
        if until > FEW * sheet.credits:
            lasts = format_quantity(int(float(f"{until / rate * SECOND:.2g}")), "time")
            notes.append(f"{gauge.owner} serves more than {provisioned}, from credits that last for another {lasts}")
        else:
            notes.append(f"{gauge.owner} spent its credits within the span: from then on it serves {provisioned}")
    return notes
