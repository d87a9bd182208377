"""A result with one observation, as searches and conditions look at it."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

from simio.result.model import Limiter, LoadUse
from simio.result.recorded import Observation

MS = 10**9


def result(time: float, width: float = 0.0, grows: float = 0.0, count: int = 200) -> SimpleNamespace:
    seen = Observation("reads: block", "ps", count, time, 0, int(time), 0, int(time), 0, (width, width, 0.0, width))
    return SimpleNamespace(
        observations=(seen,), loads=(LoadUse("reads", 10, 10 - grows, grows),), resources=(), streams=(), tallies=(),
        rate=Fraction(10), half_width=None, seeds=(1, 2), limiter=Limiter("none", "d", 0.5, "d is busy"), notes=(),
    )  # fmt: skip
