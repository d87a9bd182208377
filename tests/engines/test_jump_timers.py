"""Periods are skipped from wake to wake of sleepers by one proof, and of TCP whose timers are exact."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from repeating_transfer import transfer

from simio.engines import compiled, jump, rhythm
from simio.engines import layout as c
from simio.engines.affine import Affine, Horizon, asked, digits, parts, unit
from simio.engines.outcome import Ints, Options
from simio.loading import load
from simio.lower import lower
from simio.program.builder import Builder
from simio.program.steps import Program

WIRE = Path(__file__).parents[2] / "benchmarks" / "tcp-wire.yaml"
PLENTY = 10**12


class Counted:
    """What was done of a run: steps skipped by each jump, and periods that were replayed."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.jumps: list[int] = []
        self.proofs = 0
        skip, prove = jump.Watch._skip, jump.Watch._proof

        def skipped(watch: jump.Watch, *arguments: object) -> int:
            done = skip(watch, *arguments)  # type: ignore[arg-type]
            self.jumps += [done] if done else []
            return done

        def proved(watch: jump.Watch, *arguments: object) -> object:
            self.proofs += 1
            return prove(watch, *arguments)  # type: ignore[arg-type]

        patch.setattr(jump.Watch, "_skip", skipped)
        patch.setattr(jump.Watch, "_proof", proved)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


