"""Datagrams that never arrive: nothing slows their sender down, so that the throughput alone does not show them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from simio.description.model import Workload
from simio.result.model import Observation, StreamRate

NOTICED = Fraction(1, 100)
"""Share of what is sent from which on a result says what does not arrive."""

_ENDS = (" dropped", " lost")
"""Ends of the names of observations of packets that go no further."""


def undelivered(
    workloads: Sequence[Workload], streams: Sequence[StreamRate], rate: Fraction, observations: Sequence[Observation]
) -> list[str]:
    """A note on the share of datagrams that do not arrive, and who drops most of them; none for other workloads."""
    sent = sum((stream.rate for stream in streams if stream.sent), Fraction(0))
    if any(workload.kind != "datagrams" for workload in workloads) or rate >= (1 - NOTICED) * sent:
        return []
    share = float(1 - rate / sent)
    drops = [each for each in observations if each.name.endswith(_ENDS)]
    most = max(drops, key=lambda each: each.count, default=None)
    where = f"; most packets end as {most.name!r}" if most else ""
    return [f"{100 * share:.4g}% of what is sent does not arrive{where}"]
