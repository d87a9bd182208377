"""The causal profile: what the whole gains when one component is made faster, by running it so.

A causal profile asks what would change, not what is busy (C. Curtsinger and E. D. Berger, "Coz: finding code that
counts with causal profiling", SOSP 2015). There a part of a running program can only be made to seem faster, by
slowing all the rest; in a simulation it is made faster. The change is one of the description, before anything is
lowered, so that what follows from a value follows here as well: the clock in a disk's or a bus's machine, the larger
of two rates that a transfer takes, the time that a packet is found to take while it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from simio.description.model import Case
from simio.errors import RunError
from simio.explaining.answers import THROUGHPUT, Answer, Runner, gain
from simio.explaining.components import components, faster
from simio.explaining.model import CausalProfile, Component, Gain, Next, Row, WhatIf
from simio.explaining.settings import Setting, what_ifs
from simio.program.steps import Program
from simio.result.run import run_case

SLIGHTLY = Fraction(11, 10)
TWICE = Fraction(2)
FREE = Fraction(1000)
"""Factors of the three speeds; what is free takes a thousandth of its time."""
NOTHING = 0.0005
"""Gains below this share are told as none."""

Progress = Callable[[int, int], Any]


def profile(
    case: Case, title: str = "", engine: str | None = None, progress: Progress | None = None
) -> CausalProfile:
    """The causal profile of a case.

    `progress` is told how many variants of how many are done. An interrupt (Ctrl-C) gives what is known by then, with
    `complete` False, unless not even the case itself has been run. Raises RunError where the case cannot be run.
    """
    system = case.system
    found = components(system)
    runner = Runner(case, engine, variants=3 * len(found) // 2)
    result = run_case(runner.case_of(system), engine)
    work = _Work(runner, found, progress)
    complete = True
    try:
        work.run()
    except KeyboardInterrupt:
        complete = False
    metric = work.metric()
    rows = sorted(
        (
            Row(each, *(work.gained(answer, metric) for answer in answers))
            for each, answers in work.rows.items()
        ),
        key=_rank,
    )
    return CausalProfile(
        title=title,
        settings=dict(case.settings),
        unit=system.report.unit,
        metric=metric,
        base=runner.base.rate,
        value=sum(runner.base.values(metric)) / max(len(runner.base.values(metric)), 1),
        limiter=result.limiter,
        rows=tuple(rows),
        what_ifs=tuple(work.settings(metric)),
        next=work.next if metric == THROUGHPUT else None,
        alternations=(),
        runs=runner.runs,
        notes=tuple(runner.notes),
        complete=complete,
    )


def _rank(row: Row) -> float:
    """By what twice as fast gains; what could not be run comes last."""
    return -row.twice.gain if row.twice else 1.0


class _Work:
    """The variants of a case one after another, and what has come of them so far."""

    def __init__(self, runner: Runner, found: list[Component], progress: Progress | None) -> None:
        self.runner = runner
        self.progress = progress
        self.found = found
        self.changes = list(what_ifs(runner.system))
        self.total = 3 * len(found) + len(self.changes)
        self.done = 0
        self.rows: dict[Component, list[Answer | None]] = {}
        self.answers: dict[Setting, Answer | None] = {}
        self.next: Next | None = None

    def run(self) -> None:
        """Twice as fast for all first, so that an interrupt leaves a ranking; then what is left to know of each."""
        system, runner = self.runner.system, self.runner
        for each in self.found:
            program = runner.variant(faster(system, each, TWICE))
            self._step()
            if program:
                self.rows[each] = [None, self._answer(program), None]
        for number, factor in ((2, FREE), (0, SLIGHTLY)):
            for each, row in self.rows.items():
                self._step()
                row[number] = self._answer(runner.variant(faster(system, each, factor)))
        for change in self.changes:
            self._step()
            program = runner.variant(change.system)
            if program:
                self.answers[change] = self._answer(program)
        self.next = self._next()

    def _step(self) -> None:
        self.done += 1
        if self.progress:
            self.progress(self.done, self.total)

    def _answer(self, program: Program | None) -> Answer | None:
        """What a program gives; that of the case itself where there is no other, None where it cannot be run."""
        try:
            return self.runner.of(program) if program else self.runner.base
        except RunError:
            return None

    def metric(self) -> str:
        """Throughput, or where nothing changes that, the observation that most depends on something."""
        answers = [answer for row in self.rows.values() for answer in row if answer] + [
            answer for answer in self.answers.values() if answer
        ]
        base = self.runner.base
        if not base.times or any(abs(gain(base, each).gain) >= NOTHING for each in answers):
            return THROUGHPUT
        moved = {
            name: max((abs(gain(base, each, name).gain) for each in answers), default=0.0)
            for name in base.times
        }
        best = max(moved, key=lambda name: moved[name])
        return best if moved[best] >= NOTHING else THROUGHPUT

    def gained(self, answer: Answer | None, metric: str) -> Gain | None:
        """What an answer is as a gain."""
        return gain(self.runner.base, answer, metric) if answer else None

    def settings(self, metric: str) -> Iterator[WhatIf]:
        """The rows of settings so far."""
        for change, answer in self.answers.items():
            yield WhatIf(change.what, change.values, self.gained(answer, metric))

    def _next(self) -> Next | None:
        """What limits when the component that most would help is free."""
        gains = {each: self.gained(row[2], THROUGHPUT) for each, row in self.rows.items()}
        known = {each: found for each, found in gains.items() if found and found.gain >= NOTHING}
        if not known:
            return None
        first = max(known, key=lambda each: known[each].gain)
        without = faster(self.runner.system, first, FREE)
        limit = run_case(self.runner.case_of(without), self.runner.engine).limiter
        base = self.runner.answer(without)
        rest = {each: self.runner.answer(faster(without, each, TWICE)) for each in self.rows if each != first}
        helps = max(rest, key=lambda each: rest[each].rate, default=None)
        return Next(
            first.name,
            known[first],
            limit,
            helps.name if helps else "",
            gain(base, rest[helps]) if helps else None,
        )
