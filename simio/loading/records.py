"""Records of blind predictions: predictions of rows that nobody who built the model had seen.

A record never changes, so it is no table of measured rows: it keeps the predictions of one commit. What has been
released since is in the tables.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from simio.description.quantities import refusal
from simio.loading.catalogue import display
from simio.loading.problems import ProblemList
from simio.loading.yamltree import parse_yaml
from simio.reading import read_file

Number = Annotated[float, Field(allow_inf_nan=False)]


class Kept(BaseModel):
    """The prediction of one row of a table, in `unit`, with its interval; a row without one is not counted.

    `row` is the name under which the row was kept back, `case` its name within the table. `measured` is what was
    measured, or the ends of what was; nothing while it is withheld.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    table: str
    case: str
    unit: str
    predicted: Number
    interval: tuple[Number, Number] | None = None
    row: str = ""
    measured: Number | tuple[Number, Number] | None = None
    note: str = ""

    @model_validator(mode="after")
    def _in_order(self) -> Kept:
        for key in ("interval", "measured"):
            ends = getattr(self, key)
            if isinstance(ends, tuple) and ends[0] > ends[1]:
                raise refusal(f"{ends[0]:g} before {ends[1]:g}", "the smaller end first", field=key)
        return self


class Record(BaseModel):
    """The predictions of one blind test: at which `commit`, when, and the probability of the intervals."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    date: str
    commit: str
    level: str
    rows: tuple[Kept, ...] = Field(min_length=1)


def read_record(path: Path) -> Record:
    """The record in a file. Raises ScenarioError with all that is wrong with it."""
    root = parse_yaml(read_file(path), display(path))
    problems = ProblemList()
    record = problems.read(Record, root, "", root.place)
    problems.raise_any()
    assert record is not None
    return record
