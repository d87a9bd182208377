"""Answers of a system that is run for an explanation: throughput and latencies, seed by seed, and what is busy."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from fractions import Fraction

from simio import units
from simio.description.model import Case, System
from simio.engines.outcome import SPENT, Aborted, Options, Outcome, Status
from simio.explaining.model import NOTHING, Gain
from simio.lower import lower
from simio.program.service import SECOND
from simio.program.steps import HORIZON, Program
from simio.result import measure, usage
from simio.result.headline import AHEAD, reported
from simio.result.limiter import limit_of
from simio.result.measure import SHORT
from simio.result.model import CaseResult, Limiter, Throughput
from simio.result.statistics import confidence
from simio.running import Lowered

RUN_STEPS = 25_000_000
"""Steps that one run may take, a quarter of a second or so; what takes more is cut off, and reported."""
UNLIKE = "some variants were too short for a steady state: their gain is that of a whole run over a steady part"
FEWEST = 2
ALL_STEPS = 300_000_000
"""Steps, of a hundredth of a microsecond or so, that an explanation may take in all; or for its variants those of a
run of the case, or of `FEWEST` of them if these are at most half of all. What else takes time is counted in steps as
well."""
BASE_STEPS = 30_000_000
"""Steps from which the case is run with no further seed to compare variants with."""
MADE = 200_000
LOWERED = 500
LISTED = 600
LAID_OUT = 4
IN_ROWS = 1
ROW = 100
"""Steps that could be run in the time that it takes to change a description and to begin a program, and to lower it
and to bound it: for each step of the program, each resource and container, each word of its machines' state or of a
last table of `MANY` words, which is an array already, and each row of its tables of random numbers."""
MANY = 2**14
ONCE = 80_000
THREAD = 1_000
WORD = 1
"""Steps that could be run in the time that it takes to begin and to measure a run: for each of its threads, and each
word of state."""
VARIANT_STEPS = 1_000_000
"""Steps that a variant may always take; one that takes more, and three times those of the case, is cut off."""
SLOWER = 200
"""Steps that the compiled engine runs in the time of one of the reference engine."""
SURE = 0.25
"""Half of a gain's confidence interval, as a share of the gain, from which no further seed is run."""
THROUGHPUT = "throughput"
CUT = "variants that took far more steps than the case itself were cut off, and measured so far"


@dataclass(frozen=True)
class Answer:
    """Results of runs with some seeds: rates in bytes a second, and means of observed times in ps, by name.

    `limiter` is what limits in the run with the first seed, and `took` what a byte took there, in ps: of each
    resource, and of each machine that waited, by name. `work` is that of all seeds, in steps of the compiled engine.
    """

    rates: tuple[Fraction, ...]
    times: dict[str, tuple[float, ...]]
    limiter: Limiter | None = None
    took: Mapping[str, float] = field(default_factory=dict)
    work: int = 0

    @property
    def rate(self) -> Fraction:
        """Mean rate in bytes a second."""
        return sum(self.rates, Fraction(0)) / len(self.rates)

    def values(self, metric: str) -> tuple[float, ...]:
        """Rates, or what the observation `metric` has as its means; none where it was not observed."""
        return tuple(map(float, self.rates)) if metric == THROUGHPUT else self.times.get(metric, ())


