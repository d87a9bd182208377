"""Work that tests of many runs give to workers; a worker imports it."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from simio.sweeps import Task, run_case_of

HIPPI = str(Path(__file__).parents[2] / "scenarios" / "sgi-hippi-raw.yaml")

KNOWN = "what is in the file"
"""Said anew by a test."""


def blasts(*sizes: int) -> list[Task]:
    """A task for each size in KiB, of two packets each."""
    return [Task(HIPPI, (f"workload.blast.size={size} KiB", "workload.blast.packets=2")) for size in sizes]


def rate_and_process(scenario, task):
    """The rate, and who found it."""
    result = yield from run_case_of(scenario, task)
    return result.rate, os.getpid()


def dies_once(scenario, task):
    """Kills its process the first time, which is noted beside the scenario."""
    note = Path(task.scenario).with_name("note")
    if not note.exists():
        note.write_text("seen")
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


def dies_with_four(scenario, task):
    """Kills its process whenever the task is that of 4 KiB."""
    if "workload.blast.size=4 KiB" in task.sets:
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


def divides_by_zero(scenario, task):
    """A defect."""
    return 1 // 0


def sleeps(scenario, task):
    """Says who it is at once, and for the second task never comes to an end."""
    if "workload.blast.size=2 KiB" in task.sets:
        time.sleep(600)
    return os.getpid()


def interrupts_itself(scenario, task):
    """ "alive", though an interrupt reaches this process."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    os.kill(os.getpid(), signal.SIGINT)
    return "alive"


def what_is_known(scenario, task):
    """A message of a test."""
    return KNOWN


def notes_itself(scenario, task):
    """Its process, which it adds to a note beside the scenario."""
    with Path(task.scenario).with_name("note").open("a") as note:
        note.write(f"{os.getpid()}\n")
    return os.getpid()


def cannot_be_sent(scenario, task):
    """An object that pickle refuses."""
    return lambda: None
