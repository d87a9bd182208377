"""A run whose activity is observed: what each thread does, and who holds each resource."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from simio.description.model import System
from simio.engines.execute import execute
from simio.engines.outcome import Aborted, Interrupted, Options, Outcome
from simio.lower import lower
from simio.program.steps import HORIZON
from simio.result.activity import MOST, Activity, Full
from simio.result.precision import settled


class AbortedActivity(Aborted):
    """A run that was aborted while its activity was observed; `activity` is what happened until then."""

    def __init__(self, message: str, outcome: Outcome, activity: Activity) -> None:
        super().__init__(message, outcome)
        self.activity = activity


class InterruptedActivity(Interrupted):
    """Ctrl-C while the activity of a run was observed; `activity` is what happened until then."""

    def __init__(self, outcome: Outcome, activity: Activity) -> None:
        super().__init__(outcome)
        self.activity = activity


def observe(
    system: System,
    since: int = 0,
    until: int | None = None,
    most: int = MOST,
    engine: str | None = None,
    announce: Callable[[str], Any] | None = None,
) -> tuple[Activity, Outcome]:
    """Activity from `since` to `until` ps (None: to the end) in the first run of a system, and its outcome then.

    No more than `most` spans are kept: the run ends there. Raises AbortedActivity if the run is aborted,
    InterruptedActivity for Ctrl-C, and RunError if it cannot begin.
    """
    program = lower(system)
    activity = Activity(program, since, most)
    run = settled(system.run, program, engine)
    limits = [limit for limit in (run.until, until) if limit is not None]
    activity.until = min(limits, default=HORIZON)
    options = Options(activity.until, run.step_budget, run.seed)
    try:
        try:
            outcome = execute(program, replace(options, watch=activity.watch), engine, announce)
        except Full:
            outcome = execute(program, replace(options, until=activity.end), engine, announce)
    except Interrupted as error:
        # A run that was made again for its outcome may not have come that far.
        activity.finish(activity.end)
        raise InterruptedActivity(error.outcome, activity) from None
    except Aborted as error:
        activity.finish(error.outcome.end)
        raise AbortedActivity(str(error), error.outcome, activity) from error
    activity.finish(outcome.end)
    return activity, outcome
