"""Refusals of a builder: declarations and steps that make no program."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from simio.machines import variable
from simio.program.builder import Builder, ProgramError, Register
from simio.program.steps import HORIZON, NO_REGISTER, UNBOUNDED

NONE = NO_REGISTER


# --- what is refused: declarations -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda p: p.resource("r", 0), "at least one unit"),
        (lambda p: p.resource("r", -3), "at least one unit"),
        (lambda p: p.container("k", 5, 6), "cannot start at 6 of 5"),
        (lambda p: p.container("k", 5, -1), "cannot start"),
        (lambda p: p.container("k", -1), "cannot start"),
        (lambda p: p.container("k", UNBOUNDED + 1), "cannot start"),
        (lambda p: p.uniform("u", 2, 1), "cannot draw"),
        (lambda p: p.uniform("u", 0, 2**62), "cannot draw"),
        (lambda p: p.uniform("u", -(2**62), 0), "cannot draw"),
        (lambda p: p.exponential("e", -1), "mean -1"),
        (lambda p: p.exponential("e", 2**56), "cannot have mean"),
        (lambda p: p.discrete("d", []), "needs values"),
        (lambda p: p.discrete("d", [(1, 0)]), "positive weights"),
        (lambda p: p.discrete("d", [(1, 3), (2, -1)]), "positive weights"),
        (lambda p: p.discrete("d", [(1, 2**61), (2, 2**61)]), "below 2\\*\\*62"),
        (lambda p: (p.resource("x", 1), p.resource("x", 2)), "declared twice"),
        (lambda p: (p.resource("x", 1), p.resource("x", 1, lock=True)), "declared twice"),
        (lambda p: (p.container("x"), p.container("x", unit="frames")), "declared twice"),
        (lambda p: (p.observation("x", "latency"), p.observation("x", "other")), "declared twice"),
        (lambda p: (p.window("x", 1), p.window("x", 2)), "declared twice"),
        (lambda p: p.build(), "at least one thread"),
    ],
)
def test_declarations_that_are_refused(declare: Callable[[Builder], object], message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        declare(Builder())


def test_a_name_declared_alike_is_the_same_thing() -> None:
    p = Builder()
    assert p.resource("x", 2) == p.resource("x", 2)
    assert p.container("x", 5, 1, "B") == p.container("x", 5, 1, "B")
    assert p.observation("x") == p.observation("x")
    # The same name may stand for things of different kinds.
    with p.thread("t"):
        pass
    program = p.build()
    assert (len(program.resources), len(program.containers), len(program.marks)) == (1, 1, 1)


def test_distributions_of_one_name_are_drawn_apart() -> None:
    p = Builder()
    assert p.uniform("u", 0, 1).number != p.uniform("u", 0, 1).number


def test_only_daemons_make_no_program() -> None:
    p = Builder()
    with p.thread("d", daemon=True):
        p.advance(1)
    with pytest.raises(ProgramError, match="not a daemon"):
        p.build()


# --- what is refused: steps --------------------------------------------------------------------------------


class Things:
    """A builder inside a thread, with one thing of each kind."""

    def __init__(self) -> None:
        self.p = p = Builder()
        self.r, self.k, self.m = p.resource("r", 2), p.container("k", 5), p.observation("m")
        self.u, self.w = p.uniform("u", 0, 1), p.window("w", 1)


@pytest.mark.parametrize(
    ("emit", "message"),
    [
        (lambda t: t.p.advance(-1), "backward"),
        (lambda t: t.p.advance(1, -1, 1), "backward"),
        (lambda t: t.p.advance(1, 1, -1), "backward"),
        (lambda t: t.p.advance(1, t.p.register(), Fraction(-1, 2)), "backward"),
        (lambda t: t.p.advance(HORIZON + 1), "64 bits"),
        (lambda t: t.p.advance(1, HORIZON, 1), "64 bits"),
        (lambda t: t.p.advance(1, t.p.register(), 2**62), "64 bits"),
        (lambda t: t.p.advance(1, t.p.register(), Fraction(2**63 + 1, 2)), "64 bits"),
        (lambda t: t.p.seize(t.r, 3), "cannot seize 3 of 'r', which has 2"),
        (lambda t: t.p.seize(t.r, 0), "cannot seize 0"),
        (lambda t: t.p.release(t.r, 3), "cannot release 3"),
        (lambda t: t.p.release(t.r, -1), "cannot release -1"),
        (lambda t: t.p.put(t.k, 6), "cannot put 6 bytes: 'k' holds 5 at most"),
        (lambda t: t.p.get(t.k, -1), "cannot get -1"),
        (lambda t: t.p.seize(t.k), "'k' is a container, not a resource"),
        (lambda t: t.p.put(t.r, 1), "'r' is a resource, not a container"),
        (lambda t: t.p.get(t.m, 1), "'m' is a mark, not a container"),
        (lambda t: t.p.mark(t.u, 1), "'u' is a distribution, not a mark"),
        (lambda t: t.p.draw(t.p.register(), t.m), "'m' is a mark, not a distribution"),
        (lambda t: t.p.occupy(t.r, 1), "'r' is a resource, not a window"),
        (lambda t: t.p.mark(t.m, 2**62 + 1), "does not fit"),
        (lambda t: t.p.let(t.p.register(), "SET", -(2**62) - 1), "does not fit"),
        (lambda t: t.p.register(2**63), "does not fit"),
        (lambda t: t.p.call(t.p.register(), variable.swap, 0, 2**63), "does not fit"),
        (lambda t: t.p.thread("inner").__enter__(), "inside another thread; use fork"),
    ],
)
def test_steps_that_are_refused(emit: Callable[[Things], object], message: str) -> None:
    things = Things()
    with things.p.thread("t"), pytest.raises(ProgramError, match=message):
        emit(things)


@pytest.mark.parametrize(
    "emit",
    [
        lambda t: t.p.advance(1), lambda t: t.p.seize(t.r), lambda t: t.p.release(t.r), lambda t: t.p.put(t.k, 1),
        lambda t: t.p.get(t.k, 1), lambda t: t.p.join(), lambda t: t.p.register(), lambda t: t.p.mark(t.m, 1),
        lambda t: t.p.draw(Register(0), t.u), lambda t: t.p.let(Register(0), "SET", 1),
        lambda t: t.p.call(Register(0), variable.swap, 0), lambda t: t.p.occupy(t.w, 1),
        lambda t: t.p.fork("f").__enter__(), lambda t: t.p.loop(3).__enter__(),
        lambda t: t.p.hold(t.r).__enter__(), lambda t: t.p.when(Register(0), "<", 1).__enter__(),
        lambda t: t.p.until(Register(0), "<", 1).__enter__(),
    ],
)  # fmt: skip
def test_steps_stand_inside_a_thread(emit: Callable[[Things], object]) -> None:
    things = Things()
    with pytest.raises(ProgramError, match="outside of any thread"):
        emit(things)
    with things.p.thread("t"):
        pass
    with pytest.raises(ProgramError, match="outside of any thread"):
        emit(things)
