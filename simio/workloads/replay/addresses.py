"""Addresses of a trace on the devices that it is replayed on, which may be of another size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from simio.formats.traces.trace import Ints

Fit = Literal["exact", "wrap", "scale"]


@dataclass(frozen=True)
class Placement:
    """The target of one traced device's requests, by number, and the rule that makes addresses of the trace its own.

    All of it is in bytes. Addresses are multiples of `grain`, before and after. `extent` is what the trace's device
    has, `capacity` what the target has, and `shift` is added to each address.
    """

    target: int
    fit: Fit
    grain: int
    shift: int
    extent: int
    capacity: int

    def of(self, place: Ints, size: Ints) -> Ints:
        """The first bytes of requests on the target.

        wrap: modulo the capacity; scale: in proportion to it. A request that would cross the end moves before it.
        """
        if self.fit == "exact":
            return place + self.shift
        room = self.capacity // self.grain
        blocks = place // self.grain
        if self.fit == "wrap":
            blocks = (blocks + self.shift // self.grain) % room
        else:
            blocks = (_proportion(blocks, room, self.extent // self.grain) + self.shift // self.grain) % room
        return np.minimum(blocks, room - size // self.grain) * self.grain


def _proportion(values: Ints, numerator: int, denominator: int) -> Ints:
    """Values times a fraction, rounded down; a part at a time, so that nothing overflows."""
    whole, rest = np.divmod(values, denominator)
    if numerator < 2**31 and denominator < 2**31:
        return whole * numerator + rest * numerator // denominator
    parts = [value * numerator // denominator for value in rest.tolist()]
    return whole * numerator + np.array(parts, dtype=np.int64)
