"""Threads that share steps, each with locks, lines, machines and names of its own, do what they did written out."""

from __future__ import annotations

import random
from collections.abc import Iterator
from weakref import WeakKeyDictionary

import numpy as np
import pytest
from random_programs import DISK, Writer

from simio.bound import bound
from simio.engines import compiled, reference
from simio.engines.outcome import Options, Outcome
from simio.program.builder import Builder, ProgramError
from simio.program.declarations import UnfitError
from simio.program.steps import HORIZON, NAMING, STRIDE, Program


class One(Writer):
    """The same choices for each of many; what it declares has its name before it, and all share a little."""

    def __init__(self, p: Builder, own: str, seed: int) -> None:
        choices = random.Random(seed)
        self.pick = choices.randint
        self.p, self.own = p, own
        self.scale = 1
        shared = p.container("shared", 3, 1)
        mine = p.container(f"{own} room", 4, self.pick(0, 4))
        self.resources = [
            p.resource(f"{own} lock", 2),
            p.resource("server"),
            p.resource(f"{own} turn", lock=True),
        ]
        self.units = [2, 1, 1]
        self.containers = [(mine, 4), (shared, 3)]
        self.marks = [p.observation(f"{own} seen"), p.observation("all")]
        common = ONCE.get(p) or ONCE.setdefault(p, [p.uniform("u", -1, 4), p.exponential("e", 3)])
        own_draws = [p.uniform(f"{own} wide", 0, 9), p.discrete(f"{own} d", [(self.pick(0, 3), 1), (5, 2)])]
        self.draws = [*common, *own_draws, own_draws[0]]
        self.disk = p.machine(f"{own} disk", DISK)
        self.children = 0
        p.tally(own, "counted", self.disk + 1, "times")
        p.gauge(own, "held", self.disk + 2, "bytes")

    def fork(self, depth: int, registers: list) -> None:
        with self.p.fork(f"{self.own} child", self.pick(0, 2), bool(self.pick(0, 1))):
            self.block(depth - 1, registers)

    def write_out(self) -> None:
        kept = self.p.window(f"{self.own} window", 3)
        with self.p.thread(f"{self.own}: first", count=self.pick(1, 2), start=self.pick(0, 2)):
            self.p.demand(self.resources[0], 7)
            self.p.demand(self.resources[1], 5)
            self.p.occupy(kept, 11)
            self.p.promise(3)
            self.block(3, [])
        with self.p.thread(f"{self.own}: second", daemon=bool(self.pick(0, 1))):
            self.block(2, [])


ONCE: WeakKeyDictionary[Builder, list] = WeakKeyDictionary()
"""Distributions that all draw from, made by the first."""


SAME = ("names", "resources", "containers", "marks", "machines", "tallies", "gauges", "draw_names", "windows")
"""Declarations that programs have alike."""


def program(seed: int, count: int, names: Iterator[str] | None = None) -> Program:
    """`count` of one kind, sharing their steps unless they get names one by one."""
    p = Builder()
    p.observation("delivered", "delivered", "bytes")
    for own in names or p.replicate("t", count):
        One(p, own, seed).write_out()
    with p.thread("last"):
        p.advance(1)
    return p.build()


def without_steps(outcome: Outcome) -> dict[str, object]:
    """An outcome without the numbers of steps, which only say where a step stands."""
    found = {name: getattr(outcome, name) for name in ("status", "end", "steps", "events", "container_area")}
    for name in ("marks", "resources", "containers", "threads", "times", "samples", "state", "streams"):
        found[name] = getattr(outcome, name).tolist()
    alive, trace = outcome.alive, outcome.trace
    return {
        **found,
        "alive": alive[:, [0, 1, 3, 4]].tolist(),
        "trace": trace[:, :2].tolist(),
        "at": outcome.fault[0],
    }


@pytest.mark.parametrize("seed", range(40))
def test_shared_steps_do_what_steps_written_out_do(seed: int) -> None:
    count = 3 + seed % 3
    shared, apart = program(seed, count), program(seed, count, (f"t {n + 1}" for n in range(count)))
    assert len(shared.steps) < len(apart.steps)
    for name in (
        "names",
        "resources",
        "containers",
        "marks",
        "machines",
        "tallies",
        "gauges",
        "draw_names",
        "windows",
    ):
        assert getattr(shared, name) == getattr(apart, name)
    assert (shared.state.tolist(), shared.draws.tolist()) == (apart.state.tolist(), apart.draws.tolist())
    assert bound(shared) == bound(apart)
    for until in (HORIZON, 20):
        options = Options(until=until, budget=3000, trace=True)
        found = compiled.run(shared, options)
        assert found.differences(reference.run(shared, options)) == []
        assert without_steps(found) == without_steps(compiled.run(apart, options))


def test_two_are_written_out_and_more_are_not() -> None:
    lengths = [len(program(1, count).steps) for count in (1, 2, 3, 100)]
    assert lengths[1] > lengths[0]
    assert lengths[1] == lengths[2] == lengths[3]
    naming = np.isin(program(1, 3).steps[:, 0], list(NAMING))
    assert program(1, 3).steps[naming, STRIDE].any()
    assert not program(1, 2).steps[naming, STRIDE].any()


def declare(p: Builder, name: str, streams: str = "t") -> None:
    """A resource for each of five streams."""
    for number, own in enumerate(p.replicate(streams, 5)):
        p.resource(name.format(own=own, number=number + 1))


def test_what_one_of_many_declares_is_called_after_it() -> None:
    with pytest.raises(ProgramError, match="'lock of 2' is declared for one of many"):
        declare(Builder(), "lock of {number}")


def test_a_name_that_another_of_many_has_is_refused() -> None:
    p = Builder()
    p.resource("t 4 lock")
    with pytest.raises(UnfitError, match="two of the name 't 4 lock'"):
        declare(p, "{own} lock")


def test_many_within_many_are_refused() -> None:
    p = Builder()
    each = p.replicate("t", 5)
    next(each)
    with pytest.raises(ProgramError, match="inside of others"):
        declare(p, "{own} lock", next(each))
