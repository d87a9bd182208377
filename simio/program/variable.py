"""A number that the threads of a program share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines import variable
from simio.machines.door import Called
from simio.program.operands import Operand, Register

if TYPE_CHECKING:
    from simio.program.emitting import Emitting


class Variable:
    """The word of a program's state at `offset`, which every thread can read and change; it is never below zero.

        failed = p.variable("failed requests")
        number = failed.increment()
        with p.when(number == 10):
            failed.store(0)

    No time passes in any of the methods, so that nothing comes between what one reads and what it writes. Those that
    give a register take a fresh one, unless `into` is given. The run ends with an error where the value would be
    below zero.
    """

    def __init__(self, p: Emitting, offset: int) -> None:
        self.p, self.offset = p, offset

    def load(self, into: Register | None = None) -> Register:
        """A register with the value."""
        return self._call(variable.load, 0, into)

    def store(self, value: Operand) -> None:
        """Set the value."""
        with self.p.scope():
            self._call(variable.swap, value, None)

    def increment(self, amount: Operand = 1, into: Register | None = None) -> Register:
        """Add an amount of zero or more; gives a register with the value before."""
        return self._call(variable.add, amount, into)

    def maximum(self, value: Operand, into: Register | None = None) -> Register:
        """Set the value to another one if that is larger; gives a register with the new value."""
        return self._call(variable.maximum, value, into)

    def swap(self, value: Operand, into: Register | None = None) -> Register:
        """Set the value; gives a register with the value before."""
        return self._call(variable.swap, value, into)

    def _call(self, function: Called, value: Operand, into: Register | None) -> Register:
        result = into if into is not None else self.p.register()
        self.p.call(result, function, self.offset, value)
        return result
