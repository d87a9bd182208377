"""Work that one thread does for all who asked before it began (`simio.machines.turns`)."""

from __future__ import annotations

from collections.abc import Callable

from simio.machines import turns as machine
from simio.program.builder import Builder, Operand, Register

Emit = Callable[[], None]


class Turns:
    """Turns of a kind of work: a thread that needs one makes it, or sleeps while others do."""

    def __init__(self, p: Builder, owner: object, name: str, unit: str, limit: int = 1) -> None:
        """Turns of an `owner`, of which at most `limit` are under way at once; `unit` is what they are called."""
        self.p = p

        def make() -> int:
            state = p.machine(f"{name} {unit}", machine.turns(limit))
            p.tally(name, unit, state + machine.ENDED, unit)
            return state

        self.state = p.once(owner, make)
        self.gate = p.container(f"{name} {unit} gate", unit="requests")

    def next(self) -> Register:
        """Number of the turn that serves a request of now, in a fresh register."""
        return self.p.answer(machine.next_turn, self.state)

    def begun(self, number: Operand) -> Register:
        """1 if a turn has begun, else 0, in a fresh register."""
        return self.p.answer(machine.begun, self.state, number)

    def over(self, number: Operand) -> Register:
        """1 if a turn has ended, else 0, in a fresh register."""
        return self.p.answer(machine.over, self.state, number)

    def serve(self, number: Operand, turn: Emit, woken: Emit | None = None) -> None:
        """Have a turn made; `turn` emits its work, `woken` the cost of waking a sleeper."""
        p = self.p
        with p.scope():
            wanted, answer = p.register(number), p.register()
            with p.until(answer == machine.OVER):
                p.call(answer, machine.ask, self.state, wanted)
                with p.when(answer == machine.MAKE):
                    turn()
                    self._end(wanted)
                    answer.set(machine.OVER)
                with p.when(answer == machine.SLEEP):
                    p.get(self.gate, 1)
                    if woken:
                        woken()

    def _end(self, number: Register) -> None:
        """The turn is over, once those before it are."""
        p = self.p
        with p.scope():
            others = p.register()
            with p.until(others > 0):
                p.call(others, machine.end, self.state, number)
                with p.when(others == 0):
                    p.get(self.gate, 1)
            others.set(others - 1)
            p.put(self.gate, others)