@pytest.fixture
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at once, and replay whatever it costs."""
    for name, value in (("FIRST", 0), ("GAIN", 0), ("LEAP", 0), ("FEWEST", 24)):
        monkeypatch.setattr(jump, name, value)
    monkeypatch.setattr(rhythm, "SAMPLES", 4)
    monkeypatch.setattr(compiled, "FIRST_STOP", 2)


def check(program: Program) -> int:
    """Run it with and without skipping periods, which comes to the same; returns its steps."""
    options = Options(budget=PLENTY)
    full = compiled.run(program, replace(options, jump=False))
    assert compiled.run(program, options).differences(full) == []
    return full.steps


@pytest.mark.usefixtures("early")
def test_one_proof_serves_from_wake_to_wake(counted: Counted) -> None:
    # 20,000 blocks of 3 ms, a wake each 1.0007 s: 59, each of which ends the periods that are alike.
    steps = check(transfer(20_000, 1_000_700 * 10**6))
    assert len(counted.jumps) >= 59
    assert counted.proofs <= 3
    assert sum(counted.jumps) > 0.9 * steps


@pytest.mark.usefixtures("early")
def test_a_sleeper_that_delays_all_ends_what_was_proved(counted: Counted) -> None:
    # The disk is taken for 1.1 ms: what follows is not on the line, and has to be proved anew.
    check(transfer(20_000, 1_000_700 * 10**6, holds=1_100_000_000))
    assert counted.proofs > 3


class Sleeping:
    """Threads that go round, and sleepers whose instants others look at, choice by choice."""

    def __init__(self, seed: int) -> None:
        self.pick = pick = random.Random(seed).randint
        self.p = p = Builder()
        store, disk = p.container("store", 4, 1), p.resource("disk")
        marks = [p.observation(f"m{i}", "delivered", "bytes") for i in range(2)]
        rounds = pick(300, 1500)
        with p.thread("in"), p.loop(rounds):
            with p.hold(disk):
                p.advance(pick(1, 9))
            p.put(store, 1)
            self.look(marks[0])
        with p.thread("out"), p.loop(rounds):
            p.get(store, 1)
            p.advance(pick(0, 9))
            p.mark(marks[1], 1)
        for number in range(pick(1, 3)):
            wakes, kind = pick(100, 1500), pick(0, 3)
            with p.thread(f"sleeper{number}", daemon=True), p.forever():
                p.advance(wakes)
                if kind == 0:
                    with p.fork("respawned", daemon=True):
                        p.advance(pick(20, 300))
                elif kind == 1:
                    with p.hold(disk):
                        p.advance(pick(0, 2))
                elif kind == 2:
                    p.mark(marks[0], 1)

    def look(self, mark: object) -> None:
        """An instant that lies ahead for a while is compared, subtracted or divided by those who go round."""
        p, kind = self.p, self.pick(0, 3)
        if kind == 3:
            return
        ahead, until = p.register(), p.register()
        p.let(ahead, "SINCE", 0)
        p.let(until, "DIV", ahead, 400)
        p.let(until, "ADD", until, 1)
        p.let(until, "MUL", until, 400)
        p.let(ahead, "SUB", until, ahead)
        if kind == 0:
            with p.when(ahead, "<", 8):
                p.advance(1)
        elif kind == 1:
            p.let(ahead, "DIV", ahead, 500)
            p.advance(0, ahead, Fraction(1))
        else:
            p.mark(mark, ahead)  # type: ignore[arg-type]


@pytest.mark.usefixtures("early")
def test_generated_programs_with_sleepers_end_the_same(counted: Counted) -> None:
    again = 0
    for seed in range(80):
        jumps, proofs = len(counted.jumps), counted.proofs
        check(Sleeping(seed).p.build())
        again += len(counted.jumps) - jumps > counted.proofs - proofs
    assert again > 15


def wire(stack: str, window: str, size: int, mib: int) -> Program:
    """A transfer by TCP over links and a switch alone."""
    keys = {"size": f"{size} B", "window": window, "writes": mib * 2**20 // size}
    sets = [f"workload.ttcp.{key}={value}" for key, value in keys.items()]
    return lower(load(WIRE, (f"hosts.one.stack.model=stacks/{stack}", *sets)).cases[0].system)


def test_tcp_with_exact_timers_is_jumped_over(counted: Counted) -> None:
    # 800 MiB take 7 s, in which timers are looked at each half second.
    steps = check(wire("ideal-tcp", "60 KiB", 2920, 800))
    assert sum(counted.jumps) > 0.6 * steps
    assert len(counted.jumps) > counted.proofs


def test_tcp_whose_clocks_tick_is_not(counted: Counted) -> None:
    # Retransmission times are multiples of 10 ms, which are elsewhere in each round trip.
    check(wire("linux-2.4", "64 KiB", 8192, 200))
    assert counted.jumps == []


def test_what_is_asked_of_a_free_instant_is_asked_again() -> None:
    horizon = Horizon()
    instant = Affine(100, unit(0), horizon)
    now = Affine(10, 7, horizon)
    assert now < instant  # 10, 17, ... 94; 101 is not
    assert now != instant
    assert horizon.periods == 13
    assert horizon.always is None
    later = [asked(value + 50 * digits(step)[1], digits(step)[0], zero) for value, step, zero, _ in horizon.asked]
    assert sorted(later, key=lambda found: found[0]) == [(False, 20), (True, 20)]  # 10 + 7 * 20 = 150


def test_what_comes_of_a_free_instant_otherwise_pins_it() -> None:
    horizon = Horizon()
    one, other = (Affine(100 + which, unit(which), horizon) for which in (0, 1))
    assert (other - one).value == 1
    assert horizon.pinned == set()
    assert other // 7 == 14
    assert horizon.pinned == {1}
    assert parts(one + 3 * other) == (403, 0)
    assert horizon.pinned == {0, 1}


def test_the_period_after_which_machines_repeat_is_a_multiple_of_that_of_the_marks() -> None:
    # A word grows each time, another each third time; all were moved once.
    keys = np.zeros((60, 5), dtype=np.int64)
    at = np.arange(60)
    states = np.column_stack([10 * at, 7 * (at // 3), at])
    assert rhythm._multiple(keys, states) == 3
    assert rhythm._multiple(keys, states + (at[:, None] > 20)) == 3
    assert rhythm._multiple(keys, np.column_stack([states, at**2])) == 1


def test_samples_of_a_large_state_are_small(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of 5 million words a sample has some ten thousand, which tell the same.
    kept: list[tuple[int, ...]] = []
    multiple = rhythm._multiple

    def seen(keys: Ints, states: Ints) -> int:
        kept.append(states.shape)
        return multiple(keys, states)

    monkeypatch.setattr(rhythm, "_multiple", seen)
    tables = SimpleNamespace(
        state=np.zeros(5_000_000, dtype=np.int64), control=np.zeros(c.CONTROL_COLUMNS, dtype=np.int64)
    )
    samples = rhythm.rhythm(tables, 7)
    found = 0
    for at in range(rhythm.SAMPLES):
        tables.state[:] = at // 3
        tables.control[c.NOW] = 10 * at
        try:
            assert next(samples) == 7
        except StopIteration as end:
            found = end.value
    assert found == 3
    assert kept[0][0] == rhythm.SAMPLES
    assert kept[0][1] < 1.1 * rhythm.WORDS


@pytest.mark.parametrize(("threads", "looked"), [(64, True), (40_000, False)])
def test_large_tables_are_looked_at_late(monkeypatch: pytest.MonkeyPatch, threads: int, looked: bool) -> None:
    monkeypatch.setattr(jump, "FIRST", 0)
    logs: list[int] = []

    def seen_log(log: Ints) -> int:
        logs.append(len(log))
        return 0

    monkeypatch.setattr(jump, "repeated", seen_log)
    p = Builder()
    seen = p.observation("seen")
    with p.thread("sleeper", count=threads):
        p.advance(10**9)
    with p.thread("t"), p.loop(400):
        p.advance(10)
        p.mark(seen, 1)
    compiled.run(p.build())
    assert bool(logs) == looked
