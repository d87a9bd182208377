"""The catalogue: what a datasheet is read as, and that everything simio comes with is sound."""

from __future__ import annotations

import os
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from simio.errors import ScenarioError, SimioError
from simio.loading import catalogue, load
from simio.loading.catalogue import Catalogue, UnknownPart, data_root
from simio.loading.measured import read_table, table_names

SCENARIOS = sorted(data_root("simio.scenarios").glob("*.yaml"))


def test_names_are_class_and_part(parts: Catalogue) -> None:
    assert parts.names("cpu") == ["cpus/fast", "cpus/slow"]
    assert "hosts/server" in parts.names()


def test_an_entry_tells_values_and_parts(parts: Catalogue) -> None:
    entry = parts.sheet("hosts/server")
    assert (entry.category, entry.kind, entry.title) == ("host", "host", "one Fibre Channel card")
    assert entry.parts["cpu"] == "cpus/slow"
    assert entry.parts["adapters"] == {"fc": {"model": "adapters/fc-card", "bus": "io"}}
    value = parts.sheet("links/fibre").values["propagation"]
    assert (value.text, value.value, value.basis) == ("5 ns/m", Fraction(5000), "assumed")


def test_an_unknown_name_is_told_with_the_nearest(parts: Catalogue) -> None:
    with pytest.raises(SimioError, match="did you mean 'cpus/fast'"):
        parts.sheet("cpus/fst")
    with pytest.raises(SimioError, match="unknown model"):
        parts.sheet("cpus/../cpus/fast")


def test_a_size_in_place_of_a_memory_is_told_what_has_one(parts: Catalogue) -> None:
    with pytest.raises(UnknownPart) as refused:
        parts.find("512 GiB", "memory")
    assert "`cache` of a file system" in refused.value.hint
    with pytest.raises(UnknownPart) as refused:
        parts.find("512 GiB", "cpu")
    assert "file system" not in refused.value.hint


def write(root: Path, values: str) -> Catalogue:
    (root / "cpus").mkdir(exist_ok=True)
    (root / "cpus" / "x.yaml").write_text(
        f"kind: cpu\ntitle: x\nvalues:\n  clock: {values}\n  cache: {{value: 1 KiB, basis: assumed, source: me}}\n"
    )
    return Catalogue(root)


