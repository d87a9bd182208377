"""Notes on lines that change more slowly than a run can show: mean times of open loads near saturation."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt

from simio import units
from simio.result.model import LoadUse, ResourceUse
from simio.wording import counted, figure

NEAR = 0.9
"""Utilisation from which on a line may be slow."""
WIDE = 0.5
"""Half of a 95% confidence interval, as a share of the mean, from which on a note tells of it."""
VARIES = 2
"""Variability of Poisson arrivals and of service times that are all alike: twice the sum of the squared coefficients
of variation, 1 and 0 (W. Whitt, "Planning queueing simulations", Management Science 35(11), 1989)."""


def slow_lines(loads: tuple[LoadUse, ...], resources: Iterable[ResourceUse], end: int, spans: list[int]) -> list[str]:
    """A note where the busiest resource has a line that averages over spans of so many ps hardly tell.

    A mean over the time T has a relative variance of about `VARIES` tau / T in heavy traffic, where tau is the
    service time over the square of the idle share. `end` is the length of the run in ps; all work is of `loads`.
    """
    if not loads or any(load.users or load.overloads for load in loads):
        return []
    servers = (use for use in resources if not use.lock and use.seizes)
    busiest = max(servers, key=lambda use: use.utilisation, default=None)
    if busiest is None or not NEAR <= busiest.utilisation < 1 or busiest.mean_line < 1:
        return []
    service = busiest.utilisation * busiest.units * end / busiest.seizes
    changes = service / busiest.units / (1 - busiest.utilisation) ** 2
    wide = 1.96 * sqrt(VARIES * changes / sum(spans))
    if wide < WIDE:
        return []
    by = f"{wide:.0%}" if wide < 1 else "more than 100%"
    longer = figure((wide / WIDE) ** 2, 2)
    return [
        f"{busiest.name} is busy {busiest.utilisation:.1%} of the time, and so long a line changes within about "
        f"{_time(changes)}: {_measured(spans)} leave mean times uncertain by {by}; a run {longer} times as "
        "long (run.until) shows them"
    ]


def _time(span: float) -> str:
    """A time in ps, rounded."""
    return units.format_quantity(float(f"{span:.2g}"), "time")


def _measured(spans: list[int]) -> str:
    """The runs' spans in words."""
    length = _time(sum(spans) / len(spans))
    return f"{counted(len(spans), 'run')} of {length}" if len(spans) > 1 else length
