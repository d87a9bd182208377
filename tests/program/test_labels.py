"""Labels: what steps are for, of which nothing is seen when they run."""

from __future__ import annotations

from fractions import Fraction

from simio.explaining.path import Steps
from simio.program.builder import Builder
from simio.program.digest import program_hash
from simio.program.labels import called, labelled
from simio.program.steps import Op, Program


class Kernel:
    """A component whose methods are labelled."""

    def __init__(self, p: Builder, name: str) -> None:
        self.p, self.name = p, name

    @labelled("copies", "name")
    def copy(self, time: int) -> None:
        self.p.advance(time)

    @called("reads the file")
    def read(self) -> None:
        """A call within which there is work, and another call."""
        self.p.advance(1)
        self.copy(2)
        self.write()

    @called("writes the file")
    def write(self) -> None:
        self.p.advance(3)


def program() -> Program:
    p = Builder(arguments=1)
    cpu, lock = p.resource("cpu"), p.resource("lock", lock=True)
    kernel = Kernel(p, "onyx")
    passed = p.procedure("passed", 0, lambda: p.advance(5))
    with p.thread("reader"):
        kernel.read()
        with p.hold(cpu), p.hold(lock):
            p.advance(4)
            with p.label("protocols", "onyx", byte="checksums"):
                p.spawn(passed)
                p.advance(10, p.register(7), Fraction(2))
        with p.hold(lock), p.fork("child"), p.hold(cpu):
            p.advance(6)
        p.advance(8)
    return p.build()


def advances(found: Program) -> dict[int, int]:
    """Step of each ADVANCE by its fixed time."""
    return {row[1]: at for at, row in enumerate(found.steps.tolist()) if row[0] == Op.ADVANCE}


def test_the_innermost_work_and_the_outermost_call_hold():
    found = program()
    steps, at = Steps(found), advances(found)
    told = {time: (steps.work[step].what, steps.work[step].where, steps.calls[step]) for time, step in at.items()}
    assert told == {
        1: ("", "", "reads the file"),
        2: ("copies", "onyx", "reads the file"),
        3: ("", "", "reads the file"),
        4: ("", "", ""),
        5: ("", "", ""),
        6: ("", "", ""),
        8: ("", "", ""),
        10: ("protocols", "onyx", ""),
    }


def test_what_works_is_told_before_what_only_orders():
    found = program()
    steps, at = Steps(found), advances(found)
    names = {time: steps.holding(step) for time, step in at.items()}
    cpu = next(number for number, each in enumerate(found.resources) if each.name == "cpu")
    assert names[4] == cpu
    assert names[6] == cpu
    assert names[8] == names[5] == -1


def test_the_part_of_a_time_that_depends_on_an_amount_may_be_other_work():
    found = program()
    stretches = list(Steps(found).stretches(advances(found)[10], 100, 124, "reader"))
    assert [(each.begin, each.end, each.what) for each in stretches] == [
        (100, 110, "protocols"),
        (110, 124, "checksums"),
    ]


def test_a_program_is_the_same_without_labels():
    from dataclasses import replace

    found = program()
    assert found.labels
    assert program_hash(replace(found, labels=())) == program_hash(found)
