"""Series of alike things share the steps of the second, and whatever is not alike is written out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from simio.engines import compiled
from simio.engines.outcome import Options
from simio.program import series
from simio.program.blocks import Procedure
from simio.program.builder import Builder, Handle
from simio.program.steps import Program

MANY = 6


class Thing:
    """A server with a lock, called after it, and a time."""

    def __init__(self, p: Builder, name: str, time: int = 5) -> None:
        self.name = name
        self.lock = p.resource(f"{name} lock", lock=True)
        self.time = time
        self.parts: Sequence[object] = [self.lock, {"room": p.container(f"{name} room")}, lambda: name]


Body = Callable[[Builder, Thing, Handle], None]


def work(p: Builder, thing: Thing, done: Handle, time: int | None = None) -> None:
    """A thread that holds the thing's lock twice, and marks that it has."""
    seen = p.observation(f"{thing.name} seen")
    with p.thread(f"{thing.name} user"), p.loop(2):
        with p.label("work", thing.name), p.hold(thing.lock):
            p.advance(thing.time if time is None else time)
        p.mark(done, 1)
        p.mark(seen, 1)


def written(body: Body = work, made: Callable[[Builder, str], Thing] = Thing, names: str = "t{}") -> Program:
    """A program of `MANY` things, each made and then worked with."""
    p = Builder()
    done = p.observation("done", "delivered", "bytes")
    things = [made(p, names.format(number + 1)) for number in range(MANY)]
    for thing in p.each(things):
        body(p, thing, done)
    return p.build()


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> Callable[..., bool]:
    """True if a program has the steps of each thing; compares it with the program that has."""

    def compare(*how: object, **more: object) -> bool:
        found = []
        for least in (4, MANY + 1):
            monkeypatch.setattr(series, "LEAST", least)
            found.append(written(*how, **more))  # type: ignore[arg-type]
        shared, whole = found
        for name in ("names", "resources", "containers", "marks", "machines", "draw_names"):
            assert getattr(shared, name) == getattr(whole, name)
        ends = [compiled.run(program, Options()) for program in found]
        assert [name for name in ends[0].differences(ends[1]) if name != "alive"] == []
        return len(shared.steps) == len(whole.steps)

    return compare


def test_alike_things_share_steps(apart: Callable[..., bool]) -> None:
    assert not apart()


def test_labels_are_called_after_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series, "LEAST", 4)
    program = written()
    assert [label.where for label in program.labels] == ["t1", "t\0", "t3"]
    assert [(start.name, start.instance) for start in program.starts[-2:]] == [("t5 user", 3), ("t6 user", 4)]


def test_few_things_are_written_out() -> None:
    program = written()
    assert not any(start.instance for start in program.starts)


def test_things_that_are_not_numbered_are_written_out(apart: Callable[..., bool]) -> None:
    assert apart(names="{} of t")


@pytest.mark.parametrize("other", [3, 4, MANY])
def test_one_that_takes_longer_is_not_alike(apart: Callable[..., bool], other: int) -> None:
    assert apart(made=lambda p, name: Thing(p, name, 5 + (name == f"t{other}")))


def test_one_whose_rows_lie_elsewhere_is_not_alike(apart: Callable[..., bool]) -> None:
    def made(p: Builder, name: str) -> Thing:
        if name == "t5":
            p.resource("another")
        return Thing(p, name)

    assert apart(made=made)


def test_one_whose_lock_has_more_units_is_not_alike(apart: Callable[..., bool]) -> None:
    def made(p: Builder, name: str) -> Thing:
        if name == "t5":
            p.resource(f"{name} own", 2)
        thing = Thing(p, name)
        thing.lock = p.resource(f"{name} own", 1 + (name == "t5"))
        return thing

    assert apart(made=made)


def test_steps_that_depend_on_the_number_are_written_out(apart: Callable[..., bool]) -> None:
    assert apart(lambda p, thing, done: work(p, thing, done, int(thing.name[1:])))


def test_steps_that_name_others_in_turn_are_written_out(apart: Callable[..., bool]) -> None:
    def body(p: Builder, thing: Thing, done: Handle) -> None:
        # Of 2 and 3 these lie one apart, as strides do; but they are nobody's own.
        turns = [p.resource(f"turn {name}") for name in "abcd"]
        with p.thread(f"{thing.name} user"), p.hold(turns[int(thing.name[1:]) % 4]):
            p.advance(1)

    assert apart(body)


def test_a_machine_made_in_between_is_for_one_only(apart: Callable[..., bool]) -> None:
    def body(p: Builder, thing: Thing, done: Handle) -> None:
        p.machine(f"{thing.name} state", [1, 2])
        work(p, thing, done)

    assert apart(body)


def test_what_is_named_after_another_is_written_out(apart: Callable[..., bool]) -> None:
    def body(p: Builder, thing: Thing, done: Handle) -> None:
        with p.thread(f"user {int(thing.name[1:]) + 10}"):
            p.advance(1)

    assert apart(body)


def started(p: Builder, thing: Thing, done: Handle, kept: list[Procedure], body: Callable[[], None]) -> None:
    """Two threads of a thing that start another each time, with steps that the first thing had written."""
    if thing.name == "t1":
        kept[:] = [p.procedure("helper", 0, body)]
    with p.thread(f"{thing.name} user", count=2), p.loop(2):
        p.spawn(kept[0], joined=True)
        with p.hold(thing.lock):
            p.advance(thing.time)
        p.join()
        p.mark(done, 1)


def test_threads_that_all_start_with_common_steps_share_their_own(apart: Callable[..., bool]) -> None:
    kept: list[Procedure] = []

    def body(p: Builder, thing: Thing, done: Handle) -> None:
        common = p.resource("common")

        def helper() -> None:
            with p.hold(common):
                p.advance(3)

        started(p, thing, done, kept, helper)

    assert not apart(body)


def test_common_steps_behind_those_of_another_series_are_not_for_many(
    apart: Callable[..., bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Children inherit the number that strides are multiplied by: it is that of one series only."""
    kept: list[Procedure] = []

    def body(p: Builder, thing: Thing, done: Handle) -> None:
        if thing.name == "t1":
            for other in p.each([Thing(p, f"u{number + 1}") for number in range(MANY)]):
                work(p, other, done)
        started(p, thing, done, kept, lambda: p.advance(3))

    apart(body)
    monkeypatch.setattr(series, "LEAST", 4)
    users = [start for start in written(body).starts if start.name.startswith("t")]
    assert [start.instance for start in users] == [0] * MANY
