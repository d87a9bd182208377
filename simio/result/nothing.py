"""A run that delivered nothing: the reason, and the time that the first delivery would take."""

from __future__ import annotations

from collections.abc import Callable

from simio import units
from simio.description.model import Run
from simio.engines.outcome import Aborted, Outcome, Status
from simio.program.steps import HORIZON, Program
from simio.result import measure

LONGER = 8
"""Factor by which a run is made longer, again and again, to find the first delivery."""
MOST = 10_000_000
"""Steps of a run after which no longer one is tried."""


def nothing(program: Program, run: Run, outcome: Outcome, once: Callable[[int, int], Outcome]) -> str:
    """The sentence for a run without a delivery."""
    if not any(mark.role == "delivered" for mark in program.marks):
        return "the workload delivers no bytes; its times are below"
    if outcome.status == Status.DONE:
        return "nothing was delivered, although all work is done"
    end = units.format_quantity(outcome.end, "time")
    first = _first(program, run, outcome, once)
    if first is None:
        return f"nothing was delivered within {end}; a short search did not reach the first delivery"
    took = units.format_quantity(first, "time")
    return f"nothing was delivered within {end}: the first delivery comes after {took}. Make run.until longer"


def _first(program: Program, run: Run, outcome: Outcome, once: Callable[[int, int], Outcome]) -> int | None:
    """The instant of the first delivery in ps, from runs that are longer and longer; None if it is too far away."""
    until = max(outcome.end, 1)
    while outcome.steps <= MOST and outcome.status != Status.DONE and until < HORIZON:
        until = min(until * LONGER, HORIZON)
        try:
            outcome = once(run.seed, until)
        except Aborted:
            return None
        times, _ = measure.deliveries(program, outcome)
        if len(times):
            return int(times[0])
    return None
