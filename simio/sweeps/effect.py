"""Keys without effect: those that may change while the result stays the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simio.sweeps.rows import SweepRow, row_of
from simio.sweeps.space import Settings
from simio.sweeps.sweep import Plan, Workers
from simio.sweeps.values import Axis

PROBES = 5
"""Values of an axis that are tried where no rows decide."""


def without_effect(plan: Plan, rows: Mapping[int, SweepRow], workers: Workers) -> list[str]:
    """The keys of the plan that had no effect on the result.

    In a grid the rows decide: those that differ in one axis only are all alike. A sample has no such rows, so some
    values of each axis, the lowest and the highest among them, are tried in one configuration.
    """
    axes = [axis for axis in plan.space.axes if axis.interval or len(axis.points) > 1]
    if plan.space.sample:
        return _tried(plan, rows, axes, workers)
    alike = [axis.name for axis in axes if _alike(rows, set(axis.keys))]
    own = [key for key in plan.keys if key not in plan.configurations[0]]
    varied = [key for key in own if len({case[key] for _, case in plan.cases if key in case}) > 1]
    return alike + [key for key in varied if _alike(rows, {key})]


def _alike(rows: Mapping[int, SweepRow], keys: set[str]) -> bool:
    """True if rows that differ in these keys only are alike, and there are such rows."""
    groups: dict[tuple[tuple[str, str], ...], list[SweepRow]] = {}
    for row in rows.values():
        others = tuple((key, value) for key, value in row.settings.items() if key not in keys)
        groups.setdefault(others, []).append(row)
    compared = False
    for group in groups.values():
        compared = compared or len(group) > 1
        if any(_result(row) != _result(group[0]) for row in group[1:]):
            return False
    return compared


def _result(row: SweepRow) -> Any:
    return (row.outcome.measures, row.outcome.limit) if row.outcome else row.error


def _tried(plan: Plan, rows: Mapping[int, SweepRow], axes: list[Axis], workers: Workers) -> list[str]:
    """Axes whose values give the same, where all else is as in the first row that ran."""
    base = next((row for number, row in sorted(rows.items()) if row.outcome), None)
    if base is None:
        return []
    which, case = divmod(base.number - 1, len(plan.cases))
    settings, index = plan.configurations[which], plan.cases[case][0]
    tried: list[tuple[str, Settings]] = []
    for axis in axes:
        for point in _probes(axis):
            tried.append((axis.name, {**settings, **dict(zip(axis.keys, point, strict=True))}))
    outcomes = dict(workers.run([plan.task_of(one, index) for _, one in tried]))
    changed = set()
    for number, (name, one) in enumerate(tried):
        if _result(row_of(0, one, outcomes[number])) != _result(base):
            changed.add(name)
    return [axis.name for axis in axes if axis.name not in changed]


def _probes(axis: Axis) -> list[tuple[str, ...]]:
    last = PROBES - 1
    if axis.interval:
        return [(axis.interval.at(index / last),) for index in range(PROBES)]
    return [axis.points[index] for index in sorted({n * (len(axis.points) - 1) // last for n in range(PROBES)})]
