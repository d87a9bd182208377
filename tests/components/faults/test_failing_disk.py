"""A drive whose media has read errors, against its datasheet and revolutions counted by hand. Times in ps."""

from __future__ import annotations

import random
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from drive_bench import CACHED, CYLINDER, MS, REVOLUTION, SECTORS, US, Command, Interface, sheet
from hypothesis import given, settings
from hypothesis import strategies as st

from simio.components.faults.failing_disk import FailingDrive
from simio.description.faults import ReadErrors
from simio.engines import compiled, reference
from simio.engines.outcome import Options, Outcome, Status
from simio.errors import RunError
from simio.program.builder import Builder
from simio.program.steps import Program

SECTOR = 10 * US
"""Of the outer zone."""


def program(errors: dict[str, Any], threads: Sequence[Sequence[Command]], **values: Any) -> Program:
    """One thread for each sequence of commands; each end is recorded, by thread and by whether it failed."""
    p = Builder()
    made = SimpleNamespace(
        name="d", part=SimpleNamespace(sheet=sheet(**values)), read_errors=ReadErrors(of="d", **errors)
    )
    drive = FailingDrive(p, made)  # type: ignore[arg-type]
    interface = Interface(p)
    for number, commands in enumerate(threads):
        ends = [p.observation(f"{number} {word}") for word in ("good", "bad")]
        with p.thread(f"t{number}"):
            sector, now, failed = p.register(), p.register(), p.register()
            for kind, first, count, pause in commands:
                p.advance(pause)
                p.let(sector, "SET", first)
                p.let(failed, "SET", 0)
                with p.loop(1):
                    getattr(drive, kind)(sector, count * 512, interface, failed)
                p.let(now, "SINCE", 0)
                for value, end in enumerate(ends):
                    with p.when(failed, "==", value):
                        p.mark(end, now)
    return p.build()


def carry_out(errors: dict[str, Any], *threads: Sequence[Command], **values: Any) -> list[list[tuple[int, str]]]:
    """For each thread the instants at which its commands ended, and how; the same on both engines."""
    made = program(errors, threads, **values)
    outcome = reference.run(made)
    assert outcome.differences(compiled.run(made)) == []
    return told(made, outcome, len(threads))


def told(made: Program, outcome: Outcome, threads: int) -> list[list[tuple[int, str]]]:
    assert outcome.status == Status.DONE, outcome.status
    rows: list[list[tuple[int, str]]] = [[] for _ in range(threads)]
    for time, mark, _ in outcome.marks.tolist():
        number, word = made.marks[mark].name.split()
        rows[int(number)].append((time, word))
    return rows


def tallies(made: Program, outcome: Outcome) -> dict[str, int]:
    return {tally.what: int(outcome.state[tally.at]) for tally in made.tallies}


# --- reading again -------------------------------------------------------------------------------------------


def test_a_sector_that_is_read_again_costs_a_revolution() -> None:
    # Sector 0 comes around at 6 ms; 100 sectors pass in 1 ms.
    good = carry_out({"marginal": (700,)}, [("read", 0, 100, 0)])
    bad = carry_out({"marginal": (50,)}, [("read", 0, 100, 0)])
    twice = carry_out({"marginal": (50,), "rereads": 2}, [("read", 0, 100, 0)])
    assert good == [[(REVOLUTION + MS, "good")]]
    assert bad == [[(2 * REVOLUTION + MS, "good")]]
    assert twice == [[(3 * REVOLUTION + MS, "good")]]


def test_what_lies_before_the_sector_is_not_late() -> None:
    # Units of ten sectors: the first five are there as ever, and the second command finds them in the buffer.
    commands = [("read", 0, 50, 0)], [("read", 0, 60, 0)]
    ends = carry_out({"marginal": (50,)}, *commands)
    assert ends == [[(REVOLUTION + 50 * SECTOR, "good")], [(2 * REVOLUTION + 60 * SECTOR, "good")]]


