"""Random small programs over all primitives, written through a source of choices.

The source is either hypothesis (which can shrink what it finds) or a seeded `random.Random` (which is fast).
Durations and amounts are small so that ties are frequent; now and then one is huge so that limits are met.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from simio.engines.outcome import Options
from simio.machines import disk
from simio.machines.disk import destaging, queue, reading, writing
from simio.machines.door import families
from simio.program.builder import Builder, Handle, Operand, Register
from simio.program.steps import HORIZON, UNBOUNDED, Program

Pick = Callable[[int, int], int]
"""A whole number between two bounds, both included; the lower one is the simplest."""

HUGE = (2**62, -(2**62), 2**61 - 1, 2**31, -(2**31) - 1)
FUNCTIONS = ("SET", "ADD", "SUB", "MUL", "DIV", "MOD", "MIN", "MAX", "SINCE")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "&")
FACTORS = (
    Fraction(0),
    Fraction(1),
    Fraction(1, 3),
    Fraction(7, 2),
    Fraction(2**31 - 1, 2**29),
    Fraction(1, 2**61),
)
DISK = disk.initial(
    revolution=12, heads=2, zones=[(3, 6), (2, 4)], track_skew=2, cylinder_skew=3, head_switch=1,
    seek=(2, 4, 7), segment=5, write_settle=1, segments=2, depth=3, scheduling="shortest",
)  # fmt: skip

MACHINES = [machine.function for machine in families()["disk"]]


class Writer:
    """Writes one program, choice by choice."""

    def __init__(self, pick: Pick) -> None:
        self.pick = pick
        self.p = p = Builder()
        self.scale = (1, 1, 1, 2**19 + 1, 2**24 + 3)[pick(0, 4)]
        self.resources = [p.resource(f"r{i}", pick(1, 3)) for i in range(pick(1, 2))]
        self.units = [row.units for row in p._resources]
        self.containers: list[tuple[Handle, int]] = []
        for i in range(pick(1, 3)):
            capacity = (4, 1, 6, UNBOUNDED)[pick(0, 3)]
            level = min(pick(0, 6), capacity)
            self.containers.append((p.container(f"k{i}", capacity, level), capacity))
        self.marks = [p.observation(f"m{i}") for i in range(2)]
        self.draws = [
            p.uniform("u", -1, 4), p.uniform("wide", -(2**61), 2**60), p.exponential("e", 3),
            p.exponential("long", 2**40), p.discrete("d", [(0, 1), (2, 3), (5, 2)]),
        ]  # fmt: skip
        self.disk = p.machine("disk", DISK)
        self.children = 0

    def one(self, items: list) -> object:
        return items[self.pick(0, len(items) - 1)]

    def rarely(self) -> bool:
        return self.pick(0, 11) == 11

    def room(self) -> bool:
        """True if a statement may take registers: four at most, of which a thread has twenty."""
        return self.p._registers_used <= 16

    def constant(self) -> int:
        return HUGE[self.pick(0, len(HUGE) - 1)] if self.rarely() else self.pick(-1, 5)

    def amount(self, registers: list[Register]) -> Operand:
        if registers and self.pick(0, 1):
            return registers[self.pick(0, len(registers) - 1)]
        return self.constant()

    def block(self, depth: int, registers: list[Register]) -> None:
        """A few statements; registers made inside are known inside only."""
        known = list(registers)
        for _ in range(self.pick(1, 5)):
            kinds = self.PLAIN if depth == 0 else self.PLAIN + self.NESTED
            kinds[self.pick(0, len(kinds) - 1)](self, depth, known)

    # --- statements --------------------------------------------------------------------------------------

    def advance(self, depth: int, registers: list[Register]) -> None:
        self.p.advance(self.pick(0, 4) * self.scale)

    def serve(self, depth: int, registers: list[Register]) -> None:
        if registers:
            fixed = HORIZON - 1 if self.rarely() else self.pick(0, 2) * self.scale
            factor = FACTORS[self.pick(0, len(FACTORS) - 1)]
            self.p.advance(fixed, registers[self.pick(0, len(registers) - 1)], factor)

    def exchange(self, depth: int, registers: list[Register]) -> None:
        container, capacity = self.containers[self.pick(0, len(self.containers) - 1)]
        verb = self.p.put if self.pick(0, 1) else self.p.get
        if registers and self.pick(0, 2) == 2:
            verb(container, registers[self.pick(0, len(registers) - 1)])
        else:
            verb(container, capacity if self.rarely() else min(self.pick(0, 4), capacity))

    def join(self, depth: int, registers: list[Register]) -> None:
        self.p.join()

    def mark(self, depth: int, registers: list[Register]) -> None:
        self.p.mark(self.marks[self.pick(0, 1)], self.amount(registers))

    def fresh(self, depth: int, registers: list[Register]) -> None:
        if self.room():
            registers.append(self.p.register(self.pick(0, 5)))

    def let(self, depth: int, registers: list[Register]) -> None:
        if registers:
            function = FUNCTIONS[self.pick(0, len(FUNCTIONS) - 1)]
            target = registers[self.pick(0, len(registers) - 1)]
            self.p.let(target, function, self.amount(registers), self.amount(registers))

    def draw(self, depth: int, registers: list[Register]) -> None:
        if registers:
            number = self.pick(0, 4)
            self.p.draw(registers[self.pick(0, len(registers) - 1)], self.draws[number])

    def read(self, depth: int, registers: list[Register]) -> None:
        """A read as a drive would do it, so that the machine gets past its first refusal."""
        if not self.room():
            return
        if self.rarely():
            self.write(registers)
            return
        answer, tag = self.p.register(), self.p.register()
        count = self.pick(1, 5)
        self.p.call(tag, queue.enqueue, self.disk, self.pick(0, 45), 2 * count)
        self.p.call(answer, reading.begin, self.disk, tag)
        self.p.call(answer, reading.next_unit, self.disk, tag, count)
        self.p.advance(0, answer, 1)
        self.p.call(answer, reading.end, self.disk, tag)
        registers.append(answer)

    def write(self, registers: list[Register]) -> None:
        """A write that stays in the drive until it is on the media."""
        answer, tag = self.p.register(), self.p.register()
        count = self.pick(1, 5)
        self.p.call(tag, queue.enqueue, self.disk, self.pick(0, 45), 2 * count + 1)
        self.p.call(answer, writing.admit, self.disk, tag)
        self.p.call(answer, writing.room, self.disk, tag, count)
        self.p.call(answer, writing.store, self.disk, tag, count)
        self.p.call(answer, destaging.destage, self.disk)
        self.p.advance(0, answer, 1)
        self.p.call(answer, destaging.write, self.disk)
        self.p.advance(0, answer, 1)
        self.p.call(answer, destaging.written, self.disk)
        self.p.call(answer, reading.end, self.disk, tag)
        registers.append(answer)

    def call(self, depth: int, registers: list[Register]) -> None:
        if registers and self.room():
            target = registers[self.pick(0, len(registers) - 1)]
            a, b = (
                abs(value) if isinstance(value, int) else value
                for value in (self.amount(registers), self.amount(registers))
            )
            self.p.call(target, MACHINES[self.pick(0, len(MACHINES) - 1)], self.disk, a, b)

    def seize(self, depth: int, registers: list[Register]) -> None:
        """Now and then units are taken and kept, or given back and not had."""
        if self.rarely():
            verb = self.p.release if self.pick(0, 1) else self.p.seize
            verb(self.resources[0], self.pick(1, self.units[0]))

    def hold(self, depth: int, registers: list[Register]) -> None:
        number = self.pick(0, len(self.resources) - 1)
        with self.p.hold(self.resources[number], self.pick(1, self.units[number]), self.pick(0, 2)):
            self.block(depth - 1, registers)

    def loop(self, depth: int, registers: list[Register]) -> None:
        number = self.pick(0, 4) if self.room() else 1
        count: Operand = number
        if number == 4 and registers:
            count = registers[self.pick(0, len(registers) - 1)]
        with self.p.loop(count):
            self.block(depth - 1, registers)

    def when(self, depth: int, registers: list[Register]) -> None:
        if registers:
            left = registers[self.pick(0, len(registers) - 1)]
            with self.p.when(left, COMPARISONS[self.pick(0, 6)], self.amount(registers)):
                self.block(depth - 1, registers)

    def fork(self, depth: int, registers: list[Register]) -> None:
        self.children += 1
        delay = 0 if self.pick(0, 1) else self.pick(1, 3) * self.scale
        joined, daemon = bool(self.pick(0, 1)), self.rarely()
        with self.p.fork(f"child{self.children}", HORIZON if self.rarely() else delay, joined, daemon):
            self.block(depth - 1, registers)

    PLAIN = (
        advance,
        advance,
        exchange,
        exchange,
        serve,
        fresh,
        fresh,
        let,
        mark,
        draw,
        read,
        call,
        join,
        seize,
    )
    NESTED = (hold, hold, loop, loop, fork, fork, when)

    # --- the whole ---------------------------------------------------------------------------------------

    def daemon(self, number: int) -> None:
        """A daemon that offers or takes something for ever."""
        container, capacity = self.containers[self.pick(0, len(self.containers) - 1)]
        verb = self.p.put if self.pick(0, 1) else self.p.get
        with self.p.thread(f"daemon{number}", daemon=True), self.p.forever():
            self.p.advance(self.pick(1, 4) * self.scale)
            verb(container, min(self.pick(0, 3), capacity))

    def program(self) -> Program:
        for number in range(self.pick(1, 3)):
            with self.p.thread(f"t{number}", count=self.pick(1, 3), start=self.pick(0, 2) * self.scale):
                self.block(self.pick(0, 3), [])
        if self.pick(0, 2) == 2:
            self.daemon(0)
        return self.p.build()

    def options(self) -> Options:
        until = HORIZON if self.pick(0, 2) else self.pick(0, 30) * self.scale
        budget = self.pick(0, 60) if self.rarely() else 1500
        return Options(until=until, budget=budget, seed=self.pick(1, 3), trace=True)


def write(pick: Pick) -> tuple[Program, Options]:
    """A random program and how to run it."""
    writer = Writer(pick)
    return writer.program(), writer.options()
