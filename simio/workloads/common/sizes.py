"""Sizes of flows and objects: a formula, or a table of shares that are no larger than a size; and their classes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import log
from statistics import NormalDist
from typing import Annotated, Literal

from pydantic import Field, model_validator

from simio.description.mixtures import Mixture
from simio.description.quantities import Extent, Limit, Values, refusal
from simio.description.sheets.base import size_text
from simio.machines.tcp.layout import END_OF_FILE
from simio.program.builder import Builder, Register

Curve = tuple[tuple[float, float], ...]
"""Sizes in bytes, each with the share of flows that are no larger; both ascend, the share from 0 to 1."""
Quantile = Callable[[float], float]
"""The value that a share of a distribution is below."""

TABLES: Mapping[str, Curve] = {
    "web-search": (
        (0, 0), (10e3, 0.15), (20e3, 0.2), (30e3, 0.3), (50e3, 0.4), (80e3, 0.53), (200e3, 0.6), (1e6, 0.7),
        (2e6, 0.8), (5e6, 0.9), (10e6, 0.97), (30e6, 1),
    ),
    "data-mining": (
        (0, 0), (180, 0.1), (216, 0.2), (560, 0.3), (900, 0.4), (1100, 0.5), (1870, 0.6), (3160, 0.7), (10e3, 0.8),
        (400e3, 0.9), (3.16e6, 0.95), (100e6, 0.98), (1e9, 1),
    ),
}  # fmt: skip
"""Measured sizes of flows in data centres, as the TrafficGenerator of HKUST (W. Bai et al., NSDI 2015) gives them:
`conf/DCTCP_CDF.txt` (M. Alizadeh et al., SIGCOMM 2010, web search) and `conf/VL2_CDF.txt` (A. Greenberg et al.,
SIGCOMM 2009, data mining)."""
_NAMES = Literal["exponential", "lognormal", "pareto", "web-search", "data-mining"]
_KEYS: Mapping[str, tuple[str, ...]] = {
    "exponential": ("mean",),
    "lognormal": ("median", "p99"),
    "pareto": ("least", "most", "shape"),
}
"""Keys that each formula needs; a table needs none."""
_SHARES = 1 << 30
"""Sum of the weights of all sizes."""
_HALVINGS = 20
"""Times that the largest part is halved, so that large and rare sizes are separate."""
_PARTS = 32
"""Sizes that stand for a half, each the mean of its part."""
_POINTS = 8
"""Points of a part at which its mean is taken."""


class SizeDistribution(Values):
    """A distribution of sizes."""

    distribution: _NAMES = Field(description="formula, or a measured table of web search or data mining")
    mean: Limit = Field(None, description="mean of exponential sizes")
    median: Limit = Field(None, description="size that half of lognormal ones are below")
    p99: Limit = Field(None, description="size that 99 of 100 lognormal ones are below")
    least: Limit = Field(None, description="least of Pareto sizes")
    most: Limit = Field(None, description="largest of Pareto sizes")
    shape: Annotated[float, Field(gt=0, le=100)] | None = Field(
        None, description="exponent of Pareto sizes: 2 ** -shape as many are above twice a size"
    )

    @model_validator(mode="after")
    def _has_its_keys(self) -> SizeDistribution:
        needed = _KEYS.get(self.distribution, ())
        for key in sorted({key for keys in _KEYS.values() for key in keys}):
            given = getattr(self, key)
            if (given is not None) != (key in needed):
                found = "nothing" if given is None else f"{key}, with {self.distribution}"
                wanted = f"a value, with {self.distribution}" if given is None else "none"
                raise refusal(found, wanted, field=key)
        for low, high in (("median", "p99"), ("least", "most")):
            if low in needed and getattr(self, high) <= getattr(self, low):
                raise refusal(size_text(getattr(self, high)), f"more than {low}", field=high)
        return self

    @property
    def quantile(self) -> Quantile:
        """The size that a share of all is below."""
        if self.distribution == "exponential":
            return lambda share: -log(1 - share) * _given(self.mean)
        if self.distribution == "lognormal":
            return self._lognormal()
        if self.distribution == "pareto":
            return self._pareto()
        return _interpolated(TABLES[self.distribution])

    def _lognormal(self) -> Quantile:
        return lognormal(_given(self.median), _given(self.p99))

    def _pareto(self) -> Quantile:
        """The quantile function of the bounded Pareto distribution (M. Harchol-Balter, 2013, section 20.4)."""
        least, most, shape = _given(self.least), _given(self.most), self.shape or 1
        gone = (least / most) ** shape
        return lambda share: least * (1 - share * (1 - gone)) ** (-1 / shape)

    @property
    def weighted(self) -> list[tuple[int, int]]:
        """Sizes in bytes with weights, as `in_parts`."""
        return in_parts(self.quantile)


def lognormal(median: float, p99: float) -> Quantile:
    """The quantile function of the lognormal distribution of which half is below `median`, and 99% below `p99`."""
    normal = NormalDist()
    spread = (p99 / median) ** (1 / normal.inv_cdf(0.99))
    return lambda share: median * spread ** normal.inv_cdf(share)


def in_parts(quantile: Quantile) -> list[tuple[int, int]]:
    """Whole values above 0 with weights: each the mean of a part of a distribution, the more the larger they are."""
    found = []
    for low, high in _parts():
        width = (high - low) / _SHARES
        points = (low / _SHARES + width * (number + 0.5) / _POINTS for number in range(_POINTS))
        found.append((max(round(sum(map(quantile, points)) / _POINTS), 1), high - low))
    return found


def mean(weighted: list[tuple[int, int]]) -> int:
    """The mean of sizes with weights, in whole bytes."""
    return sum(size * weight for size, weight in weighted) // sum(weight for _, weight in weighted)


def _given(value: int | None) -> int:
    assert value is not None
    return value


def _parts() -> Iterator[tuple[int, int]]:
    """Parts of the shares from 0 to `_SHARES`: each half of the rest in equal ones, and the remainder."""
    left = _SHARES
    for _ in range(_HALVINGS):
        for number in range(_PARTS):
            low = _SHARES - left + left // 2 * number // _PARTS
            yield low, _SHARES - left + left // 2 * (number + 1) // _PARTS
        left -= left // 2
    yield _SHARES - left, _SHARES


def _interpolated(curve: Curve) -> Quantile:
    sizes, shares = zip(*curve, strict=True)

    def quantile(share: float) -> float:
        after = min(bisect_right(shares, share), len(curve) - 1)
        low, high = shares[after - 1], shares[after]
        return float(sizes[after - 1] + (sizes[after] - sizes[after - 1]) * (share - low) / (high - low))

    return quantile


Classes = Annotated[tuple[Extent, ...], Field(max_length=8)]
"""Largest sizes of all classes but the last."""


def check_one(given: Mapping[str, object], expected: str) -> None:
    """Refuse both of two keys, or neither, by the keys and their values."""
    one, other = given
    there = [key for key, value in given.items() if value is not None]
    if len(there) != 1:
        found = f"both {one} and {other}" if there else "nothing"
        raise refusal(found, expected, field=other if there else one)


def check_sizes(given: Mapping[str, object], classes: Sequence[int]) -> None:
    """Refuse two ways to give sizes, or none, by the two keys and their values; and classes that do not ascend."""
    check_one(given, "a size such as '64 KiB', or sizes such as {distribution: web-search}")
    if sorted(set(classes)) != list(classes):
        raise refusal("sizes that do not ascend", "sizes in ascending order", field="classes")


def weighted(size: int | Mixture | None, sizes: SizeDistribution | None) -> list[tuple[int, int]]:
    """Sizes in bytes with weights, of whichever of the two is given."""
    if sizes is not None:
        return sizes.weighted
    assert size is not None
    return list(size) if isinstance(size, tuple) else [(size, 1)]


class SizeClasses:
    """Classes of sizes that times are reported for: none of a single size."""

    def __init__(self, p: Builder, bounds: Sequence[int], sizes: Sequence[tuple[int, int]]) -> None:
        """`bounds` are the largest sizes of all classes but the last."""
        self.p = p
        self.classes: list[tuple[int, str]] = []
        if len(sizes) > 1 and bounds:
            texts = [size_text(bound) for bound in bounds]
            middle = (f"{low} to {high}" for low, high in pairwise(texts))
            names = [f"up to {texts[0]}", *middle, f"above {texts[-1]}"]
            self.classes = list(zip([*bounds, END_OF_FILE], names, strict=True))

    def of(self, size: Register) -> Iterator[str]:
        """Run a for loop's body for each class, in the case that a size is in it; gives the name of the class."""
        p, least = self.p, 0
        for bound, name in self.classes:
            with p.when(size > least), p.when(size <= bound):
                yield name
            least = bound