class Runner:
    """Runs variants of a case with the same seeds and for the same time, each program once.

    `notes` states the part of the case that the figures are of, if it is not the whole; `left` are the steps of an
    engine that variants may still take.
    """

    def __init__(
        self,
        case: Case,
        lowered: Lowered,
        result: CaseResult,
        engine: str | None = None,
        first: Outcome | None = None,
    ) -> None:
        """`lowered` has the program of the case, `result` is what a run of it gave, and `first` the first seed's
        outcome, if it is kept."""
        program = lowered.program
        self.engine = engine
        self.case, self.system = case, case.system
        self.notes: list[str] = []
        self.runs = 0
        self.stopped = self.cut = False
        self._steady = False
        self._known: dict[str, Future[Answer]] = {}
        self._counted: set[int] = set()
        self._works: list[int] = []
        self._pool = ThreadPoolExecutor(os.cpu_count() or 1)
        self._base: Answer | None = None
        self.left = 0
        self.hash = result.hash
        self.seeds = result.seeds
        self._until = result.end if result.status == "until" or result.cut_off else case.system.run.until
        self._step = SLOWER if program.guests or engine == "simpy" else 1
        steps = self._cut(result, RUN_STEPS // self._step)
        self._first = None if self.notes else first
        self._most: int | None = None
        self._lowered = _lowered(program)
        self._base = self.base = self.of(lowered)
        self.seeds = result.seeds[: len(self.base.rates)]
        once = self.base.work // len(self.seeds)
        self._cost = self._lowered + once * min(len(self.seeds), 2)
        before = len(result.seeds) * (once - steps * self._step) + result.steps * self._step
        least = min(FEWEST * self._cost, ALL_STEPS // 2)
        self.left = max(ALL_STEPS - before - self._lowered + self.left, result.steps * self._step, least)
        self._all_steps = self.left
        self._most = max(3 * steps, VARIANT_STEPS // self._step)

    def _cut(self, result: CaseResult, most: int) -> int:
        """Steps of one run, which is cut off where it would take more than `most`."""
        steps = result.steps // max(len(result.seeds), 1)
        if steps <= most:
            return steps
        until, warm = result.end * most // steps, self.system.run.warm_up
        if warm != "auto":
            until = max(until, int(warm) + (result.end - int(warm)) // 4)
        self._until = until
        shown, whole = (units.format_quantity(at, "time") for at in (until, result.end))
        self.notes.append(f"each variant was cut off at {shown} of {whole} simulated, because a whole run takes long")
        return steps * until // max(result.end, 1)

    def affords(self, variants: int = 1, reserve: float = 0.0) -> bool:
        """True if there is time for this many variants, with a share of all time left for others."""
        mean = sum(self._works) // max(len(self._works), 1)
        return self.left - variants * max(self._cost, self._lowered + mean) >= reserve * self._all_steps

    def _run(self, lowered: Lowered, seed: int) -> Outcome:
        """Runs to the end, or for as many steps as a variant may take where it takes far more than the case.

        A case that ends at an instant has more to do by then where something is faster.
        """
        run = self.system.run
        until = HORIZON if self._until is None else self._until
        most = min(run.step_budget, self._most or run.step_budget)
        try:
            return lowered.execute(Options(until, most, seed), self.engine)
        except Aborted as error:
            if error.outcome.status not in SPENT or not self._most:
                raise
            self.cut = True
            return replace(error.outcome, status=Status.UNTIL)

    def _once(self, lowered: Lowered, seed: int, first: bool) -> Answer:
        program = lowered.program
        outcome = self._first or self._run(lowered, seed)
        self._first = None
        warm = self.system.run.warm_up
        cut = outcome.status == Status.UNTIL and outcome.end != self._until
        if warm != "auto" and cut and outcome.end < 2 * int(warm):
            warm = "auto"
        span, cap = reported(program, outcome, warm, lowered.bound)
        if lowered.hash == self.hash:
            self._steady = not span.note
        elif span.note in (SHORT, AHEAD) and self._steady and UNLIKE not in self.notes:
            self.notes.append(UNLIKE)
        seen = measure.observations(program, outcome, span)
        times: dict[str, tuple[float, ...]] = {each.name: (each.mean,) for each in seen if each.unit == "ps"}
        work = outcome.steps * self._step + _begun(program)
        if not first:
            return Answer((span.rate,), times, work=work)
        limiter = limit_of(program, outcome, span, cap)
        return Answer((span.rate,), times, limiter, _took(program, outcome, span), work)

    def of(self, lowered: Lowered) -> Answer:
        """The answer of a program; one that was run already is not run again. Raises RunError as a run does."""
        started = self.start(lowered)
        self.settle([started])
        return started.result()

    def start(self, lowered: Lowered) -> Future[Answer]:
        """Start a program in a thread of its own: the compiled engine lets other threads of Python go on."""
        self.left -= self._lowered
        if lowered.hash not in self._known:
            self._known[lowered.hash] = self._pool.submit(self._all, lowered)
        return self._known[lowered.hash]

    def _all(self, lowered: Lowered) -> Answer:
        """Runs with all seeds, or with as many as settle what is gained."""
        found: list[Answer] = []
        for seed in self.seeds:
            found.append(self._once(lowered, seed, first=not found))
            whole = _joined(found)
            if len(found) > 1 and (_settled(self._base, whole) if self._base else whole.work > BASE_STEPS):
                break
        return whole

    def settle(self, started: Iterable[Future[Answer]]) -> None:
        """Wait for variants, and count what they took; one that was counted is not counted again.

        What there is time for must not depend on which of them is done first.
        """
        for each in started:
            wait([each])
            if id(each) not in self._counted and not each.cancelled():
                self._counted.add(id(each))
                if not each.exception():
                    self.runs += len(each.result().rates)
                    self.left -= each.result().work
                    self._works.append(each.result().work)

    def stop(self) -> None:
        """Run nothing more; what runs is waited for."""
        self.stopped = True
        self._pool.shutdown(cancel_futures=True)

    def variant(self, system: System) -> Lowered | None:
        """The program of a variant, or None where it is that of the case itself: what has changed is not used.

        Raises RunError for one that cannot be lowered.
        """
        lowered = Lowered(lower(system))
        if lowered.hash != self.hash:
            return lowered
        self.left -= self._lowered
        return None


def _lowered(program: Program) -> int:
    """Time to lower a program and all that goes before its runs, in steps."""
    last = (words[-1].count or 0 for words in program.words if words and words[-1].is_table)
    rows = sum(count for count in last if count >= MANY)
    listed = len(program.resources) + len(program.containers)
    laid_out = LAID_OUT * (len(program.state) - rows) + IN_ROWS * rows
    return MADE + LOWERED * len(program.steps) + LISTED * listed + laid_out + ROW * len(program.draw_table)


def _begun(program: Program) -> int:
    """Time to begin and to measure a run, in steps."""
    return ONCE + THREAD * sum(start.count for start in program.starts) + WORD * len(program.state)


def _took(program: Program, outcome: Outcome, span: Throughput) -> dict[str, float]:
    """Time in ps that a delivered byte took of each resource, and that machines waited by byte, by name."""
    if not span.amount:
        return {}
    per_byte = SECOND / float(span.rate)
    found = {use.name: use.utilisation * use.units * per_byte for use in usage.resource_use(program, outcome, span)}
    waits = (tally for tally in usage.tallies(program, outcome) if tally.unit == "ps")
    return found | {tally.name: tally.value / max(outcome.end, 1) * per_byte for tally in waits}


def _joined(found: list[Answer]) -> Answer:
    names = [name for name in found[0].times if all(name in each.times for each in found)]
    times = {name: tuple(each.times[name][0] for each in found) for name in names}
    rates = tuple(each.rates[0] for each in found)
    return replace(found[0], rates=rates, times=times, work=sum(each.work for each in found))


def _settled(base: Answer, found: Answer) -> bool:
    """True if more seeds would say no more of what a variant gains."""
    gained = gain(base, found)
    width = gained.half_width or 0.0
    return width <= SURE * abs(gained.gain) or abs(gained.gain) + width < NOTHING


def gain(base: Answer, other: Answer, metric: str = THROUGHPUT) -> Gain:
    """The effect of a change on the whole, seed by seed: more throughput, or less time of an observation.

    Where one of the two was run with fewer seeds, these are compared.
    """
    number = min(len(base.values(metric)), len(other.values(metric)))
    before, after = base.values(metric)[:number], other.values(metric)[:number]
    if not before or not after or not sum(before):
        return Gain(other.rate, 0.0)
    sign = 1 if metric == THROUGHPUT else -1
    shares = [sign * (new - old) / (sum(before) / len(before)) for old, new in zip(before, after, strict=True)]
    mean = sum(shares) / len(shares)
    return Gain(other.rate, mean, confidence(shares)[1] if len(shares) > 1 else None)
