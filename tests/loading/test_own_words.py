"""No message of a library reaches a user: every kind of error that models can raise is told in simio's words."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from pydantic import BaseModel
from pydantic_core.core_schema import ErrorType

from simio.description.model import Report, Run
from simio.description.sheets import CATEGORIES, sheet_kinds
from simio.loading.links import LinkKeys
from simio.loading.problems import ProblemList, keys_of
from simio.loading.yamltree import parse_yaml
from simio.workloads import workload_kinds

LIBRARY = re.compile(r"Input should|valid (number|integer|string|boolean|list)|pydantic|Extra inputs|Field required")
ODD = (
    "null", "true", "7", "-7", "0", "1.5", "x", "''", "[]", "[1, 2]", "[[]]", "{}", "{a: 1}",
    "{a: {b: c}}", "2024-01-01", "999999999999999", "'7'", "'KiB'", "0.01%", "20,5 m", "[{}]", "[x, 1, null]",
)  # fmt: skip
MODELS: dict[str, type[BaseModel]] = {
    **{f"{category} {kind}": sheet for category in CATEGORIES for kind, sheet in sheet_kinds(category).items()},
    **{f"workload {kind}": model for kind, model in workload_kinds().items()},
    "run": Run, "report": Report, "link": LinkKeys,
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_odd_values_are_refused_in_words_of_our_own(name: str) -> None:
    model = MODELS[name]
    for key in keys_of(model):
        for text in ODD:
            root = parse_yaml(f"{key}: {text}\n", "f.yaml")
            problems = ProblemList()
            problems.read(model, root, "here", root.place)
            for problem in problems:
                assert not LIBRARY.search(str(problem)), (key, text, str(problem))
                assert problem.found
                assert problem.expected or problem.hint


@pytest.mark.parametrize("kind", get_args(ErrorType))
def test_every_kind_of_error_is_told_in_words_of_our_own(kind: str) -> None:
    theirs = "Input should be what the library says"
    bounds = dict.fromkeys(("ge", "le", "gt", "lt", "max_length"), 1)
    context = {**bounds, "min_length": 4, "actual_length": 3, "expected": "'a'"}
    problems = ProblemList()
    root = parse_yaml("unit: 3\n", "f.yaml")
    detail = {"type": kind, "loc": ("unit",), "msg": theirs, "input": [1, 2, 3], "ctx": context}
    problems._model_problem(detail, Report, root, "report", root.place)
    (problem,) = problems
    assert not LIBRARY.search(str(problem))
    assert problem.expected or problem.hint
