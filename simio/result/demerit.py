"""Simulated response times beside measured ones, as distributions: the demerit figure.

C. Ruemmler and J. Wilkes, "An introduction to disk drive modeling", IEEE Computer 27(3), March 1994: the root mean
square of the horizontal distance between the two distributions, here as a share of the measured mean.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum, sqrt

import numpy as np

from simio.description.model import Workload
from simio.description.workloads import WorkloadParams
from simio.engines.outcome import Outcome
from simio.program.steps import Program
from simio.result.condensed import recorded
from simio.sketch import Sketch


@dataclass(frozen=True)
class Demerit:
    """An observation beside measured times of the same requests: their numbers, both means in ps, and the demerit.

    `value` is a share of the measured mean.
    """

    name: str
    count: int
    simulated: float
    measured_count: int
    measured: float
    value: float

    @property
    def error(self) -> float:
        """Signed error of the simulated mean, relative to the measured one."""
        return self.simulated / self.measured - 1


def demerit(simulated: Sketch, measured: Sketch) -> float:
    """Root mean square of the horizontal distance between two distributions, as a share of the mean of `measured`.

    Between them lies, at each height, the difference of two quantiles; both are steps, whose heights are merged where
    the numbers differ. Raises ValueError if one of both is empty, or if all measured times are zero.
    """
    if not simulated.count or not measured.total:
        raise ValueError("a demerit is of two distributions, the measured one with a mean above zero")
    (ours, our_counts), (theirs, their_counts) = simulated.steps(), measured.steps()
    # Heights of the steps in units of 1 / (number of both), so that equal ones are equal.
    our_heights, their_heights = np.cumsum(our_counts) * measured.count, np.cumsum(their_counts) * simulated.count
    heights = np.union1d(our_heights, their_heights)
    widths = np.diff(heights, prepend=0)
    distances = ours[np.searchsorted(our_heights, heights)] - theirs[np.searchsorted(their_heights, heights)]
    squares = fsum((distances.astype(float) ** 2 * widths).tolist()) / (simulated.count * measured.count)
    return sqrt(squares) / measured.mean


def demerits(
    workloads: Iterable[Workload[WorkloadParams]], program: Program, outcome: Outcome
) -> tuple[Demerit, ...]:
    """Demerits of all observations that workloads have measured times of, over the whole run."""
    measured_times = [
        (f"{workload.name}: {what}", measured)
        for workload in workloads
        for what, measured in workload.params.measured_times.items()
    ]
    if not measured_times:
        return ()
    found = []
    rows = {mark.name: row for row, mark in enumerate(program.marks)}
    for name, measured in measured_times:
        times = recorded(outcome, rows[name])
        if times.count and measured.total:
            value = demerit(times, measured)
            found.append(Demerit(name, times.count, times.mean, measured.count, measured.mean, value))
    return tuple(found)
