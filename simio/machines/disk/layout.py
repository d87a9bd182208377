"""Where each value of a disk's state is: parameters, the arm, then tables of zones, segments and commands.

Times are in ps, sectors are counted along the disk. Positions below are relative to the disk's offset in the
state of the program, those of the three tables' columns to the row's own position.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

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
WRITE_SETTLE = 8
SECTORS = 9
"""Sectors of the whole disk."""
ZONES = 10
SEGMENTS = 11
SEGMENT = 12
"""Sectors of a buffer segment."""
SLOTS = 13
"""Rows of the command table: commands that the drive holds, and one that has ended but for its arm."""
SCHEDULING = 14
READ_AHEAD = 15
WRITE_CACHE = 16
HIT_TIME = 17
"""Controller time of a read served from the buffer, less what every command costs."""
MISS_TIME = 18
"""Controller time of a read that needs the media, less what every command costs."""
SEGMENT_TABLE = 19
COMMAND_TABLE = 20
OWNER = 21
"""Tag of the command that has the arm, NOBODY, or DESTAGING."""
ACTIVE = 22
"""Position of the segment that the arm reads into or last did, or -1 after a write or a stop."""
HERE = 23
"""Track of the arm while no segment is active."""
DIRECTION = 24
"""1 where the arm last moved inwards, else -1; for the elevator."""
TICKETS = 25
"""Commands so far; each takes a number at arrival."""
CLOCK = 26
"""Uses of segments so far, for their order of use."""
WAITING = 27
"""Threads that wait to be woken."""
LACKING = 28
"""Commands that wait for a segment, for room in theirs, or for dirty data in their way."""
DESTAGER = 29
"""1 while a thread is there that writes dirty data to the media."""
CHUNK = 30
"""Position of the segment that is being written to the media, or -1."""
CHUNK_END = 31
"""Sector before which the pass of the media over the chunk will end; more may come until the head is there."""
ZONE_TABLE = 32
ZONE_COLUMNS = 4
"""Of each zone: first sector, first cylinder, sectors a track, sectors a cylinder."""

NOBODY = -1
DESTAGING = -2

FIFO = 0
ELEVATOR = 1
SHORTEST = 2
SCHEDULINGS = {"fifo": FIFO, "elevator": ELEVATOR, "shortest": SHORTEST}

KIND = 0
"""EMPTY; STREAM: what was read, or written and on the media; DIRTY: it takes what hosts write."""
FIRST = 1
"""Lowest sector that may be there; the ring overwrites it when it is a segment behind the highest."""
ORIGIN = 2
"""Sector at which the present pass of the media began."""
START = 3
"""When it began, or when the arm will be there."""
STOP = 4
"""Sector before which the media stopped, or -1 while it reads on."""
TAKEN = 5
"""Sectors below this one have left the buffer and may be overwritten."""
GOAL = 6
"""Sector before which a drive without read-ahead stops: the end of the last command."""
USED = 7
"""When it was last used, on the disk's own CLOCK."""
LIVE = 8
"""Commands in service that use it."""
STALE = 9
"""1 where a write has made it out of date while a read was using it."""
DESTAGED = 10
"""Sectors below this one are on the media."""
RESERVED = 11
"""Sector before which the run of dirty data will end when all commands so far have brought theirs."""
SINCE = 12
"""Ticket of the oldest command whose data are dirty."""
PHASE = 13
"""START less the path of ORIGIN: added to the path of a sector, it gives the time at which this pass is there."""
SEGMENT_COLUMNS = 14

EMPTY = 0
STREAM = 1
DIRTY = 2

STATUS = 0
"""FREE, QUEUED, SERVED, or ENDED while its arm has still to be given back."""
NEXT = 1
"""A read: sectors below have been asked for. A write: sectors below are in the buffer."""
END = 2
TICKET = 3
WRITES = 4
PLACE = 5
"""Position of its segment, once it has one."""
LACKS = 6
"""1 while it is among the LACKING."""
GIVEN = 7
"""A read: sectors below have left the buffer."""
HELD = 8
"""1 where the end of its pass over the media is known, so that FREE will be called for it."""
COMMAND_COLUMNS = 9

FREE = 0
QUEUED = 1
SERVED = 2
ENDED = 3

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
    *,
    write_settle: int = 0,
    segments: int = 1,
    depth: int = 1,
    scheduling: int = FIFO,
    read_ahead: bool = True,
    write_cache: bool = False,
    hit_time: int = 0,
    miss_time: int = 0,
) -> list[int]:
    """Initial state of a disk.

    `zones` are (cylinders, sectors a track) from the outside in; `seek` is (single cylinder, average, full
    stroke); times in ps, `segment` in sectors; `depth` commands are held at once. The arm rests on the outermost
    cylinder.
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
    segment_table = ZONE_TABLE + len(table)
    command_table = segment_table + segments * SEGMENT_COLUMNS
    state = [revolution, heads, track_skew, cylinder_skew, root, linear, single, head_switch, write_settle]
    state += [sector, len(zones), segments, segment, depth + 1, scheduling, int(read_ahead), int(write_cache)]
    state += [hit_time, miss_time, segment_table, command_table]
    state += [NOBODY, -1, 0, 1, 0, 0, 0, 0, 0, -1, 0]
    return [*state, *table, *[0] * (segments * SEGMENT_COLUMNS + (depth + 1) * COMMAND_COLUMNS)]
