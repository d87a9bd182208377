"""A short way to write a program and to look at what it marked."""

from __future__ import annotations

from types import ModuleType

from simio.engines.outcome import Options, Outcome
from simio.program.builder import Builder


def marks(run: Outcome) -> list[tuple[int, int]]:
    """(time, value) of every mark, whatever it is called."""
    return [(time, value) for time, _, value in run.marks.tolist()]


class Bench:
    """A builder with one observation, and a way to run it."""

    def __init__(self) -> None:
        self.p = Builder()
        self.seen = self.p.observation("seen")

    def mark(self, value: object) -> None:
        self.p.mark(self.seen, value)  # type: ignore[arg-type]

    def run(self, engine: ModuleType, **options: int) -> Outcome:
        return engine.run(self.p.build(), Options(trace=True, **options))
