"""The variants of a case: each component made faster, each setting changed, as far as there is time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from fractions import Fraction
from typing import Any

from simio.description.model import System
from simio.errors import RunError
from simio.explaining.answers import THROUGHPUT, Answer, Runner, gain
from simio.explaining.components import components, faster
from simio.explaining.model import (
    LEAST,
    NOTHING,
    Component,
    ComponentRow,
    Gain,
    Next,
    Waterfall,
    WhatIf,
    certain,
    noise,
)
from simio.explaining.reasons import held_by, slowed_by
from simio.explaining.relevance import relevance
from simio.explaining.settings import Setting, what_ifs
from simio.lower import lower
from simio.result.model import CaseResult, Limiter
from simio.running import Lowered
from simio.wording import counted, listed

SLIGHTLY = Fraction(11, 10)
TWICE = Fraction(2)
FREE = Fraction(1000)
"""Factors of the three speeds; what is free takes a thousandth of its time."""

MOST_REASONS = 3
"""Reasons for variants that cannot be run, at most, in a report."""
CANDIDATES = 4
"""Components that are tried where the one that helps most is free."""
WORTH = 0.02
"""Gain of components that are free together from which each is tried by itself."""
RESERVES = {"free": 0.6, "less": 0.3, "settings": 0.1}
"""Shares of the time for variants that are left for those after."""

Progress = Callable[[int, int], Any]


class Variants:
    """The variants of a case one after another, and what has come of them so far.

    Components that have little to do with the result are made free together. If that gains nothing, none of them
    does; else they are divided, as far as there is time.
    """

    def __init__(
        self, runner: Runner, result: CaseResult, found: Waterfall | None, progress: Progress | None
    ) -> None:
        self.runner = runner
        self.progress = progress
        self.result = result
        self.found = components(runner.system)
        self.scores = relevance(runner.system, self.found, result, found)
        self.changes = list(what_ifs(runner.system))
        self.total = len(self.found) + len(self.changes)
        self.done = 0
        self.rows: dict[Component, dict[Fraction, Future[Answer]]] = {}
        self.together: dict[Component, tuple[Component, ...]] = {}
        self.answers: dict[Setting, Future[Answer] | None] = {}
        self.errors: list[str] = []
        self.untried: list[Setting] = []
        self.left_out: list[Component] = []
        self.next: Next | None = None

    def run(self) -> None:
        """Run each component free first, so that an interrupt leaves a ranking; then the rest of what matters."""
        ranked = sorted(self.found, key=lambda each: -self.scores[each])
        self.left_out = self._each([each for each in ranked if self.scores[each] >= LEAST], RESERVES["free"])
        self.left_out += self._divide([each for each in ranked if self.scores[each] < LEAST])
        self._less(RESERVES["less"])
        self.untried = self._settings(self.changes, RESERVES["settings"])
        self.next = self._next()
        # Now without reserves.
        self.left_out = self._each(self.left_out)
        self.untried = self._settings(self.untried)
        self._less()

    def _each(self, wanted: list[Component], reserve: float = 0.0) -> list[Component]:
        """Make components free one at a time; returns those for which there is no time."""
        for number, each in enumerate(wanted):
            if not self.runner.affords(1 + number % 2, reserve if number else 0.0):
                return wanted[number:]
            self._try(each, FREE)
            if number % 2:
                self._settle()
        self._settle()
        return []

    def _divide(self, wanted: list[Component]) -> list[Component]:
        """Make components free together, and divide them where that gains or loses anything.

        Returns them if there is no time for it.
        """
        if not self.runner.affords(1):
            return wanted
        groups = [wanted] if wanted else []
        while groups:
            group = groups.pop(0)
            if len(group) == 1:
                self._try(group[0], FREE)
                self._settle()
                continue
            one = Component(
                f"{len(group)} others, all at once", tuple(dict.fromkeys(v for c in group for v in c.values))
            )
            self._try(one, FREE, len(group))
            self._settle()
            if one not in self.rows:
                continue
            known = any(len(row) and self._gains(row[FREE], WORTH) for each, row in self.rows.items() if each != one)
            reserve = RESERVES["free" if known else "settings"]
            if self._gains(self.rows[one][FREE], WORTH) and self.runner.affords(2, reserve):
                del self.rows[one]
                self.done -= len(group)
                # The larger half has the components that are less likely to matter.
                cut = max(len(group) // 3, 1)
                groups += [group[:cut], group[cut:]]
            else:
                self.together[one] = tuple(group)
        return []

    def _less(self, reserve: float = 0.0) -> None:
        """Make what matters when it is free faster by less, what gains most first."""
        rows = [each for each, row in self.rows.items() if each not in self.together and self._gains(row[FREE])]
        rest = [each for each in rows if TWICE not in self.rows[each]]
        gained = {each: self.gained(self.rows[each][FREE], self.metric()) for each in rest}
        rest.sort(key=lambda each: -abs(found.gain) if (found := gained[each]) else 0.0)
        for number, each in enumerate(rest, len(rows) - len(rest)):
            if not self.runner.affords(2, reserve if number else 0.0):
                break
            for factor in (TWICE, SLIGHTLY):
                self._try(each, factor, 0)
            self._settle()

    def _settings(self, wanted: list[Setting], reserve: float = 0.0) -> list[Setting]:
        """Change settings one at a time; returns those for which there is no time."""
        for number, change in enumerate(wanted):
            if not self.runner.affords(1 + number % 2, reserve):
                self._settle()
                return wanted[number:]
            self._step()
            try:
                lowered = self.runner.variant(change.system)
            except (RunError, ValueError):
                continue
            if lowered:
                self.answers[change] = self.runner.start(lowered)
            if number % 2:
                self._settle()
        self._settle()
        return []

    def _try(self, each: Component, factor: Fraction, steps: int = 1) -> None:
        """Start a variant with a component made faster; one that changes nothing has no row."""
        for _ in range(steps):
            self._step()
        try:
            lowered = self.runner.variant(faster(self.runner.system, each, factor))
        except RunError as error:
            self.errors.append(str(error))
            return
        if lowered:
            self.rows.setdefault(each, {})[factor] = self.runner.start(lowered)

    def _settle(self) -> None:
        rows = (each for row in self.rows.values() for each in row.values())
        self.runner.settle([*rows, *(each for each in self.answers.values() if each)])

    def _step(self) -> None:
        self.done += 1
        if self.progress:
            self.progress(min(self.done, self.total), self.total)

    def _gains(self, free: Future[Answer], least: float = LEAST) -> bool:
        """True if free makes a difference that is worth a closer look; unknown is yes."""
        found = self.gained(free, self.metric())
        return found is None or abs(found.gain) >= least

    def _metrics(self) -> list[str]:
        return [THROUGHPUT, *self.runner.base.times]

    def table(self, metric: str) -> list[ComponentRow]:
        """The rows so far, those that gain most first."""
        rows = []
        for each, row in self.rows.items():
            slightly, twice, free = (self.gained(row.get(factor), metric) for factor in (SLIGHTLY, TWICE, FREE))
            names = tuple(one.name for one in self.together.get(each, ()))
            if each in self.together or not free or twice or abs(free.gain) >= LEAST:
                slower = self._slower(row, metric) if metric == THROUGHPUT and not names else ""
                rows.append(ComponentRow(each, slightly, twice, free, names, slower))
            else:
                rows.append(ComponentRow(each, None, None, free))
        return sorted(rows, key=_rank)

    def _slower(self, row: dict[Fraction, Future[Answer]], metric: str) -> str:
        """Reason that a component loses when it is faster than it is, or than twice as fast; '' where it does not."""
        base = self.runner.base
        speeds = [self._answer(row.get(factor)) for factor in (SLIGHTLY, TWICE, FREE)]
        slow, before = base, Gain(base.rate, 0.0)
        for answer in speeds:
            if answer is None:
                continue
            after = gain(base, answer, metric)
            lost = before.gain - after.gain
            if lost >= LEAST and lost > (before.half_width or 0.0) + (after.half_width or 0.0):
                return slowed_by(self.runner.system, slow, answer)
            slow, before = answer, after
        return ""

    def _answer(self, answer: Future[Answer] | None) -> Answer | None:
        if answer is None or not answer.done() or answer.cancelled() or answer.exception():
            return None
        return answer.result()

    def metric(self) -> str:
        """Throughput, or where nothing changes that, the observation that most depends on something."""
        found = [each for row in self.rows.values() for each in row.values()]
        found += [each for each in self.answers.values() if each]
        most = {
            name: max((abs(each.gain) for each in (self.gained(one, name) for one in found) if each), default=0.0)
            for name in self._metrics()
        }
        best = max(most, key=lambda name: most[name])
        return THROUGHPUT if most[THROUGHPUT] >= NOTHING or most[best] < NOTHING else best

    def gained(self, answer: Future[Answer] | None, metric: str) -> Gain | None:
        """The gain of an answer; None where it is missing or the variant could not be run."""
        known = self._answer(answer)
        return gain(self.runner.base, known, metric) if known else None

    def refused(self) -> list[str]:
        """Reasons that variants could not be run, each once, and the number of settings that time left out."""
        found = [each for row in self.rows.values() for each in row.values()]
        found += [each for each in self.answers.values() if each]
        errors = [each.exception() for each in found if each.done() and not each.cancelled()]
        reasons = [*self.errors, *(str(each) for each in errors if each)]
        told = list(dict.fromkeys(f"not run: {each.splitlines()[0]}" for each in reasons))[:MOST_REASONS]
        if self.left_out:
            names = [each.name for each in self.left_out[:MOST_REASONS]]
            rest = len(self.left_out) - len(names)
            others = [counted(rest, "other")] if rest else []
            told.append(f"not made faster, because runs take long: {listed([*names, *others])}")
        if self.untried:
            told.append(f"{len(self.untried)} of {len(self.changes)} settings were not tried, because runs take long")
        return told

    def settings(self, metric: str) -> Iterator[WhatIf]:
        """The rows of settings so far."""
        for change, answer in self.answers.items():
            yield WhatIf(change.what, change.values, self.gained(answer, metric))

    def held(self, limiter: Limiter, rows: tuple[ComponentRow, ...]) -> str:
        """Reason that a faster limiter gains nothing; '' where it gains, or nothing is known to make it faster."""
        own = held_by(limiter, self.runner.base, [(row, self._answers(row)) for row in rows if not row.together])
        return own if limiter.kind in ("resource", "lock") else ""

    def _answers(self, row: ComponentRow) -> list[Answer]:
        found = (self._answer(self.rows[row.component].get(factor)) for factor in (SLIGHTLY, TWICE, FREE))
        return [each for each in found if each]

    def _next(self) -> Next | None:
        """The system with the component that helps most free, and its limit."""
        known = [row for row in self.table(THROUGHPUT) if certain(row.free) and not row.together]
        if not known or not self.runner.affords(1):
            return None
        first, gained_free = known[0].component, known[0].free
        assert gained_free is not None
        without = faster(self.runner.system, first, FREE)
        base = self.rows[first][FREE].result()
        assert base.limiter is not None
        rest = self._likely(without, first, base)
        self.runner.settle(rest.values())
        gained = {each: gain(base, one.result()) for each, one in rest.items() if not one.exception()}
        helps = max(gained, key=lambda each: gained[each].gain, default=None)
        if helps is None or gained[helps].gain < NOTHING or noise(gained[helps]):
            return Next(first.name, gained_free, base.limiter, "", None)
        return Next(first.name, gained_free, base.limiter, helps.name, gained[helps])

    def _likely(self, without: System, first: Component, base: Answer) -> dict[Component, Future[Answer]]:
        """Components that are most likely to help where the first is free, made twice as fast: those whose time for
        a byte of what limits then is most, and those that gained most before."""
        name = base.limiter.name if base.limiter else ""
        others = [each for each in self.rows if each != first and each not in self.together]

        def share(each: Component) -> float:
            known = self._answer(self.rows[each].get(FREE))
            return known.took.get(name, 0.0) if known else float("inf")

        behind = sorted(others, key=lambda each: (share(each), -self.scores[each]))[:CANDIDATES]
        best = [row.component for row in self.table(THROUGHPUT) if row.component in others][:CANDIDATES]
        found: dict[Component, Future[Answer]] = {}
        for each in dict.fromkeys(each for pair in zip(behind, best, strict=False) for each in pair):
            if len(found) and not self.runner.affords(len(found) + 1):
                break
            try:
                found[each] = self.runner.start(Lowered(lower(faster(without, each, TWICE))))
            except RunError:
                continue
        return found


def _rank(row: ComponentRow) -> tuple[float, ...]:
    """The order of rows: by what twice as fast gains, then by what free does; then what was not made twice as fast,
    and last several together.

    What is free has no share in anything: of a few components that overlap, as a clock and what runs by it do, all
    gain about the same then.
    """
    gains = [row.twice or row.free, row.free, row.slightly]
    tried = row.twice is not None
    return (float(bool(row.together)), float(not tried), *(-each.gain if each else 1.0 for each in gains))
