"""What a system answers when it is run for an explanation: throughput and latencies, seed by seed, and no more."""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction

from simio import units
from simio.description.model import Case, System
from simio.engines.execute import execute
from simio.engines.outcome import Aborted, Options, Outcome, Status
from simio.explaining.model import Gain
from simio.lower import lower
from simio.program.digest import program_hash
from simio.program.steps import HORIZON, Program
from simio.result import measure
from simio.result.precision import seeds_of, settled
from simio.result.statistics import confidence

RUN_STEPS = 30_000_000
"""Steps that one run may take, half a second or so; what takes more is cut off, and told."""
ALL_STEPS = 600_000_000
"""Steps that all runs of an explanation should take; of a random case so many seeds are run, two at least."""
VARIANT_STEPS = 6_000_000
"""Steps that a variant may always take; one that takes more, and four times those of the case, is cut off."""
SLOWER = 200
"""How much fewer steps there are time for where only the reference engine can run a program."""
THROUGHPUT = "throughput"
CUT = "runs that took far more steps than the case itself were cut off"


@dataclass(frozen=True)
class Answer:
    """What runs with some seeds gave: rates in bytes a second, and means of observed times in ps, by name."""

    rates: tuple[Fraction, ...]
    times: dict[str, tuple[float, ...]]

    @property
    def rate(self) -> Fraction:
        """Mean rate in bytes a second."""
        return sum(self.rates, Fraction(0)) / len(self.rates)

    def values(self, metric: str) -> tuple[float, ...]:
        """Rates, or what the observation `metric` has as its means; none where it was not observed."""
        return tuple(map(float, self.rates)) if metric == THROUGHPUT else self.times.get(metric, ())


class Runner:
    """Runs variants of a case with the same seeds and for the same time, each program once.

    `notes` tells what the figures are of, where that is not the whole of the case.
    """

    def __init__(self, case: Case, engine: str | None = None, variants: int = 100) -> None:
        """`variants` is how many runs are to be expected; how many seeds there is time for follows from it."""
        self.engine = engine
        self.case, self.system = case, case.system
        self.notes: list[str] = []
        self.runs = 0
        self.stopped = False
        self._known: dict[str, Future[Answer]] = {}
        self._pool = ThreadPoolExecutor(os.cpu_count() or 1)
        self._most: int | None = None
        program = lower(case.system)
        self.hash = program_hash(program)
        run = settled(case.system.run, program, engine)
        self._until = run.until
        self.seeds = seeds_of(run, program)
        slower = SLOWER if program.guests or engine == "simpy" else 1
        steps = self._cut(program, RUN_STEPS // slower)
        self._most = max(4 * steps, VARIANT_STEPS // slower)
        most = max(2, ALL_STEPS // slower // variants // max(steps, 1))
        if len(self.seeds) > most:
            self.notes.append(f"{most} of the case's {len(self.seeds)} seeds were run")
            self.seeds = self.seeds[:most]
        self.base = self.of(program)

    def _cut(self, program: Program, most: int) -> int:
        """Steps of one run, which is cut off where it would take more than `most`."""
        outcome = self._run(program, self.seeds[0])
        warm = self.system.run.warm_up
        until = outcome.end * most // max(outcome.steps, 1)
        if outcome.steps <= most or (warm != "auto" and warm >= until):
            return outcome.steps
        self._until = until
        shown, whole = (units.format_quantity(at, "time") for at in (until, outcome.end))
        self.notes.append(f"each run was cut off at {shown} of {whole} simulated, because a whole run takes long")
        return most

    def _run(self, program: Program, seed: int) -> Outcome:
        """A run to its end, or if it comes to take far more steps than the case, as far as these lead.

        A case that ends at an instant has more to do by then where something is faster.
        """
        run = self.system.run
        until = HORIZON if self._until is None else self._until
        most = min(run.step_budget, self._most or run.step_budget)
        try:
            return execute(program, Options(until, most, seed), self.engine)
        except Aborted as error:
            found = error.outcome
            if found.status != Status.BUDGET or most == run.step_budget:
                raise
        least = 0 if run.warm_up == "auto" else 2 * int(run.warm_up)
        if CUT not in self.notes:
            self.notes.append(CUT)
        return execute(program, Options(min(until, max(found.end, least)), run.step_budget, seed), self.engine)

    def case_of(self, system: System) -> Case:
        """A variant as a case, with the same seeds and the same time."""
        update = {"until": self._until, "replications": len(self.seeds), "precision": None}
        return replace(self.case, system=replace(system, run=system.run.model_copy(update=update)), measured=())

    def _once(self, program: Program, seed: int) -> Answer:
        outcome = self._run(program, seed)
        span = measure.throughput(program, outcome, self.system.run.warm_up)
        seen = measure.observations(program, outcome, span)
        return Answer((span.rate,), {each.name: (each.mean,) for each in seen if each.unit == "ps"})

    def of(self, program: Program) -> Answer:
        """What a program gives; one that was run already is not run again. Raises RunError as a run does."""
        return self.start(program).result()

    def start(self, program: Program) -> Future[Answer]:
        """Have a program run beside what else is to do: the compiled engine lets other threads of Python go on."""
        key = program_hash(program)
        if key not in self._known:
            self.runs += len(self.seeds)
            self._known[key] = self._pool.submit(self._all, program)
        return self._known[key]

    def _all(self, program: Program) -> Answer:
        found = [self._once(program, seed) for seed in self.seeds]
        names = [name for name in found[0].times if all(name in each.times for each in found)]
        times = {name: tuple(each.times[name][0] for each in found) for name in names}
        return Answer(tuple(each.rates[0] for each in found), times)

    def stop(self) -> None:
        """Run nothing more; what runs is waited for."""
        self.stopped = True
        self._pool.shutdown(cancel_futures=True)

    def variant(self, system: System) -> Program | None:
        """The program of a variant, or None where it is that of the case itself: what has changed is not used."""
        program = lower(system)
        return None if program_hash(program) == self.hash else program


def gain(base: Answer, other: Answer, metric: str = THROUGHPUT) -> Gain:
    """What a change makes of the whole, seed by seed: more throughput, or less time of an observation."""
    before, after = base.values(metric), other.values(metric)
    if not before or not after or not sum(before):
        return Gain(other.rate, 0.0)
    sign = 1 if metric == THROUGHPUT else -1
    shares = [sign * (new - old) / (sum(before) / len(before)) for old, new in zip(before, after, strict=True)]
    mean = sum(shares) / len(shares)
    return Gain(other.rate, mean, confidence(shares)[1] if len(shares) > 1 else None)
