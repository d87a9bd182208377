"""A run made once more, step by step: waits, times held and stays, from when each thread went on.

Little's law (J. D. C. Little, "A proof for the queuing formula L = lambda W", Operations Research 9(3), 1961) holds
of any run as an identity, if what is still there at the end counts up to then: the area under the number of those who
wait is the sum of their waits, that under the units in use the sum of the times they are held, and that under a
container's level the sum of the times that its units stay. Engines count areas from levels, while they run; here
nothing is known of a run but which thread took which step when. Sums are kept modulo 2**64.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simio.engines.execute import execute
from simio.engines.outcome import Aborted, Ints, Options, Outcome, Status, Wait
from simio.program.steps import STRIDE, Op, Program

STEPS = 10_000_000
"""Steps of a run that are counted anew, from its first on: some seconds."""


class Recount:
    """Counts of the steps of a run; `watch` is given them in order, `finished` how it ended."""

    def __init__(self, program: Program) -> None:
        resources, containers = len(program.resources), len(program.containers)
        self.program = program
        self.came, self.waited, self.held, self.in_use = (_zeros(resources) for _ in range(4))
        self.most = _zeros(resources)
        """The most units that were in use at any step."""
        self.stays = _zeros(containers)
        self.levels = np.array([container.level for container in program.containers], dtype=np.int64)
        self.backward = False
        """True if a step was reported after a later one."""
        self._now = 0
        self._ops = program.steps[:, 0]
        self._waits = np.isin(self._ops, [Op.SEIZE, Op.PUT, Op.GET])
        self._moves = np.isin(self._ops, [Op.PUT, Op.GET])
        self._last = np.empty((0, 4), dtype=np.int64)
        # Threads of one instance after another share steps; children are of their parent's.
        self._instances = [start.instance for start in program.starts for _ in range(start.count)]
        self._alike = not any(self._instances)

    def watch(self, steps: Ints) -> None:
        """More steps: time, thread, step, and the amount that is moved if it is in a register."""
        times = np.append(self._now, steps[:, 0])
        self.backward |= bool((np.diff(times) < 0).any())
        self._now = int(times[-1])
        if not self._alike:
            forks = steps[self._ops[steps[:, 2]] == Op.FORK, 1]
            for serial in forks.tolist():
                self._instances.append(self._instances[serial])
        rows = np.concatenate([self._last, steps])
        waits = self._waits[rows[:, 2]]
        # Of the steps that a thread takes without a wait between them, only the first counts, before which it waited.
        kept = waits.copy()
        kept[1:] |= waits[:-1] | (rows[1:, 1] != rows[:-1, 1])
        kept[: len(self._last) + 1] = True
        places = np.flatnonzero(kept)
        order = places[np.argsort(rows[places, 1], kind="stable")]
        same = rows[order[1:], 1] == rows[order[:-1], 1]
        gone = np.flatnonzero(same & waits[order[:-1]])
        ended = np.append(~same, True)[: len(order)]
        self._come(steps)
        self._gone_on(rows[order[gone]], rows[order[gone + 1], 0], order[gone + 1], rows)
        self._last = rows[order[ended & waits[order]]]

    def _come(self, steps: Ints) -> None:
        seizes = steps[self._ops[steps[:, 2]] == Op.SEIZE]
        np.add.at(self.came, self._rows(seizes), 1)

    def _rows(self, steps: Ints) -> Ints:
        """The row of resources or containers that each of these steps names."""
        named = self.program.steps[steps[:, 2], 1]
        if self._alike:
            return named
        instances = np.array([self._instances[serial] for serial in steps[:, 1].tolist()], dtype=np.int64)
        return named + self.program.steps[steps[:, 2], STRIDE] * instances

    def _gone_on(self, begun: Ints, now: Ints, places: Ints, rows: Ints) -> None:
        """Threads have got `now` what they asked for when these steps began; `rows` are all steps, in order."""
        ops = self._ops[begun[:, 2]]
        seized = ops == Op.SEIZE
        granted = begun[seized]
        which = self._rows(granted)
        np.add.at(self.waited, which, now[seized] - granted[:, 0])
        released = np.flatnonzero(self._ops[rows[:, 2]] == Op.RELEASE)
        self._in_use(
            np.concatenate([which, self._rows(rows[released])]),
            np.concatenate([self.program.steps[granted[:, 2], 2], -self.program.steps[rows[released, 2], 2]]),
            np.concatenate([now[seized], rows[released, 0]]),
            np.concatenate([places[seized], released]),
        )
        moved = self._moves[begun[:, 2]]
        written = self.program.steps[begun[moved, 2], 2:4]
        amounts = np.where(written[:, 0] < 0, written[:, 1], begun[moved, 3])
        amounts *= np.where(ops[moved] == Op.PUT, 1, -1)
        # Units put stay from now on: the end's instant is added at the end, and that of the begin taken off.
        containers = self._rows(begun[moved])
        np.add.at(self.levels, containers, amounts)
        np.subtract.at(self.stays, containers, amounts * now[moved])

    def _in_use(self, which: Ints, units: Ints, now: Ints, places: Ints) -> None:
        """Units of resources that are taken or, below zero, given back, at these places among the steps."""
        np.subtract.at(self.held, which, units * now)
        order = np.lexsort((places, which))
        which, units = which[order], units[order]
        firsts = np.flatnonzero(np.append(True, which[1:] != which[:-1])[: len(which)])
        if not len(firsts):
            return
        before = np.cumsum(units) - units
        levels = before + units - np.repeat(before[firsts], np.diff(np.append(firsts, len(which))))
        found = which[firsts]
        self.most[found] = np.maximum(self.most[found], self.in_use[found] + np.maximum.reduceat(levels, firsts))
        np.add.at(self.in_use, which, units)

    def finished(self, outcome: Outcome) -> None:
        """The run has ended: threads that still wait have waited until then; what is left in a container stays."""
        waiting = outcome.alive[outcome.alive[:, 3] != Wait.READY, 0]
        still = np.isin(self._last[:, 1], waiting)
        gone, last = self._last[~still], self._last[still]
        end = np.full(len(gone), outcome.end)
        self._gone_on(gone, end, np.arange(len(gone)), gone)
        lines = last[self._ops[last[:, 2]] == Op.SEIZE]
        np.add.at(self.waited, self._rows(lines), outcome.end - lines[:, 0])
        self.held += self.in_use * outcome.end
        # Contents at the beginning have stayed since 0, and those that are left stay to the end.
        self.stays += self.levels * outcome.end


def _zeros(count: int) -> Ints:
    return np.zeros(count, dtype=np.int64)


def recount(program: Program, options: Options, engine: str | None = None) -> tuple[Recount, Outcome]:
    """A run's steps counted, and what it then leaves behind: the first `STEPS` of a longer one.

    Processes in Python take no steps, so that a program with any cannot be counted.
    """
    found = Recount(program)
    budget = min(options.budget, STEPS)
    try:
        outcome = execute(program, replace(options, budget=budget, watch=found.watch), engine)
    except Aborted as error:
        if error.outcome.status != Status.BUDGET:
            raise
        outcome = error.outcome
    found.finished(outcome)
    return found, outcome
