"""The state that a disk begins with."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from simio.machines.disk import layout as w
from simio.machines.disk.scheduling import SCHEDULING
from simio.machines.layout import State


def initial(
    zones: Sequence[tuple[int, int]],
    seek: tuple[int, int, int],
    *,
    heads: int,
    segments: int = 1,
    depth: int = 1,
    scheduling: str = "fifo",
    **words: int,
) -> State:
    """Initial state of a disk whose arm rests on the outermost cylinder.

    `zones` are (cylinders, sectors a track) from the outside in; `seek` is (single cylinder, average, full stroke) in
    ps; `depth` commands are held at once; `words` are others by name. Raises ValueError for an unknown name.
    """
    table: list[int] = []
    sector = cylinder = 0
    for cylinders, sectors in zones:
        table += [sector, cylinder, sectors]
        sector += cylinders * sectors * heads
        cylinder += cylinders
    single, average, full = seek
    span = max(cylinder - 1, 1)
    segment_table = w.ZONE_TABLE + len(table)
    return w.WORDS.initial(
        heads=heads,
        seek_single=single,
        seek_root=((-10 * single + 15 * average - 5 * full) << 10) // (3 * isqrt(span << 20)),
        seek_linear=((7 * single - 15 * average + 8 * full) << 10) // (3 * span),
        sectors=sector,
        zone_count=len(zones),
        segments=segments,
        slots=depth + 1,
        policy=SCHEDULING[scheduling].number,
        in_order=int(SCHEDULING[scheduling].in_order),
        segment_table=segment_table,
        command_table=segment_table + segments * w.SEGMENT_COLUMNS,
        zone_table=table,
        segment_rows=[0] * (segments * w.SEGMENT_COLUMNS),
        command_rows=[0] * ((depth + 1) * w.COMMAND_COLUMNS),
        **words,
    )
