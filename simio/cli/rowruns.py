"""Running the cases of measured rows, with progress; an interrupt keeps those that are done."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simio.cli.options import COMPLETING, tell
from simio.cli.progress import Progress

if TYPE_CHECKING or not COMPLETING:
    from simio.studies import Library, Row
    from simio.studies.baseline import Baseline, read_baseline
    from simio.studies.simulate import CaseValues, Key, needed
    from simio.studies.simulate import run as run_cases
    from simio.wording import counted

SIMPY_STEPS = 350_000
"""Steps that SimPy takes in a second, about."""
LONG = 20
"""Seconds of SimPy from which its time is announced."""


def kept_baseline(path: Path, needed: bool) -> Baseline:
    """The baseline in a file; an empty one if it is missing and not needed."""
    return read_baseline(path) if needed or path.exists() else Baseline()


def run_rows(
    rows: Sequence[Row], library: Library, kept: Baseline, engine: str, processes: int | None
) -> tuple[dict[Key, CaseValues], bool]:
    """The cases of the rows that were run, and False after an interrupt."""
    done: dict[Key, CaseValues] = {}
    keys = needed(rows, kept.steps)
    if engine != "compiled":
        _announce(sum(keys.values()))
    begun = time.monotonic()
    complete = True
    try:
        with Progress(len(keys)) as progress:

            def take(key: Key, outcome: CaseValues) -> None:
                done[key] = outcome
                progress.step()

            run_cases(list(keys), take, library, None, engine, processes, tell)
    except KeyboardInterrupt:
        complete = False
    tell(f"{len(done)} of {counted(len(keys), 'case')} in {time.monotonic() - begun:.1f} s")
    return done, complete


def _announce(steps: float) -> None:
    """Say how long SimPy will take, if the baseline knows the steps."""
    seconds = steps / SIMPY_STEPS
    if seconds > LONG:
        minutes = f"some {seconds / 60:.0f} minutes of one CPU" if seconds > 90 else f"some {seconds:.0f} s"
        tell(f"{steps:,.0f} steps, for which SimPy needs {minutes}; fewer STUDY names need less")
