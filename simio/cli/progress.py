"""The progress of long work, on a terminal's standard error; nothing elsewhere."""

from __future__ import annotations

import sys
import time

import click

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
    """A bar of runs with their speed and the time left; silent for work of a second.

    `total` may be set later. `done` runs were there already.
    """

    DELAY = 1.0

    def __init__(self, total: int = 0, what: str = "cases", done: int = 0) -> None:
        super().__init__()
        self.total, self.what, self.done, self.begun_with = total, what, done, done

    def __enter__(self) -> Progress:
        self.begun = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def step(self) -> None:
        """One run more is done."""
        self.done += 1
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
