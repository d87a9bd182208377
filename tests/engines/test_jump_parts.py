"""Each thing that may be under way where a period begins: periods are skipped, and the run ends as it would have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from simio.engines import compiled, jump
from simio.engines.leap import Leap
from simio.engines.outcome import Options, Outcome, Status
from simio.machines import rotation
from simio.machines.network import handler, rpc
from simio.program.builder import Builder
from simio.program.steps import HORIZON

ROUNDS = 800
PLENTY = 10**12


@pytest.fixture
def skipped(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Look for periods at once, and skip the fewest; how many each jump skipped."""
    found: list[int] = []
    for name, value in (("FIRST", 0), ("GAIN", 0), ("FEWEST", 24)):
        monkeypatch.setattr(jump, name, value)
    monkeypatch.setattr(compiled, "FIRST_STOP", 2)
    make = Leap.make

    def counted(self: Leap) -> None:
        found.append(self.periods)
        make(self)

    monkeypatch.setattr(Leap, "make", counted)
    return found


def join(p: Builder) -> None:
    """Who marks is a child that its parent waits for, with another under way."""
    seen = p.observation("seen")
    with p.thread("parent"), p.loop(ROUNDS):
        with p.fork("child", joined=True):
            p.advance(3)
            p.mark(seen, 1)
        with p.fork("other", joined=True):
            p.advance(4)
        p.join()
        p.advance(2)


def join_in_the_middle(p: Builder) -> None:
    """The same of a parent that is not the first thread."""
    with p.thread("sleeper"):
        p.advance(10**6)
    join(p)


def orphans(p: Builder) -> None:
    """Whose parent has ended is waited for by nobody, though another thread has the parent's place."""
    seen = p.observation("seen")
    with p.thread("first"), p.loop(ROUNDS):
        with p.fork("parent", joined=True), p.fork("child", delay=3, joined=True):
            p.advance(4)
            p.mark(seen, 1)
        p.join()
        p.advance(2)
        p.mark(seen, 2)


def due_at_once(p: Builder) -> None:
    """Two that have been woken go on after the mark, the younger of them first."""
    seen, room = p.observation("seen"), p.container("room", 4)
    for number in range(2):
        with p.thread(f"t{number}", daemon=True), p.forever():
            p.get(room, 1)
            p.advance(3 - number)
    with p.thread("who wakes"), p.loop(ROUNDS):
        p.put(room, 2)
        p.mark(seen, 1)
        p.advance(7)


def due_in_order(p: Builder) -> None:
    """Some advance to the instant of the mark, before it and behind it."""
    seen = p.observation("seen")
    for number in range(4):
        with p.thread(f"t{number}"), p.loop(ROUNDS):
            p.advance(5 if number % 2 else 3)
            p.mark(seen, number)
            p.advance(0 if number % 2 else 2)


def full(p: Builder) -> None:
    """Two wait until there is room for what they put."""
    seen, room = p.observation("seen"), p.container("room", 3)
    for number in (1, 2):
        with p.thread(f"t{number}", daemon=True), p.forever():
            p.put(room, number)
    with p.thread("who takes"), p.loop(ROUNDS):
        p.get(room, 1)
        p.advance(3)
        p.mark(seen, 1)


def empty(p: Builder) -> None:
    """Two wait for more than one has put; one's amount is in a register."""
    seen, room = p.observation("seen"), p.container("room", 9)
    for number in (2, 3):
        with p.thread(f"t{number}", daemon=True):
            amount = p.register(number)
            with p.forever():
                p.get(room, amount)
                p.mark(seen, amount)
    with p.thread("who puts"), p.loop(ROUNDS):
        p.put(room, 1)
        p.advance(3)
        p.mark(seen, 1)


def much(p: Builder) -> None:
    """What a container holds, for as long, is a number of more than a hundred bits."""
    seen, room = p.observation("seen"), p.container("room", 10**15, 10**15)
    with p.thread("t"), p.loop(ROUNDS):
        p.get(room, 1)
        p.advance(10**15)
        p.mark(seen, 1)
        p.put(room, 1)


def priorities(p: Builder) -> None:
    """A line in which the later may go first, and who needs two units."""
    seen, server = p.observation("seen"), p.resource("server", 2)
    for number, (units, priority, pause) in enumerate(((1, 1, 0), (2, 0, 3), (1, 2, 1))):
        with p.thread(f"t{number}"), p.loop(ROUNDS):
            with p.hold(server, units, priority):
                p.advance(2 + number)
                p.mark(seen, number)
            p.advance(pause)


