"""Contents of drives before a run: they are worked out once, and change nothing of what a run comes to."""

from __future__ import annotations

from types import ModuleType

import pytest

from simio import beforehand
from simio.api import load
from simio.description.model import Case
from simio.engines import compiled, reference
from simio.engines.outcome import Options, Outcome
from simio.explaining import profile
from simio.lower import lower
from simio.machines.ssd.layout import MADE
from simio.program.steps import Program
from simio.running import Lowered, RunOptions, run_case


def case_of(placement: str, *sets: str) -> Case:
    """4 KiB writes at random to a drive for 2 ms."""
    sets = (f"disks.ssd.placement={placement}", "run.until=2 ms", "run.warm_up=0 s", *sets)
    return load("ssd-steady-state", sets).cases[0]


def program_of(placement: str, *sets: str) -> Program:
    return lower(case_of(placement, *sets).system)


def run(engine: ModuleType, program: Program) -> Outcome:
    return engine.run(program, Options(until=2 * 10**9, seed=1))


@pytest.mark.parametrize("placement", ["filled", "steady", "written"])
def test_a_run_comes_to_the_same(placement: str) -> None:
    program = program_of(placement, "disks.ssd.capacity=800 GB")
    begun = beforehand.begun(program)
    (at,) = beforehand.mappings(program)
    assert (program.state[at + MADE], begun.state[at + MADE]) == (0, 1)
    assert run(compiled, begun).differences(run(compiled, program)) == []


def test_where_nothing_was_written_before_a_run_begins_as_the_program_does() -> None:
    program = program_of("empty")
    assert beforehand.begun(program) is program


def test_a_drive_that_nothing_comes_to_does_not_differ_from_a_run_that_is_made_again() -> None:
    # Nothing is written in the first nanosecond, so that without this the drive would never work out what it holds.
    result = run_case(case_of("steady", "run.until=1 ns"), RunOptions(recount=True))
    assert not [check for check in result.checks if check.broken]


def test_the_reference_engine_comes_to_it_by_itself() -> None:
    lowered = Lowered(program_of("filled"))
    assert lowered.begun("simpy") is lowered.program
    assert run(compiled, lowered.begun()).differences(run(reference, lowered.program)) == []


def test_an_explanation_works_it_out_once_for_all_variants() -> None:
    beforehand._held.cache_clear()
    found = profile(case_of("steady"))
    known = beforehand._held.cache_info()
    assert known.misses == 1
    assert known.hits > 10
    assert found.runs > 10
