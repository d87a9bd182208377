"""The shortest positioning time first: seek, settling and rotation together.

SPTF, also SATF; M. Seltzer, P. Chen and J. Ousterhout, "Disk scheduling revisited", USENIX Winter 1990;
D. M. Jacobson and J. Wilkes, HP Laboratories HPL-CSP-91-7, 1991.

A drive knows the angle from marks that pass under its head (servo sectors; US patent 8,223,449), and between two
marks knows no more. Here the marks are the ends of the data sectors on the arm's track: times are compared as if the
arm left just behind the last of them, and a sector that is only just reached in that estimate may be missed, for a
revolution. DiskSim 4.0 takes the same angle (`disk_buffer_estimate_servtime` in src/disksim_diskctlr.c), but lets the
sector that has begun at the mark count as one that can still be reached.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.disk.geometry import aligned, last_sector_end, track_of, travel
from simio.machines.disk.scheduling.interface import SCHEDULING, Scheduling
from simio.machines.shared import shared

if TYPE_CHECKING:
    from numpy.typing import NDArray


@shared
def angle_known_at(state: NDArray, base: int, now: int, here: int) -> int:
    """Instant in ps at which a sector of the arm's track last ended under its head.

    It is 1 ps later where that is past: the sector that began there has begun to pass, and cannot be read or written.
    """
    return min(last_sector_end(state, base, now, here) + 1, now)


@shared
def cost(state: NDArray, base: int, known_at: int, here: int, sector: int, writes: bool) -> int:
    """Time in ps until the sector is under its head, if the arm leaves at `known_at`."""
    there = track_of(state, base, sector)
    return aligned(state, base, known_at + travel(state, base, here, there, writes), sector) - known_at


SCHEDULING.add(Scheduling("shortest", [angle_known_at, cost]))
