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
from simio.sweeps import Task, copies, run_many
from simio.sweeps.work import Chunk


@pytest.fixture(params=["copies", "new processes"])
def processes(request, monkeypatch):
    """Processes of either pool, however many threads the tests before have left."""
    monkeypatch.setattr(copies, "copyable", lambda: request.param == "copies")


@pytest.fixture
def only_copies(monkeypatch):
    """Copies of this process."""
    monkeypatch.setattr(copies, "copyable", lambda: True)


def outcomes(*args, **more):
    """All outcomes, in order of the tasks; each has to come once."""
    found = list(run_many(*args, **more))
    assert sorted(number for number, _ in found) == list(range(len(found)))
    return [outcome for _, outcome in sorted(found, key=lambda pair: pair[0])]


def test_outcomes_are_those_of_running_each_alone():
    tasks = [*blasts(4, 8), Task(HIPPI, ("workload.blast.packets=2",), 5)]
    alone = [run_scenario(load(task.scenario, task.sets), cases=[task.case]).cases[0] for task in tasks]
    assert outcomes(tasks, 1) == alone


@pytest.mark.usefixtures("processes")
def test_processes_give_what_one_gives():
    tasks = blasts(*range(1, 9))
    rates = [outcome.rate for outcome in outcomes(tasks, 1)]
    found = outcomes(tasks, 2, do=many_samples.rate_and_process)
    assert [rate for rate, _ in found] == rates
    assert os.getpid() not in {process for _, process in found}


@pytest.mark.usefixtures("processes")
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


@pytest.mark.usefixtures("processes")
def test_a_task_whose_process_was_killed_is_run_again(tmp_path):
    copied = shutil.copy(HIPPI, tmp_path)
    tasks = [replace(task, scenario=copied) for task in blasts(1, 2, 4)]
    assert outcomes(tasks, 2, do=many_samples.dies_once) == ["alive"] * 3


@pytest.mark.usefixtures("processes")
def test_an_interrupt_is_for_the_process_that_waits():
    assert outcomes(blasts(1, 2, 4), 2, do=many_samples.interrupts_itself) == ["alive"] * 3


@pytest.mark.usefixtures("processes")
def test_a_task_that_kills_each_process_is_told_and_the_others_run():
    found = outcomes(blasts(1, 2, 4, 8, 16), 2, do=many_samples.dies_with_four)
    assert "killed" in str(found[2])
    assert isinstance(found[2], SimioError)
    assert [*found[:2], *found[3:]] == ["alive"] * 4


def test_a_process_that_dies_just_before_it_is_given_work_costs_nothing(monkeypatch):
    from joblib.externals import loky

    monkeypatch.setattr(copies, "copyable", lambda: False)
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


@pytest.mark.usefixtures("processes")
def test_whoever_leaves_early_leaves_no_process_behind():
    running = run_many(blasts(1, 2), 2, do=many_samples.sleeps)
    _, process = next(running)
    running.close()
    until = time.monotonic() + 20
    while Path(f"/proc/{process}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


@pytest.mark.usefixtures("only_copies")
def test_a_copy_knows_what_its_process_knows_and_ends_with_the_work(monkeypatch):
    made = []

    def noted(fork=os.fork):
        made.append(fork())
        return made[-1]

    monkeypatch.setattr(os, "fork", noted)
    monkeypatch.setattr(many_samples, "KNOWN", "said here alone")
    assert outcomes(blasts(1, 2, 4, 8), 2, do=many_samples.what_is_known) == ["said here alone"] * 4
    assert len(made) == 2
    for process in made:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


@pytest.mark.usefixtures("only_copies")
def test_a_copy_that_died_without_work_is_replaced_and_nothing_is_run_again(tmp_path):
    copied = shutil.copy(HIPPI, tmp_path)
    tasks = [replace(task, scenario=copied) for task in blasts(1, 2, 4)]
    pool = copies.CopyPool(1)
    try:
        given = pool.submit(Chunk("call", os.getcwd(), many_samples.notes_itself, [(0, tasks[0])]))
        assert pool.first() is given
        [(_, process)] = pool.result(given).outcomes
        os.kill(process, signal.SIGKILL)
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
        given = pool.submit(Chunk("call", os.getcwd(), many_samples.notes_itself, [(1, tasks[1])]))
        assert pool.first() is given
        [(number, other)] = pool.result(given).outcomes
    finally:
        pool.close(finished=True)
    assert number == 1
    assert other != process
    assert (tmp_path / "note").read_text().split() == [str(process), str(other)]


@pytest.mark.usefixtures("only_copies")
def test_copies_end_with_a_process_that_is_killed(tmp_path):
    at_work = tmp_path / "process"

    def life():
        for _, process in run_many(blasts(1, 2), 2, do=many_samples.sleeps):
            at_work.write_text(str(process))

    parent = copies.copy(life)
    until = time.monotonic() + 60
    while not (at_work.exists() and at_work.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    copies.end(parent)
    process = int(at_work.read_text())
    while Path(f"/proc/{process}/stat").exists() and not _is_dead(process) and time.monotonic() < until:
        time.sleep(0.02)
    assert not Path(f"/proc/{process}/stat").exists() or _is_dead(process)


def _is_dead(process):
    """The process has ended, and nobody has asked for its status."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.mark.usefixtures("only_copies")
def test_an_outcome_that_cannot_be_sent_is_an_error_and_no_killed_process():
    found = outcomes(blasts(1, 2), 2, do=many_samples.cannot_be_sent)
    assert all("internal error: an outcome cannot be sent" in str(error) for error in found)


@pytest.mark.usefixtures("only_copies")
def test_where_no_process_can_be_started_the_error_says_so(monkeypatch):
    def full():
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", full)
    with pytest.raises(SimioError, match="a process cannot be started: Resource temporarily unavailable"):
        outcomes(blasts(1, 2), 2)


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
