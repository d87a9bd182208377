"""Notes on faults that pass: for how long nothing was delivered because of them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from simio import units
from simio.engines.outcome import Outcome
from simio.program.steps import Program
from simio.result import measure
from simio.result.model import Throughput

if TYPE_CHECKING:
    from simio.description.faults import InjectedFault

TOLD = Fraction(1, 100)
"""Share of the measured span from which on a time without deliveries is told: by as much the rate is lower."""


def outages(faults: tuple[InjectedFault, ...], program: Program, outcome: Outcome, span: Throughput) -> list[str]:
    """Notes on faults that pass, each with the longest time without deliveries that begins or goes on in it.

    It is told where no time without deliveries is as long that none of the faults lies in.
    """
    spans = [(fault.name, fault.params.span) for fault in faults if hasattr(fault.params, "span")]
    if not spans:
        return []
    times, _ = measure.deliveries(program, outcome)
    begins, ends = times[:-1], times[1:]
    beside = np.ones(len(begins), dtype=bool)
    for _, (at, over) in spans:
        beside &= (begins >= over) | (ends <= at)
    usual = int((ends - begins)[beside].max(initial=0))
    notes = []
    for name, (at, over) in spans:
        within = np.flatnonzero((begins < over) & (ends > at) & (begins >= span.since) & (ends <= span.until))
        if not len(within):
            continue
        row = within[np.argmax((ends - begins)[within])]
        silent = int(ends[row] - begins[row])
        if silent > usual and silent >= TOLD * (span.until - span.since):
            notes.append(_told(name, over - at, int(begins[row]), silent, span))
    return list(dict.fromkeys(notes))


def _told(name: str, lasts: int, begin: int, silent: int, span: Throughput) -> str:
    """The note on a fault that `lasts` so long."""
    length, fault, since = (units.format_quantity(time, "time") for time in (silent, lasts, begin))
    share = silent / (span.until - span.since)
    return (
        f"nothing was delivered for {length} from {since} on, {share:.0%} of the part that is averaged; "
        f"{name} itself lasted {fault}"
    )
