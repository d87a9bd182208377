"""The error that is left when all values are right: learnt from rows that were predicted before anyone had seen them.

What is fitted and left out within a table says little of what is predicted beside it. So only blind predictions
count, which `validation/evidence.json` lists with the spread that uncertain values give each (docs/calibration.md).
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simio.loading.catalogue import data_root

Vector = NDArray[np.float64]

FREEDOM = 4
"""Degrees of freedom of Student's t: tails heavy enough that one row that is missed by far does not decide the scale
(Lange, Little and Taylor, J. Am. Stat. Assoc. 84, 1989)."""
FULL = 0.98
"""Share of a certain bound from which a row is evidence of how near such bounds are reached."""
FEW = 5
"""Rows below which nothing is learnt."""
WITHIN = (-5.0, 0.0)
"""The logarithms between which a scale lies."""
GRID = 21
"""Points of a grid of scales on either axis."""
CLOSER = 0.2
"""The reach of a grid over that of the one before: two of its steps."""
ZOOMS = 9
"""Grids, of which the last has steps of a millionth."""
_LOG_HEIGHT = math.lgamma((FREEDOM + 1) / 2) - math.lgamma(FREEDOM / 2) - math.log(FREEDOM * math.pi) / 2
"""The logarithm of the density of t at 0."""


@dataclass(frozen=True)
class Evidence:
    """A measured row beside its prediction: `error` is log(measured / predicted).

    `spread` is the standard deviation that uncertain values give the logarithm of the prediction; `certain` the share
    of a bound that is certain at which it runs, 0 where no such bound is known.
    """

    document: str
    row: str
    blind: bool
    error: float
    spread: float
    certain: float

    @property
    def table(self) -> str:
        """The table of the row, study/table."""
        return self.row.partition(": ")[0]


@dataclass(frozen=True)
class ModelError:
    """Scales of log(measured / predicted) below and above the answer: two halves of Student's t.

    `wire` is the scale where a run is as fast as a bound that is certain; `rows` of `documents` it is learnt from.
    """

    low: float
    high: float
    wire: float
    rows: int
    documents: int

    @property
    def deviation(self) -> float:
        """The scale of both sides together."""
        return math.sqrt((self.low**2 + self.high**2) / 2)

    def scale(self, certain: float) -> tuple[float, float]:
        """The scales for a run at this share of a certain bound: only what is not certain can be wrong."""
        free = 1.0 - min(max(certain, 0.0), 1.0)
        low, high = (free * side + (1.0 - free) * min(self.wire, side) for side in (self.low, self.high))
        return low, high

    def draws(self, number: int, certain: float, random: np.random.Generator) -> Vector:
        """Random errors of the logarithm of an answer; `certain` as in `scale`."""
        low, high = self.scale(certain)
        sizes = np.abs(random.standard_t(FREEDOM, number))
        below = random.random(number) < low / (low + high)
        found: Vector = np.where(below, -low * sizes, high * sizes)
        return found

    @property
    def told(self) -> str:
        """The origin, in words."""
        return f"{self.rows} rows of {self.documents} documents that were predicted blind"


def evidence_file() -> Path:
    """The file of all evidence."""
    return Path(data_root("simio.validation")) / "evidence.json"


@cache
def all_evidence() -> tuple[Evidence, ...]:
    """Every row of the file, none where there is no file."""
    file = evidence_file()
    return tuple(Evidence(**row) for row in json.loads(file.read_text())) if file.is_file() else ()


def learnt(without: str = "", evidence: Sequence[Evidence] | None = None) -> ModelError | None:
    """The model error from all evidence but that of a document; None where too little is left.

    Maximum likelihood of e = t(4) with a scale of sqrt(s^2 + spread^2), where s is one of two, by the sign of e. The
    scale at a certain bound is the root mean square of what rows at one have shown, in view or not.
    """
    known = all_evidence() if evidence is None else evidence
    rows = [row for row in known if row.blind and row.document != without]
    if len(rows) < FEW:
        return None
    at_bound = [row.error for row in known if row.certain >= FULL and row.document != without]
    wire = math.sqrt(sum(error**2 for error in at_bound) / len(at_bound)) if at_bound else math.inf
    free = [row for row in rows if row.certain < FULL] or rows
    low, high = _fitted(free)
    return ModelError(low, high, wire, len(rows), len({row.document for row in rows}))


def _fitted(rows: Sequence[Evidence]) -> tuple[float, float]:
    """The scales below and above, the most likely of a grid of logarithms that is laid ever finer about the best."""
    errors = np.array([row.error for row in rows])
    spreads = np.array([row.spread for row in rows])
    free = 1.0 - np.array([row.certain for row in rows])

    def scales(logs: Vector) -> Vector:
        found: Vector = np.sqrt((free * np.exp(logs)[:, None]) ** 2 + spreads**2)
        return found

    centre, reach = np.full(2, np.mean(WITHIN)), (WITHIN[1] - WITHIN[0]) / 2
    for _ in range(ZOOMS):
        lows, highs = (np.clip(each + reach * np.linspace(-1.0, 1.0, GRID), *WITHIN) for each in centre)
        low, high = scales(lows)[:, None, :], scales(highs)[None, :, :]
        likely = np.sum(_log_density(errors, low, high), axis=2)
        best = np.unravel_index(np.argmax(likely), likely.shape)
        centre = np.array([lows[best[0]], highs[best[1]]])
        reach *= CLOSER
    below, above = map(float, np.exp(centre))
    return below, above


def _log_density(errors: Vector, low: Vector, high: Vector) -> Vector:
    """The logarithm of the density of errors: two halves of t, of these scales, that have the same height at 0."""
    own = np.where(errors < 0, low, high)
    tails = (FREEDOM + 1) / 2 * np.log1p((errors / own) ** 2 / FREEDOM)
    found: Vector = _LOG_HEIGHT + np.log(2 / (low + high)) - tails
    return found


def likelihood(row: Evidence, error: ModelError) -> float:
    """The logarithm of the probability density of a row."""
    low, high = (math.hypot(side, row.spread) for side in error.scale(row.certain))
    return float(_log_density(np.array(row.error), np.array(low), np.array(high)))
