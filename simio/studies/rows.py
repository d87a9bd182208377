"""The measured rows of studies, each with the scenario and the cases that predict it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from os.path import isfile
from pathlib import Path

from simio.description.measured import MeasuredRow, MeasuredTable
from simio.description.model import Scenario
from simio.errors import SimioError, did_you_mean, quote
from simio.loading import load
from simio.loading.catalogue import Catalogue, data_root
from simio.loading.tables import read_table, table_names

_NAMED = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True)
class Row:
    """A measured row: the scenario that predicts it, the indices of the cases it needs, and their settings.

    `cases` are several for a row that sums them up (a mean over a grid), else one. `settings` are key paths and
    values as written: those of the case, or those that the cases share.
    """

    scenario: str
    cases: tuple[int, ...]
    settings: tuple[tuple[str, str], ...]
    of: MeasuredRow

    @property
    def study(self) -> str:
        """The document: the folder of the table."""
        return self.of.study

    @property
    def table(self) -> str:
        """The table as study/table."""
        return f"{self.of.study}/{self.of.table}"

    @property
    def case(self) -> int:
        """Index of the only case, or of the first."""
        return self.cases[0]

    @property
    def quantity(self) -> str:
        """One of `simio.description.measured.QUANTITIES`."""
        return self.of.quantity

    @property
    def measured(self) -> Fraction | None:
        """The measured value, in `unit`; the least of a range (`of.upper` is its largest); None if it is held."""
        return self.of.value

    @property
    def unit(self) -> str:
        """The unit of `measured` and of what is simulated."""
        return self.of.unit

    @property
    def note(self) -> str:
        """A remark on the row, if there is one."""
        return self.of.note

    @property
    def name(self) -> str:
        """The row's key within its table: scenario, settings, and the measured quantity."""
        told = ", ".join(f"{key} = {value}" for key, value in self.settings)
        return ": ".join(part for part in (self.scenario, told, self.of.label) if part)


@dataclass(frozen=True)
class Library:
    """Folders of measured tables (study/table.yaml) and of scenarios; by default those that simio comes with.

    `own` are tables of the user's own by name, `./table`, with their scenarios beside them. Tables and scenarios are
    read when they are first asked for, and kept.
    """

    tables: Path = field(default_factory=lambda: data_root("simio.validation"))
    scenarios: Path = field(default_factory=lambda: data_root("simio.scenarios"))
    own: Mapping[str, Path] = field(default_factory=dict)
    _tables: dict[str, MeasuredTable] = field(default_factory=dict, init=False, repr=False, compare=False)
    _scenarios: dict[str, Scenario] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def names(self) -> list[str]:
        """The names of all tables, study/table, and of the user's own."""
        return [*self.own, *table_names(self.tables)]

    def chosen(self, studies: Sequence[str]) -> list[str]:
        """The tables of the studies (sgi-hippi) and of single names (sgi-hippi/table-1); all if none is given.

        Raises SimioError with all names that there are not.
        """
        wanted, unknown = set(), []
        for name in studies:
            found = [table for table in self.names if table == name or table.partition("/")[0] == name]
            wanted.update(found)
            if not found:
                unknown.append(name)
        if unknown:
            known = [*dict.fromkeys(table.partition("/")[0] for table in self.names), *self.names]
            raise SimioError("\n".join(_unknown(name, known) for name in unknown))
        return [table for table in self.names if table in wanted or not studies]

    def table(self, name: str) -> MeasuredTable:
        """The heading of a table. Raises ScenarioError if it is faulty."""
        if name not in self._tables:
            self._tables[name] = read_table(self.own.get(name, self.tables / f"{name}.yaml"), name).table
        return self._tables[name]

    def path(self, name: str) -> str:
        """The file of the scenario of this name. Raises SimioError if there is none."""
        beside = (table.parent / f"{name}.yaml" for table in self.own.values())
        path = next(filter(isfile, beside), self.scenarios / f"{name}.yaml")
        if not isfile(path):
            raise SimioError(f"no scenario {quote(name)} in {self.scenarios}")
        return str(path)

    def scenario(self, name: str, parts: Catalogue | None = None) -> Scenario:
        """The scenario of this name, with the parts of another catalogue if one is given."""
        if parts is not None:
            return load(self.path(name), parts=parts, tables=self.tables)
        if name not in self._scenarios:
            self._scenarios[name] = load(self.path(name), tables=self.tables)
        return self._scenarios[name]


def named_in(source: str) -> list[str]:
    """Names in the form of a table, study/table, in the source of a value; there need not be such tables."""
    return _NAMED.findall(source)


def _unknown(name: str, known: list[str]) -> str:
    studies = [each for each in known if "/" not in each]
    near = did_you_mean(name, known) or f"there are {', '.join(studies)}"
    return f"no study {quote(name)}; {near}"


def rows(studies: Sequence[str] = (), library: Library | None = None) -> list[Row]:
    """Every row of the studies, or of all: in order of tables, then as the scenarios have them.

    Raises SimioError for a study that there is not, for a row that no scenario predicts, and for one twice.
    """
    library = library or Library()
    found: list[Row] = []
    for name in library.chosen(studies):
        table = library.table(name)
        own = []
        for scenario in table.scenarios:
            own += [row for row in _rows_of(scenario, library.scenario(scenario)) if row.table == name]
        _check_whole(table, own)
        found += own
    return found


def _rows_of(name: str, scenario: Scenario) -> Iterator[Row]:
    for case in scenario.cases:
        for row in case.measured:
            yield Row(name, (case.index,), tuple(case.settings.items()), row)
    for pooled in scenario.pooled:
        yield Row(name, pooled.cases, tuple(pooled.settings.items()), pooled.row)


def _check_whole(table: MeasuredTable, found: Sequence[Row]) -> None:
    """A row of a table that no scenario takes, or that two of a scenario's cases claim, is reported."""
    twice = [name for name, times in Counter(row.name for row in found).items() if times > 1]
    if twice:
        raise SimioError(f"{table.name}: more than one row for {'; '.join(sorted(twice))}")
    if len(found) < table.rows:
        told = ", ".join(table.scenarios) or "none"
        raise SimioError(
            f"{table.name}: {table.rows - len(found)} of {table.rows} rows are in no scenario; it names {told}, "
            f"which must list '{table.name}{'.yaml' * table.name.startswith('./')}' under 'measured'"
        )
