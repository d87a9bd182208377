"""Measured tables of a scenario: reading them, and the case that each row belongs to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from os.path import isfile
from pathlib import Path

from simio.description.measured import CLIENT, SERVER, MeasuredRow, PooledRow
from simio.errors import ScenarioError, quote
from simio.loading.catalogue import OWN, is_near
from simio.loading.context import Context
from simio.loading.problems import join, one_of, place_of
from simio.loading.tables import Table, TableRow, own_name, read_table, table_names
from simio.loading.trees import Trees
from simio.loading.vary import described
from simio.loading.yamltree import Node, value_text
from simio.wording import counted

TOLD = 3
"""Rows of a table without a case that are told one by one."""


def read_tables(ctx: Context, node: Node | None, root: Path, scenario: str) -> list[Table]:
    """The tables that `measured` names, with the rows for `scenario`; `root` is the folder of the studies."""
    tables = []
    for index, item in enumerate([] if node is None else node.elements if node.kind == "list" else [node]):
        path = "measured" if node is item else join("measured", index)
        name = ctx.problems.text(item, path, "the name of a table, as study/table")
        if name is None:
            continue
        own = name.startswith(OWN)
        file = ctx.folder / name if own else root / f"{name}.yaml"
        if not own and name not in table_names(root):
            ctx.problems.unknown(path, name, table_names(root), item.place, "table")
            continue
        if not isfile(file):
            found = f"{quote(name)}, which is not a file"
            ctx.problems.add(path, found, "a table as study/table, or a file", place=item.place)
            continue
        try:
            table = read_table(file, own_name(file) if own else name)
        except ScenarioError as error:
            if not own or is_near(file, ctx.folder, root):
                ctx.problems.extend(error.problems)
            else:
                ctx.problems.add(path, f"{quote(name)}, which is no table", "a measured table", place=item.place)
            continue
        rows = tuple(row for row in table.rows if row.scenario in ("", scenario))
        if table.rows and not rows:
            others = ", ".join(dict.fromkeys(row.scenario for row in table.rows))
            found = f"{quote(name)}, whose rows are for {others}"
            ctx.problems.add(path, found, f"a table with rows for {quote(scenario)}", place=item.place)
        tables.append(Table(replace(table.table, rows=len(rows)), rows))
    return tables


def assign_rows(
    ctx: Context,
    tables: Sequence[Table],
    trees: Trees,
    strict: bool,
) -> tuple[list[tuple[MeasuredRow, ...]], tuple[PooledRow, ...]]:
    """The measured rows of each case, and those over several cases.

    A row belongs to the one case whose tree has the row's values, or, if it sums up several, to all that have them.
    With `strict` a row without its cases is a problem; with settings of the command line rows may have none.
    """
    single: list[list[MeasuredRow]] = [[] for _ in range(len(trees))]
    pooled: list[PooledRow] = []
    places: dict[str, dict[object, set[int]]] = {}
    lost: Counter[str] = Counter()
    for row in (row for table in tables for row in table.rows):
        cases: set[int] | None = None
        for key, wanted in row.meanings.items():
            if key not in places:
                places[key] = _places(trees.meanings(key))
            own = places[key].get(wanted, _NOWHERE)
            cases = own if cases is None else cases & own
            if not cases and not strict:
                break
        if cases is None:
            cases = set(range(len(trees)))
        if row.row.over and len(cases) > (1 if strict else 0):
            settings = {key: value_text(node) for key, node in row.where.items()}
            pooled.append(PooledRow(_of_a_host(ctx, row, trees[min(cases)]), tuple(sorted(cases)), settings))
        elif len(cases) == 1 and not row.row.over:
            (case,) = cases
            single[case].append(_of_a_host(ctx, row, trees[case]))
        elif strict:
            lost[row.node.place.file] += 1
            if lost[row.node.place.file] <= TOLD:
                _unassigned(ctx, row, places, trees.cases.texts, len(cases))
    place = place_of(trees.root, "measured")
    for file, number in lost.items():
        if number > TOLD:
            found = f"{counted(number - TOLD, 'other row')} of {file} that no case has by itself"
            ctx.problems.add(
                "measured", found, "a case for each row", "leave out 'measured' to run other cases", place
            )
    return [tuple(rows) for rows in single], tuple(pooled)


def _of_a_host(ctx: Context, row: TableRow, tree: Node) -> MeasuredRow:
    """The row with the host that it is of, if it is of one; a single host need not be named."""
    if row.row.quantity not in ("cpu", "programs"):
        return row.row
    hosts = list(tree.at(("hosts",)).entries)
    if row.row.of in (CLIENT, SERVER) and row.row.of not in hosts:
        ends = {end for end in _ends(tree, row.row.of) if end in hosts}
        if len(ends) == 1:
            return replace(row.row, of=ends.pop())
    if not row.row.of:
        if len(hosts) == 1:
            return replace(row.row, of=hosts[0])
        expected = f"the host whose CPUs these are: {one_of(hosts)}"
        ctx.problems.add(f"{row.path}.of", "nothing", expected, place=row.node.place)
    elif row.row.of not in hosts:
        ctx.problems.unknown(f"{row.path}.of", row.row.of, hosts, row.node.at(("of",)).place, "host")
    return row.row


def _ends(tree: Node, which: str) -> Iterator[str]:
    """The hosts that the workloads of a case are from, or go to."""
    for workload in tree.at(("workload",)).entries.values():
        end = workload.entries.get("from" if which == CLIENT else "to")
        if end is not None:
            yield str(end.value)


_NOWHERE: set[int] = set()


def _places(values: Sequence[object]) -> dict[object, set[int]]:
    """The cases by value."""
    cases: dict[object, set[int]] = {}
    for case, value in enumerate(values):
        cases.setdefault(value, set()).add(case)
    return cases


def _unassigned(
    ctx: Context,
    row: TableRow,
    values: dict[str, dict[object, set[int]]],
    settings: Sequence[dict[str, str]],
    number: int,
) -> None:
    path = f"{row.path}.where"
    where = row.node.entries.get("where", row.node)
    varied = list(dict.fromkeys(key for case in settings for key in case))
    unknown = [key for key in row.where if values[key].keys() == {None}]
    if unknown:
        for key in unknown:
            place = place_of(where, key)
            ctx.problems.unknown(join(path, key), key, varied, place, "key, which the scenario does not vary or give")
        return
    settings_text = described({key: value_text(node) for key, node in row.where.items()})
    if number and row.row.over:
        hint = f"leave out 'over: {row.row.over}' for a row of one case"
        ctx.problems.add(
            path, f"{settings_text}, which one case has", "the settings of several cases", hint, where.place
        )
        return
    if number:
        found = f"{settings_text}, which {number} cases have"
        missing = [key for key in varied if key not in row.where]
        hint = f"give {', '.join(missing)} too" if missing else ""
        ctx.problems.add(path, found, "the settings of one case", hint, where.place)
        return
    apart = [key for key, wanted in row.meanings.items() if wanted not in values[key]]
    hint = ""
    if apart:
        known = list(dict.fromkeys(case[apart[0]] for case in settings if apart[0] in case))
        hint = f"{apart[0]} varies over {', '.join(known)}" if known else f"no case has this {apart[0]}"
    ctx.problems.add(path, f"{settings_text}, which no case has", "the settings of one case", hint, where.place)
