"""Responses of a case to each uncertain value: derivatives by short runs, and a check with all values changed.

Of each value the case is answered at a standard deviation on the side where it is expected to do harm, and where
that has an effect, on the other. Values are first tried in groups: a group without effect is done, one with an effect
is halved (sequential bifurcation: Bettonvil and Kleijnen, Eur. J. Oper. Res. 96, 1997). Between and beyond, an effect
is linear in the score of the value on either side, and effects of several values add up (Saltelli and others, Global
Sensitivity Analysis: The Primer, 2008, section 1.2). A few runs with all values changed at once say how far that
holds.

A case is expected to respond as the one before it. Where the effects of that one say as much of the runs with all
values changed as they did there, they are taken, and what they miss counts as above. Else each group is tried against
what is expected of it, and is halved where it differs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simio.calibration.probe import Length, Probe, ProbeAnswer, Source, change
from simio.calibration.usage import Range
from simio.errors import SimioError
from simio.sweeps.beside import beside

if TYPE_CHECKING:
    from simio.description.model import Scenario, System
    from simio.sweeps.work import Task

Vector = NDArray[np.float64]
Scores = list[tuple[Range, float]]

CHECKS = 3
"""Runs with all values changed."""
GROUP = 16
"""Cases that are answered together, each with the responses of the one before it as what is expected."""
SMALL = 0.002
"""Changes below this, as a share, are none."""
TOGETHER = 0.01
"""Changes of a whole group are as expected if they differ by no more than this."""
MORE = 1.25
"""A case responds as the one before it if what the runs with all values changed miss is no larger by this factor."""
LINEAR = 0.03
"""Effects up to this are taken to be as large on the other side, without a run, where no bound moves."""
HALVINGS = 3
"""A value that no datasheet allows is taken half as far from what it is, so often."""
FARTHEST = 1.3
"""Scores of the runs with all values changed lie between this and its opposite."""
SEED = 1
MEDIAN_TO_DEVIATION = 1.4826
"""The standard deviation of a normal distribution over the median of its absolute values."""
BRANCHES = 4
"""Groups of values that are tried whatever was found of the others: each processor has some."""
ENOUGH = 8
"""Changes of the program from which the scatter of the answer is estimated."""


@dataclass(frozen=True)
class Responses:
    """Changes of one case's answer, as logarithms in columns: throughput, bound, rows, pooled rows.

    `low` and `high` are those of each value a standard deviation below and above, by name; what is not there has no
    effect. `noise` is how much the answer scatters where it should not change, a standard deviation for each column;
    `residual` that of the runs with all values changed about the sum of effects. `runs` were made, `halved` of the
    values could be tried only nearer.
    """

    index: int
    low: Mapping[str, Vector] = field(default_factory=dict)
    high: Mapping[str, Vector] = field(default_factory=dict)
    noise: Vector = field(default_factory=lambda: np.zeros(2))
    residual: Vector = field(default_factory=lambda: np.zeros(2))
    runs: int = 0
    halved: int = 0

    def changes(self, scores: Mapping[str, Vector]) -> Vector:
        """The change of each column (rows of the matrix are draws) with these scores of the values."""
        draws = len(next(iter(scores.values()))) if scores else 0
        total = np.zeros((draws, len(self.noise)))
        for name, score in scores.items():
            if name in self.low:
                total += np.outer(np.maximum(-score, 0.0), self.low[name])
                total += np.outer(np.maximum(score, 0.0), self.high[name])
        return total


def respond(
    _scenario: Scenario,
    task: Task,
    uncertain: Mapping[int, Sequence[Range]],
    lengths: Mapping[int, Length],
    group: Mapping[int, Sequence[int]],
    answered: Callable[[int], Any] | None,
) -> list[Responses]:
    """The work of one task: the responses of each case of the group whose first case is the task's.

    `answered` gets 1 for each case; it is of this process, and so no part of a task that goes to another.
    """
    source = Source(task)
    probes = [Probe(source, index, lengths[index]) for index in group[task.case]]
    found: list[Responses] = []
    for number, probe in enumerate(probes):
        expected = _moved(found[-1], probes[number - 1].columns, probe.columns) if found else None
        case = _Case(probe, uncertain[probe.index], [other.system for other in probes])
        found.append(case.responses(expected))
        if answered:
            answered(1)
    return found


def _moved(responses: Responses, columns: Sequence[str], wanted: Sequence[str]) -> Responses | None:
    """The responses with the columns of another case; None where that has rows of another kind."""
    if not set(wanted) <= set(columns):
        return None
    order = [columns.index(name) for name in wanted]
    low, high = ({name: side[name][order] for name in side} for side in (responses.low, responses.high))
    return replace(responses, low=low, high=high, noise=responses.noise[order], residual=responses.residual[order])


@dataclass(frozen=True)
class _Branch:
    """Findings on a group of values: as in `Responses`, and the changes that `programs` new ones brought."""

    low: Mapping[str, Vector]
    high: Mapping[str, Vector]
    tried: Sequence[Vector]
    halved: int
    programs: int


class _Case:
    """A case that is being answered with other values."""

    def __init__(self, probe: Probe, uncertain: Sequence[Range], alike: Sequence[System] = ()) -> None:
        self.probe, self.uncertain, self.alike = probe, uncertain, alike
        self.low: dict[str, Vector] = {}
        self.high: dict[str, Vector] = {}
        self.none = np.zeros(2 + len(probe.base.rows) + len(probe.base.pooled))
        self.halved = 0
        self.tried: list[Vector] = []
        self.expected: Responses | None = None

    def responses(self, expected: Responses | None) -> Responses:
        """The responses of the case; `expected` are those of a case like it."""
        checks = None
        if expected:
            names = {each.value.name for each in self.uncertain}
            self.low, self.high = (
                {name: side[name] for name in side if name in names} for side in (expected.low, expected.high)
            )
            checks = self._checks()
            found = self._found(expected.noise, checks)
            if np.all(found.residual <= np.maximum(TOGETHER, MORE * expected.residual)):
                return replace(found, halved=expected.halved)
            self.low, self.high = {}, {}
        self.expected = expected
        sides = ([(each, sign * float(each.harmful)) for each in self.uncertain] for sign in (1, -1))
        self.probe.prepare([_values(self._compatible(side)) for side in sides], self.alike)
        if checks is None:
            checks = self._checks()
        self._explore()
        return self._found(self._noise(), checks)

    def _found(self, noise: Vector, checks: Sequence[tuple[dict[str, float], Vector]]) -> Responses:
        """The responses as far as they are known, with what they miss of the runs with all values changed."""
        found = Responses(self.probe.index, self.low, self.high, noise, runs=self.probe.programs, halved=self.halved)
        return replace(found, residual=_residual(found, checks, self.none))

    def _checks(self) -> list[tuple[dict[str, float], Vector]]:
        """Scores with all values changed, and the changes that these bring."""
        random = np.random.default_rng(SEED)
        found = []
        for _ in range(CHECKS if self.uncertain else 0):
            drawn = np.clip(random.standard_normal(len(self.uncertain)), -FARTHEST, FARTHEST)
            scores = self._compatible(list(zip(self.uncertain, map(float, drawn), strict=True)))
            change = self._change(scores)
            if change is not None:
                found.append(({each.value.name: score for each, score in scores}, change))
        return found

    def _compatible(self, scores: Scores) -> Scores:
        """The scores whose values the parts accept together."""
        allowed = self.probe.compatible(_values(scores))
        return [(each, score) for each, score in scores if each.value.at in allowed]

    def _explore(self) -> None:
        """Effects of all values, some groups of them beside others."""
        size = math.ceil(len(self.uncertain) / BRANCHES)
        groups = [self.uncertain[first : first + size] for first in range(0, len(self.uncertain), size or 1)]
        for branch in beside([partial(self._branch, group) for group in groups]):
            self.low |= branch.low
            self.high |= branch.high
            self.tried += branch.tried
            self.halved += branch.halved
            self.probe.programs += branch.programs

    def _branch(self, group: Sequence[Range]) -> _Branch:
        """Effects of a group, which are the same whatever was found of others."""
        case = _Case(self.probe.alone(), self.uncertain)
        case.expected = self.expected
        before = case.probe.programs
        case._group(group)
        return _Branch(case.low, case.high, case.tried, case.halved, case.probe.programs - before)

    def _group(self, group: Sequence[Range]) -> None:
        """Effects of the values of a group, of which most are expected to have none, or those of a case like it."""
        if len(group) <= 1:
            for each in group:
                self._single(each)
            return
        before = self.probe.programs
        together = self._change([(each, float(each.harmful)) for each in group])
        expected = sum((self._expected(each, each.harmful) for each in group), self.none)
        if together is not None and np.all(np.abs(together - expected) <= TOGETHER):
            self.tried += [together - expected] * (len(group) if self.probe.programs > before else 0)
            for each in group:
                if self.expected and each.value.name in self.expected.low:
                    self._keep(each, self._expected(each, each.harmful), self._expected(each, -each.harmful))
            return
        half = len(group) // 2
        self._group(group[:half])
        self._group(group[half:])

    def _expected(self, each: Range, sign: int) -> Vector:
        """The change that is expected for a standard deviation on one side."""
        side = (self.expected.high if sign > 0 else self.expected.low) if self.expected else {}
        return side.get(each.value.name, self.none)

    def _single(self, each: Range) -> None:
        harmed = self._side(each, each.harmful)
        if harmed is None:
            # Values that cannot get worse may yet get better.
            harmed, helped = self.none, self._side(each, -each.harmful)
        elif np.all(np.abs(harmed) <= SMALL):
            helped = self.none
        elif self._linear(each, harmed):
            helped = -harmed
        else:
            helped = self._side(each, -each.harmful)
        self._keep(each, harmed, self.none if helped is None else helped)

    def _linear(self, each: Range, harmed: Vector) -> bool:
        """True for a small effect that no bound explains: what a bound loses on one side it need not gain."""
        small = np.all(np.abs(harmed) <= LINEAR) and abs(harmed[1]) <= SMALL
        return bool(small and each.value.dimension is not None)

    def _keep(self, each: Range, harmed: Vector, helped: Vector) -> None:
        if any(np.any(np.abs(side) > SMALL) for side in (harmed, helped)):
            self.low[each.value.name], self.high[each.value.name] = (
                (harmed, helped) if each.harmful < 0 else (helped, harmed)
            )

    def _side(self, each: Range, sign: int) -> Vector | None:
        """The change for a standard deviation on one side; of a value that is refused, scaled up from nearer."""
        score = float(sign)
        for times in range(HALVINGS + 1):
            before = self.probe.programs
            found = self._change([(each, score)])
            if found is not None:
                self.halved += times > 0
                if self.probe.programs > before:
                    self.tried.append(found)
                return found * 2**times
            score /= 2
        return None

    def _change(self, scores: Scores) -> Vector | None:
        try:
            found = self.probe.answer(_values(scores))
        except SimioError:
            return None
        return None if found is None else _changes(self.probe.base, found)

    def _noise(self) -> Vector:
        """The scatter of the answer: most values have no effect of their own, and what they change is chance."""
        if len(self.tried) < ENOUGH:
            return self.none
        noise: Vector = MEDIAN_TO_DEVIATION * np.median(np.abs(np.stack(self.tried)), axis=0)
        for name in self.low:
            for side in (self.low, self.high):
                # The rest of a change when the variance of chance is taken off.
                size = np.abs(side[name])
                left = np.sqrt(np.maximum(size**2 - noise**2, 0.0))
                side[name] = np.sign(side[name]) * left
        return noise


DIGITS = 3
"""Significant digits of values: with more, the exact fractions of service times grow beyond 64 bits."""


def _values(scores: Scores) -> dict[tuple[str, str], str]:
    """The texts of values at their scores."""
    return {each.value.at: each.value.text(each.at(score), DIGITS) for each, score in scores}


def _changes(base: ProbeAnswer, found: ProbeAnswer) -> Vector:
    pairs = zip(
        (base.rate, base.bound, *base.rows, *base.pooled),
        (found.rate, found.bound, *found.rows, *found.pooled),
        strict=True,
    )
    return np.nan_to_num(np.array([change(one, other) for one, other in pairs]), nan=0.0)


def _residual(found: Responses, checks: Sequence[tuple[dict[str, float], Vector]], none: Vector) -> Vector:
    """The root mean square of what the sum of effects misses of the runs with all values changed."""
    if not checks:
        return none
    names = dict.fromkeys(name for drawn, _ in checks for name in drawn)
    scores = {name: np.array([drawn.get(name, 0.0) for drawn, _ in checks]) for name in names}
    actual = np.stack([changed for _, changed in checks])
    missed = actual - found.changes(scores)
    # A sum that is further off than no effects at all says nothing.
    missed = np.minimum(np.mean(missed**2, axis=0), np.mean(actual**2, axis=0))
    residual: Vector = np.sqrt(missed)
    return residual
