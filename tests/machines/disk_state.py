"""A small drive whose segments and commands are set word by word, for single steps of its machine.

A revolution takes 1000 ps and passes ten sectors; a cylinder has two tracks. In a revolution sector n of an even
cylinder comes around at 100 * n ps, of an odd one 500 ps later, and 200 ps later on the second track of either.
"""

from __future__ import annotations

from typing import Any

from simio.machines import disk
from simio.machines.disk import layout as c

BASE = 3


def drive(sectors: int = 10, **options: Any) -> list[int]:
    """A drive of ten cylinders, ten sectors a track, with three segments of 40; something stands before its state."""
    plain = {"revolution": 1000, "heads": 2, "track_skew": 200, "cylinder_skew": 300, "head_switch": 150}
    plain |= {"segment": 40, "segments": 3, "depth": 3, "write_settle": 50, "hit_time": 3, "miss_time": 7}
    sheet = disk.initial([(10, sectors)], (250, 400, 600), **(plain | options))
    return [77] * BASE + sheet


def put(state: list[int], at: int, **words: int) -> int:
    """Set words by name, of the drive (at BASE), a segment or a command; where it stands."""
    for name, value in words.items():
        state[at + getattr(c, name.upper())] = value
    return at


def segment(state: list[int], number: int, **words: int) -> int:
    return put(state, BASE + state[BASE + c.SEGMENT_TABLE] + number * c.SEGMENT_COLUMNS, **words)


def command(state: list[int], tag: int, **words: int) -> int:
    """Set words of a command; a segment that it is served from is in use by one more, as far as that is not said."""
    table = BASE + state[BASE + c.COMMAND_TABLE]
    at = put(state, table + tag * c.COMMAND_COLUMNS, **words)
    place = words.get("place", 0)
    if words.get("status") == c.SERVED and place > 0:
        rows = [table + other * c.COMMAND_COLUMNS for other in range(state[BASE + c.SLOTS])]
        users = sum(state[row + c.STATUS] == c.SERVED and state[row + c.PLACE] == place for row in rows)
        state[place + c.LIVE] = max(state[place + c.LIVE], users)
    return at


def dirty(state: list[int], number: int, first: int, end: int, **words: int) -> int:
    """A segment with sectors that are in the buffer only."""
    told = {"kind": c.DIRTY, "first": first, "destaged": first, "reserved": end}
    return segment(state, number, **(told | words))


def stopped(state: list[int], number: int, first: int, end: int, **words: int) -> int:
    """A segment with sectors that have been read, where the media has stopped."""
    told = {"kind": c.STREAM, "first": first, "origin": first, "stop": end, "taken": end, "goal": end}
    return segment(state, number, **(told | words))


def look(state: list[int], at: int, *names: str) -> tuple[int, ...]:
    return tuple(state[at + getattr(c, name.upper())] for name in names)


def reading(state: list[int], **words: int) -> int:
    """Segment 0 with a pass that began with sector 100, at 500 ps: sector 109 ends at 1500, 119 at 2700, 129 at 4000
    and 139, the last for which there is room, at 5200."""
    told = {"kind": c.STREAM, "first": 100, "origin": 100, "start": 500, "phase": 500 - 12_500, "stop": -1}
    s = segment(state, 0, **(told | {"taken": 100, "goal": 110} | words))
    put(state, BASE, active=s)
    return s
