"""Places of sectors, and times of the arm from one to another.

The platters turn for ever, so that the angle is the time modulo a revolution. Tracks are laid out along the disk
with skew: the first sector of a track lies as much later on the circle as the switch to its head or cylinder
takes, so that a sequential sweep streams at the media rate less skew. The *path* of a sector is the time from
the first sector of the disk to this one in such a sweep; a sector can be read whenever the time modulo a
revolution equals its path modulo a revolution.

The seek curve is a table of measured times, with straight lines between its points; without one it is
a*sqrt(d - 1) + b*(d - 1) + c over d cylinders, fitted to the published single-cylinder, average and full-stroke seek
times (E. K. Lee and R. H. Katz, "An analytic performance model of disk arrays", SIGMETRICS 1993, section 3.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.disk import layout as w
from simio.machines.shared import shared

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    if state[base + w.SEEK_POINTS] > 0:
        return measured_seek(state, base, distance)
    steps = distance - 1
    curve = state[base + w.SEEK_ROOT] * square_root(steps << 20) // 1024
    curve += state[base + w.SEEK_LINEAR] * steps // 1024
    return max(state[base + w.SEEK_SINGLE] + curve, state[base + w.SEEK_SINGLE])


@shared
def measured_seek(state: NDArray, base: int, distance: int) -> int:
    """The same by the table: on a line between the points beside it; the first or last time outside of the table."""
    row = base + state[base + w.SEEK_TABLE]
    low = 0
    high = state[base + w.SEEK_POINTS] - 1
    if distance <= state[row + w.DISTANCE]:
        return state[row + w.TIME]
    while low < high:
        middle = (low + high + 1) // 2
        if state[row + middle * w.SEEK_COLUMNS + w.DISTANCE] <= distance:
            low = middle
        else:
            high = middle - 1
    at = row + low * w.SEEK_COLUMNS
    if low == state[base + w.SEEK_POINTS] - 1:
        return state[at + w.TIME]
    after = at + w.SEEK_COLUMNS
    longer = (state[after + w.TIME] - state[at + w.TIME]) * (distance - state[at + w.DISTANCE])
    return state[at + w.TIME] + longer // (state[after + w.DISTANCE] - state[at + w.DISTANCE])


@shared
def travel(state: NDArray, base: int, here: int, there: int, writes: bool) -> int:
    """Time from track `here` until something can be read on, or written to, track `there`, in ps."""
    if here == there:
        return 0
    heads = state[base + w.HEADS]
    distance = abs(there // heads - here // heads)
    time = seek_time(state, base, distance) if distance > 0 else state[base + w.HEAD_SWITCH]
    return max(time + state[base + w.WRITE_SETTLE], 0) if writes else time


@shared
def zone_by(state: NDArray, base: int, column: int, value: int) -> int:
    """Position in the state of the last zone that begins with at most this value of a column."""
    at = base + w.ZONE_TABLE + w.ZONE_COLUMNS * (state[base + w.ZONES] - 1)
    while state[at + column] > value:
        at -= w.ZONE_COLUMNS
    return at


@shared
def zone_of(state: NDArray, base: int, sector: int) -> int:
    """Position in the state of the zone that holds a sector."""
    return zone_by(state, base, w.ZONE_SECTOR, sector)


@shared
def track_of(state: NDArray, base: int, sector: int) -> int:
    """Number of the track that holds a sector, counted along the disk."""
    zone = zone_of(state, base, sector)
    return (
        state[zone + w.ZONE_CYLINDER] * state[base + w.HEADS]
        + (sector - state[zone + w.ZONE_SECTOR]) // state[zone + w.ZONE_TRACK]
    )


@shared
def track_end(state: NDArray, base: int, sector: int) -> int:
    """First sector after the track that holds a sector."""
    zone = zone_of(state, base, sector)
    return sector + state[zone + w.ZONE_TRACK] - (sector - state[zone + w.ZONE_SECTOR]) % state[zone + w.ZONE_TRACK]


@shared
def track_path(state: NDArray, base: int, zone: int, track: int) -> int:
    """Path of the first sector of a track, counted from its zone's first, in ps."""
    heads = state[base + w.HEADS]
    to_next = state[base + w.REVOLUTION] + state[zone + w.ZONE_TRACK_SKEW]
    cylinder = heads * to_next + state[zone + w.ZONE_CYLINDER_SKEW] - state[zone + w.ZONE_TRACK_SKEW]
    return state[zone + w.ZONE_PATH] + track // heads * cylinder + track % heads * to_next


@shared
def path(state: NDArray, base: int, sector: int) -> int:
    """Time from the disk's first sector to the start of this one in an unbroken sequential sweep, in ps."""
    zone = zone_of(state, base, sector)
    sectors = state[zone + w.ZONE_TRACK]
    within = sector - state[zone + w.ZONE_SECTOR]
    track = within // sectors
    around = (within - track * sectors) * state[base + w.REVOLUTION] // sectors
    return track_path(state, base, zone, track) + around


@shared
def path_end(state: NDArray, base: int, sector: int) -> int:
    """The same to the end of the sector before, which is less by the skew where this one begins a track."""
    zone = zone_of(state, base, sector - 1)
    sectors = state[zone + w.ZONE_TRACK]
    within = sector - 1 - state[zone + w.ZONE_SECTOR]
    track = within // sectors
    around = (within - track * sectors + 1) * state[base + w.REVOLUTION] // sectors
    return track_path(state, base, zone, track) + around


@shared
def aligned(state: NDArray, base: int, time: int, sector: int) -> int:
    """First instant from `time` on at which the start of a sector is under its head."""
    return time + (path(state, base, sector) - time) % state[base + w.REVOLUTION]


@shared
def last_sector_end(state: NDArray, base: int, now: int, track: int) -> int:
    """Last instant in ps, up to `now`, at which one sector of a track ended under its head and the next began."""
    heads, turn = state[base + w.HEADS], state[base + w.REVOLUTION]
    zone = zone_by(state, base, w.ZONE_CYLINDER, track // heads)
    sectors = state[zone + w.ZONE_TRACK]
    angle = (now - track_path(state, base, zone, track - state[zone + w.ZONE_CYLINDER] * heads)) % turn
    # Sector n begins at the whole part of n * turn / sectors, as in `path`: the last that has begun.
    passed = ((angle + 1) * sectors - 1) // turn
    return now - angle + passed * turn // sectors
