"""Refusal of programs that an engine cannot run."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from simio.errors import RunError
from simio.program.steps import Op, Program


def refuse_unknown(
    program: Program,
    engine: str,
    operations: Collection[int],
    functions: Collection[int],
    comparisons: Collection[int],
) -> None:
    """Raise RunError if a step has an operation, a function of LET or a comparison of BRANCH that an engine lacks."""
    steps, every = program.steps, np.arange(len(program.steps))
    for what, column, rows, known in (
        ("operation", 0, every, operations),
        ("function", 2, np.flatnonzero(steps[:, 0] == Op.LET), functions),
        ("comparison", 1, np.flatnonzero(steps[:, 0] == Op.BRANCH), comparisons),
    ):
        unknown = rows[~np.isin(steps[rows, column], list(known))]
        if len(unknown):
            raise RunError(f"step {unknown[0]}: the {engine} engine has no {what} {steps[unknown[0], column]}")
