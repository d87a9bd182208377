"""Incarnations of a host that crashes: one until its first crash, and one from the end of each crash to the next.

Nothing that an incarnation has in memory is known to the next. So whatever is kept there exists once for each of
them, and the time says which one is alive. A thread of one that is over finds that when it next asks: what it does
until then nobody sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from simio.components.faults.condition import FOREVER, Schedule, merged
from simio.program.builder import Builder, Register

if TYPE_CHECKING:
    from simio.description.faults import Span


class Incarnations:
    """Life of each incarnation of a host; a host without crashes has one that never ends."""

    def __init__(self, p: Builder, crashes: Sequence[Span]) -> None:
        self.crashes = merged(crashes)
        begins = [0, *(end for _, end in self.crashes)]
        ends = [*(begin for begin, _ in self.crashes), FOREVER]
        self._after = [Schedule(p, [(end, FOREVER)] if end < FOREVER else ()) for end in ends]
        self._dead = [
            Schedule(p, [*after.spans, *([(0, begin)] if begin else ())])
            for begin, after in zip(begins, self._after, strict=True)
        ]

    def __len__(self) -> int:
        return len(self._dead)

    def alive(self, number: int) -> AbstractContextManager[None]:
        """Run the body if incarnation `number`, from 0 on, is alive now; without crashes, always."""
        return self._dead[number].up()

    def over(self, result: Register, number: int) -> None:
        """Emit `result` = 1 if incarnation `number` is over, else 0; the last one never is."""
        self._after[number].is_down(result)


def of_incarnation(name: str, number: int) -> str:
    """The name of something in incarnation `number`: in the first it is plain."""
    return f"{name} (boot {number + 1})" if number else name
