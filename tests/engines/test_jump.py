"""A run that skips its periods ends as one that does not: every field of the outcome, on programs that repeat."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from repeating_transfer import transfer

from simio.engines import compiled, jump, reference, rhythm
from simio.engines.affine import Affine, Horizon, NotAffine
from simio.engines.outcome import Options, Outcome, Status
from simio.engines.rhythm import repeated
from simio.loading import load
from simio.lower import lower
from simio.program.builder import Builder
from simio.program.steps import HORIZON, Program

SCENARIOS = Path(__file__).parents[2] / "scenarios"
PLENTY = 10**12


@pytest.fixture
def skips(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Look for periods at once and skip the fewest; the list has how many steps each jump skipped."""
    found: list[int] = []
    for name, value in (("FIRST", 0), ("GAIN", 0), ("FEWEST", 24)):
        monkeypatch.setattr(jump, name, value)
    monkeypatch.setattr(rhythm, "SAMPLES", 4)
    monkeypatch.setattr(compiled, "FIRST_STOP", 2)
    skip = jump.Watch._skip

    def counted(self: jump.Watch, *arguments: object) -> bool:
        before = self.skipped
        done = skip(self, *arguments)  # type: ignore[arg-type]
        if done:
            found.append(self.skipped - before)
        return done

    monkeypatch.setattr(jump.Watch, "_skip", counted)
    return found


def same(program: Program, options: Options | None = None) -> Outcome:
    """The outcome, checked against a run of every period."""
    options = options or Options(budget=PLENTY)
    full = compiled.run(program, replace(options, jump=False))
    assert compiled.run(program, options).differences(full) == []
    return full


