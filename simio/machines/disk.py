"""The mechanism of a disk: where the platters are, where the arm is, and what its read-ahead has buffered.

The platters turn for ever, so that the angle is the time modulo a revolution. Tracks are laid out along the disk
with skew: the first sector of a track lies as much later on the circle as the switch to its head or cylinder
takes, so that a sequential read streams at the media rate less skew. The *path* of a sector is the time from
the first sector of the disk to this one in such a stream; a sector can be read whenever the time modulo a
revolution equals its path modulo a revolution.

After a command the drive goes on reading into one buffer segment until that is full, and starts again, with the
loss of rotational position that this costs, when half of the segment has been taken. State carries over from
request to request; nothing is computed between requests but what they need to know.

The seek curve is a*sqrt(d - 1) + b*(d - 1) + c over d cylinders, fitted to the published single-cylinder,
average and full-stroke seek times (E. K. Lee and R. H. Katz, "An analytic performance model of disk arrays",
SIGMETRICS 1993, section 3.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from numpy.typing import NDArray

from simio.machines.shared import shared

REVOLUTION = 0
HEADS = 1
TRACK_SKEW = 2
CYLINDER_SKEW = 3
SEEK_ROOT = 4
"""a of the seek curve, in ps for each 1/1024 of the root of a cylinder."""
SEEK_LINEAR = 5
"""b of the seek curve, in 1/1024 ps a cylinder."""
SEEK_SINGLE = 6
HEAD_SWITCH = 7
SEGMENT = 8
"""Sectors of a buffer segment."""
SECTORS = 9
"""Sectors of the whole disk."""
ZONES = 10
ORIGIN = 11
"""Sector at which the present stream began, at time START."""
START = 12
TAKEN = 13
"""Sectors below this one have left the buffer."""
STOPPED = 14
"""Sector before which the media stopped because the segment was full, or -1 while it streams."""
ARM = 15
"""Cylinder and head (as a track number) at which the stream began."""
ZONE_TABLE = 16
ZONE_COLUMNS = 4
"""Of each zone: first sector, first cylinder, sectors a track, sectors a cylinder."""
LATEST = 9 * 10**18
"""Last instant in ps (104 days) at which a disk can be asked, so that what it answers stays below 2**63."""


def initial(
    revolution: int,
    heads: int,
    zones: Sequence[tuple[int, int]],
    track_skew: int,
    cylinder_skew: int,
    head_switch: int,
    seek: tuple[int, int, int],
    segment: int,
) -> list[int]:
    """Initial state of a disk.

    `zones` are (cylinders, sectors a track) from the outside in; `seek` is (single cylinder, average, full
    stroke); times in ps, `segment` in sectors. The arm rests on the outermost cylinder.
    """
    table: list[int] = []
    sector = cylinder = 0
    for cylinders, sectors in zones:
        table += [sector, cylinder, sectors, sectors * heads]
        sector += cylinders * sectors * heads
        cylinder += cylinders
    single, average, full = seek
    span = max(cylinder - 1, 1)
    root = ((-10 * single + 15 * average - 5 * full) << 10) // (3 * isqrt(span << 20))
    linear = ((7 * single - 15 * average + 8 * full) << 10) // (3 * span)
    state = [revolution, heads, track_skew, cylinder_skew, root, linear, single, head_switch, segment, sector]
    return [*state, len(zones), 0, 0, 0, 0, 0, *table]


@shared
def square_root(value: int) -> int:
    """Whole part of the square root, by Newton's method in integers."""
    if value < 2:
        return value
    root = value
    following = (root + 1) // 2
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
    curve = state[base + 4] * square_root(steps << 20) // 1024 + state[base + 5] * steps // 1024
    return max(state[base + 6] + curve, state[base + 6])


@shared
def zone_of(state: NDArray, base: int, sector: int) -> int:
    """Position in the state of the zone that holds a sector."""
    at = base + 16 + 4 * (state[base + 10] - 1)
    while state[at] > sector:
        at -= 4
    return at


@shared
def track_of(state: NDArray, base: int, sector: int) -> int:
    """Number of the track that holds a sector, counted along the disk."""
    zone = zone_of(state, base, sector)
    return state[zone + 1] * state[base + 1] + (sector - state[zone]) // state[zone + 2]


