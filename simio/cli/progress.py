"""The progress of long work, on a terminal's standard error; nothing elsewhere."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack

import click

from simio import units
from simio.program.steps import HORIZON
from simio.waiting import watched

_BAR = 20
"""Width of a full bar, in characters."""


class Line:
    """A line on a terminal's standard error that is written over, and cleared in the end."""

    def __init__(self) -> None:
        self.shown = False

    def show(self, text: str) -> None:
        """Show a text in place of the one before."""
        if sys.stderr.isatty():
            click.echo(f"\r\033[K{text}", nl=False, err=True)
            self.shown = True

    def clear(self) -> None:
        """Leave nothing."""
        if self.shown:
            click.echo("\r\033[K", nl=False, err=True)
        self.shown = False


class Progress(Line):
    """A bar of runs with their speed and the time left, and how far the present one has come; silent for short work.

    `total` may be set later. `done` runs were there already.
    """

    DELAY = 1.0
    LONG = 2.0
    """Seconds that a run takes before it has a line of its own."""
    PAUSE = 0.2
    """Seconds between two lines."""

    def __init__(self, total: int = 0, what: str = "cases", done: int = 0) -> None:
        super().__init__()
        self.total, self.what, self.done, self.begun_with = total, what, done, done

    def __enter__(self) -> Progress:
        self.begun = self.begun_run = time.monotonic()
        self.first, self.last, self.said = (0.0, 0.0), 0, 0.0
        self.stack = ExitStack()
        self.stack.enter_context(watched(self))
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()
        self.clear()

    def step(self) -> None:
        """One run more is done."""
        self.done += 1
        self.begun_run = time.monotonic()
        spent = time.monotonic() - self.begun
        if spent > self.DELAY and self.done < self.total:
            speed = (self.done - self.begun_with) / spent
            filled = _BAR * self.done // self.total
            bar = "━" * filled + " " * (_BAR - filled)
            left = (self.total - self.done) / speed
            self.show(
                f"{bar} {self.done} of {self.total} {self.what}, {speed:.3g} a second, about {left:.0f} s left "
                "(Ctrl-C keeps what is done)"
            )

    def step_of(self, _done: int, total: int) -> None:
        """One run more is done, of a total that is known only now."""
        self.total = total
        self.step()

    # --- reports of work to its watcher ------------------------------------------------------------------

    def prepares(self, steps: int) -> None:
        """A program is written."""
        if self._due():
            self.show(f"{self._before}preparing: {steps:,} steps of the program")

    def runs(self, now: int, until: int, delivered: int, of: int) -> None:
        """A run has come so far; there is an estimate where the end is known, in time or in bytes."""
        share = max(now / until if until < HORIZON else 0.0, delivered / of if of else 0.0)
        present = time.monotonic()
        if now < self.last:
            self.begun_run = present
        if now < self.last or not self.last:
            self.first = present, share
        self.last = now
        if not self._due():
            return
        text = f"{self._before}{units.format_quantity(_rounded(now), 'time')}"
        text += f" of {units.format_quantity(until, 'time')}" * (until < HORIZON) + " simulated"
        begun, had = self.first
        if share > had:
            left = (present - begun) * (1 - share) / (share - had)
            text += f", {min(share, 1):.0%}, about {max(left, 0):.0f} s left"
        self.show(f"{text} (Ctrl-C keeps what is done)")

    def _due(self) -> bool:
        """True if a run is so long, and the last line so old, that there should be another."""
        present = time.monotonic()
        if present - self.begun_run < self.LONG or present - self.said < self.PAUSE:
            return False
        self.said = present
        return True

    @property
    def _before(self) -> str:
        """Number of runs that are done, if there are several."""
        return f"{self.done} of {self.total} {self.what}; " if self.total > 1 else ""


class IntervalProgress(Progress):
    """A line while intervals are found, from many runs a case; an interrupt leaves the answers without intervals."""

    def __enter__(self) -> IntervalProgress:
        super().__enter__()
        self._tell()
        return self

    def step(self) -> None:
        """One case more has its interval."""
        self.done += 1
        self.begun_run = time.monotonic()
        self._tell()

    def prepares(self, steps: int) -> None:
        """A program is written, one of many."""
        self._tell()

    def runs(self, now: int, until: int, delivered: int, of: int) -> None:
        """A run goes on, one of many."""
        self._tell()

    def _tell(self) -> None:
        present = time.monotonic()
        if present - self.said < self.PAUSE or self.done >= self.total:
            return
        self.said = present
        spent = f"values of the next are varied since {present - self.begun_run:.0f} s"
        self.show(f"{self.done} of {self.total} intervals; {spent} (Ctrl-C shows the answers without)")


def _rounded(time: int) -> int:
    """A time of three digits, so that a line does not flicker."""
    unit = 10 ** max(len(str(time)) - 3, 0)
    return time // unit * unit
