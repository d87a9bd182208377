"""Little's law: areas under lines, units in use and levels, as engines count them, against the account of steps."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from random_programs import write

from simio.engines import compiled
from simio.engines.outcome import Options, Outcome, Status
from simio.loading import load
from simio.lower import lower
from simio.program.steps import HORIZON, Program
from simio.result.recount import Recount
from simio.result.stepwise import recounted

pytestmark = pytest.mark.slow

SCENARIOS = Path(__file__).parents[2] / "scenarios"
STEPS = 200_000
"""Steps of each scenario; they begin with the first."""


def broken(program: Program, options: Options, outcome: Outcome, engine: ModuleType) -> list[str]:
    """Of what the laws do not hold, in an outcome of which the steps are counted in another run."""
    counted = Recount(program)
    again = engine.run(program, replace(options, watch=counted.watch))
    counted.finished(again)
    return [each.broken for each in recounted(program, outcome, counted, again) if each.broken]


def test_random_programs(engine: ModuleType) -> None:
    waited = stayed = 0
    for seed in range(20_000, 20_600):
        program, options = write(random.Random(seed).randint)
        options = replace(options, trace=False)
        outcome = engine.run(program, options)
        if outcome.status == Status.RELEASED:
            continue  # The last step, which gives back what nobody holds, is told, too.
        assert broken(program, options, outcome, engine) == [], seed
        waited += int(outcome.resources[:, 1].any())
        stayed += any(outcome.container_area)
    assert waited > 50
    assert stayed > 150


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("*.yaml")), ids=lambda path: path.stem)
def test_scenarios(path: Path) -> None:
    system = load(path).cases[0].system
    program = lower(system)
    options = Options(system.run.until or HORIZON, STEPS)
    assert broken(program, options, compiled.run(program, options), compiled) == []
