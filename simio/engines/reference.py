"""The reference engine: the primitives as SimPy processes, plain enough to read in one sitting.

Each thread is a SimPy process that runs its steps and yields an event where it has to wait. SimPy orders events
by (time, sequence), which is the contract; resources and containers are in `simio.engines.queues`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import simpy

from simio.engines import guests
from simio.engines import outcome as contract
from simio.engines.evaluating import COMPARISONS, FUNCTIONS, evaluate
from simio.engines.feeding import Feeding
from simio.engines.outcome import (
    CHUNK,
    RECORD_LIMIT,
    THREAD_LIMIT,
    Options,
    Outcome,
    Status,
    Wait,
    sample_rows,
)
from simio.engines.queues import Abort, Server, Store, Thread, wake
from simio.engines.recording import ReferenceTimeline, outcome_of, sample, table
from simio.engines.support import refuse_unknown
from simio.machines.door import call
from simio.machines.random import draw, streams
from simio.program.steps import HORIZON, NAMING, STRIDE, Fn, Op, Program
from simio.waiting import Interrupt, interrupt, watcher

Waiting = Generator[simpy.Event, None, None]

EVERY = 10_000
"""Events between reports of progress."""


class ReferenceRun:
    """One run of a program on SimPy."""

    def __init__(self, program: Program, options: Options) -> None:
        self.program, self.options = program, options
        self.env: Any = simpy.Environment(initial_time=0)
        self.servers = [Server(self.env, r.units) for r in program.resources]
        self.stores = [Store(self.env, k.capacity, k.level) for k in program.containers]
        refuse_unknown(program, "SimPy", ACTIONS, (Fn.SET, Fn.SINCE, *FUNCTIONS), COMPARISONS)
        self.steps = [(ACTIONS[op], tuple(operands[: ARITY[op]])) for op, *operands in program.steps.tolist()]
        self.strides = {
            at: (NAMING[row[0]] - 1, row[STRIDE])
            for at, row in enumerate(program.steps.tolist())
            if row[0] in NAMING and row[STRIDE]
        }
        self.streams = streams(options.seed, len(program.draws))
        self.state = program.state.copy()
        self.feeding = Feeding(program)
        self.marks: list[tuple[int, int, int]] = []
        self.sums = [0] * len(program.marks)
        self.stats = [[0, 0, 0] for _ in program.names]
        self.trace: list[tuple[int, int, int, int]] = []
        self.tracing = options.trace or options.watch is not None
        self.width = 2 * len(self.servers) + len(self.stores) + len(program.marks) + len(program.gauges)
        self.timeline = ReferenceTimeline(sample_rows(self.width))
        self.threads: dict[int, Thread] = {}
        self.serials = self.working = self.executed = self.events = 0
        self.told = EVERY
        self.status: Status | None = None
        self.fault = (0, 0)

    # --- threads -----------------------------------------------------------------------------------------

    def start(self, thread: Thread, delay: int) -> None:
        """Schedule a new thread's first step after `delay` ps."""
        self.threads[thread.serial] = thread
        self.stats[thread.name][0] += 1
        self.working += not thread.daemon
        self.env.process(self.life(thread, self.env.timeout(delay)))

    def life(self, thread: Thread, begun: simpy.Event) -> Waiting:
        """A thread's process: from its first event to END or an error."""
        yield begun
        self.events += 1
        try:
            while thread.alive:
                waiting = self.step(thread)
                if waiting is not None:
                    yield waiting
                    self.events += 1
        except Abort as abort:
            self.status = abort.status
            self.fault = (thread.serial, thread.pc)

    def step(self, thread: Thread) -> simpy.Event | None:
        """Run one step; returns the event to wait for, or None where the step did not block.

        Raises Abort once the step budget is spent, and for a step that the contract ends the run at.
        """
        if self.executed >= self.options.budget:
            raise Abort(Status.BUDGET)
        self.executed += 1
        if self.tracing:
            if len(self.trace) == CHUNK:
                self.hand_over_trace()
            self.trace.append((self.env.now, thread.serial, thread.pc, self.moved(thread)))
        action, operands = self.steps[thread.pc]
        if thread.instance and thread.pc in self.strides:
            operands = self.named(operands, thread)
        return action(self, thread, *operands)

    def moved(self, thread: Thread) -> int:
        """The value of the register that a PUT or GET takes its amount from; 0 for other steps."""
        operation, _, register = self.program.steps[thread.pc, :3].tolist()
        return thread.registers[register] if operation in (Op.PUT, Op.GET) and register >= 0 else 0

    def named(self, operands: tuple[int, ...], thread: Thread) -> tuple[int, ...]:
        """A step's operands for a thread's instance, which moves the operand that names a row by its stride."""
        column, stride = self.strides[thread.pc]
        row = operands[column] + stride * thread.instance
        return (*operands[:column], row, *operands[column + 1 :])

    def suspend(self, thread: Thread, wait: Wait, what: int = 0) -> simpy.Event:
        """The event that a thread in line will be woken by."""
        thread.wait, thread.what = wait, what
        thread.pc += 1
        thread.woken = self.env.event()
        return thread.woken

    def hand_over_trace(self) -> None:
        """Pass the steps since the last call to whoever watches them, and forget them."""
        if self.options.watch:
            self.options.watch(table(self.trace, 4))
            self.trace.clear()

    def record(self, mark: int, value: int) -> None:
        """Record a mark's value now. Raises Abort if there are too many."""
        if self.options.condense and len(self.marks) >= contract.CONDENSE_AT:
            self.marks = [tuple(row) for row in self.options.condense(table(self.marks, 3)).tolist()]
        if len(self.marks) >= RECORD_LIMIT:
            raise Abort(Status.RECORDS)
        self.marks.append((self.env.now, mark, value))
        self.sums[mark] = (self.sums[mark] + value + 2**63) % 2**64 - 2**63

    def ended(self, thread: Thread) -> None:
        """One thread less; the run is done when only daemons are left."""
        self.working -= not thread.daemon
        if self.working == 0:
            self.status = Status.DONE

    def value(self, thread: Thread, register: int, constant: int) -> int:
        return constant if register < 0 else thread.registers[register]

    def argument(self, thread: Thread, operand: int) -> int:
        return thread.registers[operand] if operand >= 0 else ~operand

    # --- steps, in the order of Op -----------------------------------------------------------------------

    def end(self, thread: Thread) -> None:
        thread.alive = False
        self.stats[thread.name][1] += 1
        del self.threads[thread.serial]
        parent = thread.parent
        if parent is not None and parent.alive:
            parent.children -= 1
            if parent.children == 0 and parent.wait == Wait.JOIN:
                wake(parent)
        self.ended(thread)

    def advance(self, thread: Thread, fixed: int, reg: int, numerator: int, denominator: int) -> simpy.Event | None:
        span = fixed
        if reg >= 0:
            amount = thread.registers[reg]
            if amount < 0:
                raise Abort(Status.NEGATIVE)
            span += -(-amount * numerator // denominator)
        if span > HORIZON - self.env.now:
            raise Abort(Status.HORIZON)
        thread.pc += 1
        if span == 0:
            return None
        stats = self.stats[thread.name]
        stats[2] = min(stats[2] + span, HORIZON)
        return self.env.timeout(span)

    def seize(self, thread: Thread, r: int, units: int, priority: int) -> simpy.Event | None:
        if self.servers[r].seize(thread, units, priority):
            thread.pc += 1
            return None
        return self.suspend(thread, Wait.RESOURCE, r)

    def release(self, thread: Thread, r: int, units: int) -> None:
        self.servers[r].release(units)
        thread.pc += 1

    def put(self, thread: Thread, k: int, reg: int, amount: int) -> simpy.Event | None:
        if self.stores[k].exchange(thread, self.value(thread, reg, amount), putting=True):
            thread.pc += 1
            return None
        return self.suspend(thread, Wait.PUT, k)

    def get(self, thread: Thread, k: int, reg: int, amount: int) -> simpy.Event | None:
        if self.stores[k].exchange(thread, self.value(thread, reg, amount), putting=False):
            thread.pc += 1
            return None
        return self.suspend(thread, Wait.GET, k)

    def fork(self, thread: Thread, entry: int, delay: int, joined: int, daemon: int, name: int) -> None:
        if delay > HORIZON - self.env.now:
            raise Abort(Status.HORIZON)
        if len(self.threads) >= THREAD_LIMIT:
            raise Abort(Status.THREADS)
        child = Thread(
            self.serials, name, entry, list(thread.registers), bool(daemon) or thread.daemon, thread.instance
        )
        self.serials += 1
        if joined:
            child.parent = thread
            thread.children += 1
        self.start(child, delay)
        thread.pc += 1

    def join(self, thread: Thread) -> simpy.Event | None:
        if thread.children:
            return self.suspend(thread, Wait.JOIN)
        thread.pc += 1
        return None

    def jump(self, thread: Thread, target: int) -> None:
        thread.pc = target

    def loop(self, thread: Thread, reg: int, target: int) -> None:
        thread.registers[reg] -= 1
        thread.pc = target if thread.registers[reg] > 0 else thread.pc + 1

    def branch(self, thread: Thread, kind: int, a: int, reg: int, constant: int, target: int) -> None:
        holds = COMPARISONS[kind](thread.registers[a], self.value(thread, reg, constant))
        thread.pc = target if holds else thread.pc + 1

    def let(self, thread: Thread, reg: int, fn: int, ra: int, a: int, rb: int, b: int) -> None:
        value = evaluate(fn, self.value(thread, ra, a), self.value(thread, rb, b), self.env.now)
        if value is None or not -HORIZON - 1 <= value <= HORIZON:
            raise Abort(Status.OVERFLOW)
        thread.registers[reg] = value
        thread.pc += 1

    def mark(self, thread: Thread, mark: int, reg: int, constant: int) -> None:
        self.record(mark, self.value(thread, reg, constant))
        thread.pc += 1

    def draw(self, thread: Thread, reg: int, row: int) -> None:
        kind, a, b, length = self.program.draws[row].tolist()
        thread.registers[reg] = int(draw(self.streams, row, kind, a, b, length, self.program.draw_table))
        thread.pc += 1

    def call(self, thread: Thread, function: int, base: int, ra: int, rb: int, reg: int) -> None:
        a, b = self.argument(thread, ra), self.argument(thread, rb)
        value = int(call(function, self.state, base, self.env.now, a, b))
        if value < 0 and self.feeding.feed(self.state, base):
            value = int(call(function, self.state, base, self.env.now, a, b))
        if value < 0:
            raise Abort(Status.MACHINE)
        thread.registers[reg] = value
        thread.pc += 1

    # --- the run -----------------------------------------------------------------------------------------

    def run(self) -> Outcome:
        """Run all events until the work is done, the time is up or a thread aborts."""
        names = {name: number for number, name in enumerate(self.program.names)}
        for first in self.program.starts:
            for _ in range(first.count):
                registers, name = [0] * self.program.registers, names[first.name]
                thread = Thread(self.serials, name, first.entry, registers, first.daemon, first.instance)
                self.serials += 1
                self.start(thread, first.time)
        for guest in self.program.guests:
            thread = Thread(self.serials, -1, 0, [], guest.daemon)
            self.serials += 1
            self.threads[thread.serial] = thread
            self.working += not guest.daemon
            self.env.process(guests.life(self, thread, guest.function))
        with interrupt() as ctrl_c:
            end = self._run(ctrl_c)
            self.hand_over_trace()
        assert self.status is not None
        return outcome_of(self, Status.INTERRUPTED if ctrl_c.noticed else self.status, end)

    def _run(self, ctrl_c: Interrupt) -> int:
        """Run events until there is a status; the instant of the end."""
        end = 0
        while self.status is None:
            self.look(ctrl_c)
            time = self.env.peek()
            if time == simpy.core.Infinity:
                self.status = Status.DEADLOCK
            elif time > self.options.until:
                self.status, end = Status.UNTIL, self.options.until
            else:
                while self.timeline.following < time:
                    self.timeline.add(sample(self, self.timeline.following))
                self.env.step()
                end = self.env.now
        return end

    def look(self, ctrl_c: Interrupt) -> None:
        """See to Ctrl-C, and report progress now and then, if anybody watches."""
        if ctrl_c.noticed:
            self.status = Status.INTERRUPTED
        if self.events < self.told:
            return
        self.told += EVERY
        if by := watcher():
            delivered = sum(self.sums[row] for row, mark in enumerate(self.program.marks) if mark.role == "delivered")
            options = self.options
            by.runs(int(self.env.now), options.until, delivered, options.work() if options.work else 0)


ACTIONS: dict[int, Callable[..., simpy.Event | None]] = {
    Op.END: ReferenceRun.end, Op.ADVANCE: ReferenceRun.advance, Op.SEIZE: ReferenceRun.seize,
    Op.RELEASE: ReferenceRun.release, Op.PUT: ReferenceRun.put, Op.GET: ReferenceRun.get, Op.FORK: ReferenceRun.fork,
    Op.JOIN: ReferenceRun.join, Op.JUMP: ReferenceRun.jump, Op.LOOP: ReferenceRun.loop,
    Op.BRANCH: ReferenceRun.branch, Op.LET: ReferenceRun.let, Op.MARK: ReferenceRun.mark, Op.DRAW: ReferenceRun.draw,
    Op.CALL: ReferenceRun.call,
}  # fmt: skip
ARITY = {op: action.__code__.co_argcount - 2 for op, action in ACTIONS.items()}
"""Operands of each operation, after `self` and the thread."""


def run(program: Program, options: Options | None = None) -> Outcome:
    """Run `program` to its end, its time limit or an error; never raises for what the program does.

    Raises RunError if the program has an operation that this engine lacks.
    """
    return ReferenceRun(program, options or Options()).run()
