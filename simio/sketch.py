"""Sketches: distributions of numbers in bounded memory, exact while these are few, then in bins."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

EXACT = 2**20
"""Numbers that are kept as they are."""
_BITS = 10
"""A bin is as wide as its numbers without their first 1 + `_BITS` bits."""
_EXACT_BELOW = 2 ** (_BITS + 1)


class Sketch:
    """Whole numbers from 0 on: their count, sum and extremes exactly, and their distribution.

    More than `EXACT` of them are counted in bins that are at most a 1024th of their numbers wide (the idea of
    G. Tene's HdrHistogram), so that a percentile is right to half of that.
    """

    def __init__(self, values: Iterable[int] | Ints = ()) -> None:
        self.count = self.total = 0
        self.least, self.most = 2**63 - 1, 0
        self._few: list[Ints] = []
        self._bins: Ints | None = None
        self.add(np.asarray(values if isinstance(values, np.ndarray) else list(values), dtype=np.int64))

    def add(self, values: Ints) -> None:
        """Count more numbers. Raises ValueError for one below 0."""
        if not len(values):
            return
        if int(values.min()) < 0:
            raise ValueError("a sketch is of numbers from 0 on")
        self.count += len(values)
        # Parts that cannot overflow.
        self.total += (int((values >> 32).sum()) << 32) + int((values & 0xFFFFFFFF).sum())
        self.least, self.most = min(self.least, int(values.min())), max(self.most, int(values.max()))
        if self._bins is not None:
            self._count(values)
            return
        self._few.append(values.copy())
        if self.count > EXACT:
            self._bins = np.zeros(_EXACT_BELOW + (63 - _BITS) * 2**_BITS, dtype=np.int64)
            for kept in self._few:
                self._count(kept)
            self._few.clear()

    @property
    def mean(self) -> float:
        """The mean. Raises ZeroDivisionError if there are no numbers."""
        return self.total / self.count

    def percentile(self, share: float) -> int:
        """The smallest number that at least `share` (0 to 1) of all do not exceed."""
        values, counts = self.steps()
        wanted = max(ceil(share * self.count), 1)
        return int(values[np.searchsorted(np.cumsum(counts), wanted)])

    def steps(self) -> tuple[Ints, Ints]:
        """Numbers in ascending order, and how often each is there; of a bin its middle."""
        if self._bins is None:
            values = np.concatenate([np.empty(0, dtype=np.int64), *self._few])
            found, counts = np.unique(values, return_counts=True)
            return found, counts.astype(np.int64)
        rows = np.flatnonzero(self._bins)
        above = np.maximum(rows - _EXACT_BELOW, 0)
        shift = np.where(rows < _EXACT_BELOW, 0, above // 2**_BITS + 1)
        first = np.where(rows < _EXACT_BELOW, rows, (above % 2**_BITS + 2**_BITS) << shift)
        middle = first + ((1 << shift) >> 1)
        return np.clip(middle, self.least, self.most), self._bins[rows]

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Sketch):
            return NotImplemented
        same = (self.count, self.total, self.least, self.most) == (other.count, other.total, other.least, other.most)
        return same and all(np.array_equal(*each) for each in zip(self.steps(), other.steps(), strict=True))

    __hash__ = None  # type: ignore[assignment]

    def _count(self, values: Ints) -> None:
        assert self._bins is not None
        _, exponents = np.frexp(values.astype(float))
        shift = np.maximum(exponents.astype(np.int64) - _BITS - 1, 0)
        # A number just below a power of two may have been rounded up to it.
        shift -= (values >> shift < 2**_BITS) & (shift > 0)
        rows = np.where(shift == 0, values, _EXACT_BELOW + (shift - 1) * 2**_BITS + (values >> shift) - 2**_BITS)
        self._bins += np.bincount(rows, minlength=len(self._bins))
