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
    for number, (begin, end) in enumerate(spans, 1):
        had = p.container(f"{name} {number}", 1, unit="times")
        with p.thread(name, daemon=True), p.loop(1):
            now = p.register()
            p.let(now, "SINCE", 0)
            # Condition that always holds: the run may end before, so that the bound must not count on any of it.
            with p.when(now, "==", 0):
                with p.fork(name, delay=begin, daemon=True):
                    p.seize(resource, units, FIRST)
                    p.put(had, 1)
                with p.fork(name, delay=end, daemon=True):
                    p.get(had, 1)
                    p.release(resource, units)
