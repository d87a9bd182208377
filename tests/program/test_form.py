"""What is worked out of programs of one form: by arithmetic that was followed, and the same as without."""

from __future__ import annotations

from typing import Any

import pytest

from simio.program.builder import Builder
from simio.program.form import Form, once, worked_out
from simio.program.steps import Program

TIME = 1
"""Column of an ADVANCE that has its time."""


def form() -> Form:
    """Programs that differ in the time of their only step, and in the units of their only resource."""
    p = Builder()
    disk = p.resource("disk", 2)
    with p.thread("t"), p.hold(disk):
        p.advance(100)
    program = p.build()
    at = next(row for row, step in enumerate(program.steps.tolist()) if step[TIME] == 100)
    return Form(program, {"steps": [at * program.steps.shape[1] + TIME]}, {"resources": [(0, "units")]})


def times(program: Program) -> tuple[Any, list[Any]]:
    """Of its steps the number, the longest time and twice that."""
    time = max(program.steps[:, TIME].tolist())
    return len(program.steps), [time, 2 * time]


def test_a_copy_has_its_words_and_the_first_keeps_its_own() -> None:
    known = form()
    copy = known.copy([250, 3])
    assert (times(copy)[1][0], copy.resources[0].units) == (250, 3)
    assert (times(known.program)[1][0], known.program.resources[0].units) == (100, 2)
    assert known.copy([250, 4]).steps is copy.steps


def test_a_function_is_called_twice_and_then_computed() -> None:
    called = []

    def counted(program: Program) -> tuple[Any, list[Any]]:
        called.append(program)
        return times(program)

    known = form()
    for time in (250, 300, 999):
        assert worked_out(counted, known.copy([time, 3])) == (len(known.program.steps), [time, 2 * time])
    assert len(called) == 2


def test_where_a_comparison_comes_out_otherwise_the_function_is_asked_again() -> None:
    def parts(program: Program) -> tuple[Any, list[Any]]:
        time = max(program.steps[:, TIME].tolist())
        return ("long", [time]) if time > 500 else ("short", [time, time])

    known = form()
    for time in (200, 600, 300, 700, 500, 501):
        assert worked_out(parts, known.copy([time, 3])) == parts(known.copy([time, 3]))


@pytest.mark.parametrize("wrong", ["hidden", "untracked"])
def test_what_cannot_be_followed_costs_time_only(wrong: str) -> None:
    def function(program: Program) -> tuple[Any, list[Any]]:
        time = max(program.steps[:, TIME].tolist())
        return ([time], []) if wrong == "hidden" else (0, [complex(0, 1) * time])

    known = form()
    for time in (200, 300, 400):
        assert worked_out(function, known.copy([time, 3])) == function(known.copy([time, 3]))


def test_what_copies_have_alike_is_made_once() -> None:
    known = form()
    one, other = known.copy([250, 3]), known.copy([300, 4])
    assert once(_names, one, "names") is once(_names, other, "names")
    assert [once(_units, program, "resources") for program in (one, other)] == [[3], [4]]


def _names(program: Program) -> list[str]:
    return list(program.names)


def _units(program: Program) -> list[int]:
    return [resource.units for resource in program.resources]
