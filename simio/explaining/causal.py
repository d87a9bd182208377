"""The causal profile: what the whole gains when one component is made faster, by running it so.

A causal profile asks what would change, not what is busy (C. Curtsinger and E. D. Berger, "Coz: finding code that
counts with causal profiling", SOSP 2015). There a part of a running program can only be made to seem faster, by
slowing all the rest; in a simulation it is made faster. The change is one of the description, before anything is
lowered, so that what follows from a value follows here as well: the clock in a disk's or a bus's machine, the larger
of two rates that a transfer takes, the time that a packet is found to take while it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from fractions import Fraction
from typing import Any

from simio.bound import bound
from simio.description.model import Case
from simio.errors import RunError
from simio.explaining.answers import THROUGHPUT, Answer, Runner, gain
from simio.explaining.components import components, faster
from simio.explaining.model import (
    NOTHING,
    Alternation,
    CausalProfile,
    Component,
    Gain,
    Next,
    Row,
    WhatIf,
    certain,
)
from simio.explaining.settings import Setting, what_ifs
from simio.explaining.stages import Traced
from simio.explaining.threads import alternations
from simio.lower import lower
from simio.running import RunOptions, run_case

SLIGHTLY = Fraction(11, 10)
TWICE = Fraction(2)
FREE = Fraction(1000)
"""Factors of the three speeds; what is free takes a thousandth of its time."""

MOST_REASONS = 3
"""Reasons for variants that cannot be run that are told."""

Progress = Callable[[int, int], Any]


def profile(
    case: Case,
    title: str = "",
    engine: str | None = None,
    progress: Progress | None = None,
    traced: Traced | None = None,
) -> CausalProfile:
    """The causal profile of a case.

    `progress` is told how many variants of how many are done; `traced` is the case run step by step, if it was
    already. An interrupt (Ctrl-C) gives what is known by then, with `complete` False, unless not even the case
    itself has been run. Raises RunError where the case cannot be run.
    """
    system = case.system
    found = components(system)
    runner = Runner(case, engine, variants=3 * len(found) // 2 + 1)
    result = run_case(runner.case_of(system), RunOptions(engine))
    threads = _alternations(case, engine, traced)
    work = _Work(runner, found, progress)
    complete = True
    try:
        work.run()
    except KeyboardInterrupt:
        complete = False
    finally:
        runner.stop()
    metric = work.metric()
    settings = tuple(work.settings(metric))
    runner.notes += work.refused()
    values = runner.base.values(metric)
    return CausalProfile(
        title=title,
        settings=dict(case.settings),
        unit=system.report.unit,
        metric=metric,
        base=runner.base.rate,
        value=sum(values) / max(len(values), 1),
        limiter=result.limiter,
        rows=tuple(work.table(metric)),
        what_ifs=settings,
        next=work.next if metric == THROUGHPUT else None,
        alternations=threads,
        runs=runner.runs,
        notes=tuple(runner.notes),
        complete=complete,
    )


def _alternations(case: Case, engine: str | None, traced: Traced | None) -> tuple[Alternation, ...]:
    """Threads that alternate; none where a program cannot be followed (processes written in Python)."""
    try:
        return alternations(traced or Traced(case, engine))
    except RunError:
        return ()


def _rank(row: Row) -> tuple[float, ...]:
    """By what twice as fast gains, then by what free does; what could not be run comes last.

    What is free has no share in anything: of a few components that overlap, as a clock and what runs by it do, all
    gain about the same then.
    """
    gains = [row.twice or row.free, row.free, row.slightly]
    return tuple(-each.gain if each else 1.0 for each in gains)


class _Work:
    """The variants of a case one after another, and what has come of them so far."""

    def __init__(self, runner: Runner, found: list[Component], progress: Progress | None) -> None:
        self.runner = runner
        self.progress = progress
        self.found = found
        self.changes = list(what_ifs(runner.system))
        self.total = 4 * len(found) + len(self.changes)
        self.done = 0
        self.rows: dict[Component, dict[Fraction, Future[Answer]]] = {}
        self.answers: dict[Setting, Future[Answer]] = {}
        self.next: Next | None = None

    def run(self) -> None:
        """Free for all first, so that an interrupt leaves a ranking; then the rest of what matters."""
        system, runner = self.runner.system, self.runner
        for each in self.found:
            program = runner.variant(faster(system, each, FREE))
            self._step()
            if program:
                self.rows[each] = {FREE: runner.start(program)}
        for each, row in self.rows.items():
            matters = self._matters(row[FREE])
            for factor in (TWICE, SLIGHTLY):
                self._step()
                if matters:
                    row[factor] = runner.start(lower(faster(system, each, factor)))
        for change in self.changes:
            self._step()
            program = runner.variant(change.system)
            if program:
                self.answers[change] = runner.start(program)
        wait([*self.answers.values(), *(each for row in self.rows.values() for each in row.values())])
        self.next = self._next()

    def _step(self) -> None:
        self.done += 1
        if self.progress:
            self.progress(self.done, self.total)

    def _matters(self, free: Future[Answer]) -> bool:
        """Whether a component makes a difference when it is free, so that less may; unknown is yes."""
        gains = [self.gained(free, name) for name in self._metrics()]
        return any(each is None or abs(each.gain) >= NOTHING for each in gains)

    def _metrics(self) -> list[str]:
        return [THROUGHPUT, *self.runner.base.times]

    def table(self, metric: str) -> list[Row]:
        """The rows so far, those that gain most first. What makes no difference when it is free is not made faster by
        less; that is no difference either."""
        none = Gain(self.runner.base.rate, 0.0)
        rows = []
        for each, row in self.rows.items():
            slightly, twice, free = (self.gained(row.get(factor), metric) for factor in (SLIGHTLY, TWICE, FREE))
            if len(row) == 1 and free and not self._matters(row[FREE]):
                slightly, twice = none, none
            rows.append(Row(each, slightly, twice, free))
        return sorted(rows, key=_rank)

    def metric(self) -> str:
        """Throughput, or where nothing changes that, the observation that most depends on something."""
        found = [each for row in self.rows.values() for each in row.values()] + list(self.answers.values())
        most = {
            name: max((abs(each.gain) for each in (self.gained(one, name) for one in found) if each), default=0.0)
            for name in self._metrics()
        }
        best = max(most, key=lambda name: most[name])
        return THROUGHPUT if most[THROUGHPUT] >= NOTHING or most[best] < NOTHING else best

    def gained(self, answer: Future[Answer] | None, metric: str) -> Gain | None:
        """What an answer is as a gain; None where it is not there or the variant could not be run."""
        if answer is None or answer.cancelled() or (self.runner.stopped and not answer.done()):
            return None
        return gain(self.runner.base, answer.result(), metric) if not answer.exception() else None

    def refused(self) -> list[str]:
        """Why variants could not be run, each reason once."""
        found = [each for row in self.rows.values() for each in row.values()] + list(self.answers.values())
        errors = [each.exception() for each in found if each.done() and not each.cancelled()]
        return list(dict.fromkeys(f"not run: {str(each).splitlines()[0]}" for each in errors if each))[:MOST_REASONS]

    def settings(self, metric: str) -> Iterator[WhatIf]:
        """The rows of settings so far."""
        for change, answer in self.answers.items():
            gained = self.gained(answer, metric)
            if metric == THROUGHPUT and gained and certain(gained):
                gained = self._allowed(change, gained)
            yield WhatIf(change.what, change.values, gained)

    def _allowed(self, change: Setting, gained: Gain) -> Gain:
        """A gain that the bound of the changed case allows.

        With more outstanding, more is half done when measuring begins, and a short run seems faster than it is.
        """
        most, base = bound(lower(change.system)).rate(), self.runner.base.rate
        if most is None or gained.rate <= most or not base:
            return gained
        self.runner.notes.append(f"{change.what}: the gain shown is capped at the upper bound of that variant")
        return Gain(most, float(most / base) - 1, gained.half_width)

    def _next(self) -> Next | None:
        """What limits when the component that helps most is free."""
        known = [row for row in self.table(THROUGHPUT) if row.free and row.free.gain >= NOTHING]
        if not known:
            return None
        first, gained_free = known[0].component, known[0].free
        assert gained_free is not None
        runner = self.runner
        without = faster(runner.system, first, FREE)
        base = runner.start(lower(without))
        rest = {}
        for each in self.rows:
            self._step()
            if each != first:
                rest[each] = runner.start(lower(faster(without, each, TWICE)))
        limit = run_case(runner.case_of(without), RunOptions(runner.engine)).limiter
        gained = {each: gain(base.result(), one.result()) for each, one in rest.items() if not one.exception()}
        helps = max(gained, key=lambda each: gained[each].gain, default=None)
        if helps is None or gained[helps].gain < NOTHING:
            return Next(first.name, gained_free, limit, "", None)
        return Next(first.name, gained_free, limit, helps.name, gained[helps])
