"""Datagrams that never arrive: nothing slows their sender down, so that the throughput alone does not show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from simio.description.model import Workload
from simio.engines.outcome import Outcome, Status
from simio.program.steps import Program
from simio.result import measure
from simio.result.model import Observation, ResourceUse, StreamRate

NOTICED = Fraction(1, 100)
"""Share of what is sent from which on a result says what does not arrive."""

_ENDS = (" dropped", " lost")
"""Ends of the names of observations of packets that go no further."""


@dataclass(frozen=True)
class Sent:
    """Bytes that datagrams took with them in the whole of a run, those that arrived, and packets dropped, by name."""

    sent: int
    delivered: int
    drops: dict[str, int]
    done: bool

    @classmethod
    def of(cls, program: Program, outcome: Outcome) -> Sent:
        """The counts of a run from its start to its end."""
        sent, delivered = (
            sum(int(totals[-1]) for _, _, totals in measure.streams(program, outcome, role))
            for role in ("sent", "delivered")
        )
        drops = {}
        for row, mark in enumerate(program.marks):
            if mark.name.endswith(_ENDS):
                known = outcome.condensed.get(row)
                drops[mark.name] = known.count if known else len(outcome.records((row,)))
        return cls(sent, delivered, drops, outcome.status == Status.DONE)


def undelivered(
    workloads: Sequence[Workload],
    streams: Sequence[StreamRate],
    rate: Fraction,
    observations: Sequence[Observation],
    resources: Sequence[ResourceUse],
    run: Sent,
) -> list[str]:
    """A note on the share of datagrams that do not arrive, and who drops most of them; none for other workloads.

    It is that of the part of a run that is measured, or of the whole `run` where most was sent before.
    """
    if any(workload.kind != "datagrams" for workload in workloads):
        return []
    sent = sum((stream.rate for stream in streams if stream.sent), Fraction(0))
    if rate < (1 - NOTICED) * sent:
        drops = {each.name: each.count for each in observations if each.name.endswith(_ENDS)}
        return [_sentence(float(1 - rate / sent), drops, resources)]
    if run.done and run.delivered < (1 - NOTICED) * run.sent:
        return [_sentence(1 - run.delivered / run.sent, run.drops, resources)]
    return []


def _sentence(share: float, drops: dict[str, int], resources: Sequence[ResourceUse]) -> str:
    """A clause on the fate of a share of what is sent."""
    told = f"{100 * share:.4g}% of what is sent does not arrive"
    if any(drops.values()):
        return f"{told}; most packets end as {max(drops, key=drops.__getitem__)!r}"
    longest = max(resources, key=lambda use: use.mean_line, default=None)
    if longest and longest.mean_line > 1:
        return f"{told} by then: nothing drops it, and up to {longest.longest_line} wait for {longest.name!r}"
    return told
