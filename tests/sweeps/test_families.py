"""Families of programs: computed from one another, and the same as lowered ones word by word."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from simio.bound import bound
from simio.calibration.usage import values_of
from simio.description.model import System
from simio.engines import compiled
from simio.engines.outcome import Options
from simio.engines.prepared import prepare
from simio.errors import RunError, SimioError
from simio.limits import Bound
from simio.loading import ScenarioFile
from simio.loading.catalogue import catalogue
from simio.loading.overlay import Overlay
from simio.lower import lower
from simio.program.builder import Builder
from simio.program.digest import program_hash
from simio.program.steps import Program
from simio.running import Lowered
from simio.sweeps import families
from simio.sweeps.families import Families, same

T = TypeVar("T")
SCENARIOS = Path(__file__).parents[2] / "scenarios"
SIZES = ["512 B", "1 KiB", "4000 B", "8 KiB", "24 KiB", "64 KiB", "100 KiB", "1 MiB"]
KEYS = {
    "sgi-hippi-raw": {"blast.size": SIZES, "blast.packets": "1234", "blast.processes": "12"},
    "slac-tersk03": {"ttcp.size": SIZES, "ttcp.window": SIZES[4:], "ttcp.streams": "123", "ttcp.writes": "2345"},
    "sgi-hippi-ttcp": {"ttcp.size": SIZES, "ttcp.window": SIZES[4:], "ttcp.writes": "2345"},
    "random-reads": {"reader.block": SIZES, "reader.size": ["1 MiB", "2 MiB", "3 MiB"], "reader.depth": "1234"},
    "raid5-writes": {"writer.block": SIZES[3:], "writer.size": ["1 MiB", "2 MiB", "4 MiB"]},
    "local-copy": {"copy.buffer": SIZES[3:], "copy.file": ["1 MiB", "2 MiB", "3 MiB"]},
    "sgi-nfs": {"nfs.size": ["64 KiB", "128 KiB", "1 MiB"], "nfs.nfsds": "1234", "nfs.biods": "1234"},
    "slac-ping": {"ping.size": ["56 B", "100 B", "1000 B"], "ping.packets": "234"},
}  # fmt: skip


def systems(name: str, number: int, seed: int) -> list[System]:
    """Systems that differ from a ready scenario in some numbers of its workload."""
    draw = random.Random(f"{name} {seed}")
    source = ScenarioFile(SCENARIOS / f"{name}.yaml")
    found = []
    while len(found) < number:
        chosen = {key: draw.choice(values) for key, values in KEYS[name].items() if draw.random() < 0.6}
        sets = tuple(f"workload.{key}={value}" for key, value in chosen.items())
        try:
            found.append(source.scenario(sets, only=0).cases[0].system)
        except SimioError:
            continue
    return found


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "PATIENCE", 0)


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of systems that families have lowered, as its only item."""
    count = [0]

    def counted(system: System) -> Program:
        count[0] += 1
        return lower(system)

    monkeypatch.setattr(families, "lower", counted)
    return count


@pytest.mark.parametrize("name", KEYS)
def test_the_program_is_the_one_that_lowering_gives(name: str, lowered: list[int]) -> None:
    kept = Families()
    computed = 0
    for system in systems(name, 25, 1):
        before = lowered[0]
        made, error = attempt(kept.lower, system)
        computed += lowered[0] == before
        wanted, refusal = attempt(lower, system)
        assert error == refusal
        assert (made is None and wanted is None) or (made and wanted and same(made.program, wanted))
        if made and wanted:
            assert alike(made, wanted)
    assert computed >= 3


def test_a_window_that_varies_is_traced_and_not_lowered_each_time(lowered: list[int]) -> None:
    kept = Families()
    source = ScenarioFile(SCENARIOS / "slac-tersk03.yaml")
    for window in range(100, 140):
        kept.lower(source.scenario((f"workload.ttcp.window={window} KiB",), only=0).cases[0].system)
    assert lowered[0] <= 12


def test_the_bound_is_traced_once_for_any_number_of_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    bounded: list[Program] = []

    def counted(program: Program) -> Bound:
        bounded.append(program)
        return bound(program)

    monkeypatch.setattr(families, "bound", counted)
    kept = Families()
    source = ScenarioFile(SCENARIOS.parent / "benchmarks" / "tcp-wire.yaml")
    for writes in range(2, 30):
        made = kept.lower(source.scenario((f"workload.ttcp.writes={writes}",), only=0).cases[0].system)
        assert made.bound == bound(made.program)
    # Of the first program it is computed, and computed again with traced values.
    assert len(bounded) == 2


def test_more_shapes_in_turn_than_trials_are_soon_lowered_no_more(lowered: list[int]) -> None:
    kept = Families()
    source = ScenarioFile(SCENARIOS.parent / "benchmarks" / "tcp-wire.yaml")
    shapes = families.TRIALS + 4
    for window in range(10, 16):
        for streams in range(1, shapes + 1):
            sets = (f"workload.ttcp.window={window} KiB", f"workload.ttcp.streams={streams}")
            kept.lower(source.scenario(sets, only=0).cases[0].system)
    # Of the first window nothing is traced, of the second what there are trials for, of the third the rest.
    assert lowered[0] == shapes + shapes + 4


