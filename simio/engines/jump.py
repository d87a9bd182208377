"""Skipping periods of a run that repeats itself, exactly.

What is recorded tells whether a run may be repeating itself, at no cost while it runs (`repeated`). Where it may, the
compiled engine is stopped before the marks at which a period would begin. Where its state then has the same shape
three times at equal distances, and every value grew evenly, the next period is run by `simio.engines.replay`, which
tells for how many periods nothing comes out differently. What these add (time, counters, areas, marks, rows of the
timeline) is then added at once, and the engine goes on from there. Nothing about a program or a machine has to be
known for that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from simio.engines import layout as c
from simio.engines.outcome import RECORD_LIMIT, Options
from simio.engines.rhythm import repeated, rhythm
from simio.engines.snapshot import Snapshot
from simio.program.garbage import uncollected
from simio.program.steps import HORIZON, Program

if TYPE_CHECKING:
    from simio.engines.proof import Proof

FIRST = 4_000_000
"""Steps that are run before a period is looked for."""
AGAIN = 2.0
"""After a look without a jump, so many times the steps are run before the next one."""
STOP = 60_000
"""Steps that are run in the time that a stop takes, and one more for each word of the tables."""
SHARE = 100
"""Of all steps, one in so many may be spent on the stops of one look, but for the fewest."""
FEWEST, MOST = 5, 32
"""Stops of one look."""
PATIENCE = 10
"""Tables are looked at once so many times the steps were run that the fewest stops take for their words."""
SMALL = 1_000_000
"""Words of stops for which nobody has to wait."""
GAIN = 400
"""So many times a step is run in the time that replaying one takes."""
BEGIN, THREAD = 1_000, 14
"""Steps that are replayed in the time that it takes to begin, and to load one thread."""
LEAP = 200_000
"""Steps that are run in the time that it takes to jump again by the same proof."""
SAFETY = 4
"""What replaying costs has to be gained so many times if all goes well, and twice that after each time it did not.

