"""One period of a run, on numbers that grow from period to period, by the reference engine.

Loaded with the state at the begin of a period, each word with what it grew by in the period before, it runs as many
steps as that took. If it then stands where it began, each word having grown by its step, the same holds of the next
period, and so of all within the horizon of `simio.engines.affine`: nothing there comes out differently.

Instants that threads sleep until do not grow. They are left free, with what the machines know of them, so that what
is found holds for others, too (`simio.engines.proof`).
"""

from __future__ import annotations

from collections.abc import Generator
from heapq import heappush
from typing import Any

import numpy as np
import simpy

from simio.engines import layout as c
from simio.engines.affine import Affine, Horizon, NotAffine, parts, unit
from simio.engines.history import History, Recorded
from simio.engines.outcome import Options, Status, Wait
from simio.engines.queues import Abort, Thread
from simio.engines.reference import Run
from simio.engines.snapshot import Snapshot
from simio.machines.door import call
from simio.program.steps import Op, Program


class Life:
    """A thread as a process: what SimPy's own does for one that neither fails nor is waited for, in half the time."""

    __slots__ = ("process", "ran", "thread")

    def __init__(self, thread: Thread, process: Generator[simpy.Event, None, None]) -> None:
        self.thread, self.process = thread, process
        self.ran = False
        self.resume(None)

    def resume(self, event: simpy.Event | None) -> None:
        """Run up to where the thread waits next."""
        self.ran |= event is not None
        waiting = next(self.process, None)
        if waiting is not None:
            assert waiting.callbacks is not None
            waiting.callbacks.append(self.resume)


