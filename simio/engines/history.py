"""What the columns of the timeline were at each instant of a period that is replayed."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from simio.engines.affine import parts
from simio.engines.outcome import Ints
from simio.engines.queues import Area


class History:
    """A column from each instant on at which it changed: the instant, its value, and by how much a ps that grows."""

    def __init__(self, changes: list[tuple[Any, ...]]) -> None:
        self.changes = changes

    def note(self, time: Any, value: Any) -> None:
        """The value from an instant on."""
        if value is not self.changes[-1][1]:
            self.changes.append((time, value))

    @cached_property
    def _instants(self) -> tuple[Ints, Ints]:
        """Of all changes, and their steps."""
        instants = [change[0] for change in self.changes]
        values, steps = (np.array([getattr(instant, part) for instant in instants]) for part in ("value", "step"))
        return values, steps

    @cached_property
    def _numbers(self) -> Ints:
        """Of all changes: instant, its step, value, its step, slope."""
        values, steps = zip(*(parts(change[1]) for change in self.changes), strict=True)
        slopes = [change[2] if len(change) > 2 else 0 for change in self.changes]
        rest = np.array([[wrapped(number) for number in row] for row in (values, steps, slopes)])
        return np.concatenate([self._instants, rest])

    def at(self, times: Ints, periods: Ints, span: int) -> Ints:
        """The column at instants in ps, each in the period of that number; modulo 2^64, signed.

        The order of the changes is the same in all periods that are alike, not so what comes between an instant and
        the begin of its period. Instants grow, since what is fixed in time cannot be in every period.
        """
        values, steps = self._instants
        if (steps == span).all():
            rows = np.searchsorted(values, times - periods * span, side="right")
        else:
            rows = np.array([
                np.searchsorted(values + period * steps, time, side="right")
                for time, period in zip(times.tolist(), periods.tolist(), strict=True)
            ])  # fmt: skip
        since, later, value, step, slope = self._numbers[:, rows - 1]
        return value + periods * step + slope * (times - since - periods * later)


class Recorded(Area):
    """An area that keeps its history."""

    def __init__(self, env: Any, level: int, total: Any) -> None:
        super().__init__(env, level)
        self.since, self.total = env.now, total
        self.history = History([(self.since, total, level)])

    def change(self, delta: int) -> None:
        super().change(delta)
        self.history.changes.append((self.since, self.total, self.level))

    def levels(self) -> History:
        """The same of the level itself."""
        return History([(since, level) for since, _, level in self.history.changes])


def wrapped(value: int) -> int:
    """What is left of a whole number in 64 bits."""
    return (value + 2**63) % 2**64 - 2**63