def machines(p: Builder) -> None:
    """What a machine answers goes round; what it counts grows, and is on the timeline."""
    seen = p.observation("seen")
    turn, counting = p.machine("turn", rotation.WORDS.initial()), p.machine("handler", handler.WORDS.initial())
    p.tally("handler", "taken", counting + handler.RAISED, "times")
    p.gauge("handler", "taken", counting + handler.RAISED, "times")
    with p.thread("t"), p.loop(ROUNDS):
        answer = p.register()
        p.call(answer, rotation.following, turn, 3)
        p.advance(1, answer, 2)
        p.call(answer, handler.arrive, counting, 1)
        p.advance(10**5)
        p.call(answer, handler.served, counting)
        p.mark(seen, answer)


def refused(p: Builder) -> None:
    """A machine refuses a word below zero, which comes in the 201st round."""
    seen, calls = p.observation("seen"), p.machine("calls", rpc.initial(2))
    with p.thread("t"):
        word, xid = p.register(200), p.register()
        with p.forever():
            p.call(xid, rpc.call, calls, word)
            p.advance(3)
            p.call(xid, rpc.reply, calls, xid)
            p.mark(seen, 1)
            p.let(word, "SUB", word, 1)


def sums_that_wrap(p: Builder) -> None:
    """What is recorded leaves the range of 64 bits as a sum, every fourth round."""
    seen = p.observation("seen")
    with p.thread("t"), p.loop(ROUNDS):
        p.mark(seen, 2**62)
        p.advance(10**6)


def delayed(p: Builder) -> None:
    """Who is begun later, by threads that share steps; none waits for them."""
    seen = p.observation("seen")
    for own in p.replicate("t", 3):
        lock = p.resource(f"{own} lock")
        with p.thread(own), p.loop(ROUNDS):
            with p.hold(lock), p.fork(f"{own} child", delay=9, daemon=True):
                p.advance(4)
                p.mark(seen, 1)
            p.advance(6)


def growing(p: Builder) -> None:
    """Registers that grow, in one thread that waits and in one that goes on, and what is asked of them."""
    seen, room = p.observation("seen"), p.container("room", 1)
    with p.thread("waits"):
        count = p.register(0)
        with p.loop(ROUNDS):
            p.get(room, 1)
            p.let(count, "ADD", count, 7)
            p.mark(seen, 7)
    with p.thread("t"):
        count, rest = p.register(10**4), p.register()
        with p.loop(ROUNDS):
            p.put(room, 1)
            p.advance(3)
            p.let(count, "SUB", count, 50)
            with p.when(count, "<", 3000):
                p.advance(1)
            p.let(rest, "MOD", count, 100)
            p.advance(0, rest, 1)
            p.mark(seen, rest)


PROGRAMS: list[Callable[[Builder], None]] = [
    join, join_in_the_middle, orphans, due_at_once, due_in_order, full, empty, much, priorities, machines, refused,
    sums_that_wrap, delayed, growing,
]  # fmt: skip


def same(write: Callable[[Builder], None], **options: int) -> Outcome:
    p = Builder()
    write(p)
    program, chosen = p.build(), Options(budget=PLENTY, **options)
    outcome = compiled.run(program, chosen)
    assert outcome.differences(compiled.run(program, replace(chosen, jump=False))) == []
    return outcome


@pytest.mark.parametrize("write", PROGRAMS, ids=lambda write: write.__name__)
def test_what_is_under_way_is_carried_over(skipped: list[int], write: Callable[[Builder], None]) -> None:
    outcome = same(write)
    assert outcome.status == (Status.MACHINE if write is refused else Status.DONE)
    assert sum(skipped) > 40


@pytest.mark.parametrize("until", [1499, 1500, 1501])
def test_the_end_of_the_time_ends_the_periods(skipped: list[int], until: int) -> None:
    assert same(due_in_order, until=until).status == (Status.UNTIL if until < 5 * ROUNDS else Status.DONE)
    assert sum(skipped) > 60


def test_without_an_end_it_goes_on_to_the_last_step(skipped: list[int]) -> None:
    assert same(growing, until=HORIZON).status == Status.DONE
    assert skipped


def amounts(p: Builder) -> None:
    """Who puts waits with more each time, in a container that was empty and is full."""
    seen, room = p.observation("seen"), p.container("room", 1000, 1000)
    with p.thread("who takes"):
        amount = p.register(0)
        p.get(room, 1000)
        p.advance(1)
        with p.loop(ROUNDS):
            p.advance(3)
            p.mark(seen, 1)
            p.let(amount, "ADD", amount, 1)
            p.get(room, amount)
    with p.thread("who puts", start=1):
        amount = p.register(0)
        p.put(room, 1000)
        with p.loop(ROUNDS):
            p.let(amount, "ADD", amount, 1)
            p.put(room, amount)


def test_amounts_that_grow_are_not_skipped(skipped: list[int]) -> None:
    assert same(amounts).status == Status.DONE
    assert skipped == []
