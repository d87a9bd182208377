"""Conditions: when a component is down, as steps that ask.

A `Schedule` is known before the run. No thread changes state for it: components compare instants, so that
even what was under way when a fault began finds out afterwards. A `Latch` is set by a thread during the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from simio.program.builder import Builder, Handle, Register

if TYPE_CHECKING:
    from simio.description.faults import Span

FOREVER = 2**62
"""End, in ps, of a span that lasts until the run ends."""
FIRST = -1
"""Priority of a fault, ahead of everything else that waits."""
ALL = 2**32
"""More than the number of threads that ever wait for a latch."""


def merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in ascending order, those that overlap or adjoin as one."""
    found: list[Span] = []
    for begin, end in sorted(spans):
        if found and begin <= found[-1][1]:
            begin, last = found.pop()
            end = max(end, last)
        found.append((begin, end))
    return found


@contextmanager
def uncounted(p: Builder, name: str) -> Iterator[None]:
    """Steps of a daemon thread on which the bound does not count, since the run may end before them."""
    # Always true; but the bound does not count on steps that a condition guards.
    with p.thread(name, daemon=True), p.when(p.now() == 0):
        yield


class Downtime:
    """Steps that ask if something is down: by a schedule, or by a word that a thread sets."""

    p: Builder

    def is_down(self, result: Register) -> None:
        """Emit `result` = 1 if it is down now, else 0."""
        raise NotImplementedError

    @contextmanager
    def down(self, value: int = 1) -> Iterator[None]:
        """Run the body if it is down now."""
        with self.p.scope():
            down = self.p.register()
            self.is_down(down)
            with self.p.when(down == value):
                yield

    def up(self) -> AbstractContextManager[None]:
        """Run the body if it is up now."""
        return self.down(0)


class Schedule(Downtime):
    """Down in spans that are known beforehand, in ps; false if there are none, and always up."""

    def __init__(self, p: Builder, spans: Iterable[Span]) -> None:
        self.p = p
        self.spans = merged(spans)

    def __bool__(self) -> bool:
        return bool(self.spans)

    def is_down(self, result: Register) -> None:
        """Emit `result` = 1 from the first instant of a span on and before the last, else 0."""
        result.set(0)
        for _ in self._each():
            result.set(1)

    def up(self) -> AbstractContextManager[None]:
        """Run the body if it is up now; without spans, that is no condition."""
        return super().up() if self else nullcontext()

    def hit(self, result: Register, since: Register) -> None:
        """Emit `result` = 1 if it was down at any time between `since` and now, else leave it.

        What ends at the instant at which a span begins, or begins when one ends, is not hit.
        """
        p = self.p
        for begin, end in self.spans:
            with p.scope(), p.when(p.now() > begin), p.when(since < end):
                result.set(1)

    def wait(self) -> None:
        """Wait until it is up."""
        for end in self._each():
            self.p.wait_until(end)

    def occupy(self, name: str, resource: Handle, units: int) -> None:
        """Threads called `name` that hold all `units` of a resource while it is down.

        The holder of the resource when a span begins keeps it until done; the span ends on time all the same.
        """
        p = self.p
        for number, (begin, end) in enumerate(self.spans, 1):
            had = p.container(f"{name} {number}", 1, unit="times")
            with uncounted(p, name):
                with p.fork(name, delay=begin, daemon=True):
                    p.seize(resource, units, FIRST)
                    p.put(had, 1)
                with p.fork(name, delay=end, daemon=True):
                    p.get(had, 1)
                    p.release(resource, units)

    def _each(self) -> Iterator[int]:
        """Run a for loop's body for each span, emitted for when it is down by that now; gives its end."""
        p = self.p
        for begin, end in self.spans:
            with p.scope():
                now = p.now()
                with p.when(now >= begin), p.when(now < end):
                    yield end


class Latch(Downtime):
    """Down from when a thread says so, for the rest of the run."""

    def __init__(self, p: Builder, name: str) -> None:
        self.p = p
        self.word = p.variable(name)
        """1 from `set` on."""
        self.noticed = p.container(name, unit="times")
        """Container of which each waiting thread gets 1."""

    def is_down(self, result: Register) -> None:
        """Emit `result` = 1 if it is down, else 0."""
        self.word.load(result)

    def set(self) -> None:
        """Go down for good, and wake the threads that wait for that."""
        self.word.store(1)
        self.p.put(self.noticed, ALL)

    def wait(self) -> None:
        """Wait until it is down."""
        self.p.get(self.noticed, 1)
