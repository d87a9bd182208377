"""Many runs: the same outcomes whoever works, errors as outcomes, and no process that is lost or left."""

from __future__ import annotations

import os
import shutil
import signal
import time
from dataclasses import replace
from pathlib import Path

import many_samples
import pytest
from many_samples import HIPPI, blasts

from simio.errors import ScenarioError, SimioError
from simio.loading import ScenarioFile, load
from simio.running import run_scenario
from simio.sweeps import Task, run_many


def outcomes(*args, **more):
    """All outcomes, in order of the tasks; each has to come once."""
    found = list(run_many(*args, **more))
    assert sorted(number for number, _ in found) == list(range(len(found)))
    return [outcome for _, outcome in sorted(found, key=lambda pair: pair[0])]


def test_outcomes_are_those_of_running_each_alone():
    tasks = [*blasts(4, 8), Task(HIPPI, ("workload.blast.packets=2",), 5)]
    alone = [run_scenario(load(task.scenario, task.sets), cases=[task.case]).cases[0] for task in tasks]
    assert outcomes(tasks, 1) == alone


def test_processes_give_what_one_gives():
    tasks = blasts(*range(1, 9))
    rates = [outcome.rate for outcome in outcomes(tasks, 1)]
    found = outcomes(tasks, 2, do=many_samples.rate_and_process)
    assert [rate for rate, _ in found] == rates
    assert os.getpid() not in {process for _, process in found}


def test_what_is_wrong_with_one_is_its_outcome_alone():
    wrong = [
        Task("no-such.yaml"),
        Task(HIPPI, ("workload.blast.siz=4 KiB",)),
        Task(HIPPI, (), 29),
        Task(HIPPI, ("run.step_budget=10",)),
        Task(HIPPI, text="hosts: ["),
    ]
    found = outcomes([*wrong, *blasts(4)], 2)
    assert all(isinstance(outcome, SimioError) for outcome in found[:-1])
    assert found[-1].status == "done"
    told = [str(outcome) for outcome in found]
    assert "no such file" in told[0]
    assert "'siz'" in told[1]
    assert isinstance(found[1], ScenarioError)
    assert "there is no case 30: the scenario has 29" in told[2]
    assert "budget" in told[3]
    assert HIPPI in told[4]


def test_a_defect_costs_one_outcome_and_shows_no_traceback():
    [outcome] = outcomes(blasts(4), 1, do=many_samples.divides_by_zero)
    assert isinstance(outcome, SimioError)
    assert str(outcome) == "internal error: ZeroDivisionError: integer division or modulo by zero"


def test_a_task_whose_process_was_killed_is_run_again(tmp_path):
    copied = shutil.copy(HIPPI, tmp_path)
    tasks = [replace(task, scenario=copied) for task in blasts(1, 2, 4)]
    assert outcomes(tasks, 2, do=many_samples.dies_once) == ["alive"] * 3


def test_an_interrupt_is_for_the_process_that_waits():
    assert outcomes(blasts(1, 2, 4), 2, do=many_samples.interrupts_itself) == ["alive"] * 3


def test_a_task_that_kills_each_process_is_told_and_the_others_run():
    found = outcomes(blasts(1, 2, 4, 8, 16), 2, do=many_samples.dies_with_four)
    assert "killed" in str(found[2])
    assert isinstance(found[2], SimioError)
    assert [*found[:2], *found[3:]] == ["alive"] * 4


def test_a_process_that_dies_just_before_it_is_given_work_costs_nothing(monkeypatch):
    from joblib.externals import loky

    found = loky.get_reusable_executor
    broken = []

    def breaks_once(**arguments):
        executor = found(**arguments)
        if not broken:
            broken.append(executor)
            executor.submit(os.kill, os.getpid(), 0).result()
            for process in list(executor._processes.values()):
                os.kill(process.pid, signal.SIGKILL)
            until = time.monotonic() + 20
            while executor._flags.broken is None and time.monotonic() < until:
                time.sleep(0.01)
            assert executor._flags.broken
        return executor

    monkeypatch.setattr(loky, "get_reusable_executor", breaks_once)
    assert outcomes(blasts(1, 2, 4), 2, do=many_samples.interrupts_itself) == ["alive"] * 3


def test_whoever_leaves_early_leaves_no_process_behind():
    running = run_many(blasts(1, 2), 2, do=many_samples.sleeps)
    _, process = next(running)
    running.close()
    until = time.monotonic() + 20
    while Path(f"/proc/{process}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_number_of_processes_that_cannot_be():
    with pytest.raises(SimioError, match="found 0 processes; expected at least 1"):
        list(run_many(blasts(1), 0))


def test_a_source_builds_each_configuration_as_if_it_were_read_alone():
    source = ScenarioFile(HIPPI)
    for sets in ((), ("workload.blast.size=8 KiB",), ("hosts.challenge.cpu.clock=75 MHz",)):
        assert source.scenario(sets, only=0).cases[0] == load(HIPPI, sets).cases[0]
    with pytest.raises(ScenarioError) as told:
        source.scenario(("hosts.challenge.cpu.clok=75 MHz",), only=0)
    with pytest.raises(ScenarioError) as expected:
        load(HIPPI, ("hosts.challenge.cpu.clok=75 MHz",))
    # A file read alone tells it for the first case and, in the same words, for no other.
    assert str(told.value) == str(expected.value)
