"""Two systems beside one another, and the share of each change between them in the difference.

Each change is made alone in A and left out alone of B. Where that does not add up, changes interact, and each one's
part depends on which were made before it. Its share is then the mean over all orders (L. S. Shapley, "A value for
n-person games", in Contributions to the Theory of Games II, Princeton 1953): the only division that adds up, treats
alike changes alike, and gives nothing to a change that never makes a difference. That takes a run for each set of
changes, 64 for six; where there are more, they are taken together by what they are of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import factorial
from typing import Any, NamedTuple

from simio.description.model import Case, System
from simio.errors import RunError
from simio.explaining.answers import THROUGHPUT
from simio.explaining.differences import Step, given_between, steps_between
from simio.explaining.model import NOTHING, Answered, Contrast, PartOf
from simio.running import run_case
from simio.wording import byte_unit
from simio.worth import as_worth

TOGETHER = 0.05
"""Share of the largest part by which single changes may miss the whole and still count as independent."""

Members = frozenset[int]
Progress = Callable[[int, int], Any]


def contrast(
    a: Case,
    b: Case,
    title: str = "",
    progress: Progress | None = None,
    given: tuple[Mapping[str, str], Mapping[str, str]] = ({}, {}),
) -> Contrast:
    """Compare two cases. `given` are settings of each beside those of the cases, by key.

    An interrupt (Ctrl-C) gives what is known by then, with `complete` False, unless A and B have not been run.
    Raises RunError where one of the two cannot be run.
    """
    systems, notes = _same_seeds(a.system, b.system)
    settings = [{**case.settings, **own} for case, own in zip((a, b), given, strict=True)]
    differ = given_between(settings[0], settings[1], systems)
    steps, many = steps_between(*systems, differ)
    runs = _Runs(*systems, steps, progress)
    complete = True
    try:
        runs.run()
    except KeyboardInterrupt:
        if len(runs.answers) < 2:
            raise
        complete = False
    answers = runs.answers[0], runs.answers[1]
    one, other = (each.answered for each in answers)
    metric = _metric(one, other)
    values = {chosen: _value(found, metric) for chosen, found in runs.found.items() if found}
    parts = tuple(_parts(steps, values))
    whole = values[runs.all] - values[frozenset()]
    notes += [f"{each.answered.name}: {note}" for each in answers for note in each.notes]
    if many:
        notes.append("changes of one host, disk or workload were taken together")
    if complete and any(part.share is None for part in parts):
        notes.append("some sets of changes cannot be run by themselves; the changes are not separated")
    return Contrast(
        title=title,
        unit=byte_unit(a.system.report.unit),
        metric=metric,
        a=one,
        b=other,
        whole=whole,
        parts=parts,
        exact=all(part.share is not None for part in parts),
        interact=_interact(parts, whole),
        runs=len(runs.found),
        notes=tuple(notes),
        complete=complete,
        given=tuple(differ),
    )


def _same_seeds(a: System, b: System) -> tuple[tuple[System, System], list[str]]:
    """Both cases with the seed of A and the larger number of replications, so that chance is the same for both."""
    counts = [system.run.replications or 0 for system in (a, b)]
    update = {"seed": a.run.seed, "replications": max(counts) or None}
    systems = (
        replace(a, run=a.run.model_copy(update=update)),
        replace(b, run=b.run.model_copy(update=update)),
    )
    same = counts[0] == counts[1] and a.run.seed == b.run.seed
    number = f" {max(counts)} times" if max(counts) else ""
    return systems, [] if same else [f"both were run{number} from seed {a.run.seed} on, so that chance is the same"]


class _Runs:
    """A and B, and the sets of changes made in A; of one that cannot be run nothing is found."""

    def __init__(self, a: System, b: System, steps: list[Step], progress: Progress | None) -> None:
        self.systems, self.steps = (a, b), steps
        self.progress = progress
        self.all: Members = frozenset(range(len(steps)))
        self.answers: dict[int, _Answer] = {}
        self.found: dict[Members, Answered | None] = {}

    def run(self) -> None:
        """A and B, then one change at a time, from either end; then all other sets.

        Where they take long, all processors run them. Raises RunError where A or B cannot be run.
        """
        numbers = range(len(self.steps))
        wanted = [frozenset([number]) for number in numbers]
        wanted += [self.all - {number} for number in numbers]
        wanted += [frozenset(chosen) for size in numbers for chosen in combinations(numbers, size)]
        rest = [chosen for chosen in dict.fromkeys(wanted) if chosen not in (frozenset(), self.all)]
        works: list[Callable[[], _Answer | None]]
        works = [partial(_answer, name, system) for name, system in zip("AB", self.systems, strict=True)]
        works += [partial(self._changed, chosen) for chosen in rest]
        for number, answer in as_worth(works):
            if number > 1:
                self.found[rest[number - 2]] = answer and answer.answered
            else:
                assert answer
                self.answers[number] = answer
                self.found[self.all if number else frozenset()] = answer.answered
            if self.progress:
                self.progress(len(self.found), len(works))

    def _changed(self, chosen: Members) -> _Answer | None:
        system = self.systems[0]
        for number in sorted(chosen):
            system = self.steps[number].apply(system)
        try:
            return _answer("", system)
        except (RunError, KeyError, ValueError):
            # Half of a change need not make sense: a workload whose disk is not there yet.
            return None


class _Answer(NamedTuple):
    """The part of a run that is kept, and sent from another process."""

    answered: Answered
    notes: tuple[str, ...]


def _answer(name: str, system: System) -> _Answer:
    found = run_case(Case(0, {}, system))
    answered = Answered(
        name=name,
        rate=found.rate,
        half_width=found.half_width,
        limiter=found.limiter,
        utilisations={use.name: use.utilisation for use in found.resources if not use.lock},
        times={each.name: each.mean for each in found.observations if each.unit == "ps"},
    )
    return _Answer(answered, found.notes)


def _value(found: Answered, metric: str) -> float:
    return float(found.rate) if metric == THROUGHPUT else found.times.get(metric, float("nan"))


def _metric(a: Answered, b: Answered) -> str:
    """Throughput, or where that is the same, the observed time that differs most."""
    if not a.rate or abs(float(b.rate / a.rate) - 1) >= NOTHING:
        return THROUGHPUT
    apart = {name: abs(b.times[name] / a.times[name] - 1) for name in a.times if name in b.times and a.times[name]}
    best = max(apart, key=lambda name: apart[name], default="")
    return best if best and apart[best] >= NOTHING else THROUGHPUT


def _parts(steps: list[Step], values: dict[Members, float]) -> Iterator[PartOf]:
    everything = frozenset(range(len(steps)))
    for number, step in enumerate(steps):
        alone, without = values.get(frozenset([number])), values.get(everything - {number})
        yield PartOf(
            step.change,
            None if alone is None else alone - values[frozenset()],
            None if without is None else values[everything] - without,
            _share(number, len(steps), values),
        )


def _share(number: int, count: int, values: dict[Members, float]) -> float | None:
    """Shapley's value: the mean, over all orders, of what a change adds to those before it."""
    others = [other for other in range(count) if other != number]
    total = 0.0
    for size in range(count):
        weight = factorial(size) * factorial(count - size - 1) / factorial(count)
        for chosen in combinations(others, size):
            before, after = values.get(frozenset(chosen)), values.get(frozenset(chosen) | {number})
            if before is None or after is None:
                return None
            total += weight * (after - before)
    return total


def _interact(parts: tuple[PartOf, ...], whole: float) -> bool:
    """True if what changes make by themselves misses the whole by more than chance and rounding would."""
    alone = [part.alone for part in parts if part.alone is not None]
    if len(alone) < 2 or len(alone) < len(parts):
        return False
    return abs(sum(alone) - whole) > TOGETHER * max(abs(whole), *map(abs, alone))