Of what only a proof that holds again can gain, nothing counts unless the first jump pays that part of the replay."""
TRIES = 5
"""Begins of a period at which a proof may not hold yet, after a jump, before it is given up."""


class Watch:
    """Looks for a period now and then, and jumps; `stop` is called when the loop has stopped before a mark."""

    def __init__(self, program: Program, options: Options, tables: Any) -> None:
        self.program, self.options, self.tables = program, options, tables
        self.next = FIRST
        self.skipped = self.added = 0
        self.due = 0
        self.safety = SAFETY
        self.looking: Iterator[int] = iter(())

    def stop(self) -> int:
        """Look; returns the number of marks at which the loop is to stop next."""
        if self.logged < self.due:  # The table of marks was full.
            return self.due
        apart = next(self.looking, 0)
        if not apart and self.done >= self.next:
            self.looking = self._look()
            apart = next(self.looking, 0)
        if not apart:
            done = self.done
            apart = 1 + max(self.next - done, 0) * (self.logged - self.added) // max(done, 1)
        self.due = self.logged + apart
        return self.due

    @property
    def logged(self) -> int:
        """Marks up to now."""
        return int(self.tables.control[c.LOGGED])

    @property
    def done(self) -> int:
        """Steps that were run and not skipped."""
        return int(self.tables.control[c.EXECUTED]) - self.skipped

    def _look(self) -> Iterator[int]:
        """Stop at equal distances from here on, and jump where all is even; yields marks up to the next stop."""
        done = self.done
        self.next = int(AGAIN * done)
        words = sum(table.size for table in (self.tables.threads, self.tables.state))
        if FEWEST * words > max(done // PATIENCE, SMALL):
            return
        apart = repeated(self.tables.log[: self.logged])
        if not apart:
            return
        apart *= yield from rhythm(self.tables, apart)
        left = min(max(done // (SHARE * (STOP + words)), FEWEST), MOST)
        found: dict[int, Snapshot] = {}
        while left:
            left -= 1
            now = found[self.logged] = Snapshot(self.tables, self.program.registers)
            first = min(found)
            before, odd = divmod(first + self.logged, 2)
            if not odd and before in found and now.evenly(found[before], found[first]):
                yield from self._jump(found[before], now)
                return
            yield apart

    def _jump(self, before: Snapshot, now: Snapshot) -> Iterator[int]:
        """Replay the next period if that promises a gain, and skip as many as are like it.

        Where a sleeper ends that, the proof is tried again at the begins of the next periods.
        """
        steps = int(now.control[c.EXECUTED] - before.control[c.EXECUTED])
        done, price = self.done, GAIN * (steps + BEGIN + THREAD * len(now.slots))
        periods, at_once = self._promised(before, now, done // steps)
        if at_once * steps < max(2 * LEAP, price // SAFETY):
            periods = at_once
        if periods * steps < self.safety * price:
            return
        self.safety *= 2
        proof = self._proof(before, now, steps, min(price // steps, at_once // 2))
        gained, tries = self._skip(proof, now) if proof else 0, TRIES
        while proof and tries:
            if gained > price:
                self.safety, self.next = SAFETY, self.done + min(FIRST, price)
            yield len(proof.marks)
            tries -= 1
            if proof.at(self.tables):
                skipped = self._skip(proof, Snapshot(self.tables, self.program.registers))
                gained += skipped
                tries = TRIES if skipped > LEAP else tries

    def _promised(self, before: Snapshot, now: Snapshot, passed: int) -> tuple[int, int]:
        """How many periods there may be, from what is easily seen: the time left and counts of loops; and until
        somebody wakes.

        Where nothing tells when the run ends, as many as have `passed`.
        """
        span = now.now - before.now
        ends = [(self.options.until - now.now) // span] if self.options.until < HORIZON else []
        falling = before.registers - now.registers
        counts = (falling > 0) & (now.registers > 0)
        ends += (now.registers[counts] // falling[counts]).tolist()
        behind = span - (now.due - before.due)
        wakes = ((now.due - now.now)[behind > 0] // behind[behind > 0]).tolist()
        periods = min(ends or [passed])
        return periods, min([periods, *wakes])

    def _proof(self, before: Snapshot, now: Snapshot, steps: int, least: int) -> Proof | None:
        """That periods are alike, at least so many; None if they are not."""
        from simio.engines.affine import NotAffine
        from simio.engines.proof import Proof
        from simio.engines.replay import Replay

        replay = Replay(self.program, self.options.until, before, now, steps, max(least, 1))
        with uncollected():  # a fifth of the time that replaying takes
            try:
                return Proof(replay, steps) if replay.period() else None
            except NotAffine:
                return None

    def _skip(self, proof: Proof, now: Snapshot) -> int:
        """How many steps are skipped from `now` on."""
        from simio.engines.leap import Leap

        passed, limit = proof.again(now)
        periods = 0 if limit == 0 else self._fitting(proof, now, limit)
        if periods > 0:
            Leap(self.tables, proof, now, passed, periods).make()
            self.skipped += periods * proof.steps
            self.added += periods * len(proof.marks)
        return periods * proof.steps

    def _fitting(self, proof: Proof, now: Snapshot, limit: int | None) -> int:
        """How many periods can be skipped: all are alike, the log has room, and every number fits."""
        most = HORIZON if limit is None else limit
        if len(proof.marks):
            most = min(most, (RECORD_LIMIT - self.logged) // len(proof.marks))
        room = HORIZON // 2
        most = min(most, room // proof.steps)
        begin, before = proof.begin, proof.before
        for values, step in (
            (now.values, proof.step),
            (now.stats.ravel(), begin.stats.ravel() - before.stats.ravel()),
        ):
            grows = step != 0
            if grows.any():
                most = min(most, int(((room - np.abs(values[grows])) // np.abs(step[grows])).min()))
        return most
