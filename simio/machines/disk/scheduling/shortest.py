"""The shortest positioning time first: seek, settling and rotation together.

SPTF, also SATF; M. Seltzer, P. Chen and J. Ousterhout, "Disk scheduling revisited", USENIX Winter 1990;
D. M. Jacobson and J. Wilkes, HP Laboratories HPL-CSP-91-7, 1991.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.disk.geometry import aligned, track_of, travel
from simio.machines.disk.scheduling.interface import SCHEDULING, Scheduling
from simio.machines.shared import shared

if TYPE_CHECKING:
    from numpy.typing import NDArray


@shared
def cost(state: NDArray, base: int, now: int, here: int, sector: int, writes: bool) -> int:
    """Time in ps until the sector is under its head."""
    there = track_of(state, base, sector)
    return aligned(state, base, now + travel(state, base, here, there, writes), sector) - now


SCHEDULING.add(Scheduling("shortest", [cost]))
