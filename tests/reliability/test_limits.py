"""Scenarios that need more memory than there is are refused before they grow."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from simio.errors import RunError
from simio.loading import load
from simio.lower import lower
from simio.machines.layout import State
from simio.machines.network import writeback
from simio.program import emitting
from simio.program.builder import Builder
from simio.program.declarations import MOST_STATE, UnfitError
from simio.waiting import watched

SCENARIOS = Path(__file__).parents[2] / "scenarios"
RAID5 = str(SCENARIOS / "data-server-raid5.yaml")
CRASH = str(SCENARIOS / "fault-server-crash.yaml")
TTCP = str(SCENARIOS / "slac-jumbo.yaml")
GIB = 2**30


def bounded(room: int, *arguments: str) -> tuple[int, str, str]:
    """Status, messages and output of `simio bound` in so many bytes of addresses."""

    def narrow() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (room, room))

    done = subprocess.run(
        [sys.executable, "-m", "simio", "bound", *arguments], capture_output=True, text=True, preexec_fn=narrow
    )
    return done.returncode, done.stderr, done.stdout


@pytest.mark.slow
def test_units_of_stripes_that_do_not_divide_one_another() -> None:
    status, told, found = bounded(2 * GIB, RAID5, "--case", "1", "--set", "volumes.data.unit=31.5 KiB")
    assert (status, told) == (0, "")
    # The processor of an I/O node sets it, however requests fall on the members.
    assert "at most 34.49 MB/s" in found


@pytest.mark.slow
def test_requests_that_fall_on_units_in_too_many_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emitting, "MOST_STEPS", 300_000)
    system = load(RAID5, ("volumes.data.unit=31.5 KiB",)).cases[0].system
    with pytest.raises(
        RunError,
        match="blocks of 512 KiB at multiples of 512 KiB fall on the stripe units of volume "
        "'data', 31.5 KiB each, in too many ways; make the block a divisor or a multiple of the unit",
    ):
        lower(system)


def test_a_file_of_terabytes_that_is_kept_until_it_is_committed() -> None:
    assert bounded(2 * GIB, CRASH, "--case", "2", "--set", "workload.nfs.size=400 GB")[0] == 0
    status, told, _ = bounded(2 * GIB, CRASH, "--case", "2", "--set", "workload.nfs.size=4 TB")
    assert status == 2
    assert "'nfs write-back' would need 24,414,063 words of state, and a program has 16,777,216 at most" in told


def test_flags_take_a_word_for_twenty_blocks() -> None:
    assert len(writeback.initial(20_000)) - len(writeback.initial(0)) == 1_000


def test_state_of_many_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = load(TTCP, ("workload.ttcp.streams=64000",))
    with pytest.raises(RunError, match=r"would need [\d,]+ words of state, and a program has 16,777,216"):
        lower(loaded.cases[0].system)


def test_a_machine_may_take_all_the_state_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simio.program.declarations.MOST_STATE", 10)
    p = Builder()
    p.machine("first", [0] * 10)
    with pytest.raises(UnfitError, match="'second' would need 1 words"):
        p.machine("second", [0])
    assert MOST_STATE == 2**24


def test_last_tables_have_a_limit_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simio.program.declarations.MOST_STATE", 10)
    monkeypatch.setattr("simio.program.declarations.MOST_ROWS", 20)
    p = Builder()
    p.machine("first", State([0] * 4, rows=[0] * 12))
    p.machine("second", [0] * 6)
    with pytest.raises(
        UnfitError, match="'third' would need 9 words of state beside 12 of others, and a program has 20"
    ):
        p.machine("third", State(rows=[0] * 9))
    with pytest.raises(
        UnfitError, match="'fourth' would need 1 words of state beside 10 of others, and a program has 10"
    ):
        p.machine("fourth", [0])


class Listener:
    """Notes what it is told of programs that are written."""

    def __init__(self) -> None:
        self.heard: list[int] = []

    def prepares(self, steps: int) -> None:
        self.heard.append(steps)

    def runs(self, now: int, until: int, delivered: int, of: int) -> None:
        pass


def test_steps_are_limited_while_they_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emitting, "LOOK", 10)
    monkeypatch.setattr(emitting, "MOST_STEPS", 100)
    listener = Listener()
    p = Builder()

    def write() -> None:
        with p.thread("t"):
            while True:
                p.advance(1)

    with watched(listener), pytest.raises(emitting.TooManySteps, match="more than 100; use fewer disks, or blocks"):
        write()
    assert p.written == 100
    assert listener.heard == list(range(10, 100, 10))


def test_the_workload_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emitting, "MOST_STEPS", 100)
    monkeypatch.setattr(emitting, "LOOK", 10)
    with pytest.raises(RunError, match="workload 'ttcp' cannot be run .*: its steps are more than 100"):
        lower(load(TTCP).cases[0].system)
