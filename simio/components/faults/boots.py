"""The lives of a host that crashes: one until its first crash, and one from the end of each crash to the next.

Nothing of what a life has in memory is known to the next. So whoever keeps something there makes one for each life,
and asks the time to know which is on. A thread of a life that is over finds that when it next looks: what it does
until then nobody sees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from simio.components.faults.outages import merged
from simio.description.faults import Span
from simio.program.builder import Builder, Register


class Boots:
    """When each life of a host begins and ends; one without crashes has one life without an end."""

    def __init__(self, p: Builder, crashes: Sequence[Span]) -> None:
        self.p = p
        self.crashes = merged(crashes)

    def __len__(self) -> int:
        return len(self.crashes) + 1

    @contextmanager
    def on(self, boot: int) -> Iterator[None]:
        """Run the body if life `boot`, from 0 on, is on now; without crashes, always."""
        p = self.p
        with p.loop(1), ExitStack() as conditions:
            if self.crashes:
                now = p.register()
                p.let(now, "SINCE", 0)
            if boot:
                conditions.enter_context(p.when(now, ">=", self.crashes[boot - 1][1]))
            if boot < len(self.crashes):
                conditions.enter_context(p.when(now, "<", self.crashes[boot][0]))
            yield

    def over(self, result: Register, boot: int) -> None:
        """Emit `result` = 1 if life `boot` is over, else 0; the last one never is."""
        p = self.p
        if boot == len(self.crashes):
            p.let(result, "SET", 0)
            return
        # 0 before the crash, and 1 from its first instant on.
        p.let(result, "SINCE", self.crashes[boot][0] - 1)
        p.let(result, "MAX", result, 0)
        p.let(result, "MIN", result, 1)


def of_boot(name: str, boot: int) -> str:
    """What something is called in life `boot`: the first has the plain name."""
    return f"{name} (boot {boot + 1})" if boot else name
