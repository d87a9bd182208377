"""Configurations: every combination of the axes, or a sample of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from simio.errors import SimioError
from simio.sweeps.values import Axis

MOST_CONFIGURATIONS = 100_000
Settings = dict[str, str]
"""A value as text for each key."""


@dataclass(frozen=True)
class Space:
    """Axes to combine. With `sample`, this many random points in place of all: a Latin hypercube with `lhs`."""

    axes: tuple[Axis, ...]
    sample: int | None = None
    lhs: bool = True
    seed: int = 0

    def configurations(self) -> list[Settings]:
        """The settings of each configuration; in a grid, the last key changes fastest.

        The same space gives the same configurations, sampled ones too. Raises SimioError for too many.
        """
        keys = [key for axis in self.axes for key in axis.keys]
        for key in keys:
            if keys.count(key) > 1:
                raise SimioError(f"found values for {key} twice; expected each key once")
        if self.sample and not keys:
            raise SimioError("--sample: found no values to take samples of; expected --set KEY=VALUES")
        number = self.sample or prod(len(axis.points) for axis in self.axes)
        if number > MOST_CONFIGURATIONS:
            raise SimioError(f"found {number} configurations; expected at most {MOST_CONFIGURATIONS}")
        if self.sample:
            columns = [self._drawn(index) for index in range(len(self.axes))]
            return [_joined(self.axes, row) for row in zip(*columns, strict=True)]
        found: list[Settings] = [{}]
        for axis in self.axes:
            more = [dict(zip(axis.keys, point, strict=True)) for point in axis.points]
            found = [{**one, **other} for one in found for other in more]
        return found

    def _drawn(self, index: int) -> list[tuple[str, ...]]:
        """The values of one axis in each configuration of the sample."""
        assert self.sample is not None
        # Each axis draws from numbers of its own, so that one more axis leaves the others as they were.
        source = random.Random(f"{self.seed} {self.axes[index].name}")
        shares = [source.random() for _ in range(self.sample)]
        if self.lhs:
            # One point in each of as many equal slices, in random order.
            order = sorted((source.random(), slice_) for slice_ in range(self.sample))
            shares = [(slice_ + share) / self.sample for (_, slice_), share in zip(order, shares, strict=True)]
        axis = self.axes[index]
        if axis.interval:
            return [(axis.interval.at(share),) for share in shares]
        return [axis.points[int(share * len(axis.points))] for share in shares]


def _joined(axes: Sequence[Axis], row: Sequence[tuple[str, ...]]) -> Settings:
    return {
        key: value for axis, point in zip(axes, row, strict=True) for key, value in zip(axis.keys, point, strict=True)
    }
