"""Arrivals of an open load, one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Protocol

from simio.description.arrivals import Arrivals
from simio.errors import RunError
from simio.machines import instants
from simio.program.builder import Builder, Handle, Register
from simio.program.service import SECOND

LONGEST_GAP = 2**55
"""Mean time between arrivals in ps from which none is drawn: ten hours."""


class Loaded(Protocol):
    """Parameters of a workload whose requests arrive, or whose users think between them."""

    @property
    def arrivals(self) -> Arrivals | None:
        """The process of arrivals."""

    @property
    def think(self) -> int:
        """Mean of the exponential pause between requests in ps."""


def declare_load(p: Builder, name: str, served: Handle, params: Loaded, users: int, count: int = 0) -> None:
    """Note the load that a workload is, open or of `users` who think; one that only waits for answers is none.

    `count` is the number of all its requests, 0 where that is not known.
    """
    if params.arrivals:
        p.load(name, served, params.arrivals.mean, count=count)
    elif params.think:
        p.users(name, served, users, params.think)


def pause(p: Builder, think: Handle | None) -> None:
    """A pause of a user, drawn from a distribution of times in ps, if there is one; the thread is not busy."""
    if think is None:
        return
    with p.scope():
        rest = p.register()
        p.draw(rest, think)
        p.rest(rest, "think")


class ArrivalProcess:
    """The instants at which requests arrive, for one of `shares` threads.

    Poisson arrivals are a process of its own for each thread, as a part of them is Poisson too. Constant, modulated
    and recorded arrivals are one process, whose next instant goes to whichever thread asks first: parts of them would
    come at the same instants, or in bursts of their own. A request that waits for a thread, or for room in a queue,
    is as old as its arrival.
    """

    def __init__(self, p: Builder, name: str, arrivals: Arrivals, shares: int = 1) -> None:
        """Raises RunError where the arrivals of a share are too far apart."""
        self.p = p
        self.tick = p.container(f"{name}: tick", unit="arrivals")
        self.next: Callable[[], Register]
        """A register with the instant of the next arrival, in ps; past, if it came before this request for it."""
        if arrivals.instants:
            times, period = arrivals.recorded
            state = p.once(arrivals, lambda: p.machine(f"{name}: recorded", instants.recorded(times, period)))
            self.next = partial(p.answer, instants.following, state)
        elif arrivals.process == "constant" or arrivals.modulation:
            self.next = p.once(arrivals, lambda: _Drawn(p, name, arrivals)).next
        else:
            self.next = _Drawn(p, name, arrivals, shares).next

    def wait(self) -> Register:
        """Wait for the next arrival unless it is past; a register with its instant, in ps.

        A clock of its own passes the time, so that a thread that waits is not busy.
        """
        p, at = self.p, self.next()
        with p.when(at > p.now()):
            with p.fork("clock"):
                p.wait_until(at)
                p.put(self.tick, 1)
            p.get(self.tick, 1)
        return at


class _Drawn:
    """Instants that follow one another at a constant or an exponential gap, which a state may decide."""

    def __init__(self, p: Builder, name: str, arrivals: Arrivals, shares: int = 1) -> None:
        self.p = p
        self.last = p.variable(f"{name}: last arrival")
        self.gap: int = 0
        self.states: Sequence[tuple[Fraction, int]] = arrivals.modulation
        rates = [rate / shares for rate, _ in self.states] or [arrivals.mean / shares]
        gaps = [round(SECOND / rate) if rate else 0 for rate in rates]
        if max(gaps) >= LONGEST_GAP:
            raise RunError(f"{name!r}: arrivals are more than ten hours apart", at=".arrivals.rate")
        if arrivals.process == "constant":
            self.gap = gaps[0]
            return
        numbers = [f" in state {number + 1}" for number in range(len(gaps))] if self.states else [""]
        self.gaps = [
            p.exponential(f"{name}: gap{which}", gap) if gap else None
            for which, gap in zip(numbers, gaps, strict=True)
        ]
        if self.states:
            self.stays = [
                p.exponential(f"{name}: stay{which}", stay)
                for which, (_, stay) in zip(numbers, self.states, strict=True)
            ]
            # Before the first arrival the last state ends.
            self.state = p.variable(f"{name}: state", len(gaps) - 1)
            self.ends = p.variable(f"{name}: end of the state")

    def next(self) -> Register:
        """A register with the instant of the next arrival, in ps."""
        p = self.p
        at = self.last.load()
        if self.gap:
            at.set(at + self.gap)
        elif not self.states:
            with p.scope():
                gap = p.register()
                p.draw(gap, self._gap(0))
                at.set(at + gap)
        else:
            self._modulated(at)
        self.last.store(at)
        return at

    def _gap(self, number: int) -> Handle:
        gap = self.gaps[number]
        assert gap is not None
        return gap

    def _modulated(self, at: Register) -> None:
        """The next arrival after `at`: in the present state, or if that ends before, in one that follows.

        An exponential time that is cut off begins anew in the next state, since it has no memory.
        """
        p = self.p
        with p.scope():
            state, end, found, drawn = self.state.load(), self.ends.load(), p.register(0), p.register()
            with p.until(found > 0):
                for number, gap in enumerate(self.gaps):
                    with p.when(state == number):
                        if gap is None:
                            drawn.set(end)
                        else:
                            p.draw(drawn, gap)
                            drawn.set(at + drawn)
                with p.when(drawn < end):
                    at.set(drawn)
                    found.set(1)
                with p.when(found == 0):
                    at.set(end)
                    state.set(state + 1)
                    with p.when(state == len(self.gaps)):
                        state.set(0)
                    for number, stay in enumerate(self.stays):
                        with p.when(state == number):
                            p.draw(drawn, stay)
                    end.set(at + drawn)
            self.state.store(state)
            self.ends.store(end)
