"""Little's law: areas under lines and levels, as counted while engines run, against waits found from the steps."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from random_programs import write
from waits import Waits

from simio.engines import compiled, reference
from simio.engines.outcome import Options, Outcome
from simio.loading import load
from simio.lower import lower
from simio.program.builder import Builder
from simio.program.steps import HORIZON, Program

SCENARIOS = Path(__file__).parents[2] / "scenarios"
STEPS = 20_000
"""Steps of each scenario; they begin with the first."""


def broken(program: Program, options: Options, outcome: Outcome) -> list[str]:
    """Of what the law does not hold, in an outcome whose steps are watched in another run."""
    waits = Waits(program)
    watched = compiled.run(program, replace(options, watch=waits.watch, trace=False))
    assert (watched.status, watched.end) == (outcome.status, outcome.end)
    waits.finished(outcome)
    found = []
    for at, resource in enumerate(program.resources):
        _, line, seizes, *_ = outcome.resources[at].tolist()
        if (waits.waited[at], waits.came[at]) != (line, seizes):
            found.append(
                f"{resource.name}: waited {waits.waited[at]}, an area of {line}; {waits.came[at]} came"
            )
    for at in waits.constant():
        if waits.stays[at] != outcome.container_area[at]:
            found.append(
                f"{program.containers[at].name}: {waits.stays[at]}, an area of {outcome.container_area[at]}"
            )
    return found


def queue() -> Program:
    """Three threads and a server of 10 ps: two wait 10 and 20 ps, and what each brings stays till it is taken."""
    p = Builder()
    server, shelf = p.resource("server"), p.container("shelf", 10)
    with p.thread("t", count=3):
        with p.hold(server):
            p.advance(10)
        p.put(shelf, 2)
    with p.thread("late", start=50):
        p.get(shelf, 5)
    return p.build()


def test_waits_and_stays_by_hand() -> None:
    program = queue()
    waits = Waits(program)
    outcome = reference.run(program, Options(watch=waits.watch))
    waits.finished(outcome)
    assert (waits.waited, waits.came) == ([30], [3])
    # Two from 10 on, two from 20, two from 30, all to the end at 50.
    assert waits.stays == [2 * 40 + 2 * 30 + 2 * 20]
    assert broken(program, Options(), outcome) == []


@pytest.mark.parametrize(("table", "column"), [("resources", 1), ("resources", 2)])
def test_a_miscounted_run_is_noticed(table: str, column: int) -> None:
    outcome = reference.run(queue(), Options())
    getattr(outcome, table)[0, column] += 1
    assert len(broken(queue(), Options(), outcome)) == 1


def test_a_miscounted_level_is_noticed() -> None:
    outcome = reference.run(queue(), Options())
    assert broken(queue(), Options(), replace(outcome, container_area=(181,))) != []


@pytest.mark.parametrize("engine", [compiled, reference], ids=["compiled", "reference"])
def test_random_programs(engine: object) -> None:
    waited = stayed = 0
    for seed in range(20_000, 20_600):
        program, options = write(random.Random(seed).randint)
        options = replace(options, trace=False)
        outcome = engine.run(program, options)  # type: ignore[attr-defined]
        assert broken(program, options, outcome) == [], seed
        waited += int(outcome.resources[:, 1].any())
        stayed += any(outcome.container_area)
    assert waited > 50
    assert stayed > 150


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("*.yaml")), ids=lambda path: path.stem)
def test_scenarios(path: Path) -> None:
    system = load(path).cases[0].system
    program = lower(system)
    options = Options(system.run.until or HORIZON, STEPS)
    outcome = compiled.run(program, options)
    assert broken(program, options, outcome) == []