class Repeating:
    """Writes a program of threads that go round, choice by choice."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed).randint
        self.p = p = Builder()
        self.resources = [p.resource(f"r{i}", self.pick(1, 2)) for i in range(self.pick(1, 3))]
        self.buffers = [p.container(f"k{i}", self.pick(2, 6), self.pick(0, 2)) for i in range(self.pick(1, 2))]
        self.marks = [p.observation(f"m{i}", "delivered", "bytes") for i in range(2)]
        rounds = self.pick(50, 400)
        pairs = self.pick(1, 2)
        for number in range(pairs):
            buffer = self.buffers[number % len(self.buffers)]
            with p.thread(f"in{number}", start=self.pick(0, 9), daemon=bool(self.pick(0, 1))):
                total = p.register(self.pick(0, 5))
                with p.loop(rounds):
                    self.body(2)
                    p.let(total, "ADD", total, self.pick(-1, 3))
                    p.put(buffer, 1)
                    self.twist(total)
            with p.thread(f"out{number}"), p.loop(rounds - self.pick(0, 3)):
                p.get(buffer, 1)
                self.body(2)
                p.mark(self.marks[self.pick(0, 1)], self.pick(1, 9))
        if self.pick(0, 2) == 0:
            with p.thread("sleeper"):
                p.advance(self.pick(100, 5000))
                p.mark(self.marks[0], 1)

    def twist(self, total: object) -> None:
        """What depends on a value that grows: its rest, its comparison with a limit, itself, an instant."""
        p, r = self.p, self.p.register()
        kind = self.pick(0, 6)
        if kind == 0:
            p.let(r, "MOD", total, self.pick(1, 4))  # type: ignore[arg-type]
            p.advance(self.pick(0, 2), r, Fraction(self.pick(1, 5), self.pick(1, 3)))
        elif kind == 1:
            with p.when(total, "<", self.pick(0, 900)):  # type: ignore[arg-type]
                p.advance(self.pick(1, 4))
        elif kind == 2:
            p.let(r, "DIV", total, self.pick(1, 50))  # type: ignore[arg-type]
            p.let(r, "MIN", r, self.pick(0, 5))
            p.advance(1, r, 1)
        elif kind == 3:
            p.mark(self.marks[0], total)  # type: ignore[arg-type]
        elif kind == 4:
            p.let(r, "SINCE", total)  # type: ignore[arg-type]
            p.mark(self.marks[1], r)
        elif kind == 5:
            rest = p.register()
            p.let(r, "MIN", total, 99)  # type: ignore[arg-type]
            p.let(r, "MAX", r, 0)
            p.let(rest, "SUB", 99, r)
            p.advance(0, r, 10**5)
            p.mark(self.marks[1], 1)
            p.advance(0, rest, 10**5)

    def body(self, depth: int) -> None:
        p = self.p
        for _ in range(self.pick(1, 2)):
            kind = self.pick(0, 4)
            if kind <= 1:
                with p.hold(self.resources[self.pick(0, len(self.resources) - 1)], 1, self.pick(0, 1)):
                    p.advance(self.pick(0, 7))
            elif kind == 2 and depth:
                with p.fork(
                    "child", delay=self.pick(0, 9), joined=bool(self.pick(0, 1)), daemon=bool(self.pick(0, 1))
                ):
                    self.body(depth - 1)
                if self.pick(0, 1):
                    p.join()
            else:
                p.advance(self.pick(0, 5))


def test_programs_that_go_round_end_the_same(skips: list[int]) -> None:
    ends = set()
    jumped = 0
    for seed in range(400):
        program = Repeating(seed).p.build()
        until = random.Random(-seed).choice([HORIZON, HORIZON, 700, 4001])
        before = len(skips)
        outcome = same(program, Options(until=until, budget=PLENTY))
        ends.add(outcome.status)
        jumped += len(skips) > before
    assert {Status.DONE, Status.UNTIL} <= ends
    assert jumped > 150
    assert sum(skips) > 100_000


def test_a_jump_agrees_with_the_other_engine(skips: list[int]) -> None:
    for seed in range(1000, 1020):
        program = Repeating(seed).p.build()
        options = Options(budget=PLENTY)
        assert compiled.run(program, options).differences(reference.run(program, options)) == []
    assert skips


def test_a_long_transfer_takes_the_steps_of_a_short_one(skips: list[int]) -> None:
    # 10,000 blocks of 3 ms, and 2 ms for the last one on the link; 11 steps a block in the steady state.
    outcome = same(transfer(10_000))
    assert outcome.end == 10_000 * 3 * 10**9 + 2 * 10**9
    assert len(outcome.marks) == 10_000
    assert sum(skips) > 0.98 * outcome.steps


def test_an_instant_that_drifts_through_the_period_is_on_the_timeline_where_it_was(skips: list[int]) -> None:
    # "half" comes 0.5 us later in each round of 1 ms, 500 us later in the last: rows of the timeline lie before it or
    # behind it, as the round is.
    p = Builder()
    half, done = p.observation("half", "delivered", "bytes"), p.observation("done", "delivered", "bytes")
    with p.thread("sender"):
        early, late = p.register(10**6), p.register(10**9 - 10**6)
        with p.loop(1000):
            p.mark(done, 1)
            p.advance(0, early, 1)
            p.mark(half, 1)
            p.advance(0, late, 1)
            p.let(early, "ADD", early, 500_000)
            p.let(late, "SUB", late, 500_000)
    outcome = same(p.build())
    behind = outcome.samples[:, -2] == outcome.samples[:, -1]
    assert 100 < behind.sum() < len(behind)
    assert sum(skips) > 0.9 * outcome.steps


def test_what_happens_only_once_ends_the_periods(skips: list[int]) -> None:
    # At 1 s somebody takes the disk for 1 s; before and after, all is as ever.
    p = Builder()
    reading, done = p.resource("disk"), p.observation("done", "delivered", "bytes")
    with p.thread("reader"), p.loop(3000):
        with p.hold(reading):
            p.advance(10**9)
        p.mark(done, 1)
    with p.thread("other", start=10**12), p.hold(reading):
        p.advance(10**12)
    outcome = same(p.build())
    assert outcome.end == 4 * 10**12
    assert len(skips) >= 2


@pytest.mark.parametrize(
    ("name", "numbers", "sets"),
    [
        ("rs6000-layers", (0, 1), ()),
        ("sgi-hippi-raw", (0, 7, 14, 21), ("workload.blast.packets=300",)),
        ("sgi-hippi-short-runs", (1, 2), ()),
        ("sgi-hippi-windows", (0,), ()),
    ],
)
def test_a_scenario_with_machines_ends_the_same(
    skips: list[int], name: str, numbers: tuple[int, ...], sets: tuple[str, ...]
) -> None:
    scenario = load(str(SCENARIOS / f"{name}.yaml"), sets)
    for number in numbers:
        system = scenario.cases[number].system
        same(lower(system), Options(system.run.until or HORIZON, PLENTY))
    assert skips


def transfer_by_tcp(*sets: str) -> Program:
    """A transfer over HIPPI; BSD's timers look each 200 and 500 ms, and a period is some milliseconds in between."""
    scenario = load(str(SCENARIOS / "sgi-hippi-windows.yaml"), tuple(f"workload.ttcp.{text}" for text in sets))
    return lower(scenario.cases[0].system)


