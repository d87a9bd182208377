"""Machines that get more words while a program runs, and marks that are condensed on the way."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import numpy as np
import pytest

from simio.engines import compiled, outcome, reference
from simio.engines.outcome import Ints, Options, Outcome, Status
from simio.errors import RunError
from simio.machines import records
from simio.program.builder import Builder
from simio.program.steps import Program
from simio.result.condensed import Condenser, recorded
from simio.sketch import Sketch


def requests(count: int) -> Ints:
    """Rows of requests whose waits and sizes differ."""
    rows = np.zeros((count, records.COLUMNS), dtype=np.int64)
    rows[:, records.WAIT] = np.arange(count) % 7 * 10
    rows[:, records.EXTENT] = 2 * (np.arange(count) + 1)
    return rows


def replayed(count: int, chunk: int, given: int | None = None) -> Program:
    """Two threads that take requests of one table; each takes its wait, twice, with another seizure between."""
    p = Builder()
    rows = requests(count if given is None else given)
    state = records.initial("0" * 64, chunk)
    table = p.machine("trace", state)

    def source() -> Iterator[Ints]:
        return (records.filled(state, rows[at : at + chunk]) for at in range(0, len(rows), chunk))

    p.feed(table, source)
    server = p.resource("server")
    took, sizes = p.observation("took", "latency", "ps"), p.observation("bytes", "delivered", "bytes")
    for name in ("one", "two"):
        with p.thread(name):
            wait, size = p.register(), p.register()
            with p.loop(count // 2):
                wait.set(1)
                size.set(wait + 2)
                p.call(wait, records.wait, table)
                p.call(size, records.extent, table)
                with p.timed(took):
                    p.seize(server)
                    p.wait(wait)
                    p.release(server)
                p.mark(sizes, size // 2)
    return p.build()


def same(one: Outcome, other: Outcome) -> list[str]:
    """Differences of two outcomes, but for the machines' state."""
    return [name for name in one.differences(other) if name != "state"]


@pytest.mark.parametrize("chunk", [1, 3, 20])
def test_a_table_that_is_filled_again_and_again_gives_what_a_whole_one_gives(engine: ModuleType, chunk: int) -> None:
    whole, chunked = engine.run(replayed(40, 40)), engine.run(replayed(40, chunk))
    assert whole.status == Status.DONE
    assert same(whole, chunked) == []
    assert int(whole.marks[whole.marks[:, 1] == 1, 2].sum()) == sum(range(1, 41))


@pytest.mark.parametrize("options", [Options(), Options(trace=True), Options(budget=123), Options(until=333)])
def test_both_engines_agree(options: Options) -> None:
    program = replayed(40, 3)
    assert reference.run(program, options).differences(compiled.run(program, options)) == []


def test_every_run_begins_with_the_first_words(engine: ModuleType) -> None:
    program = replayed(10, 3)
    assert engine.run(program).differences(engine.run(program)) == []


def test_a_source_that_ends_too_soon_ends_the_run(engine: ModuleType) -> None:
    ended = engine.run(replayed(10, 3, given=7))
    assert ended.status == Status.MACHINE
    assert reference.run(replayed(10, 3, given=7)).differences(compiled.run(replayed(10, 3, given=7))) == []


def condensing(program: Program, engine: ModuleType) -> Outcome:
    condenser = Condenser(program)
    return condenser.finish(engine.run(program, Options(condense=condenser)))


def test_condensed_marks_are_the_same_on_both_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome, "CONDENSE_AT", 16)
    program = replayed(200, 30)
    assert condensing(program, reference).differences(condensing(program, compiled)) == []


def test_condensed_marks_stand_for_all(engine: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    program = replayed(200, 30)
    whole = engine.run(program)
    monkeypatch.setattr(outcome, "CONDENSE_AT", 16)
    found = condensing(program, engine)
    assert len(found.marks) <= 16 < len(whole.marks)
    assert recorded(found, 0) == recorded(whole, 0)
    assert found.marks[:, 2].sum() == whole.marks[whole.marks[:, 1] == 1, 2].sum()
    assert found.marks[-1, 0] == whole.marks[-1, 0]
    assert (np.diff(found.marks[:, 0]) >= 0).all()


def test_few_marks_stay_as_they_are(engine: ModuleType) -> None:
    program = replayed(200, 30)
    assert condensing(program, engine).differences(engine.run(program)) == []


def test_marks_that_cannot_be_condensed_end_the_run() -> None:
    p = Builder()
    p.observation("other")
    with p.thread("t"):
        p.mark(p.observation("other"), 1)
    marks = np.zeros((8, 3), dtype=np.int64)
    with pytest.raises(RunError, match="records more than can be kept"):
        Condenser(p.build())(marks)


def test_distributions_are_exact_while_they_are_few_and_near_when_they_are_many(monkeypatch) -> None:
    values = np.random.default_rng(1).integers(0, 2**40, 5000)
    few = Sketch(values)
    monkeypatch.setattr("simio.sketch.EXACT", 100)
    many = Sketch()
    for part in np.array_split(values, 7):
        many.add(part)
    assert (many.count, many.total, many.least, many.most) == (few.count, few.total, few.least, few.most)
    ordered = np.sort(values)
    for share in (0.0, 0.01, 0.5, 0.9, 0.999, 1.0):
        exact = ordered[max(int(np.ceil(share * 5000)) - 1, 0)]
        assert few.percentile(share) == exact
        assert many.percentile(share) == pytest.approx(exact, rel=2**-11)


def test_bins_have_every_number_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simio.sketch.EXACT", 0)
    edges = [0, 1, 2047, 2048, 2049, 4095, 4096, 2**53 - 1, 2**53, 2**53 + 1, 2**62 - 1, 2**62]
    for number in edges:
        (value,), (count,) = Sketch([number]).steps()
        assert (int(value), int(count)) == (number, 1)
    pairs = Sketch([4096 + 3, 4096 + 4])
    assert pairs.steps()[1].tolist() == [1, 1]
    with pytest.raises(ValueError, match="from 0 on"):
        Sketch([-1])
