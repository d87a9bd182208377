"""Threads that run the first of alike blocks of steps, in the tables of the compiled engine, do what they did alone.

The reference engine knows nothing of this, so that it is the judge.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest
from test_instances import program

from simio.engines import alike, compiled, reference
from simio.engines.compiled import prepare
from simio.engines.outcome import Options, Status
from simio.engines.prepared import ProgramVariants
from simio.program.builder import Builder, Handle
from simio.program.steps import COLUMNS, HORIZON, Op, Program


@pytest.fixture(autouse=True)
def _any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small programs are looked through, too."""
    monkeypatch.setattr(alike, "LEAST", 0)


def counts(made: Program) -> list[int]:
    """Numbers of alike blocks that a program is found to have."""
    return [block.count for block in prepare(made).alike.blocks]


def agree(made: Program, options: Options) -> None:
    """Check that both engines have the same outcome, field by field."""
    assert compiled.run(made, options).differences(reference.run(made, options)) == []


@pytest.mark.parametrize("seed", range(40))
def test_shared_blocks_do_what_the_reference_engine_does_without(seed: int) -> None:
    many = 5 + seed % 3
    made = program(seed, many, (f"t {number + 1}" for number in range(many)))
    # The first declares what all share, so that it may name rows otherwise than the next.
    assert max(counts(made)) >= many - 1
    for until in (HORIZON, 20, 5):
        for budget in (3000, 200, 199, 100, 37, 1):
            agree(made, Options(until=until, budget=budget))
    agree(made, Options(trace=True, budget=3000))


def pairs(number: int, waits: Iterator[int], deadlock: bool = False) -> Program:
    """Pairs of threads, of which one waits for a byte of the other in a lock of both, and a procedure for each."""
    p = Builder()
    done = p.observation("done", "delivered", "bytes")
    for own in range(number):
        lock, room = p.resource(f"{own} lock"), p.container(f"{own} room")
        sending = p.procedure(f"{own} sends", 0, partial(send, p, lock, room, next(waits)))
        with p.thread(f"{own} sender"), p.loop(3):
            p.spawn(sending)
            p.advance(7)
        with p.thread(f"{own} receiver"), p.loop(4 if deadlock else 3):
            p.get(room, 1)
            p.mark(done, 1)
    return p.build()


def send(p: Builder, lock: Handle, room: Handle, wait: int) -> None:
    """A byte goes into the room after a time in the lock."""
    with p.hold(lock):
        p.advance(wait)
    p.put(room, 1)


def test_a_block_may_be_of_several_threads_and_procedures() -> None:
    made = pairs(6, iter([5] * 6))
    assert counts(made) == [6]
    agree(made, Options())


def test_a_deadlock_names_the_steps_of_each() -> None:
    made = pairs(6, iter([5] * 6), deadlock=True)
    assert counts(made) == [6]
    agree(made, Options())
    found = compiled.run(made, Options())
    assert found.status == Status.DEADLOCK
    steps = found.alive[:, 2].tolist()
    assert len(set(steps)) == 6
    assert {int(made.steps[step - 1, 0]) for step in steps} == {Op.GET}


def test_what_differs_in_a_number_has_steps_of_its_own() -> None:
    assert counts(pairs(7, iter([5, 5, 5, 6, 5, 5, 5]))) == [3, 3]
    assert counts(pairs(4, iter([5, 6, 5, 6]))) == []
    agree(pairs(7, iter([5, 5, 5, 6, 5, 5, 5])), Options())


def test_threads_that_start_a_procedure_of_another_keep_their_steps() -> None:
    p = Builder()
    common = p.procedure("common", 0, lambda: p.advance(3))
    for own in range(5):
        with p.thread(f"{own}"):
            p.spawn(common)
            p.advance(2)
    made = p.build()
    assert counts(made) == []
    agree(made, Options())


def test_threads_that_start_the_procedure_of_the_one_before_keep_their_steps() -> None:
    p = Builder()
    rooms = [p.container(f"{own} room") for own in range(6)]
    adding = [p.procedure(f"{own} adds", 0, partial(p.put, room, 1)) for own, room in enumerate(rooms)]
    for own in range(6):
        with p.thread(f"{own}"):
            p.spawn(adding[own])
            p.spawn(adding[max(own - 1, 0)])
            p.get(rooms[own], 1)
    made = p.build()
    assert counts(made) == []
    agree(made, Options())


def test_threads_that_share_steps_already_keep_them() -> None:
    made = program(1, 9)
    assert counts(made) == []
    agree(made, Options(budget=3000))


def test_a_program_like_another_is_looked_through_anew() -> None:
    made = pairs(6, iter([5] * 6))
    advances = [at for at in range(len(made.steps)) if made.steps[at, :2].tolist() == [Op.ADVANCE, 5]]
    variants = ProgramVariants(made, (), np.array(advances) * COLUMNS + 1)
    for waits, expected in (([9] * 6, [6]), ([9, 9, 9, 8, 8, 8], [3, 3]), ([1, 2, 3, 4, 5, 6], [])):
        other = pairs(6, iter(waits))
        prepared = variants.prepare(other)
        assert [block.count for block in prepared.alike.blocks] == expected
        found = compiled.run(other, Options(), prepared=prepared)
        assert found.differences(reference.run(other, Options())) == []