def test_tcp_is_jumped_over_from_tick_to_tick_of_its_timers(
    skips: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jump, "AGAIN", 1.05)
    outcome = same(transfer_by_tcp("writes=4000", "size=61440 B", "window=256 KiB"))
    ticks = outcome.end // (200 * 10**9)
    assert ticks > 25
    assert len(skips) > 0.8 * ticks


def test_generated_transfers_by_tcp_end_the_same(skips: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jump, "AGAIN", 1.1)
    jumped = 0
    for seed in range(16):
        pick = random.Random(seed).choice
        program = transfer_by_tcp(
            f"size={pick(['4 KiB', '16 KiB', '48 KiB', '60144 B', '61440 B', '64 KiB'])}",
            f"window={pick([60, 120, 256, 512])} KiB",
            f"writes={pick([300, 1000])}",
            f"nodelay={pick(['true', 'false'])}",
            f"aligned={pick(['true', 'false'])}",
        )
        before = len(skips)
        same(program, Options(pick([HORIZON, HORIZON, 700 * 10**9]), PLENTY))
        jumped += len(skips) > before
    assert jumped >= 5
    assert len(skips) > 2 * jumped


def test_a_run_that_fails_fails_at_the_same_step(skips: list[int]) -> None:
    # The value leaves the 64-bit range in round 922,338; what is skipped ends before.
    p = Builder()
    done = p.observation("done", "delivered", "bytes")
    with p.thread("worker"), p.forever():
        total = p.register()
        p.let(total, "ADD", total, 10**13)
        p.advance(1)
        p.mark(done, 1)
    outcome = same(p.build())
    assert outcome.status == Status.OVERFLOW
    assert outcome.end == (2**63 - 1) // 10**13
    assert skips


def test_a_number_that_grows_says_how_long_things_come_out_alike() -> None:
    horizon = Horizon()
    number = Affine(10, 3, horizon)
    assert number < 20  # so are 13, 16 and 19; 22 is not
    assert horizon.periods == 4
    rest = number % 8  # 2 and 5; 8 - 8 = 0 is no step of 3 more
    assert horizon.periods == 2
    assert rest == 2
    assert horizon.periods == 1


def test_fewer_periods_than_are_of_use_end_a_replay() -> None:
    number = Affine(10, 3, Horizon(least=5))
    assert number < 23  # 22 is, the fifth
    with pytest.raises(NotAffine):
        assert number < 22


def test_marks_that_come_again_at_evenly_growing_instants_are_found() -> None:
    # Rounds of 0, 1, 1: each 1 ps longer than the one before; each second alike; the last mark 1 ps earlier in each.
    begins = np.cumsum(np.arange(10, 20))
    rounds = [[(at, 0, 5), (at + 3, 1, 5), (at + 4, 1, 5)] for at in begins.tolist()]
    even = [[(10 * n, 0, 5), (10 * n + 3, 1, 5), (10 * n + 4 + n % 2, 1, n)] for n in range(6)]
    drifting = [[(10 * n, 0, 5), (10 * n + 3, 1, 5), (9 * n + 6, 1, n)] for n in range(4)]
    for found, period in ((rounds, 0), (even, 6), (even[:5], 0), (drifting, 3), (drifting[:2], 0)):
        assert repeated(np.array(found).reshape(-1, 3)) == period


def test_what_would_not_pay_is_not_replayed(skips: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    # 11 steps a block are replayed in the time of 400,000 that are run; who wakes each 1000 blocks ends the periods.
    monkeypatch.setattr(jump, "GAIN", 400)
    same(transfer(10_000))
    same(transfer(500_000, wakes=1000 * 3 * 10**9))
    assert skips == []
    same(transfer(500_000))
    assert len(skips) == 1


def test_what_does_not_grow_evenly_is_refused() -> None:
    number = Affine(10, 3, Horizon())
    with pytest.raises(NotAffine):
        number * number
    with pytest.raises(NotAffine):
        [1, 2][number]
    with pytest.raises(NotAffine):
        number & 5


def test_packed_words_are_unpacked() -> None:
    horizon = Horizon()
    word = Affine(3, 1, horizon) << 19 | Affine(7, 2, horizon)
    assert ((word >> 19).value, (word >> 19).step) == (3, 1)
    low = word & (2**19 - 1)
    assert (low.value, low.step) == (7, 2)
    assert horizon.periods == (2**19 - 1 - 7) // 2 + 1
