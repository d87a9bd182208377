"""The effect of a change of a catalogue value on the answer of a case."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simio.calibration.probe import Probe, Source
from simio.calibration.usage import range_of, values_of
from simio.calibration.values import CatalogueValue
from simio.errors import SimioError
from simio.sweeps.outcome import THROUGHPUT, measured
from simio.sweeps.run import run_many
from simio.sweeps.work import Task

if TYPE_CHECKING:
    from simio.description.model import Scenario

HALVINGS = 6
"""Times that the way to a value that is refused is halved."""
MORE = 1.1
"""The factor of a value whose effect is reported."""


SHARES = 48
"""Shares of the values, which processes answer: few values each, as one is done before copies begin, and a value is
told of when all of its share are known."""


@dataclass(frozen=True)
class ValueShare(Task):
    """A share of the values that a case is answered with, and the measure whose change is asked for."""

    share: Sequence[CatalogueValue] = ()
    measure: str = THROUGHPUT

    @property
    def whole(self) -> Task:
        """The task of the case, of whatever values."""
        return Task(**{field.name: getattr(self, field.name) for field in fields(Task)})


@dataclass(frozen=True)
class Effect:
    """The effect of one value on a measure of a case, as shares: 0.1 is ten per cent more.

    `more` is that of a value larger by a tenth; `low` and `high` those of the ends of its range, None without one or
    where the parts cannot have it. `by` is the factor that was tried, which for a count is the next whole one.
    `ends` are the values at which `low` and `high` were got, which the parts accept: the ends of the range, or what
    comes nearest to them.
    """

    value: CatalogueValue
    more: float | None
    by: float
    low: float | None
    high: float | None
    stated: bool
    ends: tuple[float, float] = (0.0, 0.0)

    @property
    def elasticity(self) -> float | None:
        """The relative change of the measure over that of the value, by logarithms; None if it cannot be varied."""
        if self.more is None or self.more <= -1 or self.by == 1:
            return None
        return math.log1p(self.more) / math.log(self.by)

    @property
    def size(self) -> float:
        """The rank of a value: the larger of the change for a tenth and the changes over the range."""
        tenth = abs(self.elasticity or 0.0) * math.log(MORE)
        return max(tenth, *(abs(each or 0.0) for each in (self.low, self.high)))


class AnsweredCase:
    """One case of a scenario, answered with other values; a program that stays the same is not run again.

    `answer` is its measure: in bytes a second, seconds, or as `measures_of` has it. Raises SimioError for a measure
    that its runs do not have.
    """

    def __init__(self, task: Task, measure: str = THROUGHPUT) -> None:
        self._probe = Probe(Source(task), task.case, measures=True)
        self.task, self.measure = replace(task, text=self._probe.source.file.text), measure
        self.case, self.measures = self._probe.case, self._probe.base.measures
        self.answer = measured(self.measures, measure)

    @property
    def values(self) -> list[CatalogueValue]:
        """The numbers of the catalogue in use."""
        return values_of(self.case.system, self._probe.source.parts, Path(self.task.scenario).parent)

    def answer_with(self, value: CatalogueValue, number: float) -> float | None:
        """The measure with another value; None where the parts, or the run, cannot have it."""
        found = self._probe.answer({value.at: value.text(number)})
        return found.measures.get(self.measure) if found else None

    def prepare(self) -> None:
        """Trace lowering with all values a tenth larger, so that other values of them are cheap."""
        larger = {value.at: value.text(_moved(value, MORE)) for value in self.values}
        self._probe.prepare([self._probe.compatible(larger)])


class _Kept(threading.local):
    """The case that this thread answered last: with it a process need not run, lower and trace it for each share."""

    def __init__(self) -> None:
        self.case: AnsweredCase | None = None


_KEPT = _Kept()


def effects(
    case: AnsweredCase, progress: Callable[[Sequence[Effect], int], Any] | None = None
) -> tuple[list[Effect], int]:
    """The effect of each value in use, the largest first, and the number of values that an interrupt left.

    `progress` gets what is known so far, at first nothing, and the number of values. Raises SimioError as `run_many`.
    """
    values = case.values
    shares = min(len(values), SHARES)
    tasks = [
        ValueShare(**vars(case.task), share=values[share::shares], measure=case.measure) for share in range(shares)
    ]
    found: list[Effect] = []
    if progress:
        progress(found, len(values))
    try:
        # Copies of this process have it, too.
        case.prepare()
        _KEPT.case = case
        for _, outcome in run_many(tasks, do=_effects):
            if isinstance(outcome, SimioError):
                raise outcome
            found += outcome
            if progress:
                progress(found, len(values))
    except KeyboardInterrupt:
        pass
    order = {value.name: number for number, value in enumerate(values)}
    return sorted(found, key=lambda effect: (-effect.size, order[effect.value.name])), len(values) - len(found)


def _effects(_scenario: Scenario, task: Task) -> list[Effect]:
    """The effects of a share of the values."""
    assert isinstance(task, ValueShare)
    case = _KEPT.case
    if case is None or (case.task, case.measure) != (task.whole, task.measure):
        case = _KEPT.case = AnsweredCase(task.whole, task.measure)
        case.prepare()
    return [_effect(case, value) for value in task.share]


def _effect(case: AnsweredCase, value: CatalogueValue) -> Effect:
    more, by = None, MORE
    for factor in (MORE, 1 / MORE):
        number = _moved(value, factor)
        more = _change(case, value, number) if number > 0 else None
        by = number / value.number
        if more is not None:
            break
    within = range_of(value)
    if within is None:
        return Effect(value, more, by, None, None, False)
    (low, lowest), (high, highest) = (_end(case, value, end) for end in (within.low, within.high))
    return Effect(value, more, by, low, high, within.stated, (lowest, highest))


def _end(case: AnsweredCase, value: CatalogueValue, end: float) -> tuple[float | None, float]:
    """The change at an end of a range, or where the parts refuse that, at the nearest value that they accept; and the
    value."""
    found = _change(case, value, end), end
    accepted, refused = value.number, end
    for _ in range(HALVINGS if found[0] is None else 0):
        middle = value.read(value.text((accepted + refused) / 2))
        change = _change(case, value, middle) if middle not in (accepted, refused) else None
        if change is None:
            refused = middle
        else:
            found, accepted = (change, middle), middle
    return found


def _moved(value: CatalogueValue, factor: float) -> float:
    """The value times a factor, at least the next that can be written."""
    number = value.read(value.text(value.number * factor))
    if number == value.number and value.dimension is None:
        number = value.number + (1 if factor > 1 else -1)
    return number


def _change(case: AnsweredCase, value: CatalogueValue, number: float) -> float | None:
    if number < 0 or case.answer == 0:
        return None
    answer = case.answer_with(value, number)
    return None if answer is None else answer / case.answer - 1