def test_a_fitted_value_has_interval_and_bounds(tmp_path: Path) -> None:
    fitted = "{value: 9 MHz, basis: fitted, source: a/b, interval: [8 MHz, 10 MHz], bounds: [1 MHz, 99 MHz]}"
    entry = write(tmp_path, fitted).sheet("cpus/x")
    assert entry.values["clock"].interval == (8_000_000, 10_000_000)
    assert entry.values["clock"].bounds == (1_000_000, 99_000_000)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("{value: 9 MHz, basis: fitted, source: a/b}", "values.clock.interval: found nothing"),
        ("{value: 9 MHz, basis: assumed}", "values.clock.source: found nothing"),
        ("{value: 9 MHz, basis: guess, source: me}", "the unknown basis 'guess'"),
        ("{value: 9 MHz, basis: assumed, source: me, interval: [10 MHz, 11 MHz]}", "within its interval"),
        ("{value: 9 MHz, basis: assumed, source: me, interval: [10 MHz]}", "a list of two values"),
        ("{value: 9 MHz, basis: assumed, source: me, interval: [8 KiB, 10 MHz]}", "'8 KiB', a size"),
        ("{value: 9 KB, basis: guess, source: me}", "'9 KB'"),
        ("9 MHz", "a mapping with value, basis and source"),
    ],
)
def test_a_faulty_value_is_told_in_its_file(tmp_path: Path, value: str, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        write(tmp_path, value).sheet("cpus/x")
    assert message in str(caught.value)
    assert {problem.place.line for problem in caught.value.problems if problem.place} == {4}


def test_a_host_names_parts_and_does_not_override_them(tmp_path: Path) -> None:
    (tmp_path / "hosts").mkdir()
    (tmp_path / "hosts" / "h.yaml").write_text(
        "kind: host\ntitle: h\nvalues: {cpus: {value: 1, basis: assumed, source: me}}\n"
        "parts: {cpu: {model: cpus/x, clock: 3 MHz}, memory: memories/y, buses: {io: buses/z},\n"
        "        adapters: {n: {model: adapters/a, bus: oi}}}\n"
    )
    with pytest.raises(ScenarioError) as caught:
        Catalogue(tmp_path).sheet("hosts/h")
    assert [problem.path for problem in caught.value.problems] == [
        "parts.kernel", "parts.cpu.clock", "parts.adapters.n.bus"
    ]  # fmt: skip


def test_a_rewritten_file_is_read_again(tmp_path: Path) -> None:
    known = write(tmp_path, "{value: 9 MHz, basis: assumed, source: me}")
    assert known.sheet("cpus/x").sheet.clock == 9_000_000
    write(tmp_path, "{value: 8 MHz, basis: assumed, source: me}")
    os.utime(tmp_path / "cpus" / "x.yaml", ns=(1, 1))
    assert known.sheet("cpus/x").sheet.clock == 8_000_000


def test_check_tells_parts_that_are_not_there(tmp_path: Path, parts: Catalogue) -> None:
    assert parts.check() == []
    (tmp_path / "hosts").mkdir()
    text = (parts.root / "hosts" / "server.yaml").read_text()
    (tmp_path / "hosts" / "h.yaml").write_text(text)
    found = [problem.path for problem in Catalogue(tmp_path).check()]
    assert found == ["parts.cpu", "parts.memory", "parts.kernel", "parts.buses.io", "parts.adapters.fc"]


def test_the_catalogue_of_simio_is_sound() -> None:
    assert catalogue.names()
    assert [str(problem) for problem in catalogue.catalogue().check()] == []


def test_what_is_defined_names_what_would_be_restated() -> None:
    sheets = [catalogue.catalogue().sheet(name) for name in catalogue.names()]
    defined = {
        f"{sheet.name}.{key}": value
        for sheet in sheets
        for key, value in sheet.values.items()
        if value.basis == "defined"
    }
    assert {name.partition(".")[2] for name in defined if "clock" not in name} == {
        "width",
        "burst",
        "overhead_cycles",
    }
    for name, value in defined.items():
        named = re.search(r"((?:cpus|buses)/[\w-]+|kernels/[\w-]+, reference_clock)", value.source)
        assert named, name
        part, _, key = named.group().partition(", ")
        clock = catalogue.catalogue().sheet(part).values[key or "clock"]
        assert clock.value == value.value or clock.basis == "derived", name


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_the_scenarios_of_simio_load(path: Path) -> None:
    assert load(path).cases


def test_every_measured_row_has_a_case() -> None:
    root = data_root("simio.validation")
    assigned = {table.name: 0 for path in SCENARIOS for table in load(path).tables}
    for path in SCENARIOS:
        scenario = load(path)
        single = [row for case in scenario.cases for row in case.measured]
        for row in (*single, *(pooled.row for pooled in scenario.pooled)):
            assigned[f"{row.study}/{row.table}"] += 1
    assert set(assigned) == set(table_names(root))
    for name, number in assigned.items():
        assert number == len(read_table(root / f"{name}.yaml", name).rows)


def test_a_scenario_of_29_cases_reads_each_datasheet_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    read_datasheet = catalogue.read_datasheet

    def counted(root: Any, name: str, *rest: Any) -> Any:
        read.append(name)
        return read_datasheet(root, name, *rest)

    monkeypatch.setattr(catalogue, "read_datasheet", counted)
    monkeypatch.setattr(catalogue.catalogue(), "_read", {})
    assert len(load(data_root("simio.scenarios") / "sgi-hippi-raw.yaml").cases) == 29
    assert sorted(read) == sorted(set(read))
    assert "hosts/sgi-challenge-l" in read
