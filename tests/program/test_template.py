"""Programs of one template, computed by a trace: the same as without."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

from simio.program.builder import Builder
from simio.program.steps import Program
from simio.program.tape import Tape
from simio.program.template import Template

TIME = 1
"""Column of an ADVANCE that has its time."""


class Times(NamedTuple):
    """A length, and two times."""

    length: int
    time: int
    twice: int


def template() -> Template:
    """Programs that differ in the time of their only ADVANCE, and in the units of their only resource."""
    p = Builder()
    disk = p.resource("disk", 2)
    with p.thread("t"), p.hold(disk):
        p.advance(100)
    program = p.build()
    time, units = Tape([100, 2]).inputs
    steps = program.steps.astype(object)
    steps[steps[:, TIME] == 100, TIME] = time
    return Template(replace(program, steps=steps, resources=(program.resources[0]._replace(units=units),)))


def times(program: Program) -> Times:
    """The number of its steps, the longest time and twice that."""
    time = max(program.steps[:, TIME].tolist())
    return Times(len(program.steps), time, 2 * time)


def test_a_program_has_its_words_and_the_first_keeps_its_own() -> None:
    known = template()
    made = known.fill([250, 3])
    assert (times(made).time, made.resources[0].units) == (250, 3)
    assert (times(known.program).time, known.program.resources[0].units) == (100, 2)
    assert known.fill([250, 4]).steps is made.steps
    assert known.program.steps.dtype == made.steps.dtype == np.int64


def test_a_template_knows_where_its_programs_differ() -> None:
    known = template()
    assert known.changing == {"steps", "resources"}
    assert known.program.steps.ravel()[known.step_words].tolist() == [100]


def test_a_function_is_called_twice_and_then_computed() -> None:
    called = []

    def counted(program: Program) -> Times:
        called.append(program)
        return times(program)

    known = template()
    for time in (250, 300, 999):
        words = [time, 3]
        assert known.compute(counted, known.fill(words), words) == Times(len(known.program.steps), time, 2 * time)
    assert len(called) == 2


def test_where_a_comparison_comes_out_otherwise_the_function_is_called_again() -> None:
    def parts(program: Program) -> tuple[Any, ...]:
        time = max(program.steps[:, TIME].tolist())
        return ("long", time) if time > 500 else ("short", time, time)

    known = template()
    for time in (200, 600, 300, 700, 500, 501):
        made = known.fill([time, 3])
        assert known.compute(parts, made, [time, 3]) == parts(made)


@pytest.mark.parametrize("wrong", ["hidden", "untraced"])
def test_what_cannot_be_traced_costs_time_only(wrong: str) -> None:
    def function(program: Program) -> Any:
        time = max(program.steps[:, TIME].tolist())
        return (0, [time]) if wrong == "hidden" else (0, complex(0, 1) * time)

    known = template()
    for time in (200, 300, 400):
        made = known.fill([time, 3])
        assert known.compute(function, made, [time, 3]) == function(made)
