"""What a run's steps say of waits and contents, from when each thread went on and nothing else of the engines.

Little's law (J. D. C. Little, "A proof for the queuing formula L = lambda W", Operations Research 9(3), 1961) holds
of any run as an identity, if what is still there at the end counts up to then: the area under the number of those who
wait is the sum of their waits, and the area under a container's level is the sum of the times that its units stay.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from simio.engines.outcome import Ints, Outcome
from simio.program.steps import STRIDE, Op, Program, named_row


@dataclass
class Waits:
    """Given the steps of a run in order, the sum of all waits for each resource, and how many came.

    `stays` are sums of the times that units stay in each container, `levels` how many are left.
    """

    program: Program
    waited: list[int] = field(init=False)
    came: list[int] = field(init=False)
    stays: list[int] = field(init=False)
    levels: list[int] = field(init=False)
    last: dict[int, tuple[int, int]] = field(default_factory=dict)
    """For each thread, when it began its last step, and which."""

    def __post_init__(self) -> None:
        self.waited = [0] * len(self.program.resources)
        self.came = [0] * len(self.program.resources)
        self.stays = [0] * len(self.program.containers)
        self.levels = [container.level for container in self.program.containers]
        self.codes = self.program.steps.tolist()
        # Threads of one instance after another share steps; children are of their parent's.
        self.instances = [start.instance for start in self.program.starts for _ in range(start.count)]

    def watch(self, steps: Ints) -> None:
        """More steps: time, thread, step."""
        for time, serial, step in steps.tolist():
            before = self.last.get(serial)
            if before is not None:
                self._gone_on(serial, *before, time)
            operation = self.codes[step][0]
            if operation == Op.FORK:
                self.instances.append(self.instances[serial])
            if operation in (Op.SEIZE, Op.PUT, Op.GET):
                self.last[serial] = (time, step)
                if operation == Op.SEIZE:
                    self.came[self._row(serial, step)] += 1
            elif before is not None:
                del self.last[serial]

    def _row(self, serial: int, step: int) -> int:
        """What a thread's step names."""
        return named_row(self.codes[step], self.instances[serial])

    def _gone_on(self, serial: int, since: int, step: int, now: int) -> None:
        """A thread has got what it asked for at `since`."""
        operation, _, register, amount = self.codes[step][:4]
        what = self._row(serial, step)
        if operation == Op.SEIZE:
            self.waited[what] += now - since
        elif register < 0:
            # Units put stay from now on: the end's instant is added, and that of the begin taken off.
            more = amount if operation == Op.PUT else -amount
            self.levels[what] += more
            self.stays[what] -= more * now

    def finished(self, outcome: Outcome) -> None:
        """The run has ended: those who still wait have waited so far, what is left in a container stays."""
        waiting = {row[0]: row[3] for row in outcome.alive.tolist()}
        for serial, (since, step) in self.last.items():
            if waiting.get(serial, 0) == 0:
                self._gone_on(serial, since, step, outcome.end)
            elif self.codes[step][0] == Op.SEIZE:
                self.waited[self._row(serial, step)] += outcome.end - since
        for at, level in enumerate(self.levels):
            # What is there at the begin has stayed since 0, and what is left stays to the end.
            self.stays[at] += level * outcome.end

    def constant(self) -> list[int]:
        """Containers of which every amount stands in the steps; only of these are stays known."""
        steps = self.program.steps
        moves = steps[np.isin(steps[:, 0], [Op.PUT, Op.GET])]
        moves = moves[moves[:, 2] >= 0]
        most = max(self.instances, default=0)
        unknown = {int(row[1] + row[STRIDE] * number) for row in moves for number in range(most + 1)}
        return [at for at in range(len(self.program.containers)) if at not in unknown]
