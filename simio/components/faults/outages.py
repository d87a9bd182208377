"""When something is out of order, as steps that ask whether what is under way was hit.

The instants are known beforehand, so that no thread has to change anything when they come: what has been under way
since an instant compares the two with now.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from simio.description.faults import Span
from simio.program.builder import Builder, Register


def merged(spans: Iterable[Span]) -> list[Span]:
    """Spans that overlap or adjoin as one, in their order."""
    found: list[Span] = []
    for begin, end in sorted(spans):
        if found and begin <= found[-1][1]:
            begin, last = found.pop()
            end = max(end, last)
        found.append((begin, end))
    return found


class Outages:
    """The spans in which something is out of order; without any, nothing is emitted."""

    def __init__(self, p: Builder, spans: Sequence[Span]) -> None:
        self.p = p
        self.spans = tuple(sorted(spans))

    def __bool__(self) -> bool:
        return bool(self.spans)

    def hit(self, result: Register, since: Register) -> None:
        """Emit `result` = 1 if a span overlaps the time from `since` to now, else leave it.

        What ends at the instant at which an outage begins, or begins when one ends, is not hit.
        """
        p = self.p
        if not self.spans:
            return
        with p.loop(1):
            now = p.register()
            p.let(now, "SINCE", 0)
            for begin, end in self.spans:
                with p.when(now, ">", begin), p.when(since, "<", end):
                    p.let(result, "SET", 1)
