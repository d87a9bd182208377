"""How far many runs have come, on a terminal's standard error; nothing elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any


class Progress:
    """A bar with runs a second and the time left; `done` of `total` rows were there already."""

    def __init__(self, total: int, done: int = 0) -> None:
        self.total, self.done, self.begun_with = total, done, done
        self._bar: Any = None

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            from rich import progress
            from rich.console import Console

            columns = (
                progress.BarColumn(),
                progress.MofNCompleteColumn(),
                progress.TextColumn("{task.fields[speed]}"),
                progress.TimeRemainingColumn(),
                progress.TextColumn("left"),
            )
            self._bar = progress.Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("", total=self.total, completed=self.done, speed="")
            self._bar.start()
        return self

    def step(self) -> None:
        """One row more is done."""
        self.done += 1
        if self._bar:
            spent = self._bar.tasks[0].elapsed or 0
            speed = f"{(self.done - self.begun_with) / spent:.0f} runs/s" if spent > 1 else ""
            self._bar.update(self._task, completed=self.done, speed=speed)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()
