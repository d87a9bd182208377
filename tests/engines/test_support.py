"""A program with something that an engine lacks is refused before it runs, never run as something else."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest

from simio.engines import codes, reference
from simio.engines.execute import ENGINES, execute
from simio.engines.outcome import Options
from simio.engines.prepared import ProgramVariants
from simio.errors import RunError
from simio.program.builder import Builder
from simio.program.steps import COLUMNS, Compare, Fn, Op, Program


def program() -> Program:
    """Steps 0 to 4: LET, BRANCH, ADVANCE, ADVANCE, END."""
    p = Builder()
    with p.thread("t"):
        r = p.register(1)
        with p.when(r, "==", 1):
            p.advance(5)
        p.advance(7)
    return p.build()


def with_word(step: int, column: int, word: int) -> Program:
    known = program()
    steps = known.steps.copy()
    steps[step, column] = word
    return replace(known, steps=steps)


UNKNOWN = [
    (3, 0, len(Op), f"step 3: .* has no operation {len(Op)}"),
    (3, 0, -1, "step 3: .* has no operation -1"),
    (0, 2, len(Fn), f"step 0: .* has no function {len(Fn)}"),
    (1, 1, len(Compare), f"step 1: .* has no comparison {len(Compare)}"),
]


@pytest.mark.parametrize(("step", "column", "word", "message"), UNKNOWN)
def test_a_word_that_an_engine_lacks_is_refused(
    engine: ModuleType, step: int, column: int, word: int, message: str
) -> None:
    with pytest.raises(RunError, match=message):
        engine.run(with_word(step, column, word))


@pytest.mark.parametrize("name", ENGINES)
def test_the_message_names_the_engine(name: str) -> None:
    with pytest.raises(RunError, match={"compiled": "the compiled engine", "simpy": "the SimPy engine"}[name]):
        execute(with_word(3, 0, 99), Options(), name)


def test_so_is_one_in_a_program_that_differs_in_its_steps_only() -> None:
    variants = ProgramVariants(program(), {"steps"}, np.array([3 * COLUMNS]))
    with pytest.raises(RunError, match="has no operation 99"):
        variants.prepare(with_word(3, 0, 99))


def test_both_engines_have_every_operation_function_and_comparison() -> None:
    assert set(codes.OPERATIONS) == reference.ACTIONS.keys() == set(Op)
    assert set(codes.FUNCTIONS) == {Fn.SET, Fn.SINCE, *reference.FUNCTIONS} == set(Fn)
    assert set(codes.COMPARISONS) == reference.COMPARISONS.keys() == set(Compare)