class Replay(Run):
    """The period that begins at `now`; `before` is the state one period earlier, `steps` how many steps it takes.

    It is given up as soon as fewer than `least` periods are alike.
    """

    def __init__(
        self, program: Program, until: int, before: Snapshot, now: Snapshot, steps: int, least: int = 1
    ) -> None:
        super().__init__(program, Options(until=until, budget=steps))
        self.horizon = Horizon(least)
        self.before, self.begin = before, now
        self.span = now.now - before.now
        self.env = simpy.Environment(initial_time=self.horizon.number(now.now, self.span))
        own: dict[int, Any] = {Op.CALL: Replay.call, Op.DRAW: Replay.draw}
        for at, operation in enumerate(program.steps[:, 0].tolist()):
            if operation in own:
                self.steps[at] = (own[operation], self.steps[at][1])
        self.sleepers = np.flatnonzero((now.due == before.due) & (now.due > now.now))
        self.instants = {due: which for which, due in enumerate(dict.fromkeys(now.due[self.sleepers].tolist()))}
        self.state = self._numbers(before.state, now.state, self.tied(now.state))  # type: ignore[assignment]
        self.sums = self._numbers(before.sums, now.sums)
        begin = self.env.now
        self.summed = [History([(begin, total)]) for total in self.sums]
        self.gauged = [(gauge.at, History([(begin, self.state[gauge.at])])) for gauge in program.gauges]
        self._load()

    def tied(self, words: Any) -> Any:
        """Which words are instants that somebody sleeps until."""
        return np.isin(words, list(self.instants))

    def _numbers(self, before: Any, now: Any, tied: Any = ()) -> list[Any]:
        numbers: list[Any] = now.tolist()
        for at in np.flatnonzero(tied):
            numbers[at] = self._instant(numbers[at])
        for at in np.flatnonzero(now != before):
            numbers[at] = self.horizon.number(int(now[at]), int(now[at]) - int(before[at]))
        return numbers

    def _instant(self, due: int) -> Affine:
        return Affine(due, unit(self.instants[due]), self.horizon)

    def _due(self) -> list[tuple[int, int, int]]:
        """When which threads go on that do not sleep: ps, its step, rank."""
        due, before = self.begin.due, self.before.due
        rows = np.delete(np.column_stack([due, due - before, self.begin.heap]), self.sleepers, axis=0)
        return [(time, step, rank) for time, step, rank in rows.tolist()]

    # --- the state at the begin --------------------------------------------------------------------------

    def _load(self) -> None:
        begin, before = self.begin, self.before
        tied = self.tied(begin.registers)
        amounts = self._numbers(before.amounts, begin.amounts)
        self.first: list[Thread] = []
        for rank, row in enumerate(begin.rows[:, : c.REGISTERS].tolist()):
            registers = self._numbers(before.registers[rank], begin.registers[rank], tied[rank])
            thread = Thread(
                row[c.SERIAL], row[c.NAME], int(begin.placed[rank]), registers, bool(row[c.FLAGS] & c.DAEMON),
                row[c.FLAGS] >> c.INSTANCE,
            )  # fmt: skip
            thread.children, thread.wait, thread.what = row[c.CHILDREN], Wait(row[c.WAIT]), row[c.WHAT]
            thread.amount, thread.priority = amounts[rank], row[c.PRIORITY]
            self.first.append(thread)
            self.threads[thread.serial] = thread
        for thread, parent in zip(self.first, begin.parents, strict=True):
            thread.parent = self.first[parent] if parent >= 0 else None
        self.serials = int(begin.control[c.NEXT_SERIAL])
        self.working = int(begin.control[c.WORKING])
        self._load_lines()
        due = self._due()
        self.lives: dict[int, Life] = {}
        for time, step, rank in due:
            if time == begin.now:
                self._resume(rank, self.horizon.number(time, step))
        for rank in begin.ring.tolist():
            self._resume(rank, self.env.now)
        for time, step, rank in due:
            if time != begin.now:
                self._resume(rank, self.horizon.number(time, step))
        for rank, thread in enumerate(self.first):
            if thread.wait != Wait.READY:
                thread.woken = self.env.event()
                self.lives[rank] = Life(thread, self.life(thread, thread.woken))

    def _load_lines(self) -> None:
        begin, before = self.begin, self.before
        self.areas: list[list[tuple[int, int]]] = [[] for _ in self.servers]
        self.used: list[Recorded] = []
        self.held: list[Recorded] = []
        for at, server in enumerate(self.servers):
            old, new = before.resources[at].tolist(), begin.resources[at].tolist()
            found: list[Recorded] = []
            for level, total in ((c.IN_USE, c.BUSY), (c.LINE, c.QUEUE)):
                areas = [row[total] + row[level] * when for row, when in ((old, before.now), (new, begin.now))]
                grown = areas[1] - areas[0]
                self.areas[at].append((areas[1], grown))
                found.append(Recorded(self.env, new[level], self.horizon.number(areas[1], grown)))
            server.in_use, server.line = found
            self.used += found
            server.longest = new[c.LONGEST]
            server.waiting = [self.first[rank] for rank in begin.servers[at]]
        for at, store in enumerate(self.stores):
            row = begin.containers[at].tolist()
            store.content = content = Recorded(self.env, row[c.LEVEL], 0)
            self.held.append(content)
            store.lowest, store.highest = row[c.LOWEST], row[c.HIGHEST]
            store.gets.extend(self.first[rank] for rank in begin.gets[at])
            store.puts.extend(self.first[rank] for rank in begin.puts[at])

    def _resume(self, rank: int, time: Any) -> None:
        """Let a thread go on at an instant, behind all that goes on then already."""
        event = self.env.event()
        event._ok, event._value = True, None
        heappush(self.env._queue, (time, simpy.events.NORMAL, next(self.env._eid), event))
        self.lives[rank] = Life(self.first[rank], self.life(self.first[rank], event))

    def start(self, thread: Thread, delay: int) -> None:
        self.threads[thread.serial] = thread
        self.stats[thread.name][0] += 1
        self.working += not thread.daemon
        Life(thread, self.life(thread, self.env.timeout(delay)))

    # --- the period --------------------------------------------------------------------------------------

    def call(self, thread: Thread, function: int, base: int, ra: int, rb: int, reg: int) -> None:
        a, b = self.argument(thread, ra), self.argument(thread, rb)
        value = call(function, self.state, base, self.env.now, a, b)
        if value < 0:
            raise Abort(Status.MACHINE)
        thread.registers[reg] = value
        thread.pc += 1
        for at, history in self.gauged:
            history.note(self.env.now, self.state[at])

    def record(self, mark: int, value: int) -> None:
        super().record(mark, value)
        self.summed[mark].note(self.env.now, self.sums[mark])

    def draw(self, thread: Thread, reg: int, row: int) -> None:
        raise NotAffine

    def period(self) -> bool:
        """Run it; whether it then repeats itself. Raises NotAffine where that cannot be told."""
        end = self.horizon.number(self.begin.now + self.span, self.span)
        if not all(end < self._instant(due) for due in self.instants):
            return False
        running = self.first[self.begin.running]
        self.events -= 1  # It goes on in the midst of an event.
        begun = self.env.event()
        begun._ok, begun._value = True, None
        Life(running, self.life(running, begun)).resume(None)
        while self.status is None and self.env._queue:
            self.env.step()
        if self.status != Status.BUDGET or self.env.now > self.options.until:
            return False
        return self._repeats()

    def idle(self) -> list[int]:
        """Ranks of the threads that did nothing in it, nor were to."""
        ran = {self.begin.running, *(rank for rank, life in self.lives.items() if life.ran)}
        return [rank for rank in range(len(self.first)) if rank not in ran]

    def columns(self) -> list[History]:
        """What each column of the timeline was in the period."""
        areas, levels = [area.history for area in self.used], [area.levels() for area in self.held]
        return areas + levels + self.summed + [history for _, history in self.gauged]

    # --- the state at the end ----------------------------------------------------------------------------

    def _repeats(self) -> bool:
        """Whether everything is as at the begin, grown by its step."""
        begin = self.begin
        threads = sorted(self.threads.values(), key=lambda thread: thread.serial)
        ranks = {id(thread): rank for rank, thread in enumerate(threads)}
        if len(threads) != len(self.first) or parts(self.env.now) != (begin.now + self.span, self.span):
            return False
        return (
            self.fault == (threads[begin.running].serial, begin.step)
            and self.working == begin.control[c.WORKING]
            and all(self._same(thread, rank, ranks) for rank, thread in enumerate(threads))
            and self._same_lines(ranks)
            and self._same_schedule(ranks)
            and self._grown(self.state, self.before.state, begin.state, self.tied(begin.state))
            and self._grown(self.sums, self.before.sums, begin.sums)
            and not any(isinstance(number, Affine) for row in self.stats for number in row)
        )

    def _grown(self, found: Any, before: Any, now: Any, tied: Any = ()) -> bool:
        """Whether numbers have grown by their step, which they still have."""
        numbers, expected = list(found), now.tolist()
        for at in np.flatnonzero(tied):
            if not self._still(numbers[at], expected[at]):
                return False
            numbers[at] = expected[at]
        for at in np.flatnonzero(now != before):
            step = expected[at] - int(before[at])
            if parts(numbers[at]) != (expected[at] + step, step):
                return False
            numbers[at] = expected[at]
        return bool(numbers == expected)

    def _still(self, number: Any, due: int) -> bool:
        """Whether a number is the instant that it was."""
        instant = self._instant(due)
        if isinstance(number, Affine) and (number.value, number.step) == (due, instant.step):
            return True
        self.horizon.pin(instant.step)
        return parts(number) == (due, 0)

    def _same(self, thread: Thread, rank: int, ranks: dict[int, int]) -> bool:
        begin, before = self.begin, self.before
        row = begin.rows[rank].tolist()
        parent = thread.parent if thread.parent is not None and thread.parent.alive else None
        serial = 2 * row[c.SERIAL] - before.rows[rank, c.SERIAL]
        waits = thread.wait not in (Wait.READY, Wait.JOIN)
        return (
            (thread.serial, thread.name, thread.pc) == (serial, row[c.NAME], begin.placed[rank])
            and (thread.wait, thread.children) == (row[c.WAIT], row[c.CHILDREN])
            and thread.daemon == bool(row[c.FLAGS] & c.DAEMON)
            and thread.instance == row[c.FLAGS] >> c.INSTANCE
            and (-1 if parent is None else ranks[id(parent)]) == begin.parents[rank]
            and (not waits or (thread.what, thread.priority) == (row[c.WHAT], row[c.PRIORITY]) or row[c.WAIT] != 1)
            and (
                not waits
                or self._grown([thread.amount], before.amounts[rank : rank + 1], begin.amounts[rank : rank + 1])
            )
            and self._grown(thread.registers, before.registers[rank], begin.registers[rank])
        )

    def _same_lines(self, ranks: dict[int, int]) -> bool:
        begin = self.begin
        for at, server in enumerate(self.servers):
            row = begin.resources[at]
            if [ranks[id(thread)] for thread in server.waiting] != begin.servers[at]:
                return False
            if (server.in_use.level, server.longest) != (row[c.IN_USE], row[c.LONGEST]):
                return False
            for area, (total, step) in zip((server.in_use, server.line), self.areas[at], strict=True):
                if parts(area.upto(self.env.now)) != (total + step, step):
                    return False
        for at, store in enumerate(self.stores):
            row = begin.containers[at]
            if [ranks[id(thread)] for thread in store.gets] != begin.gets[at]:
                return False
            if [ranks[id(thread)] for thread in store.puts] != begin.puts[at]:
                return False
            levels = (store.content.level, store.lowest, store.highest)
            if levels != (row[c.LEVEL], row[c.LOWEST], row[c.HIGHEST]):
                return False
            totals = (store.content.upto(self.env.now), store.put_total, store.got_total)
            if any(isinstance(total, Affine) for total in totals):
                return False
        return True

    def _same_schedule(self, ranks: dict[int, int]) -> bool:
        """Whether the same threads go on in the same order, each at its instant."""
        found = []
        for time, _, number, event in self.env._queue:
            for callback in event.callbacks or ():
                found.append((*parts(time), number, ranks[id(callback.__self__.thread)]))
        found.sort(key=lambda entry: (entry[0], entry[2]))
        begin, span = self.begin, self.span
        heap = self._due()
        due = [(time + step, step, rank) for time, step, rank in heap]
        now = [(begin.now + span, span, rank) for rank in begin.ring.tolist()]
        at_once = sum(time == begin.now for time, _, _ in heap)
        expected = due[:at_once] + now + due[at_once:]
        return [(time, step, rank) for time, step, _, rank in found] == expected
