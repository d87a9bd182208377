"""Conditions: when a component is down, as steps that ask.

A `Schedule` is known before the run. No thread changes state for it: whoever wants to know compares instants, so that
even what was under way when a fault began finds out afterwards. A `Latch` is set by a thread during the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from simio.description.faults import Span
from simio.machines.failing.requests import MOST
from simio.program.builder import Builder, Handle, Register

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
    with p.thread(name, daemon=True), p.loop(1):
        now = p.register()
        p.let(now, "SINCE", 0)
        # Always true; but the bound does not count on what a condition guards.
        with p.when(now, "==", 0):
            yield


def wait_until(p: Builder, instant: int | Register, since: int | Register = 0) -> None:
    """Emit waiting until `instant` ps after `since`; no time passes if that is over."""
    with p.loop(1):
        left = p.register()
        p.let(left, "SINCE", since)
        p.let(left, "SUB", instant, left)
        p.let(left, "MAX", left, 0)
        p.advance(0, left, 1)


class Condition:
    """Whether something is down, as steps that ask: by a schedule, or by a word that a thread sets."""

    p: Builder

    def is_down(self, result: Register) -> None:
        """Emit `result` = 1 if it is down now, else 0."""
        raise NotImplementedError

    @contextmanager
    def down(self, value: int = 1) -> Iterator[None]:
        """Run the body if it is down now."""
        p = self.p
        with p.loop(1):
            down = p.register()
            self.is_down(down)
            with p.when(down, "==", value):
                yield

    def up(self) -> AbstractContextManager[None]:
        """Run the body if it is up now."""
        return self.down(0)


class Schedule(Condition):
    """Down in spans that are known beforehand, in ps; false if there are none, and always up."""

    def __init__(self, p: Builder, spans: Iterable[Span] = ()) -> None:
        self.p = p
        self.spans = merged(spans)

    def __bool__(self) -> bool:
        return bool(self.spans)

    def is_down(self, result: Register) -> None:
        """Emit `result` = 1 from the first instant of a span on and before the last, else 0."""
        p = self.p
        p.let(result, "SET", 0)
        for begin, end in self.spans:
            with self._now() as now, p.when(now, ">=", begin), p.when(now, "<", end):
                p.let(result, "SET", 1)

    def up(self) -> AbstractContextManager[None]:
        """Run the body if it is up now; without spans, that is no condition."""
        return super().up() if self else nullcontext()

    def hit(self, result: Register, since: Register) -> None:
        """Emit `result` = 1 if it was down at any time between `since` and now, else leave it.

        What ends at the instant at which a span begins, or begins when one ends, is not hit.
        """
        p = self.p
        for begin, end in self.spans:
            with self._now() as now, p.when(now, ">", begin), p.when(since, "<", end):
                p.let(result, "SET", 1)

    def wait(self) -> None:
        """Wait until it is up."""
        p = self.p
        for begin, end in self.spans:
            with self._now() as now, p.when(now, ">=", begin), p.when(now, "<", end):
                p.let(now, "SUB", end, now)
                p.advance(0, now, 1)

    def occupy(self, name: str, resource: Handle, units: int) -> None:
        """Threads called `name` that hold all `units` of a resource while it is down.

        Who has the resource when a span begins keeps it until done; the span ends on time all the same.
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

    @contextmanager
    def _now(self) -> Iterator[Register]:
        with self.p.loop(1):
            now = self.p.register()
            self.p.let(now, "SINCE", 0)
            yield now


class Latch(Condition):
    """Down from when a thread says so, for the rest of the run."""

    def __init__(self, p: Builder, name: str) -> None:
        self.p = p
        self.word = p.machine(name, [0])
        """The shared word that is 1 from then on."""
        self.noticed = p.container(name, unit="times")
        """Whoever waits for that gets 1 of it."""

    def is_down(self, result: Register) -> None:
        """Emit `result` = 1 if it is down, else 0."""
        self.p.call(result, MOST, self.word)

    def set(self) -> None:
        """It is down from now on; wake whoever waits for that."""
        with self.p.loop(1):
            self.p.call(self.p.register(), MOST, self.word, 1)
        self.p.put(self.noticed, ALL)

    def wait(self) -> None:
        """Wait until it is down."""
        self.p.get(self.noticed, 1)
