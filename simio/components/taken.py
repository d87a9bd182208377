"""What a fault takes from those who use it: a resource, for as long as the fault lasts."""

from __future__ import annotations

from collections.abc import Sequence

from simio.description.faults import Span
from simio.program.builder import Builder, Handle

FIRST = -1
"""Priority of a fault, ahead of everything else that waits."""


def taken(p: Builder, name: str, resource: Handle, units: int, spans: Sequence[Span]) -> None:
    """Threads called `name` that have all `units` of a resource in these spans.

    Who has the resource when a span begins keeps it until done; the span ends when it is to, all the same.
    """
    for begin, end in spans:
        with p.thread(name, start=begin, daemon=True):
            p.seize(resource, units, FIRST)
            rest = p.register()
            p.let(rest, "SINCE", end)
            p.let(rest, "MIN", rest, 0)
            p.let(rest, "SUB", 0, rest)
            p.advance(0, rest, 1)
            p.release(resource, units)
