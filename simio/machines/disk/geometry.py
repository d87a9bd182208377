"""Where sectors are, and how long the arm takes from one to another.

The platters turn for ever, so that the angle is the time modulo a revolution. Tracks are laid out along the disk
with skew: the first sector of a track lies as much later on the circle as the switch to its head or cylinder
takes, so that a sequential pass streams at the media rate less skew. The *path* of a sector is the time from
the first sector of the disk to this one in such a pass; a sector can be read whenever the time modulo a
revolution equals its path modulo a revolution.

The seek curve is a*sqrt(d - 1) + b*(d - 1) + c over d cylinders, fitted to the published single-cylinder,
average and full-stroke seek times (E. K. Lee and R. H. Katz, "An analytic performance model of disk arrays",
SIGMETRICS 1993, section 3.2).
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.disk.layout import (
    CYLINDER_SKEW,
    HEAD_SWITCH,
    HEADS,
    REVOLUTION,
    SEEK_LINEAR,
    SEEK_ROOT,
    SEEK_SINGLE,
    TRACK_SKEW,
    WRITE_SETTLE,
    ZONE_COLUMNS,
    ZONE_TABLE,
    ZONES,
)
from simio.machines.shared import shared


@shared
def square_root(value: int) -> int:
    """Whole part of the square root, by Newton's method in integers from a power of two above it."""
    if value < 1:
        return 0
    root = 1
    while root * root <= value:
        root *= 2
    following = (root + value // root) // 2
    while following < root:
        root = following
        following = (root + value // root) // 2
    return root


@shared
def seek_time(state: NDArray, base: int, distance: int) -> int:
    """Time to move the arm over `distance` cylinders, in ps."""
    if distance <= 0:
        return 0
    steps = distance - 1
    curve = state[base + SEEK_ROOT] * square_root(steps << 20) // 1024
    curve += state[base + SEEK_LINEAR] * steps // 1024
    return max(state[base + SEEK_SINGLE] + curve, state[base + SEEK_SINGLE])


@shared
def travel(state: NDArray, base: int, here: int, there: int, writes: bool) -> int:
    """Time from track `here` until something can be read on, or written to, track `there`, in ps."""
    if here == there:
        return 0
    heads = state[base + HEADS]
    distance = abs(there // heads - here // heads)
    time = seek_time(state, base, distance) if distance > 0 else state[base + HEAD_SWITCH]
    return time + state[base + WRITE_SETTLE] if writes else time


@shared
def zone_of(state: NDArray, base: int, sector: int) -> int:
    """Position in the state of the zone that holds a sector."""
    at = base + ZONE_TABLE + ZONE_COLUMNS * (state[base + ZONES] - 1)
    while state[at] > sector:
        at -= ZONE_COLUMNS
    return at


@shared
def track_of(state: NDArray, base: int, sector: int) -> int:
    """Number of the track that holds a sector, counted along the disk."""
    zone = zone_of(state, base, sector)
    return state[zone + 1] * state[base + HEADS] + (sector - state[zone]) // state[zone + 2]


@shared
def track_end(state: NDArray, base: int, sector: int) -> int:
    """First sector after the track that holds a sector."""
    zone = zone_of(state, base, sector)
    return sector + state[zone + 2] - (sector - state[zone]) % state[zone + 2]


@shared
def path(state: NDArray, base: int, sector: int) -> int:
    """Time from the disk's first sector to the start of this one in an unbroken sequential pass, in ps."""
    zone = zone_of(state, base, sector)
    heads = state[base + HEADS]
    within = sector - state[zone]
    track = within // state[zone + 2]
    cylinder = state[zone + 1] + track // heads
    head = track % heads
    around = (within % state[zone + 2]) * state[base + REVOLUTION] // state[zone + 2]
    skew = cylinder * ((heads - 1) * state[base + TRACK_SKEW] + state[base + CYLINDER_SKEW])
    skew += head * state[base + TRACK_SKEW]
    return (cylinder * heads + head) * state[base + REVOLUTION] + skew + around


@shared
def aligned(state: NDArray, base: int, time: int, sector: int) -> int:
    """First instant from `time` on at which the start of a sector is under its head."""
    return time + (path(state, base, sector) - time) % state[base + REVOLUTION]


@shared
def passed(state: NDArray, base: int, origin: int, start: int, sector: int) -> int:
    """Instant at which a pass that began with `origin` at `start` has gone over all sectors below a later one.

    That is the end of the sector before, not the start of this one: between two tracks lies their skew.
    """
    last = sector - 1
    zone = zone_of(state, base, last)
    turn = state[base + REVOLUTION]
    within = (last - state[zone]) % state[zone + 2]
    length = (within + 1) * turn // state[zone + 2] - within * turn // state[zone + 2]
    return start + path(state, base, last) + length - path(state, base, origin)
