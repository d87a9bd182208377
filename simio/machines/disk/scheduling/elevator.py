"""The elevator: on in the direction of the arm to the nearest cylinder, back where there is none ahead.

LOOK; A. G. Merten, "Some quantitative techniques for file organization", 1970.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.disk import layout as w
from simio.machines.disk.geometry import track_of
from simio.machines.disk.scheduling.interface import SCHEDULING, Scheduling
from simio.machines.shared import shared

if TYPE_CHECKING:
    from numpy.typing import NDArray

BEHIND = 2**40
"""More cylinders than any disk has: what lies behind comes after all that lies ahead."""


@shared
def cost(state: NDArray, base: int, known_at: int, here: int, sector: int, writes: bool) -> int:
    """Cylinders ahead, or BEHIND and cylinders back."""
    heads = state[base + w.HEADS]
    ahead = (track_of(state, base, sector) // heads - here // heads) * state[base + w.DIRECTION]
    return ahead if ahead >= 0 else BEHIND - ahead


SCHEDULING.add(Scheduling("elevator", [cost]))