@shared
def path(state: NDArray, base: int, sector: int) -> int:
    """Time from the disk's first sector to the start of this one in an unbroken sequential read, in ps."""
    zone = zone_of(state, base, sector)
    heads = state[base + 1]
    within = sector - state[zone]
    track = within // state[zone + 2]
    cylinder = state[zone + 1] + track // heads
    head = track % heads
    around = (within % state[zone + 2]) * state[base] // state[zone + 2]
    skew = cylinder * ((heads - 1) * state[base + 2] + state[base + 3]) + head * state[base + 2]
    return (cylinder * heads + head) * state[base] + skew + around


@shared
def aligned(state: NDArray, base: int, time: int, sector: int) -> int:
    """First instant from `time` on at which the start of a sector is under its head."""
    return time + (path(state, base, sector) - time) % state[base]


@shared
def read_by(state: NDArray, base: int, sector: int) -> int:
    """Instant at which the present stream has read all sectors below this one, which lies after its first.

    That is the end of the sector before, not the start of this one: between two tracks lies their skew.
    """
    last = sector - 1
    zone = zone_of(state, base, last)
    within = (last - state[zone]) % state[zone + 2]
    length = (within + 1) * state[base] // state[zone + 2] - within * state[base] // state[zone + 2]
    return state[base + 12] + path(state, base, last) + length - path(state, base, state[base + 11])


@shared
def full_at(state: NDArray, base: int) -> int:
    """Sector before which the media will stop if nothing more is taken."""
    return min(state[base + 13] + state[base + 8], state[base + 9] - 1)


@shared
def position(state: NDArray, base: int, now: int) -> int:
    """Sector at which the media is, or has stopped."""
    low = state[base + 11]
    high = state[base + 14] if state[base + 14] >= 0 else full_at(state, base)
    while low < high:
        middle = (low + high + 1) // 2
        if read_by(state, base, middle) <= now:
            low = middle
        else:
            high = middle - 1
    return low


@shared
def begin(state: NDArray, base: int, now: int, sector: int, count: int) -> int:
    """A read command for `count` sectors: 0, or -1 where the disk has no such sectors.

    A command that goes on where the last one ended is served from the stream; any other moves the arm.
    """
    if now > LATEST or sector < 0 or count < 1:
        return -1
    if sector >= state[base + 9] or count >= state[base + 9] - sector:
        return -1
    if sector == state[base + 13] and sector > 0:
        return 0
    heads = state[base + 1]
    here = track_of(state, base, position(state, base, now))
    there = track_of(state, base, sector)
    arrival = now + seek_time(state, base, abs(there // heads - here // heads))
    if there // heads == here // heads and there != here:
        arrival += state[base + 7]
    state[base + 11] = sector
    state[base + 12] = aligned(state, base, arrival, sector)
    state[base + 13] = sector
    state[base + 14] = -1
    return 0


@shared
def go_on(state: NDArray, base: int, now: int) -> None:
    """The media, stopped because the segment was full, reads on as soon as its next sector comes around."""
    state[base + 11] = state[base + 14]
    state[base + 12] = aligned(state, base, now, state[base + 14])
    state[base + 14] = -1


@shared
def ready(state: NDArray, base: int, now: int, count: int) -> int:
    """Time until the next `count` sectors are in the buffer, in ps; -1 if a segment cannot hold them."""
    if now > LATEST or count < 1 or count > state[base + 8]:
        return -1
    wanted = state[base + 13] + count
    if wanted >= state[base + 9]:
        return -1
    stopped = state[base + 14]
    if wanted <= state[base + 11] or wanted <= stopped:
        return 0
    if stopped >= 0:
        go_on(state, base, now)
    return max(read_by(state, base, wanted) - now, 0)


@shared
def take(state: NDArray, base: int, now: int, count: int) -> int:
    """The next `count` sectors leave the buffer; the media stops or starts again as room allows. Returns 0."""
    if now > LATEST or count < 0 or count > state[base + 9]:
        return -1
    if state[base + 14] < 0:
        limit = full_at(state, base)
        if limit > state[base + 11] and read_by(state, base, limit) <= now:
            state[base + 14] = limit
    state[base + 13] = min(state[base + 13] + count, state[base + 9] - 1)
    stopped = state[base + 14]
    if stopped >= 0 and stopped - state[base + 13] <= state[base + 8] // 2:
        go_on(state, base, now)
    return 0
