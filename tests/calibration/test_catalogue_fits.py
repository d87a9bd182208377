"""How much of the catalogue is fitted, and to how much."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.calibration.usage import used_parts
from simio.calibration.values import fitted_values
from simio.loading import load
from simio.loading.catalogue import catalogue, part_references
from simio.studies.rows import Library, rows

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


def test_fitted_values_are_at_most_a_quarter_of_the_measured_rows(measured):
    assert 10 < len(FITTED) <= len(measured) / 4


@pytest.mark.parametrize("value", FITTED, ids=lambda value: value.name)
def test_no_fitted_value_serves_a_single_row(value, used):
    assert sum(value.part in parts for parts in used) > 1


@pytest.mark.parametrize("value", FITTED, ids=lambda value: value.name)
def test_every_fitted_value_names_a_table_that_there_is(value):
    assert value.studies
    assert all((LIBRARY.tables / f"{study}.yaml").is_file() for study in value.studies)


@pytest.mark.parametrize("name", catalogue().names("host"))
def test_every_host_has_values_from_independent_sources(name):
    host = catalogue().sheet(name)
    parts = [
        host,
        *(catalogue().find(node.plain(), cls, host.file.parent) for _, node, cls in part_references(host)),
    ]
    tables = {Path(table).name for table in LIBRARY.names}
    independent = [
        value
        for part in parts
        for value in part.values.values()
        if value.basis in INDEPENDENT and not any(table in value.source for table in tables if "-" in table)
    ]
    assert independent


def test_correlations_are_told_by_both_values():
    known = {value.name: value for value in FITTED}
    told = [value for value in FITTED if value.fit]
    assert told
    for value in told:
        for other, share in value.fit.correlation.items():
            assert known[other].fit.correlation[value.name] == share