@pytest.mark.parametrize(
    "name",
    ["memories/challenge-l.rate", "cpus/r4400-150.clock", "kernels/irix-5.2.interrupt", "stacks/irix-5.2.walk_cost"],
)
def test_times_and_rates_of_datasheets_are_filled_in(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parts, source = catalogue(), ScenarioFile(SCENARIOS / "sgi-hippi-ttcp.yaml")
    base = source.scenario(only=0).cases[0].system
    value = next(each for each in values_of(base, parts, SCENARIOS) if each.name == name)

    def system(factor: float) -> System:
        changed = source.with_parts(Overlay(parts, {value.at: value.text(value.number * factor)}))
        return changed.scenario(only=0).cases[0].system

    kept = Families(trials=0)
    kept.prepare(base, [system(1.1)])
    with monkeypatch.context() as patched:
        patched.setattr(families, "lower", None)
        found = [kept.lower(system(factor)).program for factor in (0.9, 1.23)]
    assert [same(*each) for each in zip(found, (lower(system(0.9)), lower(system(1.23))), strict=True)] == [
        True,
        True,
    ]
    assert not same(*found)


def test_a_number_that_varies_later_costs_no_template(monkeypatch: pytest.MonkeyPatch) -> None:
    source = ScenarioFile(SCENARIOS / "sgi-hippi-ttcp.yaml")

    def system(*sets: str) -> System:
        return source.scenario([f"workload.ttcp.{each}" for each in sets], only=0).cases[0].system

    sized, counted, both = system("size=24 KiB"), system("writes=3"), system("size=24 KiB", "writes=3")
    kept = Families(trials=0)
    kept.prepare(system(), [system("size=8 KiB")])
    for each in (counted, both):
        assert same(kept.lower(each).program, lower(each))
    with monkeypatch.context() as patched:
        patched.setattr(families, "lower", None)
        found = kept.lower(sized).program
    assert same(found, lower(sized))
    assert not same(found, lower(both))


def test_what_systems_of_a_file_share_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, compared = Families(), []
    compare = families._compare

    def counted(one: object, other: object, at: families.Path, found: families.Found) -> bool:
        compared.append(at)
        return compare(one, other, at, found)

    def system(source: ScenarioFile, window: int) -> System:
        return source.scenario((f"workload.ttcp.window={window} KiB",), only=0).cases[0].system

    path = SCENARIOS / "slac-tersk03.yaml"
    kept.lower(system(ScenarioFile(path), 99))
    monkeypatch.setattr(families, "_compare", counted)
    source = ScenarioFile(path)
    for window in range(100, 104):
        given = system(source, window)
        assert same(kept.lower(given).program, lower(given))
    assert compared.count(("hosts",)) == 1
    assert compared.count(("workloads",)) == 4


def alike(made: Lowered, wanted: Program) -> bool:
    """Whether what is computed from a template is what follows from the program itself."""
    tables, others = made.prepared(), prepare(wanted)
    return (
        all(
            np.array_equal(getattr(tables, name), getattr(others, name))
            for name in ("steps", "resources", "containers", "gauges")
        )
        and all(map(np.array_equal, tables.first, others.first))
        and tables.families == others.families
        and made.bound == bound(wanted)
        and made.hash == program_hash(wanted)
    )


def attempt(how: Callable[[System], T], system: System) -> tuple[T | None, str]:
    """The program, or why there is none."""
    try:
        return how(system), ""
    except RunError as error:
        return None, str(error)


def test_a_system_of_another_kind_begins_a_family_and_the_first_is_still_known() -> None:
    kept = Families()
    raw, ping = systems("sgi-hippi-raw", 12, 2), systems("slac-ping", 12, 2)
    for one, other in zip(raw, ping, strict=True):
        assert same(kept.lower(one).program, lower(one))
        assert same(kept.lower(other).program, lower(other))


def test_what_others_get_is_not_changed_by_what_comes_later() -> None:
    kept = Families()
    given = [(system, kept.lower(system)) for system in systems("slac-tersk03", 20, 3)]
    assert all(same(made.program, lower(system)) for system, made in given)


def test_a_defect_of_tracing_costs_time_only(monkeypatch: pytest.MonkeyPatch) -> None:
    build = Builder.build

    def wrong(builder: Builder, dtype: type = np.int64) -> Program:
        program = build(builder, dtype)
        return replace(program, steps=program.steps + 1) if dtype is object else program

    monkeypatch.setattr(Builder, "build", wrong)
    kept = Families()
    for system in systems("sgi-hippi-raw", 12, 4):
        assert same(kept.lower(system).program, lower(system))


def test_a_run_is_the_same_whatever_room_the_one_before_needed() -> None:
    kept, options, noted = Families(), Options(budget=300_000), 0
    for system in systems("slac-tersk03", 30, 6):
        made = kept.lower(system)
        for _ in range(2):
            run = compiled.run(made.program, options, prepared=made.prepared())
            assert run.differences(compiled.run(lower(system), options)) == []
        noted += type(made) is not Lowered and made.prepared().room.threads > 0
    assert noted > 5


def test_texts_and_switches_are_no_numbers() -> None:
    source = ScenarioFile(SCENARIOS / "sgi-hippi-ttcp.yaml")
    kept = Families()
    for number in range(12):
        sets = (
            f"workload.ttcp.nodelay={('true', 'false')[number % 2]}",
            f"workload.ttcp.writes={20 + number}",
        )
        system = source.scenario(sets, only=0).cases[0].system
        assert same(kept.lower(system).program, lower(system))


def test_same_looks_at_all_that_a_program_has() -> None:
    program = lower(systems("slac-ping", 1, 5)[0])
    assert same(program, replace(program))
    for field in fields(program):
        value = getattr(program, field.name)
        other = np.append(value, 1) if isinstance(value, np.ndarray) else (value, 1)
        assert not same(program, replace(program, **{field.name: other}))
