"""Effects of catalogue values: what is run, and what need not be."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from simio.calibration import effects, probe
from simio.calibration.effects import AnsweredCase
from simio.loading import ScenarioFile
from simio.loading.catalogue import catalogue
from simio.loading.overlay import Overlay
from simio.lower import lower
from simio.program.digest import program_hash
from simio.sweeps import Task

RAW = Path(__file__).parents[2] / "scenarios" / "sgi-hippi-raw.yaml"
CASE = 26


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The hash of each program that is run."""
    found: list[str] = []
    run = probe.run_program

    def noted(case, program, *rest):
        found.append(program.hash)
        return run(case, program, *rest)

    monkeypatch.setattr(probe, "run_program", noted)
    return found


def test_a_value_is_run_exactly_if_it_enters_the_program(runs: list[str]) -> None:
    parts, source = catalogue(), ScenarioFile(RAW)
    case = AnsweredCase(Task(str(RAW), case=CASE))
    case.prepare()
    (base,) = runs
    known, without = {base}, 0
    for value in case.values:
        number = effects._moved(value, effects.MORE)
        before = len(runs)
        answer = case.answer_with(value, number)
        if answer is None:
            continue
        changed = source.with_parts(Overlay(parts, {value.at: value.text(number)}))
        wanted = program_hash(lower(changed.scenario(only=CASE).cases[0].system))
        assert runs[before:] == ([] if wanted in known else [wanted]), value.name
        if wanted == base:
            without += 1
            assert answer == case.answer
        known.add(wanted)
    assert without > 10
    assert len(known) > 5


def test_a_process_runs_and_traces_a_case_once_for_all_shares(
    runs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    case = AnsweredCase(Task(str(RAW), case=CASE))
    prepared: list[AnsweredCase] = []
    prepare = AnsweredCase.prepare
    monkeypatch.setattr(AnsweredCase, "prepare", lambda self: (prepared.append(self), prepare(self)))
    monkeypatch.setattr(
        effects, "run_many", lambda tasks, do: ((number, do(None, task)) for number, task in enumerate(tasks))
    )
    told: list[int] = []
    found, left = effects.effects(case, lambda known, _: told.append(len(known)))
    assert not left
    assert {effect.value.name for effect in found} == {value.name for value in case.values}
    assert prepared == [case]
    # It is told at once that nothing is known yet, and then of a few values each time.
    assert told[0] == 0
    assert told[-1] == len(found)
    assert all(0 < later - before <= 5 for before, later in pairwise(told))
    assert len(runs) == len(set(runs))


def test_a_share_of_another_case_is_not_answered_by_the_one_that_is_kept() -> None:
    kept = AnsweredCase(Task(str(RAW), case=CASE))
    effects.effects(kept)
    value = next(each for each in kept.values if each.name == "links/hippi-800.clock")
    other = AnsweredCase(Task(str(RAW), case=0))
    share = effects.ValueShare(**vars(other.task), share=[value])
    (found,) = effects._effects(None, share)
    assert found.more == effects._effect(other, value).more
    assert found.more != effects._effect(kept, value).more