@pytest.mark.parametrize("count", [20, 50, 200])
def test_a_sequential_pass_loses_a_revolution_for_each_such_sector(count: int) -> None:
    # A command waits for the sector, or the drive reads ahead of all commands.
    sectors = (130, 131, 777, 1500, 2399)
    commands = [("read", n * count, count, 0) for n in range(2400 // count)]
    plain = carry_out({"marginal": (9000,)}, commands)[0]
    slow = carry_out({"marginal": sectors}, commands)[0]
    for number, ((end, _), (late, how)) in enumerate(zip(plain, slow, strict=True)):
        passed = sum(sector < (number + 1) * count for sector in sectors)
        assert how == "good"
        assert late - end == passed * REVOLUTION


def test_retries_that_do_not_suffice_are_errors() -> None:
    # A sector that takes a revolution, and a limit of time below one.
    ends = carry_out({"marginal": (50,), "time_limit": REVOLUTION - 1}, [("read", 0, 100, 0)])
    assert ends == [[(REVOLUTION + 51 * SECTOR, "bad")]]


# --- giving up -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("errors", "revolutions"),
    [({}, 4), ({"retries": 0}, 0), ({"retries": 9}, 9), ({"retries": 9, "time_limit": 20 * MS}, 3)],
)
def test_the_drive_gives_up_after_its_retries(errors: dict[str, Any], revolutions: int) -> None:
    ends = carry_out({"unreadable": (50,), **errors}, [("read", 0, 100, 0)])
    assert ends == [[(REVOLUTION + 51 * SECTOR + revolutions * REVOLUTION, "bad")]]


def test_the_next_commands_go_on_where_the_arm_is() -> None:
    # The first gives up at 12.51 ms. The second, 0.2 ms later, reads from sector 100, which passes at 13 ms. The
    # third wants the sector again: it comes around at 18.5 ms, and is given up a revolution later.
    commands = [("read", 0, 100, 0), ("read", 100, 50, 0), ("read", 50, 10, 0)]
    ends = carry_out({"unreadable": (50,), "retries": 1}, commands)[0]
    assert ends == [
        (2 * REVOLUTION + 51 * SECTOR, "bad"),
        (2 * REVOLUTION + 150 * SECTOR, "good"),
        (4 * REVOLUTION + 51 * SECTOR, "bad"),
    ]


def test_what_nobody_wants_is_not_read_again() -> None:
    # Reading ahead ends at sector 300. Later commands up to there are served from the buffer; the one that wants it
    # has the arm wait for the sector to come around, at 15 ms, and again after that.
    errors = {"unreadable": (300,), "retries": 1}
    commands = [("read", 0, 100, 0), ("read", 100, 200, 3 * MS), ("read", 300, 10, 2 * MS)]
    ((first, second, third),) = carry_out(errors, commands)
    assert first == (7 * MS, "good")
    assert second == (10 * MS + CACHED, "good")
    assert third == (15 * MS + SECTOR + REVOLUTION, "bad")


def test_a_sector_that_is_written_can_be_read() -> None:
    commands = [("read", 40, 20, 0), ("write", 45, 10, 0), ("read", 40, 20, 0)]
    (ends,) = carry_out({"unreadable": (50,), "retries": 0}, commands, segments=1)
    assert [how for _, how in ends] == ["bad", "good", "good"]


def test_the_bus_and_others_go_on_meanwhile() -> None:
    # The arm is with the first, which fails at 30.51 ms; the second goes elsewhere then.
    ends = carry_out({"unreadable": (50,)}, [("read", 0, 100, 0)], [("read", 60 * CYLINDER, 50, MS)])
    assert ends[0] == [(5 * REVOLUTION + 51 * SECTOR, "bad")]
    assert ends[1][0][1] == "good"
    assert ends[1][0][0] > ends[0][0][0]


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 3), st.booleans(), st.sampled_from(["fifo", "shortest"]))
def test_a_read_fails_if_and_only_if_it_wants_an_unreadable_sector(
    seed: int, threads: int, cache: bool, scheduling: str
) -> None:
    choose = random.Random(seed)
    bad, slow = (set(choose.sample(range(1300), 6)) for _ in range(2))
    errors = {"unreadable": tuple(bad), "marginal": tuple(slow - bad), "retries": 2}
    # Each thread has sectors of its own, which it reads and writes one command after another.
    own = [(n * 1300 // threads, (n + 1) * 1300 // threads) for n in range(threads)]
    work: list[list[Command]] = []
    wanted: list[list[str]] = []
    for low, high in own:
        work.append([])
        wanted.append([])
        there = set(bad)
        for _ in range(6):
            count = choose.randrange(1, 120)
            first = choose.randrange(low, high - count)
            verb = choose.choice(["read", "read", "write"])
            span = set(range(first, first + count))
            work[-1].append((verb, first, count, choose.randrange(12 * MS)))
            wanted[-1].append("bad" if verb == "read" and span & there else "good")
            if verb == "write":
                there -= span
    values = {"write_cache": cache, "scheduling": scheduling, "segments": choose.choice([1, 2, 4])}
    ends = carry_out(errors, *work, **values)
    assert [[how for _, how in row] for row in ends] == wanted


# --- by chance -----------------------------------------------------------------------------------------------


def test_errors_by_chance_are_as_many_as_was_said_and_cost_a_revolution_each() -> None:
    # 1,200,000 sectors in blocks of 600, an error in 25,600 sectors in the mean: 47 or so.
    commands = [("read", 600 * n, 600, 0) for n in range(2000)]
    plain = program({"marginal": (SECTORS - 1,)}, [commands])
    made = program({"recoverable": 25_600 * 512}, [commands])
    assert made.random
    usual = compiled.run(plain).end
    counts = []
    for seed in range(4):
        outcome = compiled.run(made, Options(seed=seed))
        found = tallies(made, outcome)
        counts.append(found["read errors recovered"])
        assert outcome.end - usual == counts[-1] * REVOLUTION == found["reading again"]
        assert found["commands ended by a medium error"] == 0
    assert len(set(counts)) > 1
    # The standard deviation of the mean of four is 3.4.
    assert abs(sum(counts) / 4 - 1_200_000 / 25_600) < 11


def test_a_sector_that_has_become_unreadable_stays_so() -> None:
    commands = [("read", 600 * n, 600, 0) for n in range(30)] * 2
    made = program({"unrecoverable": 5_000 * 512, "retries": 0}, [commands])
    outcome = compiled.run(made, Options(seed=3))
    (ends,) = told(made, outcome, 1)
    first, again = ends[:30], ends[30:]
    lost = [number for number, (_, how) in enumerate(first) if how == "bad"]
    assert lost
    assert all(again[number][1] == "bad" for number in lost)
    assert outcome.differences(reference.run(made, Options(seed=3))) == []


def test_sectors_that_the_disk_has_not_are_refused() -> None:
    with pytest.raises(RunError, match=f"disk 'd' has no sector {SECTORS}; its last is {SECTORS - 1}"):
        program({"unreadable": (SECTORS,)}, [[("read", 0, 1, 0)]])
