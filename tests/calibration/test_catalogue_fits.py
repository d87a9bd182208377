"""Fitted values of the catalogue, and the rows that they are fitted to."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, zip_longest

import pytest

from simio.calibration.model import run_of
from simio.calibration.problem import ROWS_A_VALUE
from simio.calibration.usage import used_parts
from simio.calibration.values import fitted_values
from simio.loading import ScenarioFile, load
from simio.loading.catalogue import catalogue, part_references
from simio.loading.overlay import Overlay
from simio.lower import lower
from simio.program.digest import program_hash
from simio.studies.rows import Library, Row, named_in, rows

INDEPENDENT = ("standard", "datasheet", "measured")
LIBRARY = Library()
FITTED = fitted_values(catalogue(), LIBRARY.names)


@pytest.fixture(scope="module")
def measured():
    return [row for row in rows() if row.measured is not None]


@pytest.fixture(scope="module")
def used(measured):
    """Of each row, the datasheets of its cases."""
    scenarios = {name: load(LIBRARY.path(name)) for name in {row.scenario for row in measured}}
    return [
        {part.model for case in row.cases for part in used_parts(scenarios[row.scenario].cases[case].system)}
        for row in measured
    ]


@pytest.fixture(scope="module")
def programs():
    """The hash of the program of a case, by default with the values as they are; each is lowered once."""
    known = {}

    def of(row: Row, value=None) -> str:
        parts = catalogue()
        if value is not None:
            factor = 2 if value.dimension == "size" else 1.3
            parts = Overlay(parts, {value.at: value.text(factor * value.number)})
        key = (row.scenario, row.case, value and value.name)
        if key not in known:
            source = ScenarioFile(LIBRARY.path(row.scenario), parts=parts)
            known[key] = program_hash(lower(source.scenario((), only=row.case).cases[0].system))
        return known[key]

    return of


def by_tables(found: list[Row]) -> Iterator[Row]:
    """Rows, one of each table in turn: the last of each first, since large cases use most of a model."""
    tables = [[row for row in reversed(found) if row.table == name] for name in {row.table: 0 for row in found}]
    return (row for row in chain.from_iterable(zip_longest(*tables)) if row is not None)


def test_fitted_values_are_at_most_a_quarter_of_the_measured_rows(measured):
    assert 10 < len(FITTED) <= len(measured) / 4


@pytest.mark.parametrize("value", FITTED, ids=lambda value: value.name)
def test_no_fitted_value_serves_a_single_row(value, used):
    assert sum(value.part in parts for parts in used) > 1


@pytest.mark.parametrize("value", FITTED, ids=lambda value: value.name)
def test_every_fitted_value_acts_on_several_measured_runs(value, measured, used, programs):
    # It is not enough that a system has the part: the program of the case must change with the value.
    having = [row for row, parts in zip(measured, used, strict=True) if value.part in parts]
    # Rows of the tables that the value names come first, as they are likely to have what it is of.
    ordered = sorted(by_tables(having), key=lambda row: row.table not in value.studies)
    changed = set()
    for row in ordered:
        if run_of(row) not in changed and programs(row, value) != programs(row):
            changed.add(run_of(row))
        if len(changed) > 1:
            return
    pytest.fail(f"{value.name} acts on {len(changed)} measured runs only")


@pytest.mark.parametrize("value", FITTED, ids=lambda value: value.name)
def test_what_is_known_of_every_fitted_value_is_from_a_fit_with_enough_rows(value):
    assert value.fit, "has no fit: simio calibrate --keep finds one"
    assert value.fit.rows >= ROWS_A_VALUE * value.fit.values
    low, high = value.interval
    assert low <= value.number <= high
    assert set(value.fit.studies) <= set(LIBRARY.names)


@pytest.mark.parametrize("value", FITTED, ids=lambda value: value.name)
def test_every_fitted_value_names_a_table_that_there_is(value):
    assert value.studies
    assert all((LIBRARY.tables / f"{study}.yaml").is_file() for study in value.studies)


DOCUMENTS = {str(LIBRARY.table(name).source["document"]).partition(",")[0] for name in LIBRARY.names}
AUTHORS = {
    str(LIBRARY.table(name).source["author"]).partition(",")[0].removesuffix(" and others").split()[-1]
    for name in LIBRARY.names
}


def from_a_table(source: str) -> bool:
    """True if a source is one of the documents whose tables are predicted here."""
    told = (document in source for document in DOCUMENTS)
    return any(told) or any(author in source for author in AUTHORS) or bool({*named_in(source)} & {*LIBRARY.names})


def test_the_documents_that_are_predicted_are_known_by_their_sources():
    assert (len(DOCUMENTS), len(AUTHORS)) == (16, 17)
    adapter = catalogue().sheet("adapters/iris-hippi").values
    assert from_a_table(adapter["store_limit"].source)
    assert from_a_table(adapter["transmit_dma"].source)
    assert not from_a_table(adapter["checksum"].source)


@pytest.mark.parametrize("name", catalogue().names("host"))
def test_every_host_has_values_from_independent_sources(name):
    host = catalogue().sheet(name)
    parts = [
        host,
        *(catalogue().find(node.plain(), category, host.file.parent) for _, node, category in part_references(host)),
    ]
    independent = [
        value
        for part in parts
        for value in part.values.values()
        if value.basis in INDEPENDENT and not from_a_table(value.source)
    ]
    assert independent


def test_correlations_are_told_by_both_values():
    known = {value.name: value for value in FITTED}
    told = [value for value in FITTED if value.fit]
    assert told
    for value in told:
        for other, share in value.fit.correlation.items():
            assert known[other].fit.correlation[value.name] == share
