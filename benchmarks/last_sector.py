"""The choice of the next command as DiskSim 4.0 makes it: by where the head was when the last sector ended.

Its estimate of a positioning time (`disk_buffer_estimate_servtime` in src/disksim_diskctlr.c) takes the angle that
the mechanism was left with at the end of a sector for that of the present instant. So each command seems to be up to
a sector further away than it is, and one that is only just reached in the estimate is missed, for a revolution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.disk import layout as w
from simio.machines.disk.geometry import aligned, path, track_of, travel
from simio.machines.disk.scheduling import SCHEDULING, Scheduling
from simio.machines.shared import shared

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAME = "shortest from the last sector"


@shared
def since_sector(state: NDArray, base: int, now: int, track: int) -> int:
    """Time since a sector of a track last ended under its head, in ps."""
    heads, turn = state[base + w.HEADS], state[base + w.REVOLUTION]
    zone = base + w.ZONE_TABLE + w.ZONE_COLUMNS * (state[base + w.ZONES] - 1)
    while state[zone + w.ZONE_CYLINDER] * heads > track:
        zone -= w.ZONE_COLUMNS
    sectors = state[zone + w.ZONE_TRACK]
    first = state[zone + w.ZONE_SECTOR] + (track - state[zone + w.ZONE_CYLINDER] * heads) * sectors
    return (now - path(state, base, first)) % turn % (turn // sectors)


@shared
def cost(state: NDArray, base: int, now: int, here: int, sector: int, writes: bool) -> int:
    """Time in ps until the sector would be under its head if the arm had left when the last sector ended."""
    left = now - since_sector(state, base, now, here)
    there = track_of(state, base, sector)
    return aligned(state, base, left + travel(state, base, here, there, writes), sector) - left


SCHEDULING.add(Scheduling(NAME, [cost]))
