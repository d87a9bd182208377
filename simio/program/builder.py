"""Writing programs: components call these methods and the code reads like a SimPy process.

    with p.thread("reader"), p.loop(100):
        with p.hold(cpu):
            p.advance(20_000)
        with p.fork("dma", joined=True):
            p.put(buffer, 4096)
        p.get(buffer, 4096)
        p.mark(delivered, 4096)
        p.join()

Bodies of forked threads stand where they are forked, so that a reader sees them in place; the child has a copy
of its parent's registers, so that a name means the same inside.
"""

from __future__ import annotations

import numpy as np

from simio.machines.variable import WORDS
from simio.program.blocks import Blocks, Procedure
from simio.program.declarations import Handle, ProgramError
from simio.program.emitting import MAX_REGISTERS
from simio.program.operands import Condition, Expression, Operand, OperandT, Register, least, maximum, minimum, since
from simio.program.steps import COLUMNS, Program, Table
from simio.program.variable import Variable

__all__ = [
    "MAX_REGISTERS",
    "Builder",
    "Condition",
    "Expression",
    "Handle",
    "Operand",
    "OperandT",
    "Procedure",
    "ProgramError",
    "Register",
    "Variable",
    "least",
    "maximum",
    "minimum",
    "since",
]


class Builder(Blocks):
    """Collects declarations and steps; `build` returns the frozen `Program`.

    A program declares what there is, then writes what each thread does:

        p = Builder()
        cpu, served = p.resource("cpu"), p.observation("served", "latency", "ps")
        requests = p.variable("requests")
        pause = p.exponential("pause", 1_000_000)
        with p.thread("user", count=10), p.loop(1000):
            rest = p.register()
            p.draw(rest, pause)
            p.wait(rest)
            with p.timed(served), p.hold(cpu):
                number = requests.increment()
                with p.when(number % 100 == 0):
                    p.advance(50_000)
                p.advance(20_000)
        outcome = reference.run(p.build())

    The first `arguments` registers of each thread are set aside for what procedures are given.
    """

    def variable(self, name: str, initial: int = 0) -> Variable:
        """A number of zero or more that all threads share.

        Raises ProgramError if `initial` is below zero.
        """
        if initial < 0:
            raise ProgramError(f"variable {name!r} cannot start at {initial}: it is never below zero")
        return Variable(self, self.machine(name, WORDS.initial(value=initial)))

    @property
    def only_daemons(self) -> bool:
        """True if no thread keeps a run going."""
        return all([start.daemon for start in self._starts] + [guest.daemon for guest in self._guests])

    def build(self, dtype: type = np.int64) -> Program:
        """The finished program, its tables being arrays of this type.

        Raises ProgramError if all threads are daemons.
        """
        if self.only_daemons:
            raise ProgramError("a program needs at least one thread that is not a daemon")
        draws: Table = np.array(self._draws, dtype=dtype).reshape(-1, 4)
        table: Table = np.array(self._draw_table, dtype=dtype).reshape(-1, 2)
        return Program(
            steps=np.array(self._steps, dtype=dtype).reshape(-1, COLUMNS),
            registers=max(self._registers, 1),
            names=tuple(self._names),
            starts=tuple(self._starts),
            resources=tuple(self._resources),
            containers=tuple(self._containers),
            marks=tuple(self._marks),
            draws=draws,
            draw_names=tuple(self._draw_names),
            draw_table=table,
            state=self._state.table(dtype),
            machines=tuple(self._machines),
            words=tuple(self._words),
            workloads=tuple(self._workloads),
            regions=tuple(self._regions),
            windows=tuple(self._windows),
            occupancies=tuple(self._occupancies),
            demands=tuple(self._demands),
            promises=tuple(self._promises),
            ahead=tuple(self._ahead),
            behind=tuple(self._behind),
            early=tuple((kind, row, time) for (kind, row), time in self._early.items()),
            tallies=tuple(self._tallies),
            labels=tuple(self._labels),
            gauges=tuple(self._gauges),
            loads=tuple(self._loads.values()),
            bonds=tuple(self._bonds),
            feeds=tuple(self._feeds),
            joined=tuple(self._joined),
            told=tuple(self._told),
            bodies=tuple(self._bodies),
            guests=tuple(self._guests),
        )
