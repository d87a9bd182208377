"""What a fit leaves beside each value that it determined."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from simio.loading.problems import ProblemList, join, node_text
from simio.loading.yamltree import Node

_KEYS = ("rows", "values", "residual", "studies", "correlation")
_PERCENTAGE = re.compile(r"(\d+(?:\.\d+)?) ?%")


@dataclass(frozen=True)
class FitRecord:
    """How a value was fitted: to so many `rows`, with so many `values` in all.

    `studies` are those whose rows these are, where they are others than the value's `source` names.  `residual`
    is the standard deviation of log(simulated / measured) that was left. `correlation` holds those of the logarithm
    of this value with others of the same fit, named `adapters/iris-hippi.receive_cost`.
    """

    rows: int
    values: int
    residual: float
    correlation: Mapping[str, float] = field(default_factory=dict)
    studies: tuple[str, ...] = ()


def read_fit(node: Node, path: str, problems: ProblemList) -> FitRecord | None:
    """The record in `node`; what is wrong with it is noted as a problem."""
    before = problems.noted
    entry = problems.mapping(node, path, f"a mapping with {', '.join(_KEYS[:3])}")
    problems.unknown_keys(node, _KEYS, path)
    for key in _KEYS[:3]:
        if entry and key not in entry:
            problems.add(join(path, key), "nothing", "a value", "this key is required", node.place)
    counts = {key: entry[key] for key in ("rows", "values") if key in entry}
    for key, item in counts.items():
        if isinstance(item.value, bool) or not isinstance(item.value, int) or item.value < 1:
            problems.add(join(path, key), node_text(item), "a whole number above zero", place=item.place)
    residual = _PERCENTAGE.fullmatch(str(entry["residual"].value)) if "residual" in entry else None
    if "residual" in entry and residual is None:
        place = entry["residual"].place
        problems.add(join(path, "residual"), node_text(entry["residual"]), "a percentage such as 4.1 %", place=place)
    told = problems.mapping(entry["correlation"], join(path, "correlation")) if "correlation" in entry else {}
    for name, item in told.items():
        if isinstance(item.value, bool) or not isinstance(item.value, int | float) or abs(item.value) > 1:
            problems.add(
                join(path, f"correlation.{name}"), node_text(item), "a number from -1 to 1", place=item.place
            )
    named = entry["studies"].elements if "studies" in entry else []
    studies = [problems.text(item, join(path, f"studies[{n}]"), "study/table") for n, item in enumerate(named)]
    if problems.noted > before or residual is None:
        return None
    numbers = {name: float(str(item.value)) for name, item in told.items()}
    rows, values = (int(str(counts[key].value)) for key in ("rows", "values"))
    return FitRecord(rows, values, float(residual[1]) / 100, numbers, tuple(filter(None, studies)))
